package io.volute.server.s3.call;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpDates;
import java.util.List;

/**
 * Facts about the origin of an imported version, as its importer states them: where it was, its
 * version id and its time there. They are stored as headers of the version beside the id and the
 * time of this store. Only a caller with a permission of its own can state them.
 */
public final class SourceFacts {
    /** The names of the headers. */
    public static final List<String> NAMES =
            List.of(
                    "x-volute-source",
                    "x-volute-source-version-id",
                    "x-volute-source-last-modified");

    private SourceFacts() {}

    /** Returns whether a request states such facts. */
    public static boolean areSent(HeaderList headers) {
        return headers.headers().stream().anyMatch(each -> isName(each.name()));
    }

    /** Returns whether a header, whose name is in lower case, has such a fact. */
    public static boolean isName(String name) {
        return NAMES.contains(name);
    }

    /**
     * Returns a fact that can be stored.
     *
     * @throws S3Exception InvalidArgument for one that is too long, or a time that is none
     */
    public static String checked(String name, String value) {
        if (value.length() > Limits.KEY_BYTES_MAX) {
            throw S3Exception.invalidArgument(
                    name, value, "A fact about the source has at most 1024 characters.");
        }
        if (name.endsWith("last-modified") && HttpDates.timestamp(value).isEmpty()) {
            throw S3Exception.invalidArgument(name, value, "Write the time in ISO 8601 format.");
        }
        return value;
    }
}
