package io.volute.server.deposit;

import java.io.IOException;
import java.nio.file.Path;

/** A place for named copies. Used by one thread, but for {@link #close}. */
public interface Depository extends AutoCloseable {
    /** The treatment of an existing file of the same name. */
    enum Existing {
        /** The existing file stays, and nothing is put. */
        STAYS,
        /** The new one takes its place. */
        IS_REPLACED
    }

    /** Returns the name of the target, for messages, and to recognise it after a restart. */
    String text();

    /**
     * Puts a file there. When this returns, the copy is durable by the rules of the target.
     *
     * @return false when a file of that name exists and stays
     * @throws IOException when the copy fails; the message names the next step
     */
    boolean put(String name, Path file, Existing existing) throws IOException;

    /** Ends puts in progress. */
    @Override
    void close();
}
