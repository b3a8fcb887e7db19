package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.S3Response;
import io.volute.versioning.ObjectStore;
import java.io.IOException;

/** DeleteBucket. */
public final class DeleteBucket implements Operation {
    private final ObjectStore store;

    public DeleteBucket(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        store.deleteBucket(request.caller(), request.bucketInfo());
        return Answer.of(204).withoutBody(-1);
    }
}
