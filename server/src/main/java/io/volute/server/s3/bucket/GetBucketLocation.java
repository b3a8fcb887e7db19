package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;

/** GetBucketLocation. The location of us-east-1 is empty, for reasons of S3's history. */
public final class GetBucketLocation implements Operation {
    @Override
    public S3Response run(S3Request request) {
        byte[] document =
                XmlWriter.documentWithText(
                        "LocationConstraint",
                        request.region().equals("us-east-1") ? "" : request.region());
        return Answer.of(200).xml(document);
    }
}
