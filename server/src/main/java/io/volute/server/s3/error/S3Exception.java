package io.volute.server.s3.error;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Ends a request with an S3 error. Carries what the answer shows, and no stack trace: refusing must
 * stay cheap.
 */
public final class S3Exception extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final S3Error error;
    private final transient Map<String, String> details;
    private final transient Map<String, String> headers;

    public S3Exception(S3Error error) {
        this(error, error.message());
    }

    public S3Exception(S3Error error, String message) {
        this(error, message, Map.of(), Map.of());
    }

    private S3Exception(
            S3Error error,
            String message,
            Map<String, String> details,
            Map<String, String> headers) {
        super(message, null, false, false);
        this.error = error;
        this.details = details;
        this.headers = headers;
    }

    public S3Error error() {
        return error;
    }

    /** Further elements of the error document, in order. */
    public Map<String, String> details() {
        return details;
    }

    /** Further headers of the answer, in order. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Returns the same error with one more element in the document. */
    public S3Exception with(String element, String value) {
        Map<String, String> more = new LinkedHashMap<>(details);
        more.put(element, value);
        return new S3Exception(error, getMessage(), more, headers);
    }

    /** Returns the same error with one more header. */
    public S3Exception withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new S3Exception(error, getMessage(), details, more);
    }

    /** An invalid argument, named as S3 does. */
    public static S3Exception invalidArgument(String name, String value, String message) {
        return new S3Exception(S3Error.INVALID_ARGUMENT, message)
                .with("ArgumentName", name)
                .with("ArgumentValue", value);
    }

    /** Creates the error for a header that the operation does not take. */
    public static S3Exception unsupportedHeader(String name, String value) {
        return invalidArgument(name, value, name + " header is not supported for this operation.");
    }

    /** Creates the error for a feature of S3 that this server lacks. */
    public static S3Exception notImplemented(String what) {
        return new S3Exception(
                S3Error.NOT_IMPLEMENTED,
                "A header or parameter you provided implies functionality that is not implemented: "
                        + what);
    }

    /** Creates the error for a header of S3 that this server lacks, and names it as S3 does. */
    public static S3Exception notImplementedHeader(String name) {
        return notImplemented("the header " + name).with("Header", name);
    }
}
