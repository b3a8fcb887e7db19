package io.volute.storage.rows;

import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.index.IndexCursor;

/** A cursor that reads records from index rows. */
public final class SnapshotCursor implements RecordCursor {
    private final IndexCursor rows;

    public SnapshotCursor(IndexCursor rows) {
        this.rows = rows;
    }

    @Override
    public boolean next() {
        return rows.next();
    }

    @Override
    public boolean seek(byte[] key) {
        return rows.seek(key);
    }

    @Override
    public boolean skipTo(byte[] key) {
        return rows.skipTo(key);
    }

    @Override
    public byte[] key() {
        return rows.key();
    }

    @Override
    public StoredRecord record() {
        return RecordRow.decode(rows.value()).toStored();
    }

    @Override
    public void close() {
        rows.close();
    }
}
