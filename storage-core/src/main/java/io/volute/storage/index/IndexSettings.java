package io.volute.storage.index;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings with which an index is opened.
 *
 * @param directory directory of the index alone
 * @param tables the tables, each at its {@link IndexTable#position}
 * @param blockCacheBytes memory for blocks read from disk, filters included
 * @param writeBufferBytes memory for changes that are not flushed
 */
public record IndexSettings(
        Path directory, List<IndexTable> tables, long blockCacheBytes, long writeBufferBytes) {
    public IndexSettings {
        tables = List.copyOf(tables);
        for (int i = 0; i < tables.size(); i++) {
            if (tables.get(i).position() != i) {
                throw new IllegalArgumentException("table out of place: " + tables.get(i));
            }
        }
        if (tables.stream().map(IndexTable::name).distinct().count() != tables.size()) {
            throw new IllegalArgumentException("two index tables share a name: " + tables);
        }
    }

    /** Creates tables that are not walked, numbered in the order of their names. */
    public static List<IndexTable> tablesNamed(List<String> names) {
        List<IndexTable> tables = new ArrayList<>(names.size());
        for (String name : names) {
            tables.add(new IndexTable(tables.size(), name, false));
        }
        return List.copyOf(tables);
    }
}
