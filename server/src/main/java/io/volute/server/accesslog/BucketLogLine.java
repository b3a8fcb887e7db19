package io.volute.server.accesslog;

import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Plus;
import io.volute.server.s3.request.PercentCoding.Slash;
import io.volute.server.s3.request.S3Response.About;
import io.volute.versioning.value.BucketInfo;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One line of a bucket's access log, in the order of fields that S3 has (S3 User Guide, "Amazon S3
 * server access log format"). All text of a client is escaped: a line has no line break, and no
 * quote or backslash but its own.
 */
final class BucketLogLine {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("'['dd/MMM/uuuu:HH:mm:ss '+0000]'", Locale.ENGLISH)
                    .withZone(ZoneOffset.UTC);

    private static final long NANOS_OF_MILLI = 1_000_000;
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    /** Characters of each text of a client; a key of the longest is not cut. */
    private static final int LONGEST_TEXT = 4096;

    private static final String UNKNOWN = "-";

    /** Fields of a request that the line of one key does not have. */
    private static final int UNKNOWN_OF_ENTRY = 6;

    /** Parameters with which a reader of the log could send the request again. */
    private static final Set<String> SECRETS =
            Set.of("x-amz-signature", "x-amz-security-token", "signature");

    /** Operations by the name that requests are counted under. */
    private static final Map<String, String> OPERATIONS =
            Arrays.stream(S3Call.values())
                    .collect(
                            Collectors.toUnmodifiableMap(
                                    S3Call::title, BucketLogLine::operation, (a, b) -> a));

    private final StringBuilder out = new StringBuilder(512);

    private BucketLogLine() {}

