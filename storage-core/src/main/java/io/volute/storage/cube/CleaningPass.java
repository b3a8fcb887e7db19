package io.volute.storage.cube;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
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
     * What a pass did, in bytes.
     *
     * @param written to survivors, padding included
     */
    record Result(Set<Long> origins, long live, long tombstones, long dead, long written) {}

    /** A needed entry; {@code made} when only its tombstone is. */
    private record Needed(long sequence, Place place, boolean made) {}

    private final SegmentLog log;
    private final CubeIndex index;
    private final Relocator relocator;
    private final Pace pace;
    private final Set<Long> origins;
    private final Set<Long> stays;
    private final List<Needed> needed = new ArrayList<>();

    private final List<LogEntry> entries = new ArrayList<>();
    private final List<Place> from = new ArrayList<>();

    /** Written, but not known to the index yet. */
    private final List<Relocation.Batch> untold = new ArrayList<>();

    private long pendingBytes;
    private long left;
    private Optional<SegmentLog.Survivor> survivor = Optional.empty();
    private long appliedEnd;
    private long at;
    private int survivors;
    private long live;
    private long tombstones;
    private long dead;
    private long written;

    /**
     * @param origins sealed head and survivor segments that nobody else cleans
     */
    CleaningPass(
            SegmentLog log, CubeIndex index, Relocator relocator, Pace pace, Set<Long> origins) {
        this.log = log;
        this.index = index;
        this.relocator = relocator;
        this.pace = pace;
        this.origins = new TreeSet<>(origins);
        this.stays = new HashSet<>(SegmentRelease.ids(log.segments()));
        this.stays.removeAll(origins);
    }

    /**
     * @throws io.volute.storage.DamagedException when an entry of an origin is damaged; what was
     *     moved before is moved, and the origins stay
     */
    Result run() throws IOException {
        try (SegmentLog.Pin pin = log.pin(origins)) {
            SegmentLog.Scanner scanner = log.scanner(this::collect);
            for (long origin : origins) {
                at = origin;
                scanner.scan(origin);
            }
            needed.sort(Comparator.comparingLong(Needed::sequence));
            copyAll();
        } finally {
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

    private void collect(SegmentLog.LoggedBatch batch) {
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            Place place = logged.place();
            switch (logged.entry()) {
                case LogEntry.RecordPut put -> {
                    if (isAt(index.record(new RecordKey(put.family(), put.key())), place)) {
                        need(put, place, false);
                    } else if (stays.contains(put.victim().segmentId())) {
                        need(put, place, true);
                    }
                }
                case LogEntry.Tombstone tombstone -> keep(tombstone, tombstone.victim(), place);
                case LogEntry.KeptTombstone kept -> keep(kept, kept.victim(), place);
                case LogEntry.InlineBlob blob -> blob(blob, blob.blobId(), place);
                case LogEntry.StreamBlob blob -> blob(blob, blob.blobId(), place);
                case LogEntry.ComposedBlob blob -> blob(blob, blob.blobId(), place);
                case LogEntry.Hole hole -> {}
                case LogEntry.Digest digest -> {}
                case LogEntry.Origins mine -> {}
            }
        }
    }

    private static boolean isAt(Optional<RecordRow> row, Place place) {
        return row.isPresent() && row.get().place().equals(place);
    }

    private void keep(LogEntry tombstone, LogEntry.Victim victim, Place place) {
        if (stays.contains(victim.segmentId())) {
            need(tombstone, place, false);
        }
    }

    private void blob(LogEntry entry, long id, Place place) {
        if (index.blob(id).filter(row -> row.entry().equals(place)).isPresent()) {
            need(entry, place, false);
        }
    }

    private void need(LogEntry entry, Place place, boolean made) {
        needed.add(new Needed(entry.sequence(), place, made));
    }

    private void copyAll() throws IOException {
        left = needed.stream().mapToLong(each -> each.place().bytes()).sum();
        for (Needed each : needed) {
            SegmentLog.Survivor target = room(each.place().bytes());
            at = each.place().segmentId();
            if (each.made()) {
                LogEntry tombstone = tombstoneOf(log.readEntry(each.place()));
                target.add(tombstone);
                entries.add(tombstone);
            } else {
                entries.add(target.copy(each.place()));
            }
            from.add(each.place());
            pendingBytes += each.place().bytes();
            left -= each.place().bytes();
        }
        if (survivor.isPresent()) {
            writeBatch(survivor.get());
            tell(survivor.get());
        }
    }

    private static LogEntry tombstoneOf(LogEntry dead) {
        if (dead instanceof LogEntry.RecordPut put) {
            return LogEntry.KeptTombstone.of(put.family(), put.key(), put.victim());
        }
        throw new BrokenInvariant("a record was scanned where now lies " + dead);
    }

    private SegmentLog.Survivor room(long bytes) throws IOException {
        if (survivor.isPresent()) {
            SegmentLog.Survivor open = survivor.get();
            if (open.hasRoom(bytes) && !pace.isEnough(entries.size(), pendingBytes)) {
                return open;
            }
            writeBatch(open);
            if (open.hasRoom(bytes)) {
                return open;
            }
            tell(open);
            closeSurvivor();
        }
        SegmentLog.Survivor opened = log.openSurvivor(List.copyOf(origins), left);
        survivor = Optional.of(opened);
        survivors++;
        appliedEnd = opened.end();
        return opened;
    }

    private void writeBatch(SegmentLog.Survivor target) throws IOException {
        if (entries.isEmpty()) {
            return;
        }
        List<Place> to = target.write();
        untold.add(
                new Relocation.Batch(
                        target.segmentId(),
                        origins,
                        List.copyOf(entries),
                        List.copyOf(from),
                        to,
                        target.end()));
        entries.clear();
        from.clear();
        pendingBytes = 0;
        if (target.end() - appliedEnd >= pace.forceBytes()) {
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
            pace.await(bytes);
            Relocation.Moved moved = relocator.relocate(batch);
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
