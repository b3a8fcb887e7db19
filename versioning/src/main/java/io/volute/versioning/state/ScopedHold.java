package io.volute.versioning.state;

/** A lock, or a registration, that is held until closed. */
public interface ScopedHold extends AutoCloseable {
    @Override
    void close();
}
