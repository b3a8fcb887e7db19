package io.volute.storage.cube;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * One pass of combined cleaning: what is needed of some segments goes to survivors, sorted by age,
 * so that these segments can be freed. Used by one cleaner thread.
 *
 * <p>Needed are entries that the index points at, and tombstones, alone or within a dead record,
 * whose victim's segment is in the log and is not one of these. Source: Log-structured Memory for
 * DRAM-based Storage, sections 4 and 5.
 */
final class CleaningPass {
    /** Of one pass; what it keeps of an entry until it is copied takes some tens of bytes. */
    private static final int ENTRIES_MAX = 1 << 20;

    /** Tells the index of a survivor's batch, and waits until it knows. */
    interface Relocator {
        Relocation.Moved relocate(Relocation.Batch batch) throws IOException;
    }

    /** How fast a pass goes. */
    interface Pace {
        /** As fast as it can. */
        Pace NONE = bytes -> {};

        /**
         * Tells what the pass is about.
         *
         * @param copied bytes that it will copy
         * @param won bytes that will be free by it
         */
        default void begin(long copied, long won) {}

        /** Returns when the index may be told of a batch of so many bytes. */
        void await(long bytes) throws IOException;

        /** Whether a batch is enough: for as long as the index takes it no commit goes on. */
        default boolean isEnough(int entries, long bytes) {
            return entries >= 512 || entries >= 256 && bytes >= 64 << 10;
        }

        /** Bytes of batches that are forced together, roughly. */
        default long forceBytes() {
            return 2 << 20;
        }
    }

    /**
     * What a pass works with.
     *
     * @param changes tells whether a row that the pass has read is still so
     */
    record Parts(
            SegmentLog log,
            CubeIndex index,
            RecentChanges changes,
            Relocator relocator,
            Pace pace) {}

    /**
     * What a pass did, in bytes.
     *
     * @param origins that can be freed: all that were asked for, or the first of them
     * @param written to survivors, padding included
     */
    record Result(Set<Long> origins, long live, long tombstones, long dead, long written) {}

    private final Parts parts;
    private final Set<Long> wanted;
    private final Set<Long> origins = new TreeSet<>();
    private final Set<Long> stays;
    private final CollectedEntries collected = new CollectedEntries();

    private final List<Relocation.Moving> moving = new ArrayList<>();
    private long movingBytes;
    private long stamp;

    /** Written, but not known to the index yet. */
    private final List<Relocation.Batch> untold = new ArrayList<>();

    private Optional<SegmentLog.Survivor> survivor = Optional.empty();
    private int survivors;
    private long left;
    private long appliedEnd;
    private long at;
    private long live;
    private long tombstones;
    private long dead;
    private long written;

    /**
     * @param wanted sealed head and survivor segments that nobody else cleans
     * @param expectedBytes that are needed of them, roughly
     */
    CleaningPass(Parts parts, Set<Long> wanted, long expectedBytes) {
        this.parts = parts;
        this.wanted = new TreeSet<>(wanted);
        this.left = expectedBytes;
        this.stays = new HashSet<>(SegmentRelease.ids(parts.log().segments()));
    }

    /**
     * @throws io.volute.storage.DamagedException when an entry of an origin is damaged; what was
     *     moved before is moved, and the origins stay
     */
    Result run() throws IOException {
        parts.changes().watch();
        try (SegmentLog.Pin pin = parts.log().pin(wanted)) {
            collectAll();
            stays.removeAll(origins);
            copyAll();
        } finally {
            parts.changes().unwatch();
            // After a failure, what the index was not told of does not count.
            closeSurvivor();
        }
        return new Result(origins, live, tombstones, dead, written);
    }

    /** The origin that was read last. */
    long at() {
        return at;
    }

    /** Survivors opened. */
    int survivors() {
        return survivors;
    }

    private void collectAll() throws IOException {
        SegmentLog.Scanner scanner = parts.log().scanner(this::collect);
        for (long segment : wanted) {
            if (collected.size() < ENTRIES_MAX) {
                at = segment;
                collected.segment(segment);
                scanner.scan(segment);
                origins.add(segment);
            }
        }
        collected.sort();
    }

