package io.volute.versioning.move;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.move.KeyRows.Row;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A cursor over the rows of a range of keys of a bucket in one cube, key by key. While the bucket
 * is written, the rows of a key may be of several moments. Not thread-safe.
 */
final class KeyCursor implements AutoCloseable {
    private static final byte[] END = {};

    private final List<Source> sources = new ArrayList<>();

    KeyCursor(RecordStore cube, long bucketId, KeyRange range) {
        byte[] from = RowKeys.start(bucketId, range);
        byte[] to = RowKeys.end(bucketId, range);
        for (Family family : KeyRows.FAMILIES) {
            sources.add(new Source(family, cube.scan(family, from, to)));
        }
    }

    /** The rows of one family. */
    private static final class Source {
        private final Family family;
        private final RecordCursor cursor;
        private byte[] base = END;

        Source(Family family, RecordCursor cursor) {
            this.family = family;
            this.cursor = cursor;
            step();
        }

        void step() {
            base = END;
            if (cursor.next()) {
                byte[] key = cursor.key();
                base = Arrays.copyOf(key, key.length - KeyRows.suffixBytes(family));
            }
        }
    }

    /**
     * Counts the keys of a range, of which each can have rows in several families.
     *
     * @param goesOn called for each key; when it returns false, the count fails
     */
    static long count(RecordStore cube, long bucketId, KeyRange range, BooleanSupplier goesOn)
            throws IOException {
        long keys = 0;
        try (KeyCursor cursor = new KeyCursor(cube, bucketId, range)) {
            while (cursor.next().isPresent()) {
                BucketCopy.requireGoing(goesOn);
                keys++;
            }
        }
        return keys;
    }

    /** Returns the rows of the next key. */
    Optional<KeyRows> next() {
        byte[] least = END;
        for (Source each : sources) {
            boolean isLess =
                    each.base.length > 0
                            && (least.length == 0 || Arrays.compareUnsigned(each.base, least) < 0);
            least = isLess ? each.base : least;
        }
        if (least.length == 0) {
            return Optional.empty();
        }
        List<Row> rows = new ArrayList<>();
        for (Source each : sources) {
            while (Arrays.equals(each.base, least)) {
                rows.add(new Row(each.family, each.cursor.key(), each.cursor.record()));
                each.step();
            }
        }
        return Optional.of(new KeyRows(least, rows));
    }

    @Override
    public void close() {
        sources.forEach(each -> each.cursor.close());
    }
}
