package io.volute.server.s3;

import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;

/**
 * Refuses headers of unsupported features: a client must not believe that its object is encrypted
 * when it is not, or that a write depends on a condition that nobody evaluates. {@code
 * AccessControl} handles sharing.
 */
final class UnbuiltFeatures {
    private static final String[] PREFIXES = {
        // Conditions of directory buckets.
        "x-amz-if-match-",
        "x-amz-object-lock-event-hold",
        "x-amz-rename-source",
        "x-amz-write-offset-bytes"
    };

    private UnbuiltFeatures() {}

    static void refuse(S3Call call, HeaderList headers) {
        boolean ignoresConditions = !call.isRead() && !call.isConditional();
        for (HeaderList.Header header : headers.headers()) {
            String name = header.name();
            if (hasUnbuiltPrefix(name) || ignoresConditions && isCondition(name)) {
                throw S3Exception.notImplementedHeader(name);
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
