package io.volute.storage.index;

/** A snapshot of an index, which can only be read. */
abstract class ReadOnlyIndex implements KeyValueIndex {

    @Override
    public final KeyValueIndex snapshot() {
        throw new UnsupportedOperationException("a snapshot of a snapshot");
    }

    @Override
    public final void write(IndexBatch batch) {
        throw new UnsupportedOperationException("a snapshot takes no changes");
    }

    @Override
    public final void flush() {
        throw new UnsupportedOperationException("a snapshot has nothing to flush");
    }
}
