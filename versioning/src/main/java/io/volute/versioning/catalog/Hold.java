package io.volute.versioning.catalog;

/** Something held until closed. */
interface Hold extends AutoCloseable {
    @Override
    void close();
}
