package io.volute.versioning.state;

/** Something held until closed. */
public interface Hold extends AutoCloseable {
    @Override
    void close();
}
