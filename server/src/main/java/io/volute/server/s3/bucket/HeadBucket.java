package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.S3Response;

/** HeadBucket: that the bucket exists and the caller may list it was found out before. */
public final class HeadBucket implements Operation {
    @Override
    public S3Response run(S3Request request) {
        return Answer.of(200).header("x-amz-bucket-region", request.region()).withoutBody(0);
    }
}
