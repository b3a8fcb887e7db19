package io.volute.server.s3.upload;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.content.ChecksumTypes;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.content.ReadPlan;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.encryption.Sealing;
import io.volute.server.s3.object.PutObject;
import io.volute.server.s3.request.S3Response;
import io.volute.storage.BlobWriter;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BodyHash;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** UploadPart. A part becomes visible only when every check of its body has held. */
public final class UploadPart implements Operation {
    private final ObjectStore store;
    private final Encryption encryption;

    public UploadPart(ObjectStore store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        int number = ReadPlan.partNumber(request.query().text("partNumber"));
        String uploadId = request.query().text("uploadId");
        long bytes = request.body().bytes();
        PutObject.refuseTooLarge(bytes);
        UploadInfo upload =
                store.upload(request.caller(), request.bucketInfo(), request.key(), uploadId);
        Promises promises = Promises.of(request.verified());
        ChecksumTypes.requireFitting(upload, promises.algorithm());
        BodyDigests digests =
                new BodyDigests(
                        promises, Optional.of(ChecksumTypes.algorithm(upload)), Etag.NEEDED);
        Optional<Sealing> sealing = encryption.ofPart(request, upload.attributes());
        BodyHash hash =
                sealing.isEmpty() ? BodyHash.of(promises.contentSha256()) : BodyHash.UNKNOWN;
        OptionalLong expected = OptionalLong.of(bytes);
        try (BlobWriter writer =
                Sealing.over(
                        sealing,
                        store.newBody(request.bucketInfo(), request.key(), expected, hash),
                        expected)) {
            request.body().copyTo(writer, promises, digests);
            store.putPart(
                    request.caller(),
                    request.bucketInfo(),
                    request.key(),
                    uploadId,
                    part(number, digests),
                    writer.finish());
        }
        Answer answer = Answer.of(200).header("etag", ObjectHeaders.quoted(digests.etag()));
        Optional<Checksum> answered = digests.answered();
        if (answered.isPresent()) {
            answer.header(
                    ChecksumFamily.header(answered.get().algorithm()), answered.get().value());
        }
        Sealing.describe(answer, sealing);
        return answer.empty();
    }

    /** The store fills in the time. */
    static PartInfo part(int number, BodyDigests digests) {
        return new PartInfo(
                number, digests.bytes(), digests.etag(), Instant.EPOCH, digests.checksum());
    }
}
