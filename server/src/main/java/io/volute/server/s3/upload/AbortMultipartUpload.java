package io.volute.server.s3.upload;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.S3Response;
import io.volute.versioning.ObjectStore;
import java.io.IOException;

/** AbortMultipartUpload. */
public final class AbortMultipartUpload implements Operation {
    private final ObjectStore store;

    public AbortMultipartUpload(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        store.abortUpload(
                request.caller(),
                request.bucketInfo(),
                request.key(),
                request.query().text("uploadId"));
        return Answer.of(204).withoutBody(-1);
    }
}
