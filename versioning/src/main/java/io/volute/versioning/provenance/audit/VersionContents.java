package io.volute.versioning.provenance.audit;

import io.volute.provenance.audit.Contents;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.storage.BlobReader;
import io.volute.storage.MissingBlobException;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.body.StoredState;
import io.volute.versioning.provenance.Origin;
import io.volute.versioning.rows.PartRow;
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
    private Optional<Map<Long, StoredState>> versions = Optional.empty();

    VersionContents(RecordStore cube, long bucketId, ObjectKey key) {
        this.cube = cube;
        this.bucketId = bucketId;
        this.key = key;
    }

    /**
     * Returns the hash of a version's content. Unreadable content yields zeros, which equal no
     * hash.
     */
    @Override
    public Optional<Hash> hashOf(Bytes versionId, Optional<String> parts) {
        Optional<StoredState> version = number(versionId).map(number -> versions().get(number));
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

    private Map<Long, StoredState> versions() {
        if (versions.isEmpty()) {
            Map<Long, StoredState> found = new TreeMap<>();
            StoredState.of(cube, bucketId, key)
                    .forEach(each -> found.put(each.row().number(), each));
            versions = Optional.of(found);
        }
        return versions.get();
    }

    private Hash hash(StoredState version, Optional<String> parts) throws IOException {
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
