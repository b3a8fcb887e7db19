package io.volute.server.replication;

import io.volute.server.auth.policy.Action;
import io.volute.server.replication.ConfigurerRights.RefusedException;
import io.volute.server.replication.ConfigurerRights.Rights;
import io.volute.server.s3.encryption.BucketEncryption;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.replication.ReplicaLookup;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.Change;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Other buckets of the same store. A replica shares the bytes of its version. Replicas belong to
 * the owner of the destination; the configurer acts, with its rights. No delivery breaks a lock:
 * holds are only set, and retention is only lengthened.
 */
record StoreSink(Sources sources, ConfigurerRights rights, InstantSource clock) implements Sink {

    /** A change, with all that its delivery needs. */
    private record Delivery(
            ReplicationMessage change, BucketInfo bucket, Caller caller, Rights rights) {
        ObjectKey key() {
            return new ObjectKey(change.key());
        }
    }

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
                        .orElseThrow(() -> ofBucket("there is no bucket " + name.value()));
        try {
            Rights of = rights.of(change, version);
            Delivery delivery =
                    new Delivery(
                            change,
                            bucket,
                            ReplicationRouter.caller(of.who().principal()).owning(bucket.owner()),
                            of);
            return switch (change.kind()) {
                case EXISTING, VERSION, MARKER -> add(delivery, version.orElseThrow());
                case REMOVAL, TAGS, LOCK -> change(delivery, version);
            };
        } catch (RefusedException e) {
            return Optional.of(e.getMessage());
        } catch (StoreException e) {
            return switch (e.reason()) {
                case PRECONDITION_FAILED -> present(change, version, bucket);
                case NO_SUCH_KEY, NO_SUCH_VERSION -> Optional.empty();
                case NO_SUCH_BUCKET, NOT_VERSIONED -> throw ofBucket(e.getMessage());
                default -> Optional.of(e.getMessage());
            };
        }
    }

    private static DeliveryException ofBucket(String why) {
        return new DeliveryException(DeliveryException.Reach.BUCKET, why);
    }

    /** Returns why a version that is there already is not the replica; empty if it is. */
    private Optional<String> present(
            ReplicationMessage change, Optional<ObjectVersion> version, BucketInfo bucket)
            throws IOException {
        Optional<ObjectVersion> there =
                ReplicaLookup.find(
                        sources.store(),
                        ReplicationRouter.caller(bucket.owner()),
                        bucket,
                        new ObjectKey(change.key()),
                        sources.origin(change));
        boolean isOther =
                version.isPresent()
                        && there.isPresent()
                        && (there.get().deleteMarker() != version.get().deleteMarker()
                                || there.get().bytes() != version.get().bytes()
                                || !there.get()
                                        .attributes()
                                        .etag()
                                        .equals(version.get().attributes().etag()));
        return isOther ? Optional.of(S3Sink.CLAIMED) : Optional.empty();
    }

    private WriteCondition condition(ReplicationMessage change) {
        return new WriteCondition.IfNoReplica(sources.origin(change));
    }

    private Optional<String> add(Delivery delivery, ObjectVersion version)
            throws IOException, RefusedException {
        delivery.rights()
                .require(
                        ConfigurerRights.ofNew(version, clock.instant()),
                        delivery.bucket(),
                        delivery.change().key(),
                        Optional.empty());
        return version.deleteMarker() ? mark(delivery) : copy(delivery, version);
    }

    private Optional<String> copy(Delivery delivery, ObjectVersion version) throws IOException {
        if (StoredEncryption.of(version.attributes()).isPresent()
                || BucketEncryption.of(delivery.bucket()).isPresent()) {
            return Optional.of("encrypted objects are replicated to other stores only");
        }
        ReplicationMessage change = delivery.change();
        BucketName name = new BucketName(change.bucket());
        BucketInfo source =
                sources.bucket(change).orElseThrow(() -> StoreException.noSuchBucket(name));
        ObjectStore.CopyResult unused =
                sources.store()
                        .copy(
                                delivery.caller(),
                                new ObjectStore.Source(
                                        source,
                                        delivery.key(),
                                        new VersionSelector.Numbered(change.number())),
                                delivery.bucket(),
                                delivery.key(),
                                found -> {},
                                found -> attributes(found.attributes(), change),
                                condition(change));
        return Optional.empty();
    }

    private ObjectAttributes attributes(ObjectAttributes source, ReplicationMessage change) {
        ObjectAttributes locked =
                source.withHeader(ObjectAttributes.ACL, Optional.empty())
                        .with(ConfigurerRights.lasting(source.lock(), clock.instant()));
        return change.storageClass().isEmpty()
                ? locked
                : locked.withHeader(
                        ObjectAttributes.STORAGE_CLASS,
                        Optional.of(change.storageClass())
                                .filter(each -> !"STANDARD".equals(each)));
    }

    private Optional<String> mark(Delivery delivery) throws IOException {
        ObjectStore.DeleteResult unused =
                sources.store()
                        .delete(
                                delivery.caller(),
                                delivery.bucket(),
                                new DeleteTarget(
                                        delivery.key(),
                                        VersionSelector.LATEST,
                                        condition(delivery.change())));
        return Optional.empty();
    }

    private Optional<String> change(Delivery delivery, Optional<ObjectVersion> version)
            throws IOException, RefusedException {
        VersionedStore store = sources.store();
        BucketInfo bucket = delivery.bucket();
        Caller caller = delivery.caller();
        Optional<ObjectVersion> replica =
                ReplicaLookup.find(
                        store, caller, bucket, delivery.key(), sources.origin(delivery.change()));
        if (replica.isEmpty()) {
            return Optional.empty();
        }
        VersionSelector selector = new VersionSelector.Numbered(replica.get().number());
        switch (delivery.change().kind()) {
            case REMOVAL -> {
                require(delivery, replica.get(), Action.DELETE_OBJECT, Action.REPLICATE_DELETE);
                ObjectStore.DeleteResult unused =
                        store.delete(
                                caller,
                                bucket,
                                new DeleteTarget(delivery.key(), selector, WriteCondition.NONE));
            }
            case TAGS -> {
                Map<String, String> tags = version.orElseThrow().attributes().tags();
                require(
                        delivery,
                        replica.get(),
                        tags.isEmpty() ? Action.DELETE_OBJECT_TAGGING : Action.PUT_OBJECT_TAGGING,
                        Action.REPLICATE_OBJECT);
                ObjectVersion unused =
                        store.setTags(caller, bucket, delivery.key(), selector, tags);
            }
            default -> lock(delivery, version.orElseThrow(), replica.get());
        }
        return Optional.empty();
    }

    private static void require(Delivery delivery, ObjectVersion replica, Action... actions)
            throws RefusedException {
        delivery.rights()
                .require(
                        List.of(actions),
                        delivery.bucket(),
                        delivery.change().key(),
                        Optional.of(replica.versionId()));
    }

    private void lock(Delivery delivery, ObjectVersion version, ObjectVersion replica)
            throws IOException, RefusedException {
        Instant now = clock.instant();
        ObjectLock wanted = ConfigurerRights.lasting(version.attributes().lock(), now);
        ObjectLock present = replica.attributes().lock();
        VersionSelector selector = new VersionSelector.Numbered(replica.number());
        VersionedStore store = sources.store();
        if (wanted.retention().filter(each -> each.strengthens(present, now)).isPresent()) {
            require(delivery, replica, Action.PUT_OBJECT_RETENTION, Action.REPLICATE_OBJECT);
            // Compliance in place of governance, which ends no earlier, breaks no lock.
            ObjectVersion unused =
                    store.setLock(
                            delivery.caller(),
                            delivery.bucket(),
                            delivery.key(),
                            selector,
                            new Change.OfRetention(wanted.retention(), true));
        }
        if (wanted.legalHold().equals(Optional.of(LegalHold.ON))
                && !present.legalHold().equals(wanted.legalHold())) {
            require(delivery, replica, Action.PUT_OBJECT_LEGAL_HOLD, Action.REPLICATE_OBJECT);
            ObjectVersion unused =
                    store.setLock(
                            delivery.caller(),
                            delivery.bucket(),
                            delivery.key(),
                            selector,
                            new Change.OfLegalHold(LegalHold.ON));
        }
    }

    @Override
    public void close() {
        // Nothing is open between two changes.
    }
}
