package io.volute.storage.blob;

import io.volute.storage.DamagedException;
import io.volute.storage.Family;
import io.volute.storage.StoredRecord;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentReads;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordRow;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** Reads the parts of records that lie in the log alone. */
public final class DetailReader {
    private final SegmentReads log;
    private final CubeIndex index;
    private final LongAdder damages = new LongAdder();

    public DetailReader(SegmentReads log, CubeIndex index) {
        this.log = log;
        this.index = index;
    }

    public byte[] read(Family family, byte[] key, StoredRecord record) throws IOException {
        if (record.detailBytes() == 0) {
            return new byte[0];
        }
        try {
            return at(family, key, record);
        } catch (SegmentGoneException e) {
            // The record may lie elsewhere by now; a replaced one is gone for good.
            StoredRecord again =
                    index.record(family, key)
                            .map(RecordRow::toStored)
                            .filter(now -> now.sequence() == record.sequence())
                            .orElseThrow(() -> e);
            return at(family, key, again);
        }
    }

    private byte[] at(Family family, byte[] key, StoredRecord record) throws IOException {
        try (SegmentReads.Pin pin = log.pin(Set.of(record.place().segmentId()))) {
            if (log.readEntry(record.place()) instanceof LogEntry.RecordPut put
                    && put.family() == family.id()
                    && put.sequence() == record.sequence()
                    && Arrays.equals(put.key(), key)) {
                return put.detail();
            }
        }
        damages.increment();
        throw new DamagedException(
                "segment " + record.place().segmentId(),
                record.place().offset(),
                "another entry, not sequence " + record.sequence() + " of " + family.name());
    }

    /** Returns the number of places at which another entry was found. */
    public long damages() {
        return damages.sum();
    }
}
