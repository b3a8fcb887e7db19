package io.volute.storage.cleaning;

import io.volute.storage.Place;
import io.volute.storage.accounting.EntryLiveness;
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
 * Selects the needed entries of the segments that a pass cleans: those that the index points at,
 * and tombstones, alone or within a dead record, whose victim's segment stays in the log. It
 * queries the index only where the liveness notes have no answer, and for many entries at once,
 * which costs half as much as one by one. Used by one thread.
 */
final class NeededEntries {
    /**
     * Number of entries that are looked up together. Few enough that most rows are still the same
     * when they are used.
     */
    private static final int ENTRIES_MAX = 128;

    /**
     * Bytes of records that are read together; they stay in memory until the index has answered.
     * Blobs are not read.
     */
    private static final long READ_BYTES_MAX = 1 << 20;

    /**
     * An entry that is needed.
     *
     * @param instead the entry to write in its stead, if not itself
     */
    record Needed(Place place, Relocation.FoundRow found, Optional<LogEntry> instead) {}

    /** An entry that may be needed. */
    private sealed interface Candidate {}

    private record Decided(Needed needed) implements Candidate {}

    private record UndecidedBlob(Place place) implements Candidate {}

    private record UndecidedRecord(Place place, LogEntry.RecordPut put) implements Candidate {}

    private final SegmentLog.Mover mover;
    private final CubeIndex index;
    private final EntryLiveness.Reader notes;
    private final Set<Long> stays;
    private final LongConsumer reading;
    private final List<Candidate> candidates = new ArrayList<>();

    /** Keys for the index, in the order of the entries. */
    private final List<Long> blobs = new ArrayList<>();

    private final List<RecordKey> records = new ArrayList<>();

    /**
     * Creates a selection.
     *
     * @param stays segments that are in the log and are not cleaned by this pass
     * @param reading takes each segment before it is read
     */
    NeededEntries(
            SegmentLog.Mover mover,
            CubeIndex index,
            EntryLiveness.Reader notes,
            Set<Long> stays,
            LongConsumer reading) {
        this.mover = mover;
        this.index = index;
        this.notes = notes;
        this.stays = stays;
        this.reading = reading;
    }

    /** Takes some entries, and returns the needed ones, in the same order. */
    List<Needed> next(CollectedEntries entries) throws IOException {
        candidates.clear();
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

    /** Decides about a blob, without reading it: if it is dead, its pages may have been punched. */
    private void blob(CollectedEntries.Collected blob) {
        Place place = blob.place();
        EntryLiveness.Liveness known = notes.of(place);
        if (known == EntryLiveness.Liveness.DEAD) {
            assert !index.isAt(blob.blobId(), place)
                    : "it is recorded as dead: the blob at " + place;
        } else if (known == EntryLiveness.Liveness.LIVE && blob.isInline()) {
            candidates.add(new Decided(itself(place, new Relocation.DerivedBlobRow())));
        } else {
            blobs.add(blob.blobId());
            candidates.add(new UndecidedBlob(place));
        }
    }

    private void noBlob(Place place, LogEntry entry) {
        switch (entry) {
            case LogEntry.RecordPut put -> record(place, put);
            case LogEntry.TombstoneEntry tombstone -> {
                if (stays.contains(tombstone.victim().segmentId())) {
                    candidates.add(new Decided(itself(place, new Relocation.NoRow())));
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
                        : "it is recorded as dead: the record at " + place;
                dead(place, put).map(Decided::new).ifPresent(candidates::add);
            }
            case LIVE ->
                    live(place, put, Optional.of(RecordRow.of(put, place)))
                            .map(Decided::new)
                            .ifPresent(candidates::add);
            case UNKNOWN -> {
                records.add(RecordKey.of(put));
                candidates.add(new UndecidedRecord(place, put));
            }
        }
    }

    private List<Needed> answered(CubeIndex.Rows rows) {
        Iterator<Optional<BlobRow>> blobRows = rows.blobs().iterator();
        Iterator<Optional<RecordRow>> recordRows = rows.records().iterator();
        List<Needed> needed = new ArrayList<>();
        for (Candidate each : candidates) {
            switch (each) {
                case Decided decided -> needed.add(decided.needed());
                case UndecidedBlob(Place place) ->
                        blobRows.next()
                                .filter(row -> row.entry().equals(place))
                                .map(row -> itself(place, new Relocation.FoundBlobRow(row)))
                                .ifPresent(needed::add);
                case UndecidedRecord(Place place, LogEntry.RecordPut put) ->
                        live(place, put, recordRows.next())
                                .or(() -> dead(place, put))
                                .ifPresent(needed::add);
            }
        }
        return needed;
    }

    /** Returns the record if the row that was found points at it. */
    private static Optional<Needed> live(
            Place place, LogEntry.RecordPut put, Optional<RecordRow> found) {
        return found.filter(row -> row.place().equals(place))
                .map(row -> itself(place, new Relocation.FoundRecordRow(RecordKey.of(put), row)));
    }

    private Optional<Needed> dead(Place place, LogEntry.RecordPut put) {
        if (!stays.contains(put.victim().segmentId())) {
            return Optional.empty();
        }
        LogEntry kept = LogEntry.KeptTombstone.of(put.family(), put.key(), put.victim());
        return Optional.of(new Needed(place, new Relocation.NoRow(), Optional.of(kept)));
    }

    private static Needed itself(Place place, Relocation.FoundRow found) {
        return new Needed(place, found, Optional.empty());
    }
}
