package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.UNSIGNED;

import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that change while signatures are off. Each change marks its key in its commit. When
 * signatures go on, each marked key gets a signed entry that records it, before the entry for on.
 * So an audit excuses differences of these keys only. Not thread-safe.
 */
final class UnsignedChanges {
    private static final Logger LOG = LoggerFactory.getLogger(UnsignedChanges.class);

    private static final Caller STORE = new Caller("", "", "");
    private static final byte[] NOTHING = {};

    /** Maximum number of entries in a commit. */
    private static final int PAGE = 1 << 10;

    private final Cube cube;
    private final ProvenanceLog log;

    UnsignedChanges(Cube cube, ProvenanceLog log) {
        this.cube = cube;
        this.log = log;
    }

    /** Adds the mark of a key to the commit that changes it, unless the key has one. */
    static void mark(RecordStore cube, Transaction transaction, BucketInfo bucket, ObjectKey key) {
        byte[] base = RowKeys.current(bucket.id(), key);
        if (cube.get(UNSIGNED, base).isEmpty()) {
            // The chain of the key has the name of its bucket, which may be gone by then.
            byte[] name = bucket.name().value().getBytes(StandardCharsets.UTF_8);
            transaction.put(UNSIGNED, base, name, NOTHING, List.of());
        }
    }

    /** Removes all marks, before signatures go off. */
    static void clear(Cube cube) throws IOException {
        for (Page page = Page.read(cube, NOTHING); !page.isEmpty(); ) {
            Transaction transaction = new Transaction().makingRoom();
            page.keys.forEach(key -> transaction.delete(UNSIGNED, key));
            Commits.join(cube, transaction);
            page = Page.read(cube, page.next());
        }
    }

    /** Makes the entries of all marked keys, and removes the marks. */
    void sign() throws IOException {
        long count = 0;
        for (Page page = Page.read(cube, NOTHING); !page.isEmpty(); ) {
            sign(page);
            count += page.keys.size();
            page = Page.read(cube, page.next());
        }
        if (count > 0) {
            LOG.info("signed that {} keys changed while signatures were off", count);
        }
    }

    private void sign(Page page) throws IOException {
        // Also on a full store, which must open before anything can be deleted from it.
        Transaction transaction = new Transaction().makingRoom();
        ProvenanceRecorder recorder = log.recorder(STORE);
        for (int i = 0; i < page.keys.size(); i++) {
            byte[] key = page.keys.get(i);
            recorder.changedUnsigned(
                    bucket(RowKeys.bucketId(key), page.buckets.get(i)), RowKeys.objectKey(key));
            transaction.delete(UNSIGNED, key);
        }
        try {
            recorder.addTo(transaction);
            Commits.join(cube, transaction);
            recorder.committed();
        } finally {
            recorder.release();
        }
    }

    /** Returns as much of a bucket as an entry has. */
    private static BucketInfo bucket(long id, String name) {
        return new BucketInfo(
                        id,
                        new BucketName(name),
                        "",
                        Instant.EPOCH,
                        VersioningState.UNVERSIONED,
                        HistoryPolicy.NONE)
                .with(Optional.of(HiddenFields.NONE));
    }

    /** Marks in the order of their keys, with the names of the buckets. */
    private record Page(List<byte[]> keys, List<String> buckets) {
        static Page read(Cube cube, byte[] from) {
            List<byte[]> keys = new ArrayList<>();
            List<String> buckets = new ArrayList<>();
            long bytes = 0;
            try (RecordCursor cursor = cube.scan(UNSIGNED, from, NOTHING)) {
                while (keys.size() < PAGE
                        && bytes < cube.transactionBytesMax() / 4
                        && cursor.next()) {
                    keys.add(cursor.key());
                    byte[] name = cursor.record().summary();
                    buckets.add(new String(name, StandardCharsets.UTF_8));
                    bytes += 2L * cursor.key().length + ProvenanceRecorder.ENTRY_BYTES;
                }
            }
            return new Page(keys, buckets);
        }

        boolean isEmpty() {
            return keys.isEmpty();
        }

        /** Returns the first key behind this page. */
        byte[] next() {
            byte[] last = keys.getLast();
            return Arrays.copyOf(last, last.length + 1);
        }
    }
}
