package io.volute.storage.log.ledger;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.nio.ByteBuffer;

/** A segment that another process writes, as a file for reading only. */
abstract class ReadOnlyFile implements StoredFile {
    private static final String OTHER_WRITER = "the ledger has another writer";

    @Override
    public final void write(ByteBuffer source, long offset, WriteCause cause) {
        throw new UnsupportedOperationException(OTHER_WRITER);
    }

    @Override
    public final void force() {
        throw new UnsupportedOperationException(OTHER_WRITER);
    }

    @Override
    public final boolean punch(long offset, long bytes) {
        throw new UnsupportedOperationException(OTHER_WRITER);
    }
}
