package io.volute.server.replication;

import io.volute.server.encryption.DataKey;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.ObjectName;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.server.s3.replication.ReplicationStatus;
import io.volute.storage.BlobReader;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.ReplicaOrigin;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The versions to replicate. Thread-safe.
 *
 * @param id of this store
 * @param keys decrypts objects; empty for a store without encryption
 */
record Sources(VersionedStore store, UUID id, Optional<DataKeys> keys) {

    /** Returns the identity of a version, by which its replica is found. */
    ReplicaOrigin origin(ReplicationMessage change) {
        return new ReplicaOrigin(id + "/" + change.bucket(), change.number());
    }

    /** Returns the source bucket; empty when it is gone, also if another has its name. */
    Optional<BucketInfo> bucket(ReplicationMessage change) {
        return store.bucket(new BucketName(change.bucket())).filter(each -> change.isOf(each.id()));
    }

    /** Returns the version or delete marker of a change; empty when it is gone. */
    Optional<ObjectVersion> find(ReplicationMessage change) throws IOException {
        Optional<BucketInfo> bucket = bucket(change);
        if (bucket.isEmpty()) {
            return Optional.empty();
        }
        try {
            return store.head(
                    ReplicationRouter.caller(""),
                    bucket.get(),
                    new ObjectKey(change.key()),
                    new VersionSelector.Numbered(change.number()));
        } catch (StoreException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns whether a target has the newest version of the key already. The order of the messages
     * prevents that, unless this one was refused before, or is in a cube that its bucket has left
     * and that another node has.
     */
    boolean isOvertaken(ReplicationMessage change, String target) throws IOException {
        Optional<BucketInfo> bucket = bucket(change);
        if (bucket.isEmpty()) {
            return false;
        }
        Optional<ObjectVersion> newest =
                store.head(
                        ReplicationRouter.caller(""),
                        bucket.get(),
                        new ObjectKey(change.key()),
                        VersionSelector.LATEST);
        return newest.filter(each -> each.number() > change.number())
                .filter(each -> ReplicationStatus.isTaken(store, bucket.get().name(), each, target))
                .isPresent();
    }

    /** The content of a version, decrypted. The receiver closes it. */
    record Content(BlobReader reader, List<PartInfo> parts) implements AutoCloseable {
        /** Writes the bytes {@code [begin, end)}. */
        void copy(long begin, long end, OutputStream out) throws IOException {
            long offset = begin;
            while (offset < end) {
                ByteBuffer buffer = ByteBuffer.allocate(reader.bufferBytes(offset));
                try {
                    reader.read(offset, end, buffer);
                } catch (IOException e) {
                    // Not the connection has failed, which the bytes are for.
                    throw new DeliveryException(
                            DeliveryException.Reach.KEY, "reading: " + e.getMessage(), e);
                }
                out.write(buffer.array(), buffer.position(), buffer.remaining());
                offset += buffer.remaining();
            }
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    /** Opens the content of a version. */
    Content open(ReplicationMessage change) throws IOException {
        BucketName name = new BucketName(change.bucket());
        BucketInfo bucket = bucket(change).orElseThrow(() -> StoreException.noSuchBucket(name));
        OpenObject object =
                store.open(
                        ReplicationRouter.caller(""),
                        bucket,
                        new ObjectKey(change.key()),
                        new VersionSelector.Numbered(change.number()));
        List<PartInfo> bodies = ObjectStores.partsOf(object);
        // A copy shares the bytes of its source, but is no multipart object.
        List<PartInfo> parts = object.version().parts() > 0 ? bodies : List.of();
        Optional<StoredEncryption> encryption = StoredEncryption.of(object.version().attributes());
        if (encryption.isEmpty()) {
            return new Content(object.reader(), parts);
        }
        try {
            DataKey key =
                    keys.orElseThrow()
                            .open(
                                    encryption.get().key(),
                                    new ObjectName(change.bucket(), change.key()),
                                    Optional.empty());
            List<Long> encrypted =
                    bodies.isEmpty()
                            ? List.of(object.version().bytes())
                            : bodies.stream().map(PartInfo::bytes).toList();
            return new Content(key.over(object.reader(), encrypted), parts);
        } catch (IOException | RuntimeException e) {
            object.reader().close();
            throw e;
        }
    }
}
