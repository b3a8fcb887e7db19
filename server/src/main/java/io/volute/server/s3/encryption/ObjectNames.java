package io.volute.server.s3.encryption;

import io.volute.server.encryption.ObjectName;
import io.volute.server.s3.call.S3Request;

/** The names of the objects of requests, as data keys are bound to them. */
final class ObjectNames {
    private ObjectNames() {}

    /** Returns the name of the object that a request is about, to open its data key. */
    static ObjectName of(S3Request request) {
        return new ObjectName(request.bucketName().value(), request.key().value());
    }

    /** Returns the same, to make data keys that hang on the id of the bucket. */
    static ObjectName ofWrite(S3Request request) {
        return new ObjectName(
                request.bucketName().value(), request.bucketInfo().id(), request.key().value());
    }
}
