package io.volute.versioning.catalog;

import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.versioning.Caller;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.ObjectStore.OpenObject;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.VersionSelector;
import io.volute.versioning.catalog.PastStates.State;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.Optional;

/**
 * Reads of single versions as they were when everything up to a sequence was committed. They take
 * no locks: when a row or blob vanished between two looks, the read begins again.
 */
final class PastReads {
    private final Cube cube;
    private final Causality causality;
    private final long sequence;

    PastReads(Cube cube, Causality causality, long sequence) {
        this.cube = cube;
        this.causality = causality;
        this.sequence = sequence;
    }

    Optional<ObjectVersion> head(BucketEntry bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            Optional<State> found = find(bucket, key, selector);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            try {
                return Optional.of(version(bucket, key, found.get()));
            } catch (IOException e) {
                retry(attempt, found.get(), e);
            }
        }
    }

    OpenObject open(Caller caller, BucketEntry bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            State found =
                    find(bucket, key, selector)
                            .orElseThrow(() -> ObjectReads.missing(key, selector));
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
                retry(attempt, found, e);
            }
        }
    }

    private Optional<State> find(BucketEntry bucket, ObjectKey key, VersionSelector selector) {
        byte[] base = RowKeys.current(bucket.id(), key);
        try (PastCursors cursors = PastCursors.open(cube, bucket, base, PastStates.behind(base))) {
            PastStates states = new PastStates(cursors, sequence);
            return switch (selector) {
                case VersionSelector.Latest latest -> states.take(base);
                case VersionSelector.Numbered numbered ->
                        states.takeAll(base).stream()
                                .filter(state -> state.row().number() == numbered.number())
                                .findFirst();
                case VersionSelector.NullVersion nullVersion ->
                        states.takeAll(base).stream()
                                .filter(state -> state.row().nullVersion())
                                .findFirst();
            };
        }
    }

    private ObjectVersion version(BucketEntry bucket, ObjectKey key, State found)
            throws IOException {
        byte[] detail =
                found.row().needsDetail()
                        ? cube.readDetail(found.family(), found.rowKey(), found.record())
                        : new byte[0];
        return found.row()
                .version(key, found.latest(), bucket.owner(), detail)
                .writtenLater(found.writtenLater());
    }

    /** The rows of a version that stays the same move from family to family. */
    private void retry(int attempt, State found, IOException failure) throws IOException {
        boolean isUnchanged =
                cube.get(found.family(), found.rowKey())
                        .filter(now -> Details.isSame(now, found.record()))
                        .isPresent();
        if (attempt == Details.ATTEMPTS_MAX || isUnchanged) {
            throw failure;
        }
    }
}
