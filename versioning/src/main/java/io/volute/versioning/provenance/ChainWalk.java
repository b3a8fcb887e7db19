package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.provenance.format.Bytes;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.BucketName;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Walks over all chains of a range, in the order of buckets and keys. Not thread-safe. */
final class ChainWalk {
    private static final byte[] NOTHING = {};

    private final Cube cube;
    private final Bytes storeId;
    private final Range range;
    private final BucketNames names;

    ChainWalk(Cube cube, Bytes storeId, Range range) {
        this.cube = cube;
        this.storeId = storeId;
        this.range = range;
        names = BucketNames.read(cube);
    }

    /** Takes chains. */
    interface Sink {
        /** Returns whether to go on. */
        boolean next(ChainSource chain) throws IOException;
    }

    void forEach(Sink sink) throws IOException {
        if (range.bucket().isEmpty() && range.prefix().isEmpty()) {
            walk(NOTHING, NOTHING, sink);
            return;
        }
        List<Long> buckets =
                range.bucket().isPresent()
                        ? names.ids(range.bucket().get())
                        : List.copyOf(names.names().keySet());
        for (long bucket : buckets) {
            byte[] prefix = prefix(bucket);
            if (!walk(prefix, RowKeys.behindPrefix(prefix), sink)) {
                return;
            }
        }
    }

    private byte[] prefix(long bucketId) {
        return range.isExact()
                ? RowKeys.current(bucketId, new ObjectKey(range.prefix()))
                : RowKeys.prefix(bucketId, range.prefix().getBytes(StandardCharsets.UTF_8));
    }

    private boolean walk(byte[] begin, byte[] end, Sink sink) throws IOException {
        byte[] from = begin;
        for (Optional<byte[]> base = next(from, end); base.isPresent(); base = next(from, end)) {
            if (!sink.next(chain(base.get()))) {
                return false;
            }
            from = RowKeys.behindPrefix(base.get());
        }
        return true;
    }

    private ChainSource chain(byte[] base) {
        return new ChainSource(cube, names.identity(storeId, base), base);
    }

    /** What the keys of the next chain's rows begin with. */
    private Optional<byte[]> next(byte[] from, byte[] end) {
        try (RecordCursor cursor = cube.scan(ENTRIES, from, end)) {
            return cursor.next()
                    ? Optional.of(
                            Arrays.copyOf(cursor.key(), cursor.key().length - RowKeys.NUMBER_BYTES))
                    : Optional.empty();
        }
    }

    /** The newest bucket of that name that has chains. */
    long bucketId(BucketName bucket) {
        return names.ids(bucket).getLast();
    }
}
