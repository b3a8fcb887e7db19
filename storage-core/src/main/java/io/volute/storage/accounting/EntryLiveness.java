package io.volute.storage.accounting;

import io.volute.storage.Place;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The liveness of entries, recorded in memory as it changes: which entries have died, and which
 * blobs have had more than one reference. The row of an entry without a note equals the entry
 * itself, so cleaning need not query the index for it. Nothing is known of segments that are older
 * than this start, nor of segments for whose notes there was no memory.
 *
 * <p>One thread makes notes, after the index has the change. Any thread reads them.
 */
public final class EntryLiveness {
    /**
     * Shift from offset to unit. No entry is shorter than 8 bytes, so each begins in a unit of its
     * own.
     */
    private static final int UNIT_SHIFT = 3;

    private static final int LENGTH_MIN = 16;

    /** The liveness of an entry, as far as it is known. */
    public enum Liveness {
        /** The row equals the entry; a blob has one reference. */
        LIVE,
        /** No row has its place, and none will. */
        DEAD,
        /** The index must be queried. */
        UNKNOWN
    }

    /**
     * Offsets of dead entries; for shared blobs that are not dead, the complements of their
     * offsets.
     */
    private static final class Notes {
        private int[] offsets = new int[LENGTH_MIN];
        private int count;

        boolean isFull() {
            return count == offsets.length;
        }
    }

    private final long bytesMax;
    private final Map<Long, Notes> segments = new HashMap<>();
    private final Set<Long> dropped = new HashSet<>();
    private final Set<Reader> readers = new HashSet<>();
    private volatile long firstKnown = Long.MAX_VALUE;
    private long bytes;

    /**
     * Creates an instance without notes.
     *
     * @param bytesMax approximate bound of the memory in bytes
     */
    EntryLiveness(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Begins to record the entries of this segment and of later ones. */
    public void begin(long firstSegment) {
        firstKnown = firstSegment;
    }

    synchronized void forget(Set<Long> gone) {
        gone.forEach(this::drop);
        dropped.removeAll(gone);
        readers.forEach(reader -> reader.gone.addAll(gone));
    }

    private void drop(long segment) {
        Notes notes = segments.remove(segment);
        if (notes != null) {
            bytes -= Integer.BYTES * (long) notes.offsets.length;
        }
    }

    private boolean isKnown(long segment) {
        return segment >= firstKnown && !dropped.contains(segment);
    }

    private void note(long segment, int offset) {
        if (!isKnown(segment)) {
            return;
        }
        Notes notes = segments.computeIfAbsent(segment, id -> new Notes());
        if (notes.count == 0) {
            bytes += Integer.BYTES * (long) LENGTH_MIN;
        } else if (notes.isFull()) {
            bytes += Integer.BYTES * (long) notes.count;
            notes.offsets = Arrays.copyOf(notes.offsets, 2 * notes.count);
        }
        notes.offsets[notes.count++] = offset;
        if (bytes > bytesMax) {
            drop(segment);
            dropped.add(segment);
        }
    }

    /** The notes of one batch. Used by one thread. */
    final class Changes {
        private long[] segments = new long[LENGTH_MIN];
        private int[] offsets = new int[LENGTH_MIN];
        private int count;

        /** Records that no reader can reach the entry any more. */
        void dead(Place entry) {
            add(entry.segmentId(), Math.toIntExact(entry.offset()));
        }

        /** Records that the blob of the entry has another number of references than one. */
        void shared(Place entry) {
            add(entry.segmentId(), ~Math.toIntExact(entry.offset()));
        }

        private void add(long segment, int offset) {
            if (segment < firstKnown) {
                return;
            }
            if (count == offsets.length) {
                segments = Arrays.copyOf(segments, 2 * count);
                offsets = Arrays.copyOf(offsets, 2 * count);
            }
            segments[count] = segment;
            offsets[count++] = offset;
        }

        void publish() {
            synchronized (EntryLiveness.this) {
                for (int i = 0; i < count; i++) {
                    note(segments[i], offsets[i]);
                }
            }
            count = 0;
        }
    }

    /**
     * A reader that follows the notes of the segments it is queried for. A segment that leaves the
     * log while the reader is open becomes unknown: its notes are gone, and without notes all its
     * entries would seem live. Used by one thread.
     */
    public final class Reader implements AutoCloseable {
        private final Map<Long, Followed> followed = new HashMap<>();
        private final Set<Long> gone = new HashSet<>();

        public Reader() {
            synchronized (EntryLiveness.this) {
                readers.add(this);
            }
        }

        /** Reads the notes made so far; later queries use them. */
        public void refresh() {
            followed.values().forEach(Followed::read);
        }

        public Liveness of(Place entry) {
            return followed.computeIfAbsent(entry.segmentId(), id -> new Followed(id, gone))
                    .of(entry);
        }

        @Override
        public void close() {
            synchronized (EntryLiveness.this) {
                readers.remove(this);
            }
        }
    }

    private final class Followed {
        private final long segment;
        private final Set<Long> gone;
        private final BitSet dead = new BitSet();
        private final BitSet shared = new BitSet();
        private boolean known;
        private int count;

        /**
         * Begins to follow a segment.
         *
         * @param gone segments that have left the log while the reader was open
         */
        Followed(long segment, Set<Long> gone) {
            this.segment = segment;
            this.gone = gone;
            read();
        }

        void read() {
            synchronized (EntryLiveness.this) {
                known = isKnown(segment) && !gone.contains(segment);
                Notes notes = segments.get(segment);
                while (notes != null && count < notes.count) {
                    int offset = notes.offsets[count++];
                    (offset < 0 ? shared : dead).set((offset < 0 ? ~offset : offset) >> UNIT_SHIFT);
                }
            }
        }

        public Liveness of(Place entry) {
            int unit = (int) (entry.offset() >> UNIT_SHIFT);
            if (!known) {
                return Liveness.UNKNOWN;
            } else if (dead.get(unit)) {
                return Liveness.DEAD;
            }
            return shared.get(unit) ? Liveness.UNKNOWN : Liveness.LIVE;
        }
    }
}
