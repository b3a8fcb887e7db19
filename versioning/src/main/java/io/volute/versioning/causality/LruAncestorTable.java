package io.volute.versioning.causality;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/** A table that keeps the most recently used ancestors. Not thread-safe. */
final class LruAncestorTable implements AncestorTable {
    private static final float LOAD = 0.75f;

    private final int entriesMax;

    /**
     * By id; an immutable empty map until the first entry, as most actors and objects have none.
     */
    private Map<Long, Long> versions = Map.of();

    LruAncestorTable(int entriesMax) {
        if (entriesMax < 1) {
            throw new IllegalArgumentException("a table of " + entriesMax + " ancestors");
        }
        this.entriesMax = entriesMax;
    }

    @Override
    public OptionalLong get(long id) {
        Long version = versions.get(id);
        return version == null ? OptionalLong.empty() : OptionalLong.of(version);
    }

    @Override
    public void put(long id, long version) {
        if (versions.isEmpty()) {
            versions = inOrderOfUse();
        }
        versions.put(id, version);
    }

    @Override
    public int size() {
        return versions.size();
    }

    private Map<Long, Long> inOrderOfUse() {
        return new LinkedHashMap<>(2, LOAD, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
                return size() > entriesMax;
            }
        };
    }
}
