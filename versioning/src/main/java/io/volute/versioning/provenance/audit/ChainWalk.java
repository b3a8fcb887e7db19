package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.provenance.format.Bytes;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.provenance.BucketNames;
import io.volute.versioning.provenance.ChainBegins;
import io.volute.versioning.provenance.StoreSettings;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A walk over all chains of a range, in the order of buckets and keys. It includes the store's own
 * chain only if the range names it. Not thread-safe.
 */
final class ChainWalk {
    /** The first key behind the store's own chain. */
    private static final byte[] KEYS = RowKeys.bucketStart(StoreSettings.BUCKET.id() + 1);

    private static final byte[] END = {};

    private final Cube cube;
    private final ChainBegins begins;
    private final Bytes storeId;
    private final Range range;
    private final BucketNames names;

    ChainWalk(Cube cube, ChainBegins begins, Bytes storeId, Range range) {
        this.cube = cube;
        this.begins = begins;
        this.storeId = storeId;
        this.range = range;
        names = BucketNames.read(cube);
    }

    /** Receives chains. */
    interface Sink {
        /** Receives a chain; returns whether to continue. */
        boolean next(ChainSource chain) throws IOException;
    }

    void forEach(Sink sink) throws IOException {
        for (Rows rows : rows()) {
            if (!walk(rows.begin, rows.end, sink)) {
                return;
            }
        }
    }

    /** Counts the chains in one scan of their rows. Ends early when it may not go on. */
    long count(BooleanSupplier goesOn) {
        long chains = 0;
        for (Rows rows : rows()) {
            byte[] last = END;
            try (RecordCursor cursor = cube.scan(ENTRIES, rows.begin, rows.end)) {
                while (cursor.next() && goesOn.getAsBoolean()) {
                    byte[] key = cursor.key();
                    int length = key.length - RowKeys.NUMBER_BYTES;
                    boolean isSame = Arrays.equals(last, 0, last.length, key, 0, length);
                    if (!isSame) {
                        last = Arrays.copyOf(key, length);
                        chains++;
                    }
                }
            }
        }
        return chains;
    }

    /** The bounds of the rows of chains. */
    private record Rows(byte[] begin, byte[] end) {}

    private List<Rows> rows() {
        if (range.bucket().isEmpty() && range.prefix().isEmpty()) {
            return List.of(new Rows(KEYS, END));
        }
        List<Long> buckets =
                range.bucket().isPresent()
                        ? names.ids(range.bucket().get())
                        : List.copyOf(
                                names.names().tailMap(StoreSettings.BUCKET.id(), false).keySet());
        return buckets.stream()
                .map(this::prefix)
                .map(prefix -> new Rows(prefix, RowKeys.behindPrefix(prefix)))
                .toList();
    }

    private byte[] prefix(long bucketId) {
        return range.isExact()
                ? RowKeys.current(bucketId, new ObjectKey(range.prefix()))
                : RowKeys.prefix(bucketId, range.prefix().getBytes(StandardCharsets.UTF_8));
    }

    private boolean walk(byte[] begin, byte[] end, Sink sink) throws IOException {
        byte[] from = begin;
        for (Optional<ChainSource> chain = next(from, end);
                chain.isPresent();
                chain = next(from, end)) {
            if (!sink.next(chain.get())) {
                return false;
            }
            from = chain.get().end();
        }
        return true;
    }

    private Optional<ChainSource> next(byte[] from, byte[] end) {
        return ChainSource.first(cube, begins, from, end, base -> names.identity(storeId, base));
    }

    /** Returns the id of the newest bucket of that name that has chains. */
    long bucketId(BucketName bucket) {
        return names.ids(bucket).getLast();
    }
}
