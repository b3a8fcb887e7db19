package io.volute.testkit.sim;

import io.volute.testkit.sim.Fault.Effect;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Counts events, shows them, and lets planned faults hit them. Guarded by its owner. */
final class EventGate {
    private static final int RECENT_EVENTS = 64;

    private final List<ArmedFault> faults = new ArrayList<>();
    private final ArrayDeque<SimEvent> recent = new ArrayDeque<>();
    private Consumer<SimEvent> observer = event -> {};
    private long events;
    private long faultsHit;
    private long crashedAt;

    void plan(Fault fault) {
        faults.add(new ArmedFault(fault));
    }

    void clearFaults() {
        faults.clear();
    }

    void observe(Consumer<SimEvent> newObserver) {
        observer = newObserver;
    }

    long events() {
        return events;
    }

    long faultsHit() {
        return faultsHit;
    }

    List<SimEvent> recentEvents() {
        return List.copyOf(recent);
    }

    /**
     * Counts the event and returns the effect of the fault planned for it, if any.
     *
     * @throws SimulatedCrash when the machine has crashed, or the fault crashes it before the event
     * @throws IOException when the fault makes the event fail
     */
    Optional<Effect> begin(SimEvent unnumbered) throws IOException {
        if (crashedAt > 0) {
            throw new SimulatedCrash(crashedAt);
        }
        SimEvent event = unnumbered.numbered(events + 1);
        observer.accept(event);
        events++;
        if (recent.size() == RECENT_EVENTS) {
            recent.removeFirst();
        }
        recent.addLast(event);
        Optional<Effect> effect =
                faults.stream()
                        .filter(fault -> fault.hits(event))
                        .findFirst()
                        .map(fault -> fault.fault.effect());
        if (effect.isPresent()) {
            faultsHit++;
            hit(event.path(), effect.orElseThrow());
        }
        return effect;
    }

    private void hit(Path path, Effect effect) throws IOException {
        switch (effect) {
            case IO_ERROR, NO_SPACE -> throw SimFileSystem.failure(path, effect);
            case CRASH_BEFORE -> crash();
            case CRASH_AFTER,
                    SHORT_WRITE,
                    TORN_WRITE,
                    MISDIRECTED_WRITE,
                    DROPPED_WRITE,
                    FORCE_TRAP,
                    FORCE_LIES,
                    READ_BIT_FLIP,
                    READ_ZERO_SECTOR -> {}
        }
    }

    void end(Optional<Effect> effect) {
        if (effect.equals(Optional.of(Effect.CRASH_AFTER))) {
            crash();
        }
    }

    private void crash() {
        crashedAt = events;
        throw new SimulatedCrash(crashedAt);
    }

    private static final class ArmedFault {
        private final Fault fault;
        private long left;

        ArmedFault(Fault fault) {
            this.fault = fault;
            this.left = fault.times();
        }

        boolean hits(SimEvent event) {
            if (left == 0 || !fault.matches(event)) {
                return false;
            }
            left -= left == Fault.STICKY ? 0 : 1;
            return true;
        }
    }
}
