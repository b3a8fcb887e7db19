package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.Caller;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.ObjectStore.OpenObject;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.VersionSelector;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Reads of single versions. They take no locks: when a row or blob vanished between two looks,
 * because of a concurrent write, the read begins again.
 */
final class ObjectReads {
    private final Cube cube;
    private final Causality causality;

    ObjectReads(Cube cube, Causality causality) {
        this.cube = cube;
        this.causality = causality;
    }

    private record Found(Family family, byte[] rowKey, StoredRecord record, ObjectRow row) {
        boolean latest() {
            return family.equals(CURRENT);
        }
    }

    Optional<ObjectVersion> head(BucketEntry bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            Optional<Found> found = find(bucket.id(), key, selector);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            try {
                return Optional.of(version(bucket, key, found.get()));
            } catch (IOException e) {
                if (attempt == Details.ATTEMPTS_MAX || isUnchanged(found.get())) {
                    throw e;
                }
            }
        }
    }

    OpenObject open(Caller caller, BucketEntry bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            Found found =
                    find(bucket.id(), key, selector).orElseThrow(() -> missing(key, selector));
            if (found.row().deleteMarker()) {
                throw new StoreException(
                        Reason.IS_DELETE_MARKER, "the version named is a delete marker");
            }
            try {
                ObjectVersion version = version(bucket, key, found);
                BlobReader reader = cube.openBlob(Row.onlyBlob(found.record().references()));
                return new OpenObject(
                        version, reader, causality.delivery(caller, bucket, key, found.row()));
            } catch (IOException e) {
                if (attempt == Details.ATTEMPTS_MAX || isUnchanged(found)) {
                    throw e;
                }
            }
        }
    }

    /** The parts of a version; empty when it is not a multipart object. */
    List<PartInfo> parts(Caller caller, BucketEntry bucket, ObjectVersion version)
            throws IOException {
        if (version.parts() == 0 || version.deleteMarker()) {
            return List.of();
        }
        VersionSelector selector = new VersionSelector.Numbered(version.number());
        return partsOf(open(caller, bucket, version.key(), selector));
    }

    /** The parts of an object that was opened for nothing else. */
    static List<PartInfo> partsOf(OpenObject object) throws IOException {
        try (BlobReader reader = object.reader()) {
            return parts(reader);
        }
    }

    static List<PartInfo> parts(BlobReader reader) {
        return reader.parts().stream()
                .map(Transaction.Part::attributes)
                .map(PartRow::decode)
                .toList();
    }

    static StoreException missing(ObjectKey key, VersionSelector selector) {
        return switch (selector) {
            case VersionSelector.Latest latest ->
                    new StoreException(Reason.NO_SUCH_KEY, "no key " + key.value());
            case VersionSelector.NullVersion nullVersion ->
                    new StoreException(
                            Reason.NO_SUCH_VERSION, "no null version of key " + key.value());
            case VersionSelector.Numbered numbered ->
                    new StoreException(
                            Reason.NO_SUCH_VERSION, "no such version of key " + key.value());
        };
    }

    private Optional<Found> find(long bucketId, ObjectKey key, VersionSelector selector) {
        byte[] currentKey = RowKeys.current(bucketId, key);
        Optional<StoredRecord> record = cube.get(CURRENT, currentKey);
        for (int attempt = 1; attempt <= Details.ATTEMPTS_MAX && record.isPresent(); attempt++) {
            StoredRecord newest = record.get();
            Found current =
                    new Found(CURRENT, currentKey, newest, ObjectRow.decode(newest.summary()));
            long number = wanted(selector, current.row());
            if (number == current.row().number()) {
                return Optional.of(current);
            }
            if (number <= 0 || number > current.row().number()) {
                return Optional.empty();
            }
            byte[] versionKey = RowKeys.version(bucketId, key, number);
            Optional<StoredRecord> noncurrent = cube.get(VERSIONS, versionKey);
            if (noncurrent.isPresent()) {
                ObjectRow row = ObjectRow.decode(noncurrent.get().summary());
                return Optional.of(new Found(VERSIONS, versionKey, noncurrent.get(), row));
            }
            // It may have become the current one between the two looks.
            record = cube.get(CURRENT, currentKey);
            if (record.isPresent() && record.get().sequence() == newest.sequence()) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static long wanted(VersionSelector selector, ObjectRow current) {
        return switch (selector) {
            case VersionSelector.Latest latest -> current.number();
            case VersionSelector.NullVersion nullVersion ->
                    current.nullVersion() ? current.number() : current.nullBehind();
            case VersionSelector.Numbered numbered -> numbered.number();
        };
    }

    private ObjectVersion version(BucketEntry bucket, ObjectKey key, Found found)
            throws IOException {
        byte[] detail =
                found.row().needsDetail()
                        ? cube.readDetail(found.family(), found.rowKey(), found.record())
                        : new byte[0];
        return found.row().version(key, found.latest(), bucket.owner(), detail);
    }

    private boolean isUnchanged(Found found) {
        return cube.get(found.family(), found.rowKey())
                .filter(now -> Details.isSame(now, found.record()))
                .isPresent();
    }
}
