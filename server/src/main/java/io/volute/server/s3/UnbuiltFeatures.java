package io.volute.server.s3;

import io.volute.server.auth.sigv4.AuthResult.Kind;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.SourceFacts;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.QueryParameters.Parameter;
import io.volute.versioning.value.ObjectAttributes;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses headers of unsupported features: a client must not believe that its object is encrypted
 * when it is not, or that a write depends on a condition that nobody evaluates. A header about
 * encryption, locks, ownership, sharing or tags, and a claim about the origin of a version, is
 * refused unless the operation takes it. A checksum of no body must be that of none.
 */
final class UnbuiltFeatures {
    private static final String[] PREFIXES = {
        // Conditions of directory buckets.
        "x-amz-if-", "x-amz-rename-source", "x-amz-write-offset-bytes"
    };

    private static final String ENCRYPTION = "x-amz-server-side-encryption";
    private static final String LOCK = "x-amz-object-lock-";
    private static final String GRANT = "x-amz-grant-";

    /** Beginnings of the names of headers that protect or share something. */
    private static final List<String> PROTECTING =
            List.of(
                    ENCRYPTION,
                    LOCK,
                    GRANT,
                    "x-amz-acl",
                    "x-amz-object-ownership",
                    "x-amz-bucket-object-lock-");

    /** The headers that no write may drop, and the writes that take them. */
    private static final Map<String, Set<S3Call>> TAKERS = takers();

    private UnbuiltFeatures() {}

    private static Map<String, Set<S3Call>> takers() {
        Set<S3Call> objects =
                Set.of(S3Call.PUT_OBJECT, S3Call.COPY_OBJECT, S3Call.CREATE_MULTIPART_UPLOAD);
        Set<S3Call> withCompletion = EnumSet.copyOf(objects);
        withCompletion.add(S3Call.COMPLETE_MULTIPART_UPLOAD);
        Set<S3Call> bodies = EnumSet.copyOf(withCompletion);
        bodies.addAll(Set.of(S3Call.UPLOAD_PART, S3Call.UPLOAD_PART_COPY));
        Set<S3Call> shared = EnumSet.copyOf(objects);
        shared.addAll(Set.of(S3Call.CREATE_BUCKET, S3Call.PUT_BUCKET_ACL, S3Call.PUT_OBJECT_ACL));
        Map<String, Set<S3Call>> takers = new HashMap<>();
        // Clients of MinIO repeat those of the upload with its completion, which compares them.
        takers.put(ENCRYPTION, withCompletion);
        for (String end : List.of("-aws-kms-key-id", "-context", "-bucket-key-enabled")) {
            takers.put(ENCRYPTION + end, withCompletion);
        }
        for (String end : List.of("-algorithm", "-key", "-key-md5")) {
            takers.put(ENCRYPTION + "-customer" + end, bodies);
        }
        for (String end : List.of("mode", "retain-until-date", "legal-hold")) {
            takers.put(LOCK + end, objects);
        }
        takers.put(GRANT, shared);
        takers.put("x-amz-acl", shared);
        takers.put("x-amz-object-ownership", Set.of(S3Call.CREATE_BUCKET));
        takers.put("x-amz-bucket-object-lock-enabled", Set.of(S3Call.CREATE_BUCKET));
        // Policies can depend on tags.
        takers.put("x-amz-tagging", objects);
        Set<S3Call> ofBuckets = EnumSet.allOf(S3Call.class);
        ofBuckets.remove(S3Call.CREATE_BUCKET);
        SourceFacts.NAMES.forEach(name -> takers.put(name, objects));
        Set<S3Call> ofReplicas = EnumSet.copyOf(withCompletion);
        ofReplicas.addAll(
                Set.of(
                        S3Call.DELETE_OBJECT,
                        S3Call.PUT_OBJECT_TAGGING,
                        S3Call.DELETE_OBJECT_TAGGING,
                        S3Call.PUT_OBJECT_RETENTION,
                        S3Call.PUT_OBJECT_LEGAL_HOLD));
        takers.put(ObjectAttributes.REPLICA, ofReplicas);
        takers.put("x-amz-expected-bucket-owner", ofBuckets);
        takers.put(
                "x-amz-source-expected-bucket-owner",
                Set.of(S3Call.COPY_OBJECT, S3Call.UPLOAD_PART_COPY));
        return Map.copyOf(takers);
    }

    /** Refuses a header that protects, shares or claims, and that a write does not take. */
    private static void requireTaken(S3Call call, HeaderList.Header header) {
        String name = header.name();
        if (!HeaderList.isOfProtocol(name)) {
            return;
        }
        // The operation refuses an unknown grant.
        Set<S3Call> takers = TAKERS.get(name.startsWith(GRANT) ? GRANT : name);
        if (takers == null) {
            for (String prefix : PROTECTING) {
                if (name.startsWith(prefix)) {
                    throw S3Exception.notImplementedHeader(name);
                }
            }
        } else if (!takers.contains(call)) {
            throw S3Exception.unsupportedHeader(name, header.value());
        }
    }

    static void refuse(S3Call call, HeaderList headers) {
        boolean ignoresConditions = !call.isRead() && !call.isConditional();
        for (HeaderList.Header header : headers.headers()) {
            String name = header.name();
            if (hasUnbuiltPrefix(name) || ignoresConditions && isCondition(name)) {
                throw S3Exception.notImplementedHeader(name);
            }
            if (!call.isRead()) {
                requireTaken(call, header);
            }
        }
    }

    /**
     * Refuses a write whose query has headers that only a presigned request has there. As such they
     * would be dropped: the object would not be encrypted, locked or the copy that was meant.
     */
    static void refuseHeaders(S3Call call, Verified verified, QueryParameters query) {
        boolean isPresigned = verified.kind() == Kind.QUERY || verified.kind() == Kind.QUERY_V2;
        for (Parameter parameter : query.parameters()) {
            String name = parameter.name().toLowerCase(Locale.ROOT);
            if (!call.isRead() && !isPresigned && name.startsWith("x-amz-")) {
                throw S3Exception.invalidArgument(
                        parameter.name(),
                        parameter.value(),
                        "Only a presigned request may have this header in its query.");
            }
        }
    }

    /**
     * Verifies what a write without a body promises for it. A copy or a new upload would otherwise
     * drop the checksum that its client means for the object.
     *
     * @param bytes of the body as sent, -1 for an unknown number
     */
    static void verifyNoBody(S3Call call, Verified verified, long bytes) {
        if (call.body() == S3Call.Body.NONE && !call.isRead() && bytes == 0) {
            Promises promises = Promises.of(verified);
            new BodyDigests(promises, Optional.empty(), Etag.NOT_NEEDED).verify(Optional.empty());
        }
    }

    /** Returns whether a header makes the request depend on the state of its target. */
    private static boolean isCondition(String name) {
        return switch (name) {
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since" -> true;
            default -> false;
        };
    }

    private static boolean hasUnbuiltPrefix(String name) {
        for (String prefix : PREFIXES) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
