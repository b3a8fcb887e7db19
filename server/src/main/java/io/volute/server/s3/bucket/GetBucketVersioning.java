package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;

/** GetBucketVersioning. */
public final class GetBucketVersioning implements Operation {
    @Override
    public S3Response run(S3Request request) {
        XmlWriter xml = XmlWriter.document("VersioningConfiguration");
        switch (request.bucketInfo().versioning()) {
            case UNVERSIONED -> {}
            case ENABLED -> xml.element("Status", "Enabled");
            case SUSPENDED -> xml.element("Status", "Suspended");
        }
        return Answer.of(200).xml(xml.finish());
    }
}
