package io.volute.versioning.catalog;

import io.volute.provenance.format.Hash;
import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.DamagedException;
import io.volute.storage.Family;
import io.volute.storage.StoredRecord;
import io.volute.storage.report.Damage;
import io.volute.storage.report.RecordRepair;
import io.volute.storage.report.RecordRepair.Stretch;
import io.volute.versioning.Damages;
import io.volute.versioning.StoreException;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.RecordBodyReader;
import io.volute.versioning.body.StoredState;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.provenance.EntryRows;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The damages of one cube. */
final class CubeDamages implements Damages {
    private static final String UNKNOWN =
            "neither a content hash nor an MD5 is known: repair it from a backup";
    private static final String OTHER_CONTENT =
            "the content of the source is not that of this version";

    private final Cube cube;
    private final BucketDirectory buckets;
    private final EntryRows entries;

    CubeDamages(Cube cube, BucketDirectory buckets, Optional<ProvenanceLog> log) {
        this.cube = cube;
        this.buckets = buckets;
        this.entries = log.map(ProvenanceLog::rows).orElseGet(() -> EntryRows.of(cube));
    }

    @Override
    public List<State> describe(List<Damage.User> users) {
        if (users.isEmpty()) {
            return List.of();
        }
        DamageNames names = new DamageNames(cube, buckets.namesById());
        return users.stream().flatMap(user -> names.name(user).stream()).toList();
    }

    @Override
    public List<State> states(BucketName bucket, ObjectKey key, Optional<String> version) {
        BucketInfo info =
                buckets.findLast(bucket).orElseThrow(() -> StoreException.noSuchBucket(bucket));
        List<Damage.User> users =
                StoredState.of(cube, info.id(), key).stream()
                        .map(each -> new Damage.User(each.family().id(), each.rowKey()))
                        .toList();
        return describe(users).stream()
                .filter(each -> version.isEmpty() || version.get().equals(each.version()))
                .toList();
    }

    @Override
    public Repaired repair(State state, Source source) throws IOException {
        int damaged;
        Repairing repairing = new Repairing(state, source);
        try (repairing) {
            try (RecordRepair repair = open(state)) {
                damaged = repair.stretches().size();
                repairing.entries(repair);
            }
            try (RecordRepair repair = open(state)) {
                repairing.contents(repair);
            }
        }
        try (RecordRepair repair = open(state)) {
            return new Repaired(
                    damaged,
                    repair.stretches().size(),
                    repairing.expected.name(),
                    repair.stretches().isEmpty() ? "" : repairing.words);
        }
    }

    private RecordRepair open(State state) throws IOException {
        return cube.repair(state.user().family(), state.user().key());
    }

    /** One repair. */
    private final class Repairing implements AutoCloseable {
        private final State state;
        private final Source source;
        private final Family family;
        private final Optional<StoredRecord> record;
        private final ExpectedContent expected;
        private String words = "";
        private Optional<BlobReader> replica = Optional.empty();

        Repairing(State state, Source source) throws IOException {
            this.state = state;
            this.source = source;
            this.family =
                    Families.all().stream()
                            .filter(each -> each.id() == state.user().family())
                            .findFirst()
                            .orElseThrow();
            this.record = cube.get(family, state.user().key());
            this.expected = expected();
        }

        /** Puts back the entries that have no content of a blob. */
        void entries(RecordRepair repair) throws IOException {
            for (Stretch stretch : repair.stretches()) {
                if (!stretch.isEntry()) {
                    continue;
                }
                Optional<ByteBuffer> bytes =
                        switch (source) {
                            case Source.OfLog copy -> read(copy, repair, stretch);
                            case Source.OfStates states -> body(repair, stretch);
                            case Source.OfReplica copy -> body(repair, stretch, copy);
                        };
                write(repair, stretch, bytes);
            }
        }

        /** Returns the entry with the body of another state, if the body is in the record. */
        private Optional<ByteBuffer> body(RecordRepair repair, Stretch stretch) throws IOException {
            boolean holdsBody =
                    record.map(StoredRecord::references).map(List::isEmpty).orElse(false);
            if (!holdsBody) {
                return Optional.empty();
            }
            Optional<BlobReader> found = sameContent();
            if (found.isEmpty()) {
                return Optional.empty();
            }
            try (BlobReader reader = found.get()) {
                ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(reader.bytes()));
                read(reader, 0, content);
                return Optional.of(repair.around(stretch, content.flip()));
            }
        }

