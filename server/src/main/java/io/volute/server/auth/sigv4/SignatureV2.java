package io.volute.server.auth.sigv4;

import io.volute.server.auth.sigv4.AuthResult.Kind;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.QueryParameters.Parameter;
import io.volute.server.s3.request.Target;
import io.volute.server.s3.request.Target.Level;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Verifies signatures of version 2 (Amazon S3 Developer Guide, "Signing and authenticating REST
 * requests"): HMAC-SHA1 over method, some headers, path and sub-resources. Old clients sign so, and
 * boto3 presigns so unless it is configured. Thread-safe.
 *
 * <p>Version 2 does not cover the whole query. A request with a parameter that is neither signed
 * nor without effect on what is allowed is refused.
 */
final class SignatureV2 {
    /** Parameters that the signature covers. */
    private static final Set<String> SIGNED =
            Set.of(
                    "accelerate",
                    "acl",
                    "analytics",
                    "attributes",
                    "cors",
                    "delete",
                    "encryption",
                    "events",
                    "intelligent-tiering",
                    "inventory",
                    "legal-hold",
                    "lifecycle",
                    "location",
                    "logging",
                    "metrics",
                    "notification",
                    "object-lock",
                    "ownershipControls",
                    "partNumber",
                    "policy",
                    "policyStatus",
                    "publicAccessBlock",
                    "replication",
                    "requestPayment",
                    "response-cache-control",
                    "response-content-disposition",
                    "response-content-encoding",
                    "response-content-language",
                    "response-content-type",
                    "response-expires",
                    "restore",
                    "retention",
                    "select",
                    "select-type",
                    "tagging",
                    "torrent",
                    "uploadId",
                    "uploads",
                    "versionId",
                    "versioning",
                    "versions",
                    "website");

    /** Parameters that S3 does not sign, which narrow a listing. */
    private static final Set<String> OF_LISTINGS =
            Set.of(
                    "bucket-region",
                    "continuation-token",
                    "delimiter",
                    "encoding-type",
                    "fetch-owner",
                    "key-marker",
                    "list-type",
                    "marker",
                    "max-buckets",
                    "max-keys",
                    "max-parts",
                    "max-uploads",
                    "part-number-marker",
                    "prefix",
                    "start-after",
                    "upload-id-marker",
                    "version-id-marker");

    private static final String ACCESS_KEY = "AWSAccessKeyId";
    private static final String EXPIRES = "Expires";
    private static final String SIGNATURE = "Signature";
    private static final String DATE = "x-amz-date";

    private static final String PROTOCOL = "x-amz-";

    /** The end of validity in epoch seconds from which on an end counts as this one. */
    private static final long LATEST_END = Integer.MAX_VALUE * 8L;

    /** Other headers that a client that presigns moves into the query. */
    private static final Set<String> MOVED = Set.of("content-md5", "content-type");

    private static final Set<String> OF_SIGNATURE = Set.of(ACCESS_KEY, EXPIRES, SIGNATURE);

    private final SignatureV2Use use;
    private final List<String> domains;
    private final AuthSettings settings;
    private final Signers signers;

    /**
     * @param domains hosts below which a host name means a bucket, in lower case
     */
    SignatureV2(SignatureV2Use use, List<String> domains, AuthSettings settings, Signers signers) {
        this.use = use;
        this.domains = domains;
        this.settings = settings;
        this.signers = signers;
    }

    static boolean isInHeader(HttpHead head) {
        return head.headers().first("authorization").orElse("").startsWith("AWS ");
    }

    static boolean isInQuery(QueryParameters query) {
        return query.has(ACCESS_KEY) || query.has(SIGNATURE);
    }

    /** Verifies a request that is signed in its Authorization header. */
    Verified header(HttpHead head, QueryParameters query) {
        if (use != SignatureV2Use.ALL) {
            throw unsupported();
        }
        String field = head.headers().first("authorization").orElseThrow().substring(4).strip();
        int colon = field.lastIndexOf(':');
        if (colon <= 0 || colon == field.length() - 1) {
            throw S3Exception.invalidArgument(
                    "Authorization", field, "AWS authorization header is invalid.");
        }
        HeaderList headers = head.headers();
        String date = headers.first(DATE).or(() -> headers.first("date")).orElse("");
        RequestTime time =
                RequestTime.dateHeader(date)
                        .orElseThrow(
                                () ->
                                        new S3Exception(
                                                S3Error.ACCESS_DENIED,
                                                "AWS authentication requires a valid Date or"
                                                        + " x-amz-date header"));
        time.requireNear(settings.clock().instant());
        String signedDate = headers.first(DATE).isPresent() ? "" : date;
        return verify(
                head,
                query,
                headers,
                new Claimed(
                        Kind.HEADER_V2,
                        field.substring(0, colon),
                        field.substring(colon + 1),
                        signedDate));
    }

    /** Verifies a presigned request. */
    Verified query(HttpHead head, QueryParameters query) {
        if (use == SignatureV2Use.OFF) {
            throw unsupported();
        }
        String expires = query.text(EXPIRES);
        if (query.text(ACCESS_KEY).isEmpty()
                || query.text(SIGNATURE).isEmpty()
                || expires.isEmpty()) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "Query-string authentication requires the Signature, Expires and"
                            + " AWSAccessKeyId parameters");
        }
        requireUnexpired(expires);
        return verify(
                head,
                query,
                headersOf(head, query),
                new Claimed(Kind.QUERY_V2, query.text(ACCESS_KEY), query.text(SIGNATURE), expires));
    }

    /**
     * A signature with what it claims.
     *
     * @param date as it is signed: of the header, or the end of a presigned request
     */
    private record Claimed(Kind kind, String accessKey, String signature, String date) {}

    private void requireUnexpired(String expires) {
        Instant end;
        try {
            end = Instant.ofEpochSecond(Math.clamp(Long.parseLong(expires), 0L, LATEST_END));
        } catch (NumberFormatException e) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "Invalid date (should be seconds since epoch): " + expires);
        }
        Instant now = settings.clock().instant();
        if (now.isAfter(end)) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Request has expired")
                    .with(EXPIRES, end.toString())
                    .with("ServerTime", now.toString());
        }
    }

    /** The headers with those that a client that presigns moves into the query. */
    private static HeaderList headersOf(HttpHead head, QueryParameters query) {
        List<Header> all = new ArrayList<>(QueryHeaders.of(head, query).headers());
        for (String name : MOVED) {
            if (head.headers().first(name).isEmpty()) {
                query.get(name).ifPresent(value -> all.add(new Header(name, value)));
            }
        }
        return new HeaderList(all);
    }

    /** The lines of the headers of the protocol, those in the query too. */
    private static String protocolHeaders(HttpHead head, QueryParameters query) {
        SortedMap<String, String> lines = new TreeMap<>();
        for (Header header : head.headers().headers()) {
            if (header.name().startsWith(PROTOCOL)) {
                lines.merge(header.name(), header.value(), (one, other) -> one + "," + other);
            }
        }
        for (Parameter parameter : query.parameters()) {
            if (parameter.name().startsWith(PROTOCOL)) {
                lines.put(octets(parameter.name()), octets(parameter.value()));
            }
        }
        StringBuilder text = new StringBuilder();
        lines.forEach((name, value) -> text.append(name).append(':').append(value).append('\n'));
        return text.toString();
    }

    private Verified verify(
            HttpHead head, QueryParameters query, HeaderList headers, Claimed claimed) {
        requireSigned(query, headers);
        String payloadHash = headers.first("x-amz-content-sha256").orElse("UNSIGNED-PAYLOAD");
        PayloadMode mode = PayloadMode.of(payloadHash);
        if (mode.isStreaming()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "A request with a signature of version 2 cannot stream its payload in chunks.");
        }
        Credential credential =
                signers.claimed(
                        head,
                        claimed.accessKey(),
                        headers.first("x-amz-security-token").orElse(""));
        boolean holds = false;
        for (String path : paths(head)) {
            String text = stringToSign(head, query, headers, claimed.date(), path);
            holds |= Signers.isSignature(claimed.signature(), credential, text);
        }
        signers.verified(head, credential, holds, claimed.signature());
        return new Verified(
                credential,
                claimed.kind(),
                mode,
                payloadHash,
                headers,
                null,
                settings.clock().instant());
    }

    /**
     * The forms of the path that a client may have signed: boto3 ends that of a bucket by a slash.
     */
    private List<String> paths(HttpHead head) {
        List<String> paths = new ArrayList<>(CanonicalRequest.paths(head));
        boolean isBucket =
                Target.of(head, domains).level() == Level.BUCKET && hostBucket(head).isEmpty();
        if (isBucket && !head.rawPath().endsWith("/")) {
            paths.add(paths.getFirst() + "/");
        }
        return paths;
    }

    private static void requireSigned(QueryParameters query, HeaderList headers) {
        for (Parameter parameter : query.parameters()) {
            String name = parameter.name();
            if (isAmbiguous(parameter)) {
                throw new S3Exception(
                                S3Error.ACCESS_DENIED,
                                "A signature of version 2 is ambiguous with this value of the"
                                        + " parameter "
                                        + name
                                        + ": sign with version 4.")
                        .with("ParametersNotSigned", name);
            }
            if (!name.startsWith(PROTOCOL)
                    && !MOVED.contains(name)
                    && !SIGNED.contains(name)
                    && !OF_LISTINGS.contains(name)
                    && !OF_SIGNATURE.contains(name)) {
                throw new S3Exception(
                                S3Error.ACCESS_DENIED,
                                "A signature of version 2 does not cover the parameter "
                                        + name
                                        + ": sign with version 4.")
                        .with("ParametersNotSigned", name);
            }
        }
        for (Header header : headers.headers()) {
            if (header.name().startsWith("x-volute-")) {
                throw new S3Exception(
                                S3Error.ACCESS_DENIED,
                                "There were headers present in the request which were not signed")
                        .with("HeadersNotSigned", header.name());
            }
        }
    }

    /**
     * Returns whether the value can hide another header or sub-resource. Values are signed decoded,
     * so a line break in one signs like the next header, and an ampersand like the next parameter.
     */
    private static boolean isAmbiguous(Parameter parameter) {
        if (OF_LISTINGS.contains(parameter.name())) {
            return false;
        }
        String value = parameter.value();
        return value.chars().anyMatch(c -> c == '\n' || c == '\r')
                || SIGNED.contains(parameter.name())
                        && Stream.of(value.split("&", -1))
                                .skip(1)
                                .anyMatch(each -> SIGNED.contains(each.replaceFirst("=.*", "")));
    }

    private String stringToSign(
            HttpHead head, QueryParameters query, HeaderList headers, String date, String path) {
        StringBuilder text = new StringBuilder(256);
        text.append(head.method()).append('\n');
        text.append(headers.first("content-md5").orElse("")).append('\n');
        text.append(headers.first("content-type").orElse("")).append('\n');
        text.append(date).append('\n');
        text.append(protocolHeaders(head, query));
        text.append(octets(hostBucket(head))).append(path.isEmpty() ? "/" : octets(path));
        String signed =
                query.parameters().stream()
                        .filter(parameter -> SIGNED.contains(parameter.name()))
                        .sorted(Comparator.comparing(Parameter::name))
                        .map(
                                parameter ->
                                        parameter.value().isEmpty()
                                                ? parameter.name()
                                                : parameter.name() + "=" + parameter.value())
                        .collect(Collectors.joining("&"));
        return signed.isEmpty()
                ? text.toString()
                : text.append('?').append(octets(signed)).toString();
    }

    /** Returns the UTF-8 of a decoded text, one char an octet, as headers are. */
    private static String octets(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** The bucket as the host name has it, with a slash before it; else empty. */
    private String hostBucket(HttpHead head) {
        return Target.bucketOfHost(head, domains).map(bucket -> "/" + bucket).orElse("");
    }

    /** The refusal of a version of signatures that is not in use. */
    static S3Exception unsupported() {
        return new S3Exception(
                S3Error.INVALID_REQUEST,
                "The authorization mechanism you have provided is not supported. Please use"
                        + " AWS4-HMAC-SHA256.");
    }
}
