package io.volute.storage.cube;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Tells which entries of the segments that a pass cleans are needed: those that the index points
 * at, and tombstones, alone or within a dead record, whose victim's segment stays in the log. Asks
 * for many at once, which costs the index half as much as one by one. Used by one thread.
 */
final class NeededEntries {
    /** Asked for together; what is found may have changed before it is used, so not too many. */
    private static final int ENTRIES_MAX = 128;

    /** Records are in memory until they are asked for; blobs are not read. */
    private static final long READ_BYTES_MAX = 1 << 20;

    /**
     * An entry that is needed.
     *
     * @param instead what is needed of it, if not itself
     */
    record Needed(Place place, Relocation.Found found, Optional<LogEntry> instead) {}

    private final SegmentLog.Mover mover;
    private final CubeIndex index;
    private final Set<Long> stays;
    private final LongConsumer reading;
    private final List<CollectedEntries.Collected> asked = new ArrayList<>();
    private final List<LogEntry> read = new ArrayList<>();
    private final List<Long> blobs = new ArrayList<>();
    private final List<RecordKey> records = new ArrayList<>();

    /**
     * @param stays the segments that are in the log and are not cleaned by this pass
     * @param reading hears of each segment before it is read
     */
    NeededEntries(SegmentLog.Mover mover, CubeIndex index, Set<Long> stays, LongConsumer reading) {
        this.mover = mover;
        this.index = index;
        this.stays = stays;
        this.reading = reading;
    }

    /** Takes some entries, and returns those of them that are needed, in the same order. */
    List<Needed> next(CollectedEntries entries) throws IOException {
        asked.clear();
        read.clear();
        blobs.clear();
        records.clear();
        long bytes = 0;
        while (!entries.isEmpty() && asked.size() < ENTRIES_MAX && bytes < READ_BYTES_MAX) {
            CollectedEntries.Collected each = entries.poll();
            asked.add(each);
            if (each.isBlob()) {
                // A dead one is not read: its pages may have been given back.
                blobs.add(each.blobId());
            } else {
                bytes += each.place().bytes();
                reading.accept(each.place().segmentId());
                LogEntry entry = mover.read(each.place());
                read.add(entry);
                if (entry instanceof LogEntry.RecordPut put) {
                    records.add(new RecordKey(put.family(), put.key()));
                }
            }
        }
        return found(index.rows(blobs, records));
    }

    private List<Needed> found(CubeIndex.Rows rows) {
        Iterator<LogEntry> entries = read.iterator();
        List<Needed> needed = new ArrayList<>();
        Iterator<Optional<BlobRow>> blobRows = rows.blobs().iterator();
        Iterator<Optional<RecordRow>> recordRows = rows.records().iterator();
        for (CollectedEntries.Collected each : asked) {
            Place place = each.place();
            if (each.isBlob()) {
                blobRows.next()
                        .filter(row -> row.entry().equals(place))
                        .map(Relocation.FoundBlob::new)
                        .ifPresent(found -> needed.add(itself(place, found)));
                continue;
            }
            switch (entries.next()) {
                case LogEntry.RecordPut put ->
                        record(put, place, recordRows.next()).ifPresent(needed::add);
                case LogEntry.TombstoneEntry tombstone -> {
                    if (stays.contains(tombstone.victim().segmentId())) {
                        needed.add(itself(place, new Relocation.FoundNothing()));
                    }
                }
                case LogEntry.BlobEntry blob -> throw changed(place);
                case LogEntry.Hole hole -> throw changed(place);
                case LogEntry.Digest digest -> throw changed(place);
                case LogEntry.Origins origins -> throw changed(place);
            }
        }
        return needed;
    }

    private static BrokenInvariant changed(Place place) {
        return new BrokenInvariant("it was a record or a tombstone: the entry at " + place);
    }

    private Optional<Needed> record(LogEntry.RecordPut put, Place place, Optional<RecordRow> row) {
        if (row.isPresent() && row.get().place().equals(place)) {
            RecordKey key = new RecordKey(put.family(), put.key());
            return Optional.of(itself(place, new Relocation.FoundRecord(key, row.get())));
        }
        return stays.contains(put.victim().segmentId())
                ? Optional.of(
                        new Needed(
                                place,
                                new Relocation.FoundNothing(),
                                Optional.of(
                                        LogEntry.KeptTombstone.of(
                                                put.family(), put.key(), put.victim()))))
                : Optional.empty();
    }

    private static Needed itself(Place place, Relocation.Found found) {
        return new Needed(place, found, Optional.empty());
    }
}
