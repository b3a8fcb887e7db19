package io.volute.versioning.catalog;

import io.volute.storage.RecordStore;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.read.PastInstants;
import io.volute.versioning.read.PastVersions;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.write.CausalityRecorder;
import io.volute.versioning.write.VersionChain;
import io.volute.versioning.write.VersionChain.Link;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;

/**
 * The source of a copy.
 *
 * @param states finds the version
 */
record CopySource(BucketEntry bucket, ObjectKey key, VersionSelector selector, States states) {
    static CopySource of(
            Source source, RecordStore cube, BucketDirectory buckets, PastInstants instants)
            throws IOException {
        if (source.at().isEmpty()) {
            return new CopySource(
                    buckets.require(source.bucket(), source.key()),
                    source.key(),
                    source.selector(),
                    CopySource::present);
        }
        long sequence = instants.lastAt(source.at().get());
        return new CopySource(
                buckets.requirePast(source.bucket(), sequence),
                source.key(),
                source.selector(),
                past(cube, sequence));
    }

    /** The lookup of a version. The caller holds the lock of the key. */
    interface States {
        Found find(WriteBatch batch, CopySource wanted) throws IOException;
    }

    /**
     * A version to copy.
     *
     * @param source the same version in the causal history
     */
    record Found(ObjectVersion version, Body body, CausalityRecorder.Source source) {}

    Found find(WriteBatch batch) throws IOException {
        return states.find(batch, this);
    }

    /** Finds a present version. */
    private static Found present(WriteBatch batch, CopySource wanted) throws IOException {
        VersionChain chain = new VersionChain(batch, wanted.bucket().info(), wanted.key());
        Link link = chain.find(wanted.selector()).orElseThrow(wanted::missing);
        wanted.requireObject(link.decoded());
        return new Found(chain.version(link), chain.body(link), wanted.source(link.decoded()));
    }

    /** Finds a past version. The commit fails if its content is removed meanwhile. */
    private static States past(RecordStore cube, long sequence) {
        PastVersions versions = new PastVersions(cube, sequence);
        return (batch, wanted) -> {
            State state =
                    versions.find(wanted.bucket(), wanted.key(), wanted.selector())
                            .orElseThrow(wanted::missing);
            wanted.requireObject(state.row());
            byte[] detail =
                    RecordDetails.read(cube, state.family(), state.rowKey(), state.record());
            return new Found(
                    state.row()
                            .version(wanted.key(), state.latest(), wanted.bucket().owner(), detail),
                    Body.of(state.row(), state.record().references(), detail),
                    wanted.source(state.row()));
        };
    }

    private CausalityRecorder.Source source(ObjectRow row) {
        return new CausalityRecorder.Source(
                new KeyVersion(bucket.id(), key, row.causalVersion()), row.causal());
    }

    private StoreException missing() {
        return ObjectReads.missing(key, selector);
    }

    private void requireObject(ObjectRow row) {
        if (row.deleteMarker()) {
            throw selector instanceof VersionSelector.Latest
                    ? missing()
                    : new StoreException(
                            Reason.IS_DELETE_MARKER, "this version is a delete marker");
        }
    }
}
