package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.S3Response;
import io.volute.versioning.ObjectReader;

/** HeadBucket: that the bucket exists and the caller may list it was found out before. */
public final class HeadBucket implements Operation {
    private final ObjectReader store;

    public HeadBucket(ObjectReader store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) {
        Answer answer = Answer.of(200).header("x-amz-bucket-region", request.region());
        store.cubeOf(request.bucketName()).ifPresent(cube -> answer.header("x-volute-cube", cube));
        return answer.withoutBody(0);
    }
}
