package io.volute.storage.rows;

import io.volute.storage.BlobId;
import io.volute.storage.Place;
import io.volute.storage.StoredRecord;
import io.volute.storage.format.LogEntry;
import java.util.ArrayList;
import java.util.List;

/**
 * The index row of a record: {@code sequence, segment, offset, bytes, detail length, count of
 * references, references, summary}, all numbers of variable length. Budget: 160 bytes beyond the
 * key.
 *
 * @param references ids of the blobs that it refers to, each once
 */
public record RecordRow(
        long sequence, Place place, int detailBytes, List<Long> references, byte[] summary) {
    private static final int FIXED_BYTES_EXPECTED = 24;
    private static final int REFERENCE_BYTES_EXPECTED = 6;

    public static RecordRow of(LogEntry.RecordPut put, Place place) {
        return new RecordRow(
                put.sequence(), place, put.detail().length, put.references(), put.summary());
    }

    public byte[] encode() {
        RowWriter row =
                new RowWriter(
                                FIXED_BYTES_EXPECTED
                                        + REFERENCE_BYTES_EXPECTED * references.size()
                                        + summary.length)
                        .number(sequence)
                        .place(place)
                        .number(detailBytes)
                        .number(references.size());
        references.forEach(row::number);
        return row.raw(summary).toBytes();
    }

    public static RecordRow decode(byte[] bytes) {
        RowReader row = new RowReader(bytes);
        long sequence = row.number();
        Place place = row.place();
        int detailBytes = row.smallNumber();
        int count = row.count();
        List<Long> references = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            references.add(row.number());
        }
        return new RecordRow(sequence, place, detailBytes, references, row.rest());
    }

    public StoredRecord toStored() {
        List<BlobId> blobs = new ArrayList<>(references.size());
        for (long reference : references) {
            blobs.add(new BlobId(reference));
        }
        return new StoredRecord(sequence, place, summary, detailBytes, blobs);
    }

    public RecordRow at(Place moved) {
        return new RecordRow(sequence, moved, detailBytes, references, summary);
    }

    public LogEntry.Victim asVictim() {
        return new LogEntry.Victim(sequence, place.segmentId());
    }
}
