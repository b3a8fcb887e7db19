package io.volute.server.s3.content;

import io.volute.server.auth.sigv4.AuthResult.Kind;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.lifecycle.ExpirationHeader;
import io.volute.server.s3.request.HttpDates;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectVersion;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** The headers that describe a version in answers. */
public final class ObjectHeaders {
    /** A header of this server: the shown version was written again after the requested instant. */
    private static final String STATE_TIME = "x-volute-state-time";

    private static final String[] OVERRIDABLE = {
        "content-type",
        "content-language",
        "expires",
        "cache-control",
        "content-disposition",
        "content-encoding"
    };

    private ObjectHeaders() {}

    /** Adds all headers of GetObject and HeadObject that do not depend on the range. */
    static void describe(Answer answer, S3Request request, ObjectVersion version) {
        answer.header("last-modified", HttpDates.header(version.modified()));
        answer.header("etag", quoted(version.attributes().etag()));
        answer.header("accept-ranges", "bytes");
        versionId(answer, request, version);
        version.writtenLater()
                .ifPresent(when -> answer.header(STATE_TIME, HttpDates.document(when)));
        Map<String, String> system = version.attributes().headers();
        for (Map.Entry<String, String> entry : system.entrySet()) {
            if (!isOverridden(request, entry.getKey())
                    && !StoredEncryption.isHeader(entry.getKey())
                    && !entry.getKey().equals(ObjectAttributes.ACL)
                    && !entry.getKey().equals(ObjectAttributes.REPLICATION)) {
                answer.header(entry.getKey(), entry.getValue());
            }
        }
        if (!system.containsKey("content-type") && !isOverridden(request, "content-type")) {
            answer.header("content-type", "binary/octet-stream");
        }
        for (String name : OVERRIDABLE) {
            Optional<String> value = request.query().get("response-" + name);
            if (value.isPresent()) {
                if (request.verified().kind() == Kind.NONE) {
                    throw new S3Exception(
                            S3Error.INVALID_REQUEST,
                            "Request specific response headers cannot be used for anonymous GET"
                                    + " requests.");
                }
                answer.header(name, override(name, value.get()));
            }
        }
        for (Map.Entry<String, String> entry : version.attributes().userMetadata().entrySet()) {
            answer.header(
                    IncomingAttributes.USER_PREFIX + entry.getKey(), mailSafe(entry.getValue()));
        }
        int tags = version.attributes().tags().size();
        if (tags > 0) {
            answer.header("x-amz-tagging-count", Integer.toString(tags));
        }
        ExpirationHeader.describe(answer, request, version);
        Locks.describe(answer, request, version.attributes().lock());
        Encryption.describe(answer, request, version.attributes());
    }

    public static void versionId(Answer answer, S3Request request, ObjectVersion version) {
        if (request.isVersioned()) {
            answer.header("x-amz-version-id", version.versionId());
        }
    }

    /**
     * Adds what every write answers: the version id, which only a version with an id of its own
     * has, and when a lifecycle rule removes it.
     */
    public static void written(Answer answer, S3Request request, ObjectVersion version) {
        ExpirationHeader.describe(answer, request, version);
        if (!version.nullVersion()) {
            answer.header("x-amz-version-id", version.versionId());
        }
    }

    private static boolean isOverridden(S3Request request, String name) {
        return request.query().has("response-" + name);
    }

    private static String override(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            if (Answer.isControl(value.charAt(i)) || value.charAt(i) > 0xFF) {
                throw S3Exception.invalidArgument(
                        "response-" + name,
                        value,
                        "Header value cannot be represented using ISO-8859-1.");
            }
        }
        return value;
    }

    /**
     * A value with other than ASCII characters as an encoded word of RFC 2047, as S3 returns it (S3
     * User Guide, "Working with object metadata"); each byte that arrived counts as one character
     * there.
     */
    static String mailSafe(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) >= 0x80) {
                return "=?UTF-8?B?"
                        + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))
                        + "?=";
            }
        }
        return value;
    }

    /** The checksum of the whole object. */
    public static void checksum(Answer answer, Optional<Checksum> checksum) {
        if (checksum.isPresent()) {
            answer.header(
                    ChecksumFamily.header(checksum.get().algorithm()), checksum.get().value());
            answer.header("x-amz-checksum-type", checksum.get().type().name());
        }
    }

    public static String quoted(String etag) {
        return "\"" + etag + "\"";
    }
}
