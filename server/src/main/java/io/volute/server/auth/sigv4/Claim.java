package io.volute.server.auth.sigv4;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.util.ArrayList;
import java.util.List;

/**
 * The claim of a request: its signer, the signed headers and the time. Well-formed, but nothing is
 * checked yet.
 *
 * @param day of the credential scope, as are region, service and terminator
 * @param signedHeaders lower case, ascending, without repetition
 * @param signature 64 hex digits as sent
 */
record Claim(
        String accessKey,
        String day,
        String region,
        String service,
        String terminator,
        List<String> signedHeaders,
        String signature) {
    static final String ALGORITHM = RequestSigner.ALGORITHM;

    String scope() {
        return day + "/" + region + "/" + service + "/" + terminator;
    }

    /** Reads the Authorization header. */
    static Claim ofHeader(String authorization) {
        int space = authorization.indexOf(' ');
        String algorithm = space < 0 ? authorization : authorization.substring(0, space);
        if (!algorithm.equals(ALGORITHM)) {
            throw algorithm.startsWith("AWS4-")
                    ? SignatureV2.unsupported()
                    : S3Exception.invalidArgument(
                            "Authorization", algorithm, "Unsupported Authorization Type");
        }
        String credential = "";
        String headers = "";
        String signature = "";
        for (String field : split(authorization.substring(algorithm.length()), ',')) {
            String text = field.trim();
            if (text.startsWith("Credential=") && credential.isEmpty()) {
                credential = text.substring("Credential=".length());
            } else if (text.startsWith("SignedHeaders=") && headers.isEmpty()) {
                headers = text.substring("SignedHeaders=".length());
            } else if (text.startsWith("Signature=") && signature.isEmpty()) {
                signature = text.substring("Signature=".length());
            } else {
                throw new S3Exception(
                        S3Error.AUTHORIZATION_HEADER_MALFORMED,
                        "The authorization header is malformed; it must have Credential,"
                                + " SignedHeaders and Signature, each once.");
            }
        }
        return of(credential, headers, signature, S3Error.AUTHORIZATION_HEADER_MALFORMED);
    }

    /** Reads the presigned query. */
    static Claim ofQuery(QueryParameters query) {
        if (!required(query, "X-Amz-Algorithm").equals(ALGORITHM)) {
            throw new S3Exception(
                    S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR,
                    "X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\"");
        }
        return of(
                required(query, "X-Amz-Credential"),
                required(query, "X-Amz-SignedHeaders"),
                required(query, "X-Amz-Signature"),
                S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
    }

    /** Reads the fields of a form, which signs no headers. */
    static Claim ofForm(String credential, String signature) {
        return of(credential, "host", signature, S3Error.INVALID_ARGUMENT);
    }

    static String required(QueryParameters query, String name) {
        String value = query.text(name);
        if (value.isEmpty()) {
            throw new S3Exception(
                    S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR,
                    "Query-string authentication version 4 requires the X-Amz-Algorithm,"
                            + " X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders,"
                            + " and X-Amz-Expires parameters.");
        }
        return value;
    }

    private static Claim of(
            String credential, String headers, String signature, S3Error malformed) {
        // Access keys may hold slashes, the scope may not: so the scope is read from the end.
        List<String> fields = split(credential, '/');
        int count = fields.size();
        if (count < 5) {
            throw new S3Exception(
                    malformed,
                    "the Credential is mal-formed; expecting"
                            + " \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
        }
        String accessKey = String.join("/", fields.subList(0, count - 4));
        if (accessKey.isEmpty() || !isHex64(signature)) {
            throw new S3Exception(malformed);
        }
        return new Claim(
                accessKey,
                fields.get(count - 4),
                fields.get(count - 3),
                fields.get(count - 2),
                fields.get(count - 1),
                signedHeaders(headers, malformed),
                signature);
    }

    private static List<String> signedHeaders(String text, S3Error malformed) {
        List<String> names = split(text, ';');
        String before = "";
        for (String name : names) {
            if (name.compareTo(before) <= 0 || !isLowerToken(name)) {
                throw new S3Exception(
                        malformed, "SignedHeaders must be in lower case, in order and unique.");
            }
            before = name;
        }
        if (names.size() > Limits.SIGNED_HEADERS_MAX) {
            throw new S3Exception(
                    malformed,
                    "SignedHeaders names more than " + Limits.SIGNED_HEADERS_MAX + " headers.");
        }
        return List.copyOf(names);
    }

    private static boolean isLowerToken(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c > '~' || c >= 'A' && c <= 'Z' || c == ':' || c == ',') {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a text is 64 hexadecimal digits: a SHA-256, or a signature made of one. */
    static boolean isHex64(String text) {
        if (text.length() != 64) {
            return false;
        }
        for (int i = 0; i < 64; i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return true;
    }

    private static List<String> split(String text, char separator) {
        List<String> fields = new ArrayList<>();
        int begin = 0;
        while (true) {
            int end = text.indexOf(separator, begin);
            if (end < 0) {
                fields.add(text.substring(begin));
                return fields;
            }
            fields.add(text.substring(begin, end));
            begin = end + 1;
        }
    }

    /** Returns whether the query carries any part of a signature, of any version. */
    static boolean isInQuery(QueryParameters query) {
        for (QueryParameters.Parameter parameter : query.parameters()) {
            switch (parameter.name()) {
                case "X-Amz-Algorithm",
                        "X-Amz-Credential",
                        "X-Amz-Signature",
                        "X-Amz-SignedHeaders",
                        "X-Amz-Expires",
                        "AWSAccessKeyId",
                        "Signature" -> {
                    return true;
                }
                default -> {}
            }
        }
        return false;
    }

    /** Returns whether the request carries an Authorization header. */
    static boolean isInHeader(HttpHead head) {
        return head.headers().first("authorization").isPresent();
    }
}
