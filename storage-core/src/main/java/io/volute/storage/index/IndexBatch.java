package io.volute.storage.index;

import java.util.ArrayList;
import java.util.List;

/**
 * A set of changes that becomes visible, and later durable, together or not at all. Built by one
 * thread.
 */
public final class IndexBatch {

    /** One change of a batch. */
    public sealed interface Change {}

    /** A change that sets a row. The arrays are not copied: the caller gives them away. */
    public record Put(IndexTable table, byte[] key, byte[] value) implements Change {}

    /** A change that removes a row. Without such a row it has no effect. */
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
