package io.volute.versioning.catalog;

import io.volute.storage.MissingBlobException;
import io.volute.storage.PendingBlob;
import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.body.Origin;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.LockRules;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.MetadataChange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import io.volute.versioning.write.KeyConditions;
import io.volute.versioning.write.VersionChain;
import io.volute.versioning.write.VersionChain.Content;
import io.volute.versioning.write.VersionChain.Link;
import io.volute.versioning.write.WriteBatch;
import io.volute.versioning.write.WriteBatchFactory;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Writes of versions. Each decides and commits under the locks of its keys. Thread-safe. */
final class ObjectWrites {
    private final InstantSource clock;
    private final StoreOptions.Limits limits;
    private final KeyLocks locks;
    private final WriteBatchFactory batches;

    ObjectWrites(StoreOptions options, KeyLocks locks, WriteBatchFactory batches) {
        this.batches = batches;
        this.clock = options.clock();
        this.limits = options.limits();
        this.locks = locks;
    }

    /**
     * Refuses an announced body size above the maximum.
     *
     * @throws StoreException OBJECT_TOO_LARGE
     */
    void requireRoomFor(OptionalLong expectedBytes, BucketEntry bucket) {
        if (expectedBytes.orElse(0) > limits.partBytesMax()) {
            throw new StoreException(
                    Reason.OBJECT_TOO_LARGE,
                    expectedBytes.getAsLong()
                            + " bytes for bucket "
                            + bucket.info().name().value()
                            + "; a body has "
                            + limits.partBytesMax()
                            + " at most");
        }
    }

    ObjectVersion put(
            Caller caller,
            BucketEntry bucket,
            ObjectKey key,
            PendingBlob body,
            ObjectAttributes attributes,
            WriteCondition condition)
            throws IOException {
        long bytes = ContentHash.contentBytes(body);
        if (bytes > limits.partBytesMax()) {
            throw new StoreException(
                    Reason.OBJECT_TOO_LARGE,
                    bytes + " bytes; a single put takes " + limits.partBytesMax());
        }
        try (ScopedHold shared = bucket.share();
                ScopedHold held = locks.hold(bucket.id(), key)) {
            Instant now = now();
            LockRules.requireAskable(bucket.info(), attributes.lock(), now);
            Body place = Body.of(body, limits.recordBodyBytesMax());
            return batches.commit(
                    caller,
                    bucket,
                    batch -> {
                        VersionChain chain = new VersionChain(batch, bucket.info(), key);
                        chain.require(condition);
                        if (place instanceof Body.InBlob) {
                            batch.add(body);
                        }
                        Content content =
                                new Content(
                                        place,
                                        bytes,
                                        0,
                                        attributes,
                                        Optional.empty(),
                                        ContentHash.origin(body));
                        return chain.append(content, caller.owner(), now);
                    });
        }
    }

    DeleteResult delete(Caller caller, BucketEntry bucket, DeleteTarget target) throws IOException {
        try (ScopedHold shared = bucket.share();
                ScopedHold held = locks.hold(bucket.id(), target.key())) {
            return batches.commit(
                    caller, bucket, batch -> delete(caller, batch.makingRoom(), bucket, target));
        }
    }

