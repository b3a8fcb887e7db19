package io.volute.server.deposit;

import io.volute.server.config.CheckpointExport;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.Promises;
import io.volute.storage.BlobWriter;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A bucket of this server, written as its root. */
public final class BucketDepository implements Depository {
    private static final int PIECE_BYTES = 64 << 10;
    private static final Map<String, String> HEADERS =
            Map.of("content-type", "application/octet-stream");

    private final ObjectStore store;
    private final CheckpointExport.Bucket target;
    private final BucketName bucket;
    private final Caller caller;

    /**
     * @param principal the owner of the written objects
     */
    public BucketDepository(ObjectStore store, CheckpointExport.Bucket target, String principal) {
        this.store = store;
        this.target = target;
        bucket = new BucketName(target.bucket());
        caller = new Caller(principal, "", "checkpoints");
    }

    @Override
    public String text() {
        return target.text();
    }

    private ObjectKey key(String name) {
        return new ObjectKey(target.prefix() + name);
    }

    @Override
    public boolean put(String name, Path file, Existing existing) throws IOException {
        BodyDigests digests =
                new BodyDigests(Promises.NONE, Optional.of(Algorithm.CRC64NVME), Etag.NEEDED);
        OptionalLong bytes = OptionalLong.of(Files.size(file));
        try (InputStream in = Files.newInputStream(file);
                BlobWriter body = store.newBody(bucket, key(name), bytes)) {
            byte[] piece = new byte[PIECE_BYTES];
            for (int count = in.read(piece); count > 0; count = in.read(piece)) {
                ByteBuffer next = ByteBuffer.wrap(piece, 0, count);
                digests.update(next);
                body.write(next);
            }
            digests.verify(Optional.empty());
            ObjectAttributes attributes =
                    new ObjectAttributes(
                            digests.etag(),
                            new TreeMap<>(HEADERS),
                            new TreeMap<>(),
                            new TreeMap<>(),
                            digests.checksum());
            WriteCondition condition =
                    existing == Existing.STAYS
                            ? new WriteCondition.IfAbsent()
                            : WriteCondition.NONE;
            return isWritten(key(name), body, attributes, condition);
        } catch (StoreException e) {
            throw refused(e);
        }
    }

    private boolean isWritten(
            ObjectKey key, BlobWriter body, ObjectAttributes attributes, WriteCondition condition)
            throws IOException {
        try {
            store.put(caller, bucket, key, body.finish(), attributes, condition);
            return true;
        } catch (StoreException e) {
            if (e.reason() == Reason.PRECONDITION_FAILED) {
                return false;
            }
            throw e;
        }
    }

    private IOException refused(StoreException e) {
        String what =
                e.reason() == Reason.NO_SUCH_BUCKET
                        ? "there is no bucket " + bucket.value() + " for them: make it"
                        : e.getMessage();
        return new IOException(text() + ": " + what, e);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
