package io.volute.storage.cleaning;

import io.volute.storage.Place;
import io.volute.storage.accounting.EntryNotes;
import io.volute.storage.commit.Relocation;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
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
 * the index only where the notes do not tell, and for many at once, which costs it half as much as
 * one by one. Used by one thread.
 */
final class NeededEntries {
    /** Looked at together; what is found may have changed before it is used, so not too many. */
    private static final int ENTRIES_MAX = 128;

    /** Records are in memory until the index has answered; blobs are not read. */
    private static final long READ_BYTES_MAX = 1 << 20;

    /**
     * An entry that is needed.
     *
     * @param instead what is needed of it, if not itself
     */
    record Needed(Place place, Relocation.Found found, Optional<LogEntry> instead) {}

    /** An entry that may be needed. */
    private sealed interface Looked {}

    private record Told(Needed needed) implements Looked {}

    private record AskedBlob(Place place) implements Looked {}

    private record AskedRecord(Place place, LogEntry.RecordPut put) implements Looked {}

    private final SegmentLog.Mover mover;
    private final CubeIndex index;
    private final EntryNotes.Reader notes;
    private final Set<Long> stays;
    private final LongConsumer reading;
    private final List<Looked> looked = new ArrayList<>();

    /** What the index is asked for, in the order of the entries. */
    private final List<Long> blobs = new ArrayList<>();

    private final List<RecordKey> records = new ArrayList<>();

    /**
     * @param stays the segments that are in the log and are not cleaned by this pass
     * @param reading hears of each segment before it is read
     */
    NeededEntries(
            SegmentLog.Mover mover,
            CubeIndex index,
            EntryNotes.Reader notes,
            Set<Long> stays,
            LongConsumer reading) {
        this.mover = mover;
        this.index = index;
        this.notes = notes;
        this.stays = stays;
        this.reading = reading;
    }

    /** Takes some entries, and returns those of them that are needed, in the same order. */
    List<Needed> next(CollectedEntries entries) throws IOException {
        looked.clear();
        blobs.clear();
        records.clear();
        notes.refresh();
        long bytes = 0;
        for (int i = 0; i < ENTRIES_MAX && bytes < READ_BYTES_MAX && !entries.isEmpty(); i++) {
            CollectedEntries.Collected each = entries.poll();
            if (each.isBlob()) {
                blob(each);
            } else {
                bytes += each.place().bytes();
                reading.accept(each.place().segmentId());
                noBlob(each.place(), mover.read(each.place()));
            }
        }
        return answered(index.rows(blobs, records));
    }

    /** A blob is not read here: if it is dead, its pages may have been given back. */
    private void blob(CollectedEntries.Collected blob) {
        Place place = blob.place();
        EntryNotes.Known known = notes.of(place);
        if (known == EntryNotes.Known.DEAD) {
            assert !index.isAt(blob.blobId(), place) : "it is noted as dead: the blob at " + place;
        } else if (known == EntryNotes.Known.LIVE && blob.isInline()) {
            looked.add(new Told(itself(place, new Relocation.FoundSole())));
        } else {
            blobs.add(blob.blobId());
            looked.add(new AskedBlob(place));
        }
    }

    private void noBlob(Place place, LogEntry entry) {
        switch (entry) {
            case LogEntry.RecordPut put -> record(place, put);
            case LogEntry.TombstoneEntry tombstone -> {
                if (stays.contains(tombstone.victim().segmentId())) {
                    looked.add(new Told(itself(place, new Relocation.FoundNothing())));
                }
            }
            case LogEntry.BlobEntry blob -> throw changed(place);
            case LogEntry.Hole hole -> throw changed(place);
            case LogEntry.Digest digest -> throw changed(place);
            case LogEntry.Origins origins -> throw changed(place);
        }
    }

    private static BrokenInvariant changed(Place place) {
        return new BrokenInvariant("it was a record or a tombstone: the entry at " + place);
    }

    private void record(Place place, LogEntry.RecordPut put) {
        switch (notes.of(place)) {
            case DEAD -> {
                assert live(place, put, index.record(RecordKey.of(put))).isEmpty()
                        : "it is noted as dead: the record at " + place;
                dead(place, put).map(Told::new).ifPresent(looked::add);
            }
            case LIVE ->
                    live(place, put, Optional.of(RecordRow.of(put, place)))
                            .map(Told::new)
                            .ifPresent(looked::add);
            case NOTHING -> {
                records.add(RecordKey.of(put));
                looked.add(new AskedRecord(place, put));
            }
        }
    }

    private List<Needed> answered(CubeIndex.Rows rows) {
        Iterator<Optional<BlobRow>> blobRows = rows.blobs().iterator();
        Iterator<Optional<RecordRow>> recordRows = rows.records().iterator();
        List<Needed> needed = new ArrayList<>();
        for (Looked each : looked) {
            switch (each) {
                case Told told -> needed.add(told.needed());
                case AskedBlob(Place place) ->
                        blobRows.next()
                                .filter(row -> row.entry().equals(place))
                                .map(row -> itself(place, new Relocation.FoundBlob(row)))
                                .ifPresent(needed::add);
                case AskedRecord(Place place, LogEntry.RecordPut put) ->
                        live(place, put, recordRows.next())
                                .or(() -> dead(place, put))
                                .ifPresent(needed::add);
            }
        }
        return needed;
    }

    /** The record if its row, as found, points at it. */
    private static Optional<Needed> live(
            Place place, LogEntry.RecordPut put, Optional<RecordRow> found) {
        return found.filter(row -> row.place().equals(place))
                .map(row -> itself(place, new Relocation.FoundRecord(RecordKey.of(put), row)));
    }

    private Optional<Needed> dead(Place place, LogEntry.RecordPut put) {
        if (!stays.contains(put.victim().segmentId())) {
            return Optional.empty();
        }
        LogEntry kept = LogEntry.KeptTombstone.of(put.family(), put.key(), put.victim());
        return Optional.of(new Needed(place, new Relocation.FoundNothing(), Optional.of(kept)));
    }

    private static Needed itself(Place place, Relocation.Found found) {
        return new Needed(place, found, Optional.empty());
    }
}
