package io.volute.server.auth.sigv4;

import io.volute.adminapi.signing.ChunkSigning;
import io.volute.adminapi.signing.SigningKey;
import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult.Kind;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Determines the caller of a request; no other class does. Header and query signatures follow the
 * same rules, and at most one of them may be present. Thread-safe.
 */
public final class Authenticator {
    private static final String TOKEN = "x-amz-security-token";
    private static final String OTHER_APIS =
            ". This server has no admin API of MinIO or Ceph: use the command volute";

    /**
     * Headers of the body's envelope may be added after signing. Each is checked against the body
     * itself, and {@code x-amz-content-sha256} is part of every canonical request anyway.
     */
    private static final Set<String> ENVELOPE =
            Set.of(
                    "x-amz-content-sha256",
                    "x-amz-decoded-content-length",
                    "x-amz-trailer",
                    "x-amz-checksum-algorithm",
                    "x-amz-sdk-checksum-algorithm");

    private final AuthSettings settings;
    private final String service;
    private final Map<String, SigningKeys> keys;
    private final Signers signers;
    private final SignatureV2 version2;
    private final FormSignature forms;

    /** Creates an authenticator for the service {@code s3} that takes version 4 alone. */
    public Authenticator(CredentialStore credentials, AuthSettings settings) {
        this(credentials, settings, SigningKey.SERVICE);
    }

    /**
     * Creates an authenticator that takes version 4 alone.
     *
     * @param service that the scope of signatures must name
     */
    public Authenticator(CredentialStore credentials, AuthSettings settings, String service) {
        this(credentials, settings, service, SignatureV2Use.OFF, List.of());
    }

    /**
     * @param service that the scope of signatures must name
     * @param version2 requests that may have a signature of version 2
     * @param domains hosts below which a host name means a bucket, in lower case
     */
    public Authenticator(
            CredentialStore credentials,
            AuthSettings settings,
            String service,
            SignatureV2Use version2,
            List<String> domains) {
        this.settings = settings;
        this.service = service;
        this.keys = SigningKeys.byRegion(settings.region(), service);
        this.signers = new Signers(credentials, settings);
        this.version2 = new SignatureV2(version2, domains, settings, signers);
        this.forms =
                new FormSignature(this, version2, settings, keys.get(settings.region()), signers);
    }

    /** Returns what verifies the forms of browsers. */
    public FormSignature forms() {
        return forms;
    }

    /** The body of a request, for services whose requests do not carry its hash. */
    @FunctionalInterface
    public interface Form {
        /**
         * Reads the body. Called once everything else that is claimed has been checked, also that
         * the access key exists; only the signature has not.
         *
         * @param claimed the claimed caller, whose signature is not verified yet
         */
        byte[] read(Credential claimed);
    }

    /** Decides from the head alone; never reads the body. */
    public AuthResult authenticate(HttpHead head, QueryParameters query) {
        return authenticate(head, query, Optional.empty());
    }

    /**
     * Authenticates like {@link #authenticate(HttpHead, QueryParameters)}, with the hash of a body
     * that is read only when all other checks have passed.
     */
    public AuthResult authenticate(HttpHead head, QueryParameters query, Form form) {
        return authenticate(head, query, Optional.of(form));
    }

    private AuthResult authenticate(HttpHead head, QueryParameters query, Optional<Form> form) {
        Runnable end = settings.timer().get();
        try {
            return decide(head, query, form);
        } finally {
            end.run();
        }
    }

    private AuthResult decide(HttpHead head, QueryParameters query, Optional<Form> form) {
        boolean inHeader = Claim.isInHeader(head);
        boolean inQuery = Claim.isInQuery(query);
        try {
            head.headers().refuseRepeated();
            if (inHeader && inQuery || head.headers().all("authorization").size() > 1) {
                throw S3Exception.invalidArgument(
                        "Authorization",
                        "",
                        "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter,"
                                + " Signature query string parameter or the Authorization header"
                                + " should be specified");
            }
            if (inHeader) {
                return SignatureV2.isInHeader(head)
                        ? version2.header(head, query)
                        : header(head, query, form);
            }
            if (inQuery) {
                return SignatureV2.isInQuery(query)
                        ? version2.query(head, query)
                        : query(head, query);
            }
            return anonymous(head);
        } catch (S3Exception e) {
            return new AuthResult.Refused(e);
        }
    }

