package io.volute.server.deposit;

import java.io.IOException;
import java.nio.file.Path;

/** A place for named copies. Used by one thread, but for {@link #close}. */
public interface Depository extends AutoCloseable {
    /** What becomes of something that has the name already. */
    enum Existing {
        /** It stays, and nothing is put. */
        STAYS,
        /** The new one takes its place. */
        IS_REPLACED
    }

    /** Which one it is, for messages, and to know it again after a restart. */
    String text();

    /**
     * Puts a file there. When it returns, the copy is there as the other side understands it.
     *
     * @return false when there was one of the name, which stays
     * @throws IOException says what to do
     */
    boolean put(String name, Path file, Existing existing) throws IOException;

    /** Ends what is under way. */
    @Override
    void close();
}