    List<DeleteOutcome> deleteAll(Caller caller, BucketEntry bucket, List<DeleteTarget> targets)
            throws IOException {
        if (targets.size() > StoreOptions.Limits.DELETE_KEYS_MAX) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    targets.size()
                            + " keys to delete; "
                            + StoreOptions.Limits.DELETE_KEYS_MAX
                            + " at most");
        }
        List<DeleteOutcome> outcomes = new ArrayList<>(targets.size());
        int[] stripes =
                targets.stream()
                        .mapToInt(target -> KeyLocks.stripe(bucket.id(), target.key().value()))
                        .toArray();
        try (ScopedHold shared = bucket.share();
                ScopedHold held = locks.holdAll(stripes)) {
            while (outcomes.size() < targets.size()) {
                List<DeleteTarget> left = targets.subList(outcomes.size(), targets.size());
                outcomes.addAll(
                        batches.commit(
                                caller,
                                bucket,
                                batch -> deleteSome(caller, batch.makingRoom(), bucket, left)));
            }
            return outcomes;
        }
    }

    /** Deletes the first of these versions, as many as the batch takes. */
    private List<DeleteOutcome> deleteSome(
            Caller caller, WriteBatch batch, BucketEntry bucket, List<DeleteTarget> targets)
            throws IOException {
        List<DeleteOutcome> outcomes = new ArrayList<>();
        for (DeleteTarget target : targets) {
            try {
                DeleteResult result = delete(caller, batch, bucket, target);
                outcomes.add(new DeleteOutcome.Deleted(result));
            } catch (StoreException e) {
                outcomes.add(new DeleteOutcome.Refused(e));
            }
            if (batch.isFull()) {
                break;
            }
        }
        return outcomes;
    }

    CopyResult copy(Caller caller, CopySource from, CopyTarget target) throws IOException {
        BucketEntry bucket = target.bucket();
        int sourceStripe = KeyLocks.stripe(from.bucket().id(), from.key().value());
        int targetStripe = KeyLocks.stripe(bucket.id(), target.key().value());
        try (ScopedHold shared = bucket.share();
                ScopedHold held = locks.holdAll(sourceStripe, targetStripe)) {
            return batches.commit(caller, bucket, batch -> copy(caller, batch, from, target));
        } catch (MissingBlobException | GoneException e) {
            // Retention or a purge removed the source after it was read.
            throw ObjectReads.missing(from.key(), from.selector());
        }
    }

    private CopyResult copy(Caller caller, WriteBatch batch, CopySource from, CopyTarget target)
            throws IOException {
        BucketEntry bucket = target.bucket();
        CopySource.Found found = from.find(batch);
        ObjectVersion source = found.version();
        target.sourceCheck().accept(source);
        boolean isIgnored = batches.causality().isIgnored(from.bucket(), from.key());
        VersionChain chain =
                new VersionChain(
                        batch,
                        bucket.info(),
                        target.key(),
                        isIgnored ? Optional.empty() : Optional.of(found.source()));
        chain.require(target.condition());
        ObjectAttributes attributes = target.attributes().apply(source);
        Instant now = now();
        LockRules.requireAskable(bucket.info(), attributes.lock(), now);
        int parts = attributes.etag().equals(source.attributes().etag()) ? source.parts() : 0;
        Content content =
                new Content(
                        found.body(),
                        source.bytes(),
                        parts,
                        attributes,
                        Optional.empty(),
                        origin(batch, from, source));
        return new CopyResult(source, chain.append(content, caller.owner(), now));
    }

    private static Origin origin(WriteBatch batch, CopySource from, ObjectVersion source)
            throws IOException {
        return batch.provenance().isPresent()
                ? batch.provenance().get().copied(from.bucket().info(), from.key(), source.number())
                : Origin.UNKNOWN;
    }

    /** The target of a copy, with its conditions. */
    record CopyTarget(
            BucketEntry bucket,
            ObjectKey key,
            Consumer<ObjectVersion> sourceCheck,
            Function<ObjectVersion, ObjectAttributes> attributes,
            WriteCondition condition) {}

    ObjectVersion setMetadata(
            Caller caller,
            BucketEntry bucket,
            ObjectKey key,
            VersionSelector selector,
            MetadataChange change)
            throws IOException {
        ChangeKind kind =
                switch (change) {
                    case MetadataChange.Tags tags -> ChangeKind.TAG;
                    case MetadataChange.Acl acl -> ChangeKind.ACL;
                };
        return rewrite(caller, bucket, new Named(key, selector), kind, change::apply);
    }

    ObjectVersion setLock(
            Caller caller,
            BucketEntry bucket,
            ObjectKey key,
            VersionSelector selector,
            ObjectLock.Change change)
            throws IOException {
        return rewrite(
                caller,
                bucket,
                new Named(key, selector),
                ChangeKind.LOCK,
                attributes ->
                        attributes.with(
                                LockRules.changed(
                                        bucket.info(), attributes.lock(), change, now())));
    }

    /** A version that a client named. */
    private record Named(ObjectKey key, VersionSelector selector) {}

    private ObjectVersion rewrite(
            Caller caller,
            BucketEntry bucket,
            Named named,
            ChangeKind change,
            UnaryOperator<ObjectAttributes> attributes)
            throws IOException {
        try (ScopedHold shared = bucket.share();
                ScopedHold held = locks.hold(bucket.id(), named.key())) {
            return batches.commit(
                    caller,
                    bucket,
                    batch -> {
                        VersionChain chain = new VersionChain(batch, bucket.info(), named.key());
                        Link link =
                                chain.find(named.selector())
                                        .orElseThrow(
                                                () ->
                                                        ObjectReads.missing(
                                                                named.key(), named.selector()));
                        refuseDeleteMarker(link);
                        ObjectVersion version = chain.version(link);
                        return chain.rewrite(
                                link,
                                withAttributes(version, attributes.apply(version.attributes())),
                                change);
                    });
        }
    }

    private DeleteResult delete(
            Caller caller, WriteBatch batch, BucketEntry bucket, DeleteTarget target)
            throws IOException {
        VersionChain chain = new VersionChain(batch, bucket.info(), target.key());
        Optional<Link> link = chain.find(target.selector());
        if (target.condition() instanceof WriteCondition.IfNewest
                || target.condition() instanceof WriteCondition.IfNoReplica) {
            chain.require(target.condition());
        } else {
            KeyConditions.check(target.condition(), link);
        }
        boolean makesMarker =
                target.selector() instanceof VersionSelector.Latest
                        && bucket.info().versioning() != VersioningState.UNVERSIONED;
        if (makesMarker) {
            ObjectVersion marker = chain.appendMarker(caller.owner(), now());
            return new DeleteResult(Optional.of(marker), true, false);
        }
        Instant now = now();
        Optional<ObjectVersion> removed =
                link.map(each -> chain.remove(each, now, target.bypassGovernance()));
        boolean markerRemoved = removed.map(ObjectVersion::deleteMarker).orElse(false);
        return new DeleteResult(removed, false, markerRemoved);
    }

    private static void refuseDeleteMarker(Link link) {
        if (link.decoded().deleteMarker()) {
            throw new StoreException(Reason.IS_DELETE_MARKER, "this version is a delete marker");
        }
    }

    private static ObjectVersion withAttributes(
            ObjectVersion version, ObjectAttributes attributes) {
        return new ObjectVersion(
                version.key(),
                version.number(),
                version.nullVersion(),
                version.latest(),
                version.deleteMarker(),
                version.modified(),
                version.owner(),
                version.bytes(),
                version.parts(),
                attributes);
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
