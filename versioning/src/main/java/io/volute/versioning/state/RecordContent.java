package io.volute.versioning.state;

import io.volute.storage.BlobId;
import io.volute.versioning.body.Body;
import io.volute.versioning.rows.EncodedRow;
import java.io.IOException;
import java.util.List;

/**
 * The content of a record: one to be written, or one found. A found record's detail is read on
 * demand.
 *
 * @param sequence sequence of the record found, 0 of a new one
 * @param detailBytes size of the detail
 */
public record RecordContent(
        long sequence, byte[] summary, Detail detail, int detailBytes, List<BlobId> references) {
    /** The source of the detail. */
    public interface Detail {
        byte[] read() throws IOException;
    }

    private static final byte[] NO_BYTES = {};

    public static RecordContent of(EncodedRow row, List<BlobId> references) {
        return new RecordContent(0, row.summary(), row::detail, row.detail().length, references);
    }

    /** Returns the row of an object, with the part of its body that belongs in the row. */
    public static RecordContent of(EncodedRow row, Body body) {
        return of(body.in(row), body.references());
    }

    public static RecordContent of(byte[] summary, List<BlobId> references) {
        return new RecordContent(0, summary, () -> NO_BYTES, 0, references);
    }

    public RecordContent withSummary(byte[] other) {
        return new RecordContent(0, other, detail, detailBytes, references);
    }
}
