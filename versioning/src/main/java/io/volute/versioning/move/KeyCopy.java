package io.volute.versioning.move;

import static io.volute.versioning.rows.Families.HISTORY;

import io.volute.provenance.record.EventKind;
import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.MissingBlobException;
import io.volute.storage.Transaction;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.body.MovedBlob;
import io.volute.versioning.body.Origin;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.move.KeyRows.Row;
import io.volute.versioning.provenance.MetadataHash;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.provenance.audit.StoreAudit;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongPredicate;

/**
 * Makes the rows of one key in the target those of the source, with the bodies. The chain of the
 * key in the target records each version as a copy of the one in the source. So that this server
 * signs no version that somebody changed behind it, the key is audited when its rows are read.
 * Thread-safe.
 */
final class KeyCopy {
    private static final int ATTEMPTS_MAX = 10;

    private final MoveSide from;
    private final MoveSide to;
    private final BucketInfo bucket;
    private final Caller caller;

    KeyCopy(MoveSide from, MoveSide to, BucketInfo bucket, Caller caller) {
        this.from = from;
        this.to = to;
        this.bucket = bucket;
        this.caller = caller;
    }

    /** Copies a key, again from the beginning if rows were removed meanwhile. */
    void copy(byte[] base) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                copyOnce(base);
                return;
            } catch (MissingBlobException | GoneException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }

    /** Returns whether the chain in the target lacks shreds of the one in the source. */
    boolean lacksShreds(byte[] base) throws IOException {
        return !missingShreds(RowKeys.objectKey(base)).isEmpty();
    }

    private SortedSet<Long> missingShreds(ObjectKey key) throws IOException {
        SortedSet<Long> missing = new TreeSet<>();
        if (from.log().isPresent() && to.log().isPresent()) {
            missing.addAll(from.log().get().erased(bucket, key));
            if (!missing.isEmpty()) {
                missing.removeAll(to.log().get().erased(bucket, key));
            }
        }
        return missing;
    }

    private void copyOnce(byte[] base) throws IOException {
        ObjectKey key = RowKeys.objectKey(base);
        KeyRows source;
        Set<Long> unproven;
        LongPredicate unnamed = version -> false;
        try (ScopedHold held = from.locks().hold(bucket.id(), key)) {
            source = KeyRows.read(from.cube(), base);
            unproven = audit(key);
            if (from.log().isPresent() && to.log().isPresent()) {
                unnamed = from.log().get().unnamedShreds(bucket, key);
            }
        }
        KeyRows target = KeyRows.read(to.cube(), base);
        try (Writing writing = new Writing(key, source, target, unproven, unnamed)) {
            writing.removeOthers();
            for (Map.Entry<Long, List<Row>> version : source.byVersion().entrySet()) {
                if (writing.isFull()) {
                    writing.commit();
                }
                writing.add(version.getKey(), version.getValue());
            }
            writing.addRemoved();
            writing.addUnnamedShred();
            writing.addShreds();
            writing.commit();
        }
    }

    /**
     * Audits a key in the source, and returns the versions that may have changed while nothing was
     * signed. Contents are compared with their ETags and hashes by later audits of the target.
     *
     * @throws IOException when the chain or the state of the key has a defect
     */
    private Set<Long> audit(ObjectKey key) throws IOException {
        if (from.audits().isEmpty()) {
            return Set.of();
        }
        StoreAudit.OfKey audited = from.audits().get().audit(bucket, key);
        if (!audited.findings().isEmpty()) {
            throw new IOException(
                    "key "
                            + key.value()
                            + " differs from its signed history: "
                            + audited.findings().getFirst()
                            + ". Nothing of it was copied. See volute audit "
                            + bucket.name().value()
                            + ", put the key right, then repeat the command");
        }
        return audited.unproven();
    }

    /** The transactions that write a key. */
    private final class Writing implements AutoCloseable {
        private final ObjectKey key;
        private final KeyRows source;
        private final KeyRows target;

        /** Versions of which the chain in the source proves nothing. */
        private final Set<Long> unproven;

        /** Versions that a shred destroyed whose entry does not name their secrets. */
        private final LongPredicate unnamed;

        private final Map<Long, List<Row>> copied;

        /** Blobs of the target, by their ids in the source. */
        private final Map<BlobId, BlobId> moved = new HashMap<>();

        /** Blobs that the target has already, by the numbers of their versions. */
        private final Map<Long, BlobId> known = new HashMap<>();

        private final List<MovedBlob> pending = new ArrayList<>();
        private final List<Event> events = new ArrayList<>();
        private Transaction transaction = new Transaction();
        private Optional<ProvenanceRecorder> recorder = Optional.empty();
        private long bytes;

        /** Set when a null version was recorded. */
        private boolean hasNull;

        /** Set when the last recorded versions are of {@link #unnamed}. */
        private boolean hasUnnamed;

        Writing(
                ObjectKey key,
                KeyRows source,
                KeyRows target,
                Set<Long> unproven,
                LongPredicate unnamed) {
            this.key = key;
            this.unproven = unproven;
            this.unnamed = unnamed;
            this.source = source;
            this.target = target;
            this.copied = target.byVersion();
            for (Row row : target.rows()) {
                if (row.isState() && !row.record().references().isEmpty()) {
                    known.put(row.state().number(), row.record().references().getFirst());
                }
            }
        }

        private ProvenanceRecorder recorder() {
            if (recorder.isEmpty()) {
                recorder = Optional.of(to.log().orElseThrow().recorder(caller));
            }
            return recorder.get();
        }

        /** Removes rows that an earlier copy left and that the source does not have any more. */
        void removeOthers() {
            for (Row row : target.rows()) {
                if (source.rows().stream().noneMatch(row::hasKeyOf)) {
                    transaction.delete(row.family(), row.key());
                    bytes += row.key().length + WriteBatch.CHANGE_OVERHEAD_BYTES;
                }
            }
            Map<Long, List<Row>> versions = source.byVersion();
            copied.forEach(
                    (number, states) -> {
                        if (!versions.containsKey(number)) {
                            recordPurge(states);
                        }
                    });
        }

        /** Records that a version which the target has is gone. */
        private void recordPurge(List<Row> states) {
            Optional<Row> present = states.stream().filter(Row::isPresent).findFirst();
            if (present.isPresent() && to.log().isPresent()) {
                recorder()
                        .removed(bucket, present.get().state().listed(key, false, bucket.owner()));
            }
        }

        /** Adds the states of a version, unless an earlier copy has added the same. */
        void add(long number, List<Row> states) throws IOException {
            List<Row> before = copied.getOrDefault(number, List.of());
            boolean isNull = states.getFirst().state().nullVersion();
            boolean isSame = KeyRows.areMovedTo(states, from.cube(), before, to.cube());
            // A null version that is recorded replaces the one before.
            if (isSame && !(isNull && hasNull)) {
                return;
            }
            hasNull |= isNull;
            if (unnamed.test(number)) {
                hasUnnamed = true;
            } else {
                addUnnamedShred();
            }
            recordPurge(before);
            Optional<ObjectVersion> last = Optional.empty();
            for (Row row : states) {
                byte[] detail = row.detail(from.cube());
                put(number, row, detail, before);
                ObjectVersion version =
                        row.state()
                                .version(
                                        key,
                                        false,
                                        bucket.owner(),
                                        row.state().needsDetail() ? detail : new byte[0]);
                if (to.log().isPresent()) {
                    record(version, last);
                }
                last = Optional.of(version);
            }
            boolean isGone = states.stream().noneMatch(Row::isPresent);
            if (isGone && last.isPresent() && to.log().isPresent()) {
                recorder().removed(bucket, last.get());
            }
        }

        private void put(long number, Row row, byte[] detail, List<Row> before) throws IOException {
            for (Row each : before) {
                if (row.isMovedTo(from.cube(), each, to.cube())) {
                    return;
                }
            }
            List<BlobId> references = new ArrayList<>();
            for (BlobId each : row.record().references()) {
                references.add(blob(number, each));
            }
            put(row, detail, references);
            boolean isNew = before.stream().noneMatch(row::hasKeyOf);
            if (row.family().equals(HISTORY) && isNew) {
                // By these events retention finds the states.
                events.add(
                        new Event.Kept(
                                to.clock().instant(), bucket.id(), key, RowKeys.suffix(row.key())));
            }
        }

        private void put(Row row, byte[] detail, List<BlobId> references) {
            byte[] summary = row.moved();
            transaction.put(row.family(), row.key(), summary, detail, references);
            bytes +=
                    row.key().length
                            + summary.length
                            + detail.length
                            + WriteBatch.CHANGE_OVERHEAD_BYTES;
        }

        /**
         * Records the shred of an older program behind the versions that it destroyed, and before
         * those that were made later, which it does not excuse.
         */
        void addUnnamedShred() {
            if (hasUnnamed && to.log().isPresent()) {
                recorder().shreddedUnnamed(bucket, key);
            }
            hasUnnamed = false;
        }

        /** Records what signed shreds destroyed, so that an audit of the target knows it. */
        void addShreds() throws IOException {
            SortedSet<Long> missing = missingShreds(key);
            if (!missing.isEmpty()) {
                recorder().shredded(bucket, key, 0, missing);
            }
        }

        /** Adds the row of a key without a visible version. */
        void addRemoved() throws IOException {
            for (Row row : source.rows()) {
                boolean isThere =
                        target.rows().stream()
                                .anyMatch(
                                        each ->
                                                row.hasKeyOf(each)
                                                        && Arrays.equals(
                                                                row.moved(),
                                                                each.record().summary()));
                if (!row.isState() && !isThere) {
                    put(row, row.detail(from.cube()), List.of());
                }
            }
        }

        private BlobId blob(long number, BlobId wanted) throws IOException {
            BlobId there = moved.get(wanted);
            if (there == null) {
                there = known.get(number);
            }
            if (there == null) {
                MovedBlob body = new MovedBlob(to.cube());
                pending.add(body);
                try (BlobReader reader = from.cube().openBlob(wanted)) {
                    body.take(reader);
                    bytes += reader.bytes();
                }
                there = body.addTo(UploadCopy.adding(transaction));
            }
            moved.put(wanted, there);
            return there;
        }

        /** Records a state of a version in the chain of the target. */
        private void record(ObjectVersion version, Optional<ObjectVersion> before)
                throws IOException {
            if (before.isEmpty() && version.deleteMarker()) {
                recorder().marked(bucket, version);
            } else if (before.isEmpty()) {
                recorder().wrote(bucket, version, origin(version));
            } else {
                var earlier = before.get().attributes();
                var later = version.attributes();
                if (!earlier.lock().equals(later.lock())) {
                    recorder().rewrote(bucket, version, EventKind.LOCK);
                }
                if (!MetadataHash.of(earlier).equals(MetadataHash.of(later))) {
                    recorder().rewrote(bucket, version, EventKind.TAGS);
                }
            }
        }

        /**
         * Returns the claim of a copy: the head of the chain in the source. Of a version that may
         * have changed while nothing was signed, nothing is claimed.
         */
        private Origin origin(ObjectVersion version) throws IOException {
            return from.log().isPresent() && !unproven.contains(version.number())
                    ? from.log().get().recorder(caller).copied(bucket, key, version.number())
                    : Origin.UNKNOWN;
        }

        boolean isFull() {
            long recorded = recorder.map(ProvenanceRecorder::bytes).orElse(0L);
            return bytes + recorded > WriteBatch.bytesMax(to.cube()) / 2;
        }

        void commit() throws IOException {
            if (transaction.changes().isEmpty() && recorder.isEmpty()) {
                return;
            }
            try (ScopedHold held = to.locks().hold(bucket.id(), key);
                    ScopedHold numbering = to.events().numbers().hold()) {
                if (!events.isEmpty()) {
                    to.events().put(transaction, List.of(), events);
                }
                if (recorder.isPresent()) {
                    recorder.get().addTo(transaction);
                }
                Commits.join(to.cube(), transaction);
                recorder.ifPresent(ProvenanceRecorder::committed);
            } finally {
                close();
            }
            transaction = new Transaction();
            events.clear();
            bytes = 0;
        }

        @Override
        public void close() {
            recorder.ifPresent(ProvenanceRecorder::release);
            recorder = Optional.empty();
            pending.forEach(MovedBlob::close);
            pending.clear();
        }
    }
}
