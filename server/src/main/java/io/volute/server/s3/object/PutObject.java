package io.volute.server.s3.object;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.content.IncomingAttributes;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.encryption.Sealing;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.S3Response;
import io.volute.storage.BlobWriter;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BodyHash;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/** PutObject. Nothing becomes visible before every check of the body has held. */
public final class PutObject implements Operation {
    private final ObjectStore store;
    private final Encryption encryption;

    public PutObject(ObjectStore store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        ObjectKey key = request.key();
        long bytes = request.body().bytes();
        refuseTooLarge(bytes);
        WriteCondition condition = Conditions.ofWrite(request);
        IncomingAttributes attributes = IncomingAttributes.of(request);
        Promises promises = Promises.of(request.verified());
        requireDigest(request, attributes, promises);
        Algorithm kept = promises.algorithm().orElse(Algorithm.CRC64NVME);
        BodyDigests digests = new BodyDigests(promises, Optional.of(kept), Etag.NEEDED);
        Optional<Sealing> sealing = encryption.ofWrite(request);
        OptionalLong expected = bytes < 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
        BodyHash hash = sealing.isEmpty() ? hash(request, promises) : sealedHash(request);
        ObjectVersion version;
        try (BlobWriter writer =
                Sealing.over(
                        sealing,
                        store.newBody(request.bucketInfo(), request.key(), expected, hash),
                        expected)) {
            request.body().copyTo(writer, promises, digests);
            version =
                    store.put(
                            request.caller(),
                            request.bucketInfo(),
                            key,
                            writer.finish(),
                            Sealing.in(
                                    attributes.with(digests.etag(), digests.checksum()), sealing),
                            condition);
        }
        Answer answer = Answer.of(200).header("etag", ObjectHeaders.quoted(digests.etag()));
        ObjectHeaders.written(answer, request, version);
        ObjectHeaders.checksum(answer, digests.checksum());
        Sealing.describe(answer, sealing);
        Encryption.repeatContext(answer, request);
        return answer.empty();
    }

    /** The signed history has the hash of the encrypted bytes, which a client cannot sign. */
    private static BodyHash sealedHash(S3Request request) {
        if (request.caller().statement().isPresent()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "A client that signs the entry of its object cannot have the server encrypt it:"
                            + " encrypt it at the client.");
        }
        return BodyHash.UNKNOWN;
    }

    /** A client that signs the entry signs the SHA-256 of the whole content in it. */
    private static BodyHash hash(S3Request request, Promises promises) {
        return request.caller().statement().isPresent()
                ? BodyHash.of(promises.contentSha256())
                : request.body().hash(promises);
    }

    /**
     * Requires a digest for an object that will be locked. As in S3, the client must confirm the
     * bytes that the lock will protect.
     */
    private static void requireDigest(
            S3Request request, IncomingAttributes attributes, Promises promises) {
        boolean isLocked =
                !attributes.lock().equals(ObjectLock.NONE)
                        || request.bucketInfo().lock().flatMap(BucketLock::byDefault).isPresent();
        if (isLocked && promises.md5().isEmpty() && promises.algorithm().isEmpty()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests"
                            + " with Object Lock parameters");
        }
    }

    public static void refuseTooLarge(long bytes) {
        if (bytes > Limits.PUT_BYTES_MAX) {
            throw new S3Exception(S3Error.ENTITY_TOO_LARGE)
                    .with("ProposedSize", Long.toString(bytes))
                    .with("MaxSizeAllowed", Long.toString(Limits.PUT_BYTES_MAX));
        }
    }
}
