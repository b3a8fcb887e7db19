package io.volute.server.s3;

import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;

/**
 * Refuses headers of unsupported features: a client must not believe that its object is encrypted
 * when it is not. {@code AccessControl} handles sharing.
 */
final class UnbuiltFeatures {
    private static final String[] PREFIXES = {
        "x-amz-object-lock-event-hold", "x-amz-write-offset-bytes", "x-amz-rename-source"
    };

    private UnbuiltFeatures() {}

    static void refuse(HeaderList headers) {
        for (HeaderList.Header header : headers.headers()) {
            String name = header.name();
            if (hasUnbuiltPrefix(name)) {
                throw S3Exception.notImplementedHeader(name);
            }
        }
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
