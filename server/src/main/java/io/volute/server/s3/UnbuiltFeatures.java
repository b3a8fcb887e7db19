package io.volute.server.s3;

import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Refuses headers of unsupported features: a client must not believe that its object is encrypted
 * when it is not, or that a write depends on a condition that nobody evaluates. A header about
 * encryption, locks, ownership or sharing is refused unless the operation takes it.
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

    /** The headers of {@link #PROTECTING} that the server has, and the writes that take them. */
    private static final Map<String, Set<S3Call>> TAKERS = takers();

    private UnbuiltFeatures() {}

    private static Map<String, Set<S3Call>> takers() {
        // Clients of MinIO repeat the headers of the creation when they complete an upload.
        Set<S3Call> objects =
                Set.of(
                        S3Call.PUT_OBJECT,
                        S3Call.COPY_OBJECT,
                        S3Call.CREATE_MULTIPART_UPLOAD,
                        S3Call.COMPLETE_MULTIPART_UPLOAD);
        Set<S3Call> bodies = EnumSet.copyOf(objects);
        bodies.addAll(Set.of(S3Call.UPLOAD_PART, S3Call.UPLOAD_PART_COPY));
        Set<S3Call> shared = EnumSet.copyOf(objects);
        shared.addAll(Set.of(S3Call.CREATE_BUCKET, S3Call.PUT_BUCKET_ACL, S3Call.PUT_OBJECT_ACL));
        Map<String, Set<S3Call>> takers = new HashMap<>();
        takers.put(ENCRYPTION, objects);
        for (String end : List.of("-aws-kms-key-id", "-context", "-bucket-key-enabled")) {
            takers.put(ENCRYPTION + end, objects);
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
        return Map.copyOf(takers);
    }

    /** Refuses a header that protects or shares, and that a write does not take. */
    private static void requireTaken(S3Call call, String name) {
        if (PROTECTING.stream().noneMatch(name::startsWith)) {
            return;
        }
        // The operation refuses an unknown grant.
        Set<S3Call> takers = TAKERS.get(name.startsWith(GRANT) ? GRANT : name);
        if (takers == null) {
            throw S3Exception.notImplementedHeader(name);
        }
        if (!takers.contains(call)) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    call.title() + " does not take the header " + name + ".");
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
                requireTaken(call, name);
            }
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
