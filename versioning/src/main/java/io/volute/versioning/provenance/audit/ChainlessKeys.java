package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.provenance.BucketNames;
import io.volute.versioning.provenance.EntryRows;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Finds the keys that have versions or kept states, and no entry. Not thread-safe. */
final class ChainlessKeys {
    private static final byte[] END = {};

    private final RecordStore cube;
    private final EntryRows entries;
    private final Range range;
    private byte[] last = END;

    ChainlessKeys(RecordStore cube, EntryRows entries, Range range) {
        this.cube = cube;
        this.entries = entries;
        this.range = range;
    }

    /** Receives keys. */
    interface Sink {
        /**
         * Receives a key.
         *
         * @param base key of the current row
         * @return whether to continue
         */
        boolean next(byte[] base) throws IOException;
    }

    void forEach(Sink sink) throws IOException {
        List<Long> buckets =
                range.bucket().isPresent()
                        ? BucketNames.read(cube).ids(range.bucket().get())
                        : List.of();
        for (Family family : List.of(CURRENT, VERSIONS, HISTORY)) {
            boolean goesOn = true;
            if (buckets.isEmpty()) {
                goesOn = scan(family, END, END, sink);
            }
            for (long bucket : buckets) {
                byte[] from =
                        range.isExact()
                                ? RowKeys.current(bucket, new ObjectKey(range.prefix()))
                                : RowKeys.prefix(
                                        bucket, range.prefix().getBytes(StandardCharsets.UTF_8));
                goesOn = goesOn && scan(family, from, RowKeys.behindPrefix(from), sink);
            }
            if (!goesOn) {
                return;
            }
        }
    }

    private boolean scan(Family family, byte[] from, byte[] to, Sink sink) throws IOException {
        int suffix = family.equals(CURRENT) ? 0 : RowKeys.NUMBER_BYTES;
        last = END;
        try (RecordCursor cursor = cube.scan(family, from, to)) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                byte[] base = Arrays.copyOf(key, key.length - suffix);
                if (!Arrays.equals(base, last)) {
                    last = base;
                    if (isFirst(family, base) && hasNoChain(base) && !sink.next(base)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** Returns whether the key is in none of the families scanned earlier. */
    private boolean isFirst(Family family, byte[] base) {
        return family.equals(CURRENT)
                || cube.get(CURRENT, base).isEmpty()
                        && (family.equals(VERSIONS) || !hasVersions(base));
    }

    private boolean hasVersions(byte[] base) {
        try (RecordCursor cursor = cube.scan(VERSIONS, base, RowKeys.behindPrefix(base))) {
            return cursor.next();
        }
    }

    private boolean hasNoChain(byte[] base) {
        long bucketId = RowKeys.bucketId(base);
        ObjectKey key = RowKeys.objectKey(base);
        return entries.get(bucketId, key, 0).isEmpty() && entries.last(bucketId, key).isEmpty();
    }
}
