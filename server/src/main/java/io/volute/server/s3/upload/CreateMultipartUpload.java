package io.volute.server.s3.upload;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.content.ChecksumTypes;
import io.volute.server.s3.content.IncomingAttributes;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.encryption.Sealing;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.lifecycle.ExpirationHeader;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/** CreateMultipartUpload. */
public final class CreateMultipartUpload implements Operation {
    private final ObjectStore store;
    private final Encryption encryption;

    public CreateMultipartUpload(ObjectStore store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        Optional<Checksum> checksum = checksum(request);
        Optional<Sealing> sealing = encryption.ofWrite(request);
        UploadInfo upload =
                store.createUpload(
                        request.caller(),
                        request.bucketInfo(),
                        request.key(),
                        Sealing.in(IncomingAttributes.of(request).with("", checksum), sealing));
        XmlWriter xml = XmlWriter.document("InitiateMultipartUploadResult");
        xml.element("Bucket", request.bucketName().value());
        xml.element("Key", request.key().value());
        xml.element("UploadId", upload.uploadId());
        Answer answer = Answer.of(200);
        if (checksum.isPresent()) {
            answer.header("x-amz-checksum-algorithm", checksum.get().algorithm().name());
            answer.header("x-amz-checksum-type", checksum.get().type().name());
        }
        ExpirationHeader.describe(answer, request, upload);
        Sealing.describe(answer, sealing);
        Encryption.repeatContext(answer, request);
        return answer.xml(xml.finish());
    }

    /** Returns the checksum that the client requests; empty leaves the choice to the server. */
    private static Optional<Checksum> checksum(S3Request request) {
        Optional<String> name = request.header("x-amz-checksum-algorithm");
        Optional<Type> type = request.header("x-amz-checksum-type").map(ChecksumTypes::parse);
        if (name.isEmpty()) {
            if (type.isPresent()) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        "The x-amz-checksum-type header can only be used with the"
                                + " x-amz-checksum-algorithm header.");
            }
            return Optional.empty();
        }
        Algorithm algorithm = ChecksumFamily.named(name.get());
        Type chosen = type.orElse(ChecksumFamily.defaultType(algorithm));
        if (!ChecksumFamily.isLegal(algorithm, chosen)) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The "
                            + chosen.name()
                            + " checksum type cannot be used with the "
                            + algorithm.name().toLowerCase(Locale.ROOT)
                            + " checksum algorithm.");
        }
        return Optional.of(new Checksum(algorithm, chosen, ""));
    }
}
