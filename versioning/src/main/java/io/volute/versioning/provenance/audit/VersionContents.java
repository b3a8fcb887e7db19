package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.provenance.audit.Contents;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.storage.BlobReader;
import io.volute.storage.Family;
import io.volute.storage.MissingBlobException;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.provenance.Origin;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.codec.RowFormatException;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The contents of the existing versions of a key, including kept states, hashed in the form that
 * entries have. Not thread-safe.
 */
final class VersionContents implements Contents {
    private final RecordStore cube;
    private final long bucketId;
    private final ObjectKey key;

    /** The versions by number; read on first use. */
    private Optional<Map<Long, Stored>> versions = Optional.empty();

    VersionContents(RecordStore cube, long bucketId, ObjectKey key) {
        this.cube = cube;
        this.bucketId = bucketId;
        this.key = key;
    }

    /** A version and its place. */
    private record Stored(Family family, byte[] rowKey, StoredRecord record, ObjectRow row) {}

    /**
     * Returns the hash of a version's content. Unreadable content yields zeros, which equal no
     * hash.
     */
    @Override
    public Optional<Hash> hashOf(Bytes versionId, Optional<String> parts) {
        Optional<Stored> version = number(versionId).map(number -> versions().get(number));
        try {
            return version.isPresent() ? Optional.of(hash(version.get(), parts)) : Optional.empty();
        } catch (MissingBlobException | GoneException e) {
            // Deleted, or removed by retention, during the lookup.
            versions = Optional.empty();
            return Optional.empty();
        } catch (IOException | RowFormatException e) {
            return Optional.of(Hash.ZERO);
        }
    }

    static Optional<Long> number(Bytes versionId) {
        return VersionId.parse(versionId.text())
                .filter(VersionSelector.Numbered.class::isInstance)
                .map(VersionSelector.Numbered.class::cast)
                .map(VersionSelector.Numbered::number);
    }

    private Map<Long, Stored> versions() {
        if (versions.isEmpty()) {
            byte[] base = RowKeys.current(bucketId, key);
            Map<Long, Stored> found = new TreeMap<>();
            cube.get(CURRENT, base)
                    .ifPresent(
                            record ->
                                    add(
                                            found,
                                            new Stored(
                                                    CURRENT,
                                                    base,
                                                    record,
                                                    ObjectRow.decode(record.summary()))));
            addAll(found, VERSIONS, base);
            addAll(found, HISTORY, base);
            versions = Optional.of(found);
        }
        return versions.get();
    }

    private void addAll(Map<Long, Stored> found, Family family, byte[] base) {
        try (RecordCursor cursor = cube.scan(family, base, RowKeys.behindPrefix(base))) {
            while (cursor.next()) {
                byte[] summary = cursor.record().summary();
                ObjectRow row =
                        family.equals(HISTORY)
                                ? HistoryRow.decode(summary).state()
                                : ObjectRow.decode(summary);
                add(found, new Stored(family, cursor.key(), cursor.record(), row));
            }
        }
    }

    private static void add(Map<Long, Stored> found, Stored version) {
        if (!version.row().deleteMarker()) {
            found.put(version.row().number(), version);
        }
    }

    private Hash hash(Stored version, Optional<String> parts) throws IOException {
        Body body =
                Body.read(
                        cube, version.family(), version.rowKey(), version.record(), version.row());
        try (BlobReader reader = body.open(cube)) {
            Optional<List<Long>> sizes =
                    parts.isPresent() ? Origin.sizes(parts.get()) : partsOf(reader);
            if (sizes.isEmpty()) {
                return parts.isPresent() ? Hash.ZERO : hash(reader, 0, reader.bytes());
            }
            if (sizes.get().stream().mapToLong(each -> each).sum() != reader.bytes()) {
                return Hash.ZERO;
            }
            List<Origin.Part> hashes = new ArrayList<>();
            long from = 0;
            for (long bytes : sizes.get()) {
                Hash hash = hash(reader, from, from + bytes);
                hashes.add(new Origin.Part(bytes, Optional.of(hash)));
                from += bytes;
            }
            return Origin.composed(hashes).content().orElseThrow();
        }
    }

    /** Returns the sizes of the parts that a body was uploaded in, if their hashes are known. */
    private static Optional<List<Long>> partsOf(BlobReader reader) {
        List<Transaction.Part> parts = reader.parts();
        boolean isComposed =
                !parts.isEmpty()
                        && parts.stream()
                                .allMatch(part -> PartRow.content(part.attributes()).isPresent());
        return isComposed
                ? Optional.of(parts.stream().map(Transaction.Part::bytes).toList())
                : Optional.empty();
    }

    private static Hash hash(BlobReader reader, long from, long end) throws IOException {
        MessageDigest digest = Hash.sha256();
        ByteBuffer buffer = ByteBuffer.allocate(0);
        for (long at = from; at < end; ) {
            int capacity = reader.bufferBytes(at);
            if (buffer.capacity() < capacity) {
                buffer = ByteBuffer.allocate(capacity);
            }
            buffer.clear();
            reader.read(at, end, buffer);
            at += buffer.remaining();
            digest.update(buffer);
        }
        return Hash.of(digest.digest());
    }
}
