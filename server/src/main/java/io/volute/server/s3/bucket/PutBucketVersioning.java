package io.volute.server.s3.bucket;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.io.IOException;
import java.util.Set;

/** PutBucketVersioning: once enabled, versioning can only be suspended. */
public final class PutBucketVersioning implements Operation {
    private final ObjectStore store;

    public PutBucketVersioning(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        byte[] document =
                request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
        if (document.length == 0) {
            throw new S3Exception(S3Error.MISSING_REQUEST_BODY);
        }
        XmlElement root =
                XmlReader.read(document, "VersioningConfiguration", Limits.XML_ELEMENTS_MAX)
                        .only(Set.of("Status", "MfaDelete"));
        if (root.childText("MfaDelete").orElse("Disabled").equals("Enabled")) {
            throw S3Exception.notImplemented("MfaDelete of a bucket");
        }
        VersioningState state =
                switch (root.childText("Status").orElse("")) {
                    case "Enabled" -> VersioningState.ENABLED;
                    case "Suspended" -> VersioningState.SUSPENDED;
                    default -> throw new S3Exception(S3Error.MALFORMED_XML);
                };
        if (state == VersioningState.SUSPENDED
                && request.bucketInfo().has(BucketDocument.REPLICATION)) {
            throw new S3Exception(
                    S3Error.BUCKET_STAYS_VERSIONED,
                    "A replication configuration is present on this bucket, so the versioning state"
                            + " cannot be changed.");
        }
        store.setVersioning(request.caller(), request.bucketInfo(), state);
        return Answer.of(200).empty();
    }
}
