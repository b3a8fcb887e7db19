package io.volute.versioning.rows;

import io.volute.storage.RecordStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A row of {@code removed} that belongs to no key: the stretches of time in which the order of
 * commits departs from the clock. Sequences never go back. When the clock does, commits keep the
 * time of the last one until the clock has caught up, so the past of that stretch is not known.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  number of stretches, and for each, the oldest first:
 *             varint  begin, milliseconds since 1970
 *             varint  length, milliseconds; 0 of the last one: the clock is still behind
 * </pre>
 *
 * @param stretches at most {@value #STRETCHES}, the oldest first; they do not touch
 */
public record ClockRow(List<Stretch> stretches) {
    /** Greatest number of stretches. Beyond it, the nearest two become one. */
    public static final int STRETCHES = 64;

    /** The row of a store whose clock never went back. */
    public static final ClockRow NONE = new ClockRow(List.of());

    private static final int LAYOUT = 1;
    private static final long OPEN = Long.MAX_VALUE;

    /**
     * A stretch of time in milliseconds since 1970.
     *
     * @param from last millisecond whose past is known, not before 0
     * @param until last millisecond whose past is not known, after {@code from}
     */
    public record Stretch(long from, long until) {
        /** Creates a stretch that lasts until the clock has caught up. */
        public static Stretch since(long from) {
            return new Stretch(from, OPEN);
        }

        public boolean isOpen() {
            return until == OPEN;
        }

        boolean contains(long millis) {
            return from < millis && millis <= until;
        }

        private boolean touches(Stretch other) {
            return from <= other.until && other.from <= until;
        }

        private Stretch with(Stretch other) {
            return new Stretch(Math.min(from, other.from), Math.max(until, other.until));
        }
    }

    public ClockRow {
        stretches = List.copyOf(stretches);
    }

    /** Returns the row of a cube. */
    public static ClockRow of(RecordStore cube) {
        return cube.get(Families.REMOVED, RowKeys.clock())
                .map(row -> decode(row.summary()))
                .orElse(NONE);
    }

    public byte[] encode() {
        RowOutput output = new RowOutput().octet(LAYOUT).varint(stretches.size());
        for (Stretch each : stretches) {
            output = output.varint(each.from).varint(each.isOpen() ? 0 : each.until - each.from);
        }
        return output.toBytes();
    }

    public static ClockRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "clock");
        long number = input.varint();
        List<Stretch> stretches = new ArrayList<>();
        for (long i = 0; i < number; i++) {
            long from = input.varint();
            long length = input.varint();
            stretches.add(length == 0 ? Stretch.since(from) : new Stretch(from, from + length));
        }
        return new ClockRow(stretches);
    }

    /** Returns the stretch that the clock has not left yet. */
    public Optional<Stretch> open() {
        return stretches.isEmpty() || !stretches.getLast().isOpen()
                ? Optional.empty()
                : Optional.of(stretches.getLast());
    }

    /** Returns the stretch that contains an instant. */
    public Optional<Stretch> at(Instant instant) {
        long millis = instant.toEpochMilli();
        return stretches.stream().filter(each -> each.contains(millis)).findFirst();
    }

    /** Returns the row with one more stretch. */
    public ClockRow with(Stretch more) {
        Stretch whole = more;
        List<Stretch> all = new ArrayList<>();
        for (Stretch each : stretches) {
            if (each.touches(whole)) {
                whole = each.with(whole);
            } else {
                all.add(each);
            }
        }
        all.add(whole);
        all.sort(Comparator.comparingLong(Stretch::from));
        while (all.size() > STRETCHES) {
            int nearest = 1;
            for (int i = 2; i < all.size(); i++) {
                nearest = distance(all, i) < distance(all, nearest) ? i : nearest;
            }
            Stretch later = all.remove(nearest);
            all.set(nearest - 1, all.get(nearest - 1).with(later));
        }
        return new ClockRow(all);
    }

    private static long distance(List<Stretch> all, int index) {
        return all.get(index).from - all.get(index - 1).until;
    }

    /** Returns the row with the stretches of another cube, from which states come. */
    public ClockRow with(ClockRow other) {
        ClockRow all = this;
        for (Stretch each : other.stretches) {
            all = all.with(each);
        }
        return all;
    }

    /** Returns the row after the clock has caught up, at a time. */
    public ClockRow closed(long until) {
        return open().map(
                        open -> {
                            List<Stretch> all =
                                    new ArrayList<>(stretches.subList(0, stretches.size() - 1));
                            all.add(new Stretch(open.from, Math.max(until, open.from + 1)));
                            return new ClockRow(all);
                        })
                .orElse(this);
    }
}
