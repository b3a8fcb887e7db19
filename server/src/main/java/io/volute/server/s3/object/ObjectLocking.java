package io.volute.server.s3.object;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.content.ReadTarget;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlElement;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Retention;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;

/** Object Lock: the terms of a bucket, retention and legal hold of a version. */
public final class ObjectLocking {
    private ObjectLocking() {}

    /** GetObjectLockConfiguration. */
    public static S3Response configuration(S3Request request) {
        BucketLock lock =
                request.bucketInfo()
                        .lock()
                        .orElseThrow(
                                () ->
                                        new S3Exception(S3Error.OBJECT_LOCK_CONFIGURATION_NOT_FOUND)
                                                .with("BucketName", request.target().bucket()));
        return Answer.of(200).xml(Locks.document(lock));
    }

    /**
     * PutObjectLockConfiguration.
     *
     * @throws S3Exception MalformedXML or InvalidArgument for invalid terms
     */
    public static S3Response configure(S3Request request, ObjectStore store) throws IOException {
        BucketLock lock = Locks.configuration(document(request, Locks.CONFIGURATION));
        store.setObjectLock(request.caller(), request.bucketInfo(), lock);
        return Answer.of(200).empty();
    }

    /** GetObjectRetention. */
    public static S3Response retention(S3Request request, ObjectReader store) throws IOException {
        Retention retention = lock(request, store).retention().orElseThrow(ObjectLocking::none);
        return Answer.of(200).xml(Locks.document(retention));
    }

    /** PutObjectRetention. */
    public static S3Response retain(S3Request request, ObjectStore store) throws IOException {
        return change(
                request,
                store,
                new ObjectLock.Change.OfRetention(
                        Locks.retention(document(request, Locks.RETENTION)),
                        Locks.bypassesGovernance(request, request.thing())));
    }

    /** GetObjectLegalHold. */
    public static S3Response legalHold(S3Request request, ObjectReader store) throws IOException {
        LegalHold hold = lock(request, store).legalHold().orElseThrow(ObjectLocking::none);
        return Answer.of(200).xml(Locks.document(hold));
    }

    /** PutObjectLegalHold. */
    public static S3Response hold(S3Request request, ObjectStore store) throws IOException {
        return change(
                request,
                store,
                new ObjectLock.Change.OfLegalHold(
                        Locks.legalHold(document(request, Locks.LEGAL_HOLD))));
    }

    private static XmlElement document(S3Request request, String root) throws IOException {
        return Locks.read(request.body(), request.verified(), root);
    }

    private static ObjectVersion version(S3Request request, ObjectReader store) throws IOException {
        if (request.bucketInfo().lock().isEmpty()) {
            throw new S3Exception(S3Error.NO_OBJECT_LOCK);
        }
        return ReadTarget.find(store, request);
    }

    private static ObjectLock lock(S3Request request, ObjectReader store) throws IOException {
        return version(request, store).attributes().lock();
    }

    private static S3Response change(S3Request request, ObjectStore store, ObjectLock.Change change)
            throws IOException {
        ObjectVersion version = version(request, store);
        store.setLock(
                request.caller(), request.bucketInfo(), version.key(), request.selector(), change);
        return Answer.of(200).empty();
    }

    private static S3Exception none() {
        return new S3Exception(S3Error.NO_SUCH_OBJECT_LOCK_CONFIGURATION);
    }
}
