package io.volute.server.cluster.owners;

import io.volute.bookkeeper.ClusterFile;
import java.util.Optional;
import java.util.OptionalInt;

/** A file of a cluster in memory. */
public final class MemoryFile implements ClusterFile {
    private Optional<Content> content = Optional.empty();
    private Runnable afterRead = () -> {};

    /** Runs an action once, behind the next read and before its result is returned. */
    void afterNextRead(Runnable action) {
        afterRead = action;
    }

    synchronized void delete() {
        content = Optional.empty();
    }

    @Override
    public Optional<Content> read() {
        Optional<Content> now = content();
        Runnable action = afterRead;
        afterRead = () -> {};
        action.run();
        return now;
    }

    private synchronized Optional<Content> content() {
        return content;
    }

    @Override
    public synchronized int version() {
        return content.map(Content::version).orElse(ABSENT);
    }

    @Override
    public synchronized OptionalInt replace(byte[] bytes, int version) {
        if (version != version()) {
            return OptionalInt.empty();
        }
        content = Optional.of(new Content(bytes.clone(), version + 1));
        return OptionalInt.of(version + 1);
    }
}