        /** Returns the entry with the body of a replica, if the body is in the record. */
        private Optional<ByteBuffer> body(
                RecordRepair repair, Stretch stretch, Source.OfReplica source) {
            boolean holdsBody =
                    record.map(StoredRecord::references).map(List::isEmpty).orElse(false);
            if (!holdsBody || state.use() == Use.ROW || state.bytes() > stretch.bytes()) {
                words = "a replica does not have it: repair it from a backup";
                return Optional.empty();
            }
            if (!expected.isKnown()) {
                words = UNKNOWN;
                return Optional.empty();
            }
            try {
                BlobReader reader = opened(source);
                if (reader.bytes() > stretch.bytes()) {
                    words = OTHER_CONTENT;
                    return Optional.empty();
                }
                // Read once: what is verified is what is written.
                ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(reader.bytes()));
                read(reader, 0, content);
                if (!expected.fits(new RecordBodyReader(content.flip()))) {
                    words = OTHER_CONTENT;
                    return Optional.empty();
                }
                return Optional.of(repair.around(stretch, content));
            } catch (IOException e) {
                words = String.valueOf(e.getMessage());
                return Optional.empty();
            }
        }

        private BlobReader opened(Source.OfReplica source) throws IOException {
            if (replica.isEmpty()) {
                replica = Optional.of(source.open(state));
            }
            return replica.get();
        }

        @Override
        public void close() {
            replica.ifPresent(BlobReader::close);
        }

        private static Optional<ByteBuffer> read(
                Source.OfLog copy, RecordRepair repair, Stretch stretch) throws IOException {
            return copy.read(stretch, bytes -> repair.fits(stretch, bytes));
        }

        private void write(RecordRepair repair, Stretch stretch, Optional<ByteBuffer> bytes)
                throws IOException {
            if (bytes.isEmpty()) {
                if (source instanceof Source.OfReplica) {
                    return;
                }
                words = "the source does not have the right bytes of " + stretch.file();
                return;
            }
            try {
                repair.write(stretch, bytes.get());
            } catch (DamagedException e) {
                words = "the source has other bytes: " + e.getMessage();
            }
        }

        /** Puts back the contents of blobs, after all of the content was verified. */
        void contents(RecordRepair repair) throws IOException {
            List<Stretch> wanted = repair.stretches().stream().filter(s -> !s.isEntry()).toList();
            if (wanted.isEmpty()) {
                return;
            }
            if (wanted.size() < repair.stretches().size() && hasComposition()) {
                words = "the list of its parts is damaged, and the source does not have it";
                return;
            }
            switch (source) {
                case Source.OfLog copy -> fromLog(repair, wanted, copy);
                case Source.OfStates states -> fromStates(repair, wanted);
                case Source.OfReplica copy -> fromReplica(repair, wanted, copy);
            }
        }

        private void fromReplica(RecordRepair repair, List<Stretch> wanted, Source.OfReplica source)
                throws IOException {
            if (!expected.isKnown()) {
                words = UNKNOWN;
                return;
            }
            Map<Stretch, Hash> read = new HashMap<>();
            try {
                BlobReader reader = opened(source);
                try (OverlaidReader whole = new OverlaidReader(stored())) {
                    if (reader.bytes() != whole.bytes()) {
                        words = OTHER_CONTENT;
                        return;
                    }
                    for (Stretch each : wanted) {
                        whole.put(
                                each.contentOffset(),
                                each.contentBytes(),
                                () -> content(reader, each, read));
                    }
                    if (!expected.fits(whole)) {
                        words = OTHER_CONTENT;
                        return;
                    }
                }
                for (Stretch each : wanted) {
                    ByteBuffer content = content(reader, each, read);
                    write(repair, each, Optional.of(repair.around(each, content)));
                }
            } catch (IOException e) {
                words = String.valueOf(e.getMessage());
            }
        }

        /** Reads a stretch of a replica, which must be the same each time. */
        private static ByteBuffer content(
                BlobReader reader, Stretch stretch, Map<Stretch, Hash> before) throws IOException {
            ByteBuffer content = ByteBuffer.allocate(stretch.contentBytes());
            read(reader, stretch.contentOffset(), content);
            Hash hash = Hash.of(Hash.sha256().digest(content.flip().array()));
            Hash first = before.putIfAbsent(stretch, hash);
            if (first != null && !first.equals(hash)) {
                throw new IOException("the replica gives other bytes each time");
            }
            return content;
        }

        private boolean hasComposition() {
            try (BlobReader reader = stored()) {
                return false;
            } catch (IOException e) {
                return true;
            }
        }

        private BlobReader stored() throws IOException {
            return cube.openBlob(Body.onlyBlob(record.orElseThrow().references()));
        }

        private void fromLog(RecordRepair repair, List<Stretch> wanted, Source.OfLog copy)
                throws IOException {
            List<Stretch> there = new ArrayList<>();
            for (Stretch stretch : wanted) {
                if (read(copy, repair, stretch).isPresent()) {
                    there.add(stretch);
                } else {
                    words = "the source does not have the right bytes of " + stretch.file();
                }
            }
            boolean isVerified = there.size() == wanted.size() && expected.isKnown();
            if (isVerified) {
                try (OverlaidReader whole = new OverlaidReader(stored())) {
                    for (Stretch each : there) {
                        whole.put(
                                each.contentOffset(),
                                each.contentBytes(),
                                () ->
                                        tail(
                                                read(copy, repair, each).orElseThrow(),
                                                each.contentBytes()));
                    }
                    if (!expected.fits(whole)) {
                        words = OTHER_CONTENT;
                        return;
                    }
                }
            }
            for (Stretch each : there) {
                write(repair, each, read(copy, repair, each));
            }
        }

        private static ByteBuffer tail(ByteBuffer bytes, int count) {
            return bytes.slice(bytes.limit() - count, count);
        }

        private void fromStates(RecordRepair repair, List<Stretch> wanted) throws IOException {
            Optional<BlobReader> found = sameContent();
            if (found.isEmpty()) {
                return;
            }
            try (BlobReader reader = found.get()) {
                for (Stretch each : wanted) {
                    ByteBuffer content = ByteBuffer.allocate(each.contentBytes());
                    read(reader, each.contentOffset(), content);
                    write(repair, each, Optional.of(repair.around(each, content.flip())));
                }
            }
        }

        private static void read(BlobReader reader, long offset, ByteBuffer target)
                throws IOException {
            long at = offset;
            while (target.hasRemaining()) {
                ByteBuffer some = ByteBuffer.allocate(reader.bufferBytes(at));
                reader.read(at, at + target.remaining(), some);
                at += some.remaining();
                target.put(some);
            }
        }

        /** Opens another state of the key whose whole content is the expected one. */
        private Optional<BlobReader> sameContent() throws IOException {
            words = "no other state of the key has the same content";
            if (state.use() == Use.ROW || state.use() == Use.UPLOAD_PART) {
                words = "other states do not have it";
                return Optional.empty();
            }
            if (!expected.isKnown()) {
                words = UNKNOWN;
                return Optional.empty();
            }
            byte[] own = state.user().key();
            long bucketId = RowKeys.bucketId(own);
            for (StoredState other : StoredState.of(cube, bucketId, new ObjectKey(state.key()))) {
                boolean isSelf = Arrays.equals(own, other.rowKey());
                Optional<BlobReader> reader = isSelf ? Optional.empty() : sound(other);
                if (reader.isPresent()) {
                    return reader;
                }
            }
            return Optional.empty();
        }

        private Optional<BlobReader> sound(StoredState other) throws IOException {
            if (other.row().bytes() != state.bytes()) {
                return Optional.empty();
            }
            BlobReader reader;
            try {
                reader =
                        Body.read(cube, other.family(), other.rowKey(), other.record(), other.row())
                                .open(cube);
            } catch (IOException e) {
                return Optional.empty();
            }
            try {
                if (expected.fits(reader)) {
                    return Optional.of(reader);
                }
            } catch (DamagedException e) {
                words = "the other states with this content are damaged, too";
            }
            reader.close();
            return Optional.empty();
        }

        private ExpectedContent expected() throws IOException {
            return record.isEmpty()
                    ? ExpectedContent.NONE
                    : ExpectedContent.of(entries, state, record.get(), storedBytes());
        }

        /** Encrypted content is longer than what the client sent, and has another MD5. */
        private long storedBytes() {
            if (state.use() == Use.UPLOAD_PART || state.use() == Use.ROW) {
                return state.bytes();
            }
            byte[] summary = record.orElseThrow().summary();
            ObjectRow row =
                    state.use() == Use.HISTORY
                            ? HistoryRow.decode(summary).state()
                            : ObjectRow.decode(summary);
            if (row.holdsBody()) {
                return row.needsDetail() ? row.bytes() : record.orElseThrow().detailBytes();
            }
            try (BlobReader reader = stored()) {
                return reader.bytes();
            } catch (IOException e) {
                return -1;
            }
        }
    }
}
