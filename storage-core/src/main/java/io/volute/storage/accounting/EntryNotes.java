package io.volute.storage.accounting;

import io.volute.storage.Place;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which entries have died, and which blobs have had more than one reference, noted as it happens.
 * The row of an entry without a note is what the entry itself says, so that cleaning need not ask
 * the index for each. In memory only: nothing is known of segments that are older than this start,
 * nor of those for whose notes there was no room.
 *
 * <p>Notes are made by one thread, after the index has what they tell, and read by any.
 */
public final class EntryNotes {
    /** No entry is shorter than eight bytes, so that each begins in a unit of its own. */
    private static final int UNIT_SHIFT = 3;

    private static final int LENGTH_MIN = 16;

    /** What is known of an entry. */
    public enum Known {
        /** Its row is what the entry says; a blob has one reference. */
        LIVE,
        /** No row has its place, and none will. */
        DEAD,
        /** The index has to be asked. */
        NOTHING
    }

    /** Offsets of the dead; of blobs that are not dead, their complements. */
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
     * @param bytesMax of memory, roughly
     */
    EntryNotes(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** What becomes of entries in this segment and later ones is noted from here on. */
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

        /** Nobody can reach the entry any more. */
        void dead(Place entry) {
            add(entry.segmentId(), Math.toIntExact(entry.offset()));
        }

        /** The blob of the entry has not one reference. */
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
            synchronized (EntryNotes.this) {
                for (int i = 0; i < count; i++) {
                    note(segments[i], offsets[i]);
                }
            }
            count = 0;
        }
    }

    /**
     * Follows the notes of the segments that it is asked about. Those that leave the log while it
     * is open, although somebody holds them, it knows nothing of: their notes are gone, and without
     * notes they would all seem to live. Used by one thread.
     */
    public final class Reader implements AutoCloseable {
        private final Map<Long, Followed> followed = new HashMap<>();
        private final Set<Long> gone = new HashSet<>();

        public Reader() {
            synchronized (EntryNotes.this) {
                readers.add(this);
            }
        }

        /** What is asked from here on knows everything that is noted now. */
        public void refresh() {
            followed.values().forEach(Followed::read);
        }

        public Known of(Place entry) {
            return followed.computeIfAbsent(entry.segmentId(), id -> new Followed(id, gone))
                    .of(entry);
        }

        @Override
        public void close() {
            synchronized (EntryNotes.this) {
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
         * @param gone of the reader
         */
        Followed(long segment, Set<Long> gone) {
            this.segment = segment;
            this.gone = gone;
            read();
        }

        void read() {
            synchronized (EntryNotes.this) {
                known = isKnown(segment) && !gone.contains(segment);
                Notes notes = segments.get(segment);
                while (notes != null && count < notes.count) {
                    int offset = notes.offsets[count++];
                    (offset < 0 ? shared : dead).set((offset < 0 ? ~offset : offset) >> UNIT_SHIFT);
                }
            }
        }

        public Known of(Place entry) {
            int unit = (int) (entry.offset() >> UNIT_SHIFT);
            if (!known) {
                return Known.NOTHING;
            } else if (dead.get(unit)) {
                return Known.DEAD;
            }
            return shared.get(unit) ? Known.NOTHING : Known.LIVE;
        }
    }
}