    private AuthResult anonymous(HttpHead head) {
        String sent = one(head.headers(), "x-amz-content-sha256");
        String payloadHash = sent.isEmpty() ? "UNSIGNED-PAYLOAD" : sent;
        PayloadMode mode = PayloadMode.of(payloadHash);
        if (mode.hasChunkSignatures() || head.headers().first(TOKEN).isPresent()) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        return new AuthResult.Anonymous(
                new AuthResult.Verified(
                        Credential.ANONYMOUS,
                        Kind.NONE,
                        mode,
                        payloadHash,
                        head.headers(),
                        null,
                        settings.clock().instant()));
    }

    private AuthResult header(HttpHead head, QueryParameters query, Optional<Form> form) {
        Claim claim = Claim.ofHeader(one(head.headers(), "authorization"));
        RequestTime time = headerTime(head, claim);
        checkScope(claim, time, S3Error.AUTHORIZATION_HEADER_MALFORMED);
        time.requireNear(settings.clock().instant());
        if (form.isPresent()) {
            Credential claimed = credential(head, head.headers(), claim);
            String hash = CanonicalRequest.sha256Hex(form.get().read(claimed));
            return verify(
                    head,
                    head.headers(),
                    query,
                    Kind.HEADER,
                    claim,
                    time,
                    hash,
                    PayloadMode.SIGNED_SINGLE);
        }
        String payloadHash = one(head.headers(), "x-amz-content-sha256");
        if (payloadHash.isEmpty()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Missing required header for this request: x-amz-content-sha256");
        }
        PayloadMode mode = PayloadMode.of(payloadHash);
        if (mode.isUnsigned() && !head.secure() && !settings.unsignedPayloadOverHttp()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "This server takes unsigned payloads only over TLS"
                            + " (auth.allow-unsigned-payload-over-http).");
        }
        return verify(head, head.headers(), query, Kind.HEADER, claim, time, payloadHash, mode);
    }

    private static RequestTime headerTime(HttpHead head, Claim claim) {
        String text = one(head.headers(), "x-amz-date");
        if (!text.isEmpty()) {
            return RequestTime.iso(text).orElseThrow(Authenticator::noDate);
        }
        if (!claim.signedHeaders().contains("date")) {
            throw noDate();
        }
        return RequestTime.dateHeader(one(head.headers(), "date"))
                .orElseThrow(Authenticator::noDate);
    }

    private static S3Exception noDate() {
        return new S3Exception(
                S3Error.ACCESS_DENIED,
                "AWS authentication requires a valid Date or x-amz-date header");
    }

    private AuthResult query(HttpHead head, QueryParameters query) {
        Claim claim = Claim.ofQuery(query);
        RequestTime time =
                RequestTime.iso(Claim.required(query, "X-Amz-Date"))
                        .orElseThrow(
                                () ->
                                        queryError(
                                                "X-Amz-Date must be in the ISO8601 Long Format"
                                                        + " \"yyyyMMdd'T'HHmmss'Z'\""));
        checkScope(claim, time, S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        long seconds = expires(Claim.required(query, "X-Amz-Expires"));
        Instant now = settings.clock().instant();
        if (time.instant().isAfter(now.plus(RequestTime.SKEW))) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Request is not valid yet");
        }
        Instant end = time.instant().plusSeconds(seconds);
        if (seconds == 0 || now.isAfter(end)) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Request has expired")
                    .with("X-Amz-Expires", Long.toString(seconds))
                    .with("Expires", end.toString())
                    .with("ServerTime", now.toString());
        }
        HeaderList headers = QueryHeaders.of(head, query);
        String sent = one(headers, "x-amz-content-sha256");
        String payloadHash = sent.isEmpty() ? "UNSIGNED-PAYLOAD" : sent;
        PayloadMode mode = PayloadMode.of(payloadHash);
        switch (mode) {
            case SIGNED_SINGLE, UNSIGNED_PAYLOAD, FORM -> {}
            case STREAMING_SIGNED, STREAMING_SIGNED_TRAILER, STREAMING_UNSIGNED_TRAILER ->
                    throw new S3Exception(
                            S3Error.INVALID_REQUEST,
                            "A presigned request cannot stream its payload in chunks.");
        }
        return verify(head, headers, query, Kind.QUERY, claim, time, payloadHash, mode);
    }

    private static long expires(String text) {
        long seconds;
        try {
            seconds = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw queryError("X-Amz-Expires should be a number");
        }
        // As in S3, zero is a number, but a signature that holds for no time has expired.
        if (seconds < 0) {
            throw queryError("X-Amz-Expires must be non-negative");
        }
        if (seconds > Limits.PRESIGN_SECONDS_MAX) {
            throw queryError(
                    "X-Amz-Expires must be less than a week (in seconds); that is, the given"
                            + " X-Amz-Expires must be less than 604800 seconds");
        }
        return seconds;
    }

    private static S3Exception queryError(String message) {
        return new S3Exception(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR, message);
    }

    void checkScope(Claim claim, RequestTime time, S3Error malformed) {
        if (!claim.day().equals(time.day())) {
            throw new S3Exception(
                    malformed,
                    "Invalid credential date. Date is not the same as X-Amz-Date: \""
                            + claim.day()
                            + "\".");
        }
        if (!keys.containsKey(claim.region())) {
            throw new S3Exception(
                            malformed,
                            "the region '"
                                    + claim.region()
                                    + "' is wrong; expecting '"
                                    + settings.region()
                                    + "'"
                                    + (claim.region().isEmpty() ? OTHER_APIS : ""))
                    .with("Region", settings.region());
        }
        if (!claim.service().equals(service)) {
            throw new S3Exception(
                    malformed, "incorrect service. This endpoint belongs to \"" + service + "\".");
        }
        if (!claim.terminator().equals(SigningKey.TERMINATOR)) {
            throw new S3Exception(
                    malformed, "incorrect terminal. This endpoint uses \"aws4_request\".");
        }
    }

    private AuthResult verify(
            HttpHead head,
            HeaderList headers,
            QueryParameters query,
            Kind kind,
            Claim claim,
            RequestTime time,
            String payloadHash,
            PayloadMode mode) {
        Credential credential = credential(head, headers, claim);
        String omitted = kind == Kind.QUERY ? "X-Amz-Signature" : "";
        SigningKey key = keys.get(claim.region()).key(credential, claim.day());
        byte[] claimed = HexFormat.of().parseHex(claim.signature());
        boolean holds = false;
        for (String path : CanonicalRequest.paths(head)) {
            String toSign =
                    CanonicalRequest.stringToSign(
                            head, path, query, omitted, claim, time.text(), payloadHash);
            holds |= MessageDigest.isEqual(key.sign(toSign), claimed);
        }
        signers.verified(head, credential, holds, claim.signature());
        ChunkSigning signing = new ChunkSigning(key, time.text(), claim.scope(), claim.signature());
        return new AuthResult.Verified(
                credential, kind, mode, payloadHash, headers, signing, time.instant());
    }

    private Credential credential(HttpHead head, HeaderList headers, Claim claim) {
        checkSignedHeaders(head.headers(), claim);
        return signers.claimed(head, claim.accessKey(), one(headers, TOKEN));
    }

    /** Refuses unsigned headers, for both kinds of signature: the lesson of CVE-2026-54330. */
    private static void checkSignedHeaders(HeaderList headers, Claim claim) {
        if (!claim.signedHeaders().contains("host")) {
            throw unsigned("host");
        }
        for (HeaderList.Header header : headers.headers()) {
            if (isLeftOut(header.name(), claim)) {
                throw unsigned(
                        headers.headers().stream()
                                .map(HeaderList.Header::name)
                                .filter(name -> isLeftOut(name, claim))
                                .distinct()
                                .sorted()
                                .collect(Collectors.joining(", ")));
            }
        }
        for (String name : claim.signedHeaders()) {
            if (headers.first(name).isEmpty()) {
                throw new S3Exception(
                        S3Error.SIGNATURE_DOES_NOT_MATCH,
                        "SignedHeaders names a header that did not arrive: " + name);
            }
        }
    }

    private static boolean isLeftOut(String name, Claim claim) {
        return HeaderList.isOfProtocol(name)
                && !ENVELOPE.contains(name)
                && !claim.signedHeaders().contains(name);
    }

    private static S3Exception unsigned(String names) {
        return new S3Exception(
                        S3Error.ACCESS_DENIED,
                        "There were headers present in the request which were not signed")
                .with("HeadersNotSigned", names);
    }

    /** The only value, or the empty string when the header is absent. */
    private static String one(HeaderList headers, String name) {
        List<String> values = headers.all(name);
        if (values.size() > 1) {
            throw S3Exception.invalidArgument(
                    name, values.get(1), "A header of authentication may be given only once.");
        }
        return values.isEmpty() ? "" : values.get(0);
    }
}
