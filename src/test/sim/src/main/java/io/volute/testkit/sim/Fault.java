package io.volute.testkit.sim;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A planned fault: what happens, to which operations, how often.
 *
 * @param fromEvent the first event that it may hit
 * @param times how many events it hits; {@link #STICKY} for all of them
 * @param operations it may hit, further limited to those that the effect makes sense for
 * @param filter of the events that it may hit
 */
public record Fault(
        Effect effect,
        long fromEvent,
        long times,
        Set<Operation> operations,
        Predicate<SimEvent> filter) {

    /** Hits every matching event for ever. */
    public static final long STICKY = Long.MAX_VALUE;

    public Fault {
        operations = Set.copyOf(operations);
    }

    /** Hits the first matching event from {@code event} on. */
    public static Fault once(Effect effect, long event) {
        return new Fault(effect, event, 1, EnumSet.allOf(Operation.class), any -> true);
    }

    /** Hits every matching event from {@code event} on. */
    public static Fault sticky(Effect effect, long event) {
        return new Fault(effect, event, STICKY, EnumSet.allOf(Operation.class), any -> true);
    }

    /** Hits only these operations. */
    public Fault on(Operation first, Operation... more) {
        return new Fault(effect, fromEvent, times, EnumSet.of(first, more), filter);
    }

    /** Hits only events that the predicate accepts. */
    public Fault where(Predicate<SimEvent> newFilter) {
        return new Fault(effect, fromEvent, times, operations, newFilter);
    }

    boolean matches(SimEvent event) {
        return event.number() >= fromEvent
                && operations.contains(event.operation())
                && effect.appliesTo(event.operation())
                && filter.test(event);
    }

    /** The effect of a fault. */
    public enum Effect {
        /** The operation does nothing and fails with "Input/output error". */
        IO_ERROR,
        /** The operation does nothing and fails with "No space left on device". */
        NO_SPACE,
        /** A part from the beginning is written, then "Input/output error". */
        SHORT_WRITE,
        /** Some 512 B sectors are written, then "Input/output error". */
        TORN_WRITE,
        /** The bytes land at another 4 KiB boundary of the same file, and success is reported. */
        MISDIRECTED_WRITE,
        /** Nothing is written, and success is reported. */
        DROPPED_WRITE,
        /**
         * The force fails and what it should have made durable is lost for ever, though reads still
         * see it, and the next force succeeds. (Rebello et al., "Can Applications Recover from
         * fsync Failures?", ATC 2020.) The handle does not remember the failure, unlike what {@link
         * io.volute.storage.io.StoredFile#force} promises, so that code which tries again is found.
         */
        FORCE_TRAP,
        /** The force reports success and does nothing: a disk that lies. */
        FORCE_LIES,
        /** A read returns one wrong bit. */
        READ_BIT_FLIP,
        /** A read returns one 512 B sector of zeros. */
        READ_ZERO_SECTOR,
        /** The machine stops before the operation. */
        CRASH_BEFORE,
        /** The machine stops after the operation. */
        CRASH_AFTER;

        boolean appliesTo(Operation operation) {
            return switch (this) {
                case IO_ERROR, CRASH_BEFORE, CRASH_AFTER -> true;
                case NO_SPACE ->
                        switch (operation) {
                            case CREATE_DIRECTORY, CREATE, WRITE, RENAME, LOCK, FORCE -> true;
                            case OPEN, LIST, DELETE, FORCE_DIRECTORY, READ, PUNCH -> false;
                        };
                case SHORT_WRITE, TORN_WRITE, MISDIRECTED_WRITE, DROPPED_WRITE ->
                        operation == Operation.WRITE;
                case FORCE_TRAP, FORCE_LIES ->
                        operation == Operation.FORCE || operation == Operation.FORCE_DIRECTORY;
                case READ_BIT_FLIP, READ_ZERO_SECTOR -> operation == Operation.READ;
            };
        }
    }
}
