package io.volute.server.replication;

import io.volute.server.s3.encryption.BucketEncryption;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.replication.ReplicaLookup;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock.Change;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;

/** Other buckets of the same store. A replica shares the bytes of its version. */
record StoreSink(Sources sources, InstantSource clock) implements Sink {

    @Override
    public Optional<String> apply(ReplicationMessage change) throws IOException {
        Optional<ObjectVersion> version = sources.find(change);
        if (version.isEmpty() && change.kind() != ReplicationMessage.Kind.REMOVAL) {
            return Optional.empty();
        }
        BucketName name = new BucketName(change.destination());
        BucketInfo bucket =
                sources.store()
                        .bucket(name)
                        .orElseThrow(() -> new IOException("there is no bucket " + name.value()));
        Caller caller = ReplicationRouter.caller(bucket.owner());
        try {
            return switch (change.kind()) {
                case EXISTING ->
                        version.orElseThrow().deleteMarker()
                                ? mark(change, bucket, caller)
                                : copy(change, version.orElseThrow(), bucket, caller);
                case VERSION -> copy(change, version.orElseThrow(), bucket, caller);
                case MARKER -> mark(change, bucket, caller);
                case REMOVAL, TAGS, LOCK -> change(change, version, bucket, caller);
            };
        } catch (StoreException e) {
            return switch (e.reason()) {
                case PRECONDITION_FAILED, NO_SUCH_KEY, NO_SUCH_VERSION -> Optional.empty();
                case NO_SUCH_BUCKET, NOT_VERSIONED -> throw new IOException(e.getMessage(), e);
                default -> Optional.of(e.getMessage());
            };
        }
    }

    private WriteCondition condition(ReplicationMessage change) {
        return new WriteCondition.IfNoReplica(sources.origin(change));
    }

    private Optional<String> copy(
            ReplicationMessage change, ObjectVersion version, BucketInfo bucket, Caller caller)
            throws IOException {
        if (StoredEncryption.of(version.attributes()).isPresent()
                || BucketEncryption.of(bucket).isPresent()) {
            return Optional.of("encrypted objects are replicated to other stores only");
        }
        ObjectKey key = new ObjectKey(change.key());
        ObjectStore.CopyResult unused =
                sources.store()
                        .copy(
                                caller,
                                new ObjectStore.Source(
                                        new BucketName(change.bucket()),
                                        key,
                                        new VersionSelector.Numbered(change.number())),
                                bucket,
                                key,
                                source -> {},
                                source -> attributes(source.attributes(), change),
                                condition(change));
        return Optional.empty();
    }

    private ObjectAttributes attributes(ObjectAttributes source, ReplicationMessage change) {
        ObjectAttributes attributes = source.withHeader(ObjectAttributes.ACL, Optional.empty());
        boolean isOver =
                source.lock().retention().filter(each -> !each.lasts(clock.instant())).isPresent();
        ObjectAttributes locked =
                isOver ? attributes.with(source.lock().with(Optional.empty())) : attributes;
        return change.storageClass().isEmpty()
                ? locked
                : locked.withHeader(
                        ObjectAttributes.STORAGE_CLASS,
                        Optional.of(change.storageClass())
                                .filter(each -> !"STANDARD".equals(each)));
    }

    private Optional<String> mark(ReplicationMessage change, BucketInfo bucket, Caller caller)
            throws IOException {
        ObjectStore.DeleteResult unused =
                sources.store()
                        .delete(
                                caller,
                                bucket,
                                new DeleteTarget(
                                        new ObjectKey(change.key()),
                                        VersionSelector.LATEST,
                                        condition(change)));
        return Optional.empty();
    }

    private Optional<String> change(
            ReplicationMessage change,
            Optional<ObjectVersion> version,
            BucketInfo bucket,
            Caller caller)
            throws IOException {
        VersionedStore store = sources.store();
        ObjectKey key = new ObjectKey(change.key());
        Optional<ObjectVersion> replica =
                ReplicaLookup.find(store, caller, bucket, key, sources.origin(change));
        if (replica.isEmpty()) {
            return Optional.empty();
        }
        VersionSelector selector = new VersionSelector.Numbered(replica.get().number());
        switch (change.kind()) {
            case REMOVAL -> {
                ObjectStore.DeleteResult unused =
                        store.delete(
                                caller,
                                bucket,
                                new DeleteTarget(key, selector, WriteCondition.NONE, true));
            }
            case TAGS -> {
                ObjectVersion unused =
                        store.setTags(
                                caller,
                                bucket,
                                key,
                                selector,
                                version.orElseThrow().attributes().tags());
            }
            default -> lock(version.orElseThrow(), bucket, key, selector, caller);
        }
        return Optional.empty();
    }

    private void lock(
            ObjectVersion version,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            Caller caller)
            throws IOException {
        VersionedStore store = sources.store();
        ObjectLock lock = version.attributes().lock();
        if (lock.retention().filter(each -> !each.lasts(clock.instant())).isEmpty()) {
            ObjectVersion unused =
                    store.setLock(
                            caller,
                            bucket,
                            key,
                            selector,
                            new Change.OfRetention(lock.retention(), true));
        }
        if (lock.legalHold().isPresent()) {
            ObjectVersion unused =
                    store.setLock(
                            caller,
                            bucket,
                            key,
                            selector,
                            new Change.OfLegalHold(lock.legalHold().get()));
        }
    }

    @Override
    public void close() {
        // Nothing is open between two changes.
    }
}
