package io.volute.versioning.provenance.audit;

import io.volute.provenance.audit.Contents;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.MissingBlobException;
import io.volute.storage.RecordStore;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.body.StoredState;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
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

    private Optional<String> damage = Optional.empty();

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
        damage = Optional.empty();
        Optional<StoredState> version = number(versionId).map(number -> versions().get(number));
        try {
            return version.isPresent() ? Optional.of(hash(version.get(), parts)) : Optional.empty();
        } catch (MissingBlobException | GoneException e) {
            // Deleted, or removed by retention, during the lookup.
            versions = Optional.empty();
            return Optional.empty();
        } catch (IOException | RowFormatException e) {
            if (e instanceof DamagedException) {
                damage = Optional.of("no readable bytes: " + e.getMessage());
            }
            return Optional.of(Hash.ZERO);
        }
    }

    @Override
    public Optional<String> damage() {
        return damage;
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
            return ContentHash.of(reader, parts);
        }
    }
}