    private void collect(SegmentLog.LoggedBatch batch) {
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            long sequence = logged.entry().sequence();
            switch (logged.entry()) {
                case LogEntry.RecordPut put -> collected.add(sequence, logged.place(), 0);
                case LogEntry.Tombstone tombstone -> collected.add(sequence, logged.place(), 0);
                case LogEntry.KeptTombstone kept -> collected.add(sequence, logged.place(), 0);
                case LogEntry.InlineBlob blob ->
                        collected.add(sequence, logged.place(), blob.blobId());
                case LogEntry.StreamBlob blob ->
                        collected.add(sequence, logged.place(), blob.blobId());
                case LogEntry.ComposedBlob blob ->
                        collected.add(sequence, logged.place(), blob.blobId());
                case LogEntry.Hole hole -> {}
                case LogEntry.Digest digest -> {}
                case LogEntry.Origins mine -> {}
            }
        }
    }

    private void copyAll() throws IOException {
        while (!collected.isEmpty()) {
            CollectedEntries.Collected next = collected.poll();
            at = next.place().segmentId();
            if (moving.isEmpty()) {
                stamp = parts.changes().stamp();
            }
            if (next.blobId() != 0) {
                // A dead one is not read: its pages may have been given back.
                Optional<BlobRow> row = parts.index().blob(next.blobId());
                if (row.isPresent() && row.get().entry().equals(next.place())) {
                    copy(next.place(), new Relocation.FoundBlob(row.get()));
                }
            } else {
                other(next.place());
            }
        }
        if (survivor.isPresent()) {
            writeBatch(survivor.get());
            tell(survivor.get());
        }
    }

    private void other(Place place) throws IOException {
        switch (parts.log().readEntry(place)) {
            case LogEntry.RecordPut put -> {
                RecordKey key = new RecordKey(put.family(), put.key());
                Optional<RecordRow> row = parts.index().record(key);
                if (row.isPresent() && row.get().place().equals(place)) {
                    copy(place, new Relocation.FoundRecord(key, row.get()));
                } else if (stays.contains(put.victim().segmentId())) {
                    addTombstone(put, place);
                }
            }
            case LogEntry.Tombstone tombstone -> keep(tombstone.victim(), place);
            case LogEntry.KeptTombstone kept -> keep(kept.victim(), place);
            default -> throw new BrokenInvariant("an entry without a blob has changed its kind");
        }
    }

    private void keep(LogEntry.Victim victim, Place place) throws IOException {
        if (stays.contains(victim.segmentId())) {
            copy(place, new Relocation.FoundNothing());
        }
    }

    private void copy(Place place, Relocation.Found found) throws IOException {
        LogEntry copied = room(place.bytes()).copy(place);
        added(new Relocation.Moving(copied, place, found));
    }

    /** Of a dead record its own tombstone is needed only. */
    private void addTombstone(LogEntry.RecordPut record, Place place) throws IOException {
        LogEntry tombstone =
                LogEntry.KeptTombstone.of(record.family(), record.key(), record.victim());
        room(place.bytes()).add(tombstone);
        added(new Relocation.Moving(tombstone, place, new Relocation.FoundNothing()));
    }

    private void added(Relocation.Moving entry) {
        moving.add(entry);
        movingBytes += entry.from().bytes();
        left -= entry.from().bytes();
    }

    private SegmentLog.Survivor room(long bytes) throws IOException {
        if (survivor.isPresent()) {
            SegmentLog.Survivor open = survivor.get();
            if (open.hasRoom(bytes) && !parts.pace().isEnough(moving.size(), movingBytes)) {
                return open;
            }
            // The rows of the entry at hand were read after this batch's: its stamp may be older.
            writeBatch(open);
            if (open.hasRoom(bytes)) {
                return open;
            }
            tell(open);
            closeSurvivor();
        }
        SegmentLog.Survivor opened =
                parts.log().openSurvivor(List.copyOf(origins), Math.max(bytes, left));
        survivor = Optional.of(opened);
        survivors++;
        appliedEnd = opened.end();
        return opened;
    }

    private void writeBatch(SegmentLog.Survivor target) throws IOException {
        if (moving.isEmpty()) {
            return;
        }
        List<Place> to = target.write();
        untold.add(
                new Relocation.Batch(
                        target.segmentId(), origins, List.copyOf(moving), to, target.end(), stamp));
        moving.clear();
        movingBytes = 0;
        if (target.end() - appliedEnd >= parts.pace().forceBytes()) {
            tell(target);
        }
    }

    /** One force for all; the index is told batch by batch, so that commits get between them. */
    private void tell(SegmentLog.Survivor target) throws IOException {
        if (untold.isEmpty()) {
            return;
        }
        target.force();
        for (Relocation.Batch batch : untold) {
            long bytes = batch.end() - appliedEnd;
            parts.pace().await(bytes);
            Relocation.Moved moved = parts.relocator().relocate(batch);
            appliedEnd = batch.end();
            live += moved.live();
            tombstones += moved.tombstones();
            dead += moved.dead();
            written += bytes;
        }
        untold.clear();
    }

    private void closeSurvivor() throws IOException {
        if (survivor.isPresent()) {
            try (SegmentLog.Survivor open = survivor.get()) {
                survivor = Optional.empty();
                open.seal(appliedEnd);
            }
        }
    }
}