    /** Returns the line with its end. */
    static byte[] of(BucketInfo bucket, HttpHead head, Answered how, Instant begun) {
        return new BucketLogLine()
                .line(bucket, head, how, begun)
                .toString()
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the line of one key that a request for several deleted, with its end.
     *
     * @param entry the key and its outcome
     */
    static byte[] of(
            BucketInfo bucket, HttpHead head, Answered how, Instant begun, About.Entry entry) {
        return new BucketLogLine()
                .entry(bucket, head, how, begun, entry)
                .toString()
                .getBytes(StandardCharsets.US_ASCII);
    }

    private StringBuilder line(BucketInfo bucket, HttpHead head, Answered how, Instant begun) {
        About about = how.about();
        HeaderList headers = head.headers();
        String operation = about.operation();
        caller(bucket, head, about, begun);
        raw(OPERATIONS.getOrDefault(operation, other(head, about)));
        word(PercentCoding.encode(about.key(), Slash.KEPT));
        quoted(head.method() + " " + uri(head) + " HTTP/1.1");
        raw(Integer.toString(how.status()));
        word(about.code());
        number(how.bytes().out());
        word(objectSize(head, how));
        raw(Long.toString(millis(how, how.times().ended())));
        raw(Long.toString(millis(how, how.times().firstByte())));
        quoted(headers.first("referer").orElse(UNKNOWN));
        quoted(headers.first("user-agent").orElse(UNKNOWN));
        word(query(head, "versionId"));
        connection(head, about);
        return out;
    }

    /** Writes the line of one key. Fields of the whole request are unknown, as in S3. */
    private StringBuilder entry(
            BucketInfo bucket, HttpHead head, Answered how, Instant begun, About.Entry entry) {
        caller(bucket, head, how.about(), begun);
        raw("BATCH.DELETE.OBJECT");
        word(PercentCoding.encode(entry.key(), Slash.KEPT));
        raw(UNKNOWN);
        raw(Integer.toString(entry.status()));
        word(entry.code());
        // Bytes sent, size of the object, times, referrer and user agent.
        for (int i = 0; i < UNKNOWN_OF_ENTRY; i++) {
            raw(UNKNOWN);
        }
        word(entry.versionId());
        connection(head, how.about());
        return out;
    }

    private void caller(BucketInfo bucket, HttpHead head, About about, Instant begun) {
        word(bucket.owner());
        word(bucket.name().value());
        raw(TIME.format(begun));
        word(head.remoteAddress());
        word(requester(about));
        word(head.requestId());
    }

    /** Writes the last fields, and the end of the line. */
    private void connection(HttpHead head, About about) {
        HeaderList headers = head.headers();
        // Host id.
        raw(UNKNOWN);
        word(signatureVersion(head, about));
        // Cipher suite.
        raw(UNKNOWN);
        word(authentication(head, about));
        word(headers.first("host").orElse(""));
        word(head.tlsVersion().map(version -> "TLSv" + version).orElse(""));
        // Access point, whether an ACL was required, and region of the client.
        raw(UNKNOWN);
        raw(UNKNOWN);
        raw(UNKNOWN);
        out.setCharAt(out.length() - 1, '\n');
    }

    // ---- fields

    private static String requester(About about) {
        return about.session().isEmpty() ? about.user() : about.user() + "/" + about.session();
    }

    private static String operation(S3Call call) {
        String resource =
                switch (call) {
                    case LIST_BUCKETS -> "SERVICE";
                    case CREATE_BUCKET, HEAD_BUCKET, DELETE_BUCKET, LIST_OBJECTS, LIST_OBJECTS_V2 ->
                            "BUCKET";
                    case PUT_OBJECT, GET_OBJECT, HEAD_OBJECT, DELETE_OBJECT -> "OBJECT";
                    case COPY_OBJECT -> "OBJECT_GET";
                    case UPLOAD_PART, UPLOAD_PART_COPY -> "PART";
                    case CREATE_MULTIPART_UPLOAD, LIST_MULTIPART_UPLOADS -> "UPLOADS";
                    case COMPLETE_MULTIPART_UPLOAD, ABORT_MULTIPART_UPLOAD, LIST_PARTS -> "UPLOAD";
                    case DELETE_OBJECTS -> "MULTI_OBJECT_DELETE";
                    case LIST_OBJECT_VERSIONS -> "BUCKETVERSIONS";
                    case GET_BUCKET_POLICY, PUT_BUCKET_POLICY, DELETE_BUCKET_POLICY ->
                            "BUCKETPOLICY";
                    case GET_BUCKET_LOGGING, PUT_BUCKET_LOGGING -> "LOGGING_STATUS";
                    case GET_OBJECT_TAGGING, PUT_OBJECT_TAGGING, DELETE_OBJECT_TAGGING ->
                            "OBJECT_TAGGING";
                    case GET_UNSET_CONFIGURATION, DELETE_UNSET_CONFIGURATION -> "CONFIGURATION";
                    default -> resource(call.subresource());
                };
        String method = call.isCopy() ? "COPY" : call.method();
        return "REST." + method + "." + (call == S3Call.COPY_OBJECT ? "OBJECT" : resource);
    }

    /** Returns a sub-resource in upper case with words apart: {@code REQUEST_PAYMENT}. */
    private static String resource(String subresource) {
        return subresource
                .replaceAll("([a-z])([A-Z])", "$1_$2")
                .replace('-', '_')
                .toUpperCase(Locale.ROOT);
    }

    /** Returns the name for a request whose operation is not known, or not routed. */
    private static String other(HttpHead head, About about) {
        if (head.method().equals("OPTIONS")) {
            return "REST.OPTIONS.PREFLIGHT";
        }
        String method = PercentCoding.encode(head.method(), Slash.ENCODED);
        return "REST." + method + (about.key().isEmpty() ? ".BUCKET" : ".OBJECT");
    }

    /** Returns the bytes of a written object, or of one that was read as a whole; else empty. */
    private static String objectSize(HttpHead head, Answered how) {
        String operation = how.about().operation();
        if (how.status() != 200) {
            return "";
        }
        if (operation.equals(S3Call.PUT_OBJECT.title())) {
            return head.headers()
                    .first("x-amz-decoded-content-length")
                    .orElseGet(() -> Long.toString(how.bytes().in()));
        }
        return operation.equals(S3Call.GET_OBJECT.title()) && how.complete()
                ? Long.toString(how.bytes().out())
                : "";
    }

    private static long millis(Answered how, long until) {
        return Math.max(0, until - how.times().begun()) / NANOS_OF_MILLI;
    }

    private static String signatureVersion(HttpHead head, About about) {
        return about.accessKey().isEmpty() ? "" : isOfVersion2(head) ? "SigV2" : "SigV4";
    }

    private static boolean isOfVersion2(HttpHead head) {
        return head.headers().first("authorization").filter(h -> h.startsWith("AWS ")).isPresent()
                || !query(head, "AWSAccessKeyId").isEmpty();
    }

    private static String authentication(HttpHead head, About about) {
        if (about.accessKey().isEmpty()) {
            return "";
        }
        if (head.headers().first("authorization").isPresent()) {
            return "AuthHeader";
        }
        return head.method().equals("POST") && head.rawQuery().isEmpty() ? "POST" : "QueryString";
    }

    /** Returns the first value of a parameter as it was sent; empty when there is none. */
    private static String query(HttpHead head, String name) {
        for (String parameter : head.rawQuery().split("&")) {
            if (parameter.startsWith(name + "=")) {
                return parameter.substring(name.length() + 1);
            }
        }
        return "";
    }

    /** Returns the target of the request without what signs it: a reader could use it again. */
    private static String uri(HttpHead head) {
        if (head.rawQuery().isEmpty()) {
            return head.rawPath();
        }
        return head.rawPath()
                + "?"
                + Arrays.stream(head.rawQuery().split("&", -1))
                        .map(BucketLogLine::withoutSecret)
                        .collect(Collectors.joining("&"));
    }

    private static String withoutSecret(String parameter) {
        String name = parameter.substring(0, Math.max(0, parameter.indexOf('=')));
        return SECRETS.contains(decoded(name)) ? name + "=" + UNKNOWN : parameter;
    }

    /** Returns a name in lower case; a request whose names cannot be decoded signs nothing. */
    private static String decoded(String name) {
        try {
            return PercentCoding.decode(name, Plus.SPACE).toLowerCase(Locale.ROOT);
        } catch (S3Exception e) {
            return name;
        }
    }

    // ---- text

    /** A field without blanks, as it is. */
    private void raw(String text) {
        out.append(text).append(' ');
    }

    private void number(long value) {
        raw(value == 0 ? UNKNOWN : Long.toString(value));
    }

    private void word(String text) {
        escape(text.isEmpty() ? UNKNOWN : text, '!');
        out.append(' ');
    }

    private void quoted(String text) {
        out.append('"');
        escape(text, ' ');
        out.append("\" ");
    }

    /** Writes ASCII from the least character on; else, and for quotes, {@code \xHH} a byte. */
    private void escape(String text, char least) {
        String cut = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
        for (int i = 0; i < cut.length(); i++) {
            char c = cut.charAt(i);
            if (c >= least && c < 0x7F && c != '"' && c != '\\') {
                out.append(c);
            } else if (c <= 0xFF) {
                escapeByte(c);
            } else {
                escapeByte(c >> 8);
                escapeByte(c & 0xFF);
            }
        }
    }

    private void escapeByte(int value) {
        out.append("\\x").append(HEX[value >> 4]).append(HEX[value & 0xF]);
    }
}
