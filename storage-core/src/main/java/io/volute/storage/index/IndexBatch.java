package io.volute.storage.index;

import java.util.ArrayList;
import java.util.List;

/** Changes that become visible, and later durable, wholly or not at all. Built by one thread. */
public final class IndexBatch {

    /** One change. */
    public sealed interface Change {}

    /** Sets a row. The arrays are not copied: the caller gives them away. */
    public record Put(IndexTable table, byte[] key, byte[] value) implements Change {}

    /** Removes a row; fine when there is none. */
    public record Delete(IndexTable table, byte[] key) implements Change {}

    private final List<Change> changes = new ArrayList<>();

    public void put(IndexTable table, byte[] key, byte[] value) {
        changes.add(new Put(table, key, value));
    }

    public void delete(IndexTable table, byte[] key) {
        changes.add(new Delete(table, key));
    }

    public List<Change> changes() {
        return changes;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }
}
