package io.volute.server.deposit;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A place for whole, named objects that are never changed: put, get, list and delete are all that
 * it must support. Names are of {@code a-z A-Z 0-9 . - /}. Used by one thread.
 */
public interface BackupTarget extends AutoCloseable {

    /** Returns the name of the target, for messages. */
    String text();

    /**
     * Puts an object in place of an earlier one. When this returns, it is durable by the rules of
     * the target; after a failure the earlier one may be there, or the new one, never a part.
     */
    void put(String name, byte[] content) throws IOException;

    /**
     * Returns an object; empty when there is none of that name.
     *
     * @param mostBytes a longer one is a failure, and is not read to its end
     */
    Optional<byte[]> get(String name, int mostBytes) throws IOException;

    /** Returns the names of the objects whose names begin with a prefix, in their order. */
    List<String> list(String prefix) throws IOException;

    /** Deletes an object; one that does not exist is no error. */
    void delete(String name) throws IOException;

    @Override
    void close();
}
