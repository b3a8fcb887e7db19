package io.volute.server.auth.sigv4;

import io.volute.server.auth.sigv4.AuthResult.Kind;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Verifies the signature of a form (S3 API Reference, "Authenticating requests in browser-based
 * uploads using POST"): of version 4, or of version 2 where presigned requests may have that. It
 * covers the policy in the form. Thread-safe.
 */
public final class FormSignature {
    private static final String TOKEN = "x-amz-security-token";

    private final Authenticator authenticator;
    private final SignatureV2Use version2;
    private final AuthSettings settings;
    private final SigningKeys keys;
    private final Signers signers;

    FormSignature(
            Authenticator authenticator,
            SignatureV2Use version2,
            AuthSettings settings,
            SigningKeys keys,
            Signers signers) {
        this.authenticator = authenticator;
        this.version2 = version2;
        this.settings = settings;
        this.keys = keys;
        this.signers = signers;
    }

    /**
     * A signature with what it claims.
     *
     * @param policy as the form has it, in Base64
     * @param token of a session; empty for none
     * @param scope of version 4; empty for version 2
     */
    public record Claimed(
            String accessKey,
            String signature,
            String policy,
            String token,
            Optional<Scope> scope) {}

    /** The date and the credential scope of a signature of version 4. */
    record Scope(Claim claim, RequestTime time) {}

    /**
     * Reads the signature of a form.
     *
     * @param fields by their names in lower case
     * @return empty when the form has neither policy nor signature
     * @throws S3Exception InvalidArgument when it has only one of them
     */
    public static Optional<Claimed> of(Map<String, String> fields) {
        String policy = fields.getOrDefault("policy", "");
        String token = fields.getOrDefault(TOKEN, "");
        boolean isVersion4 =
                fields.containsKey("x-amz-signature") || fields.containsKey("x-amz-credential");
        boolean isVersion2 =
                fields.containsKey("signature") || fields.containsKey("awsaccesskeyid");
        if (!isVersion2 && !isVersion4 && policy.isEmpty()) {
            return Optional.empty();
        }
        if (isVersion2 && isVersion4) {
            throw S3Exception.invalidArgument("signature", "", "Only one auth mechanism allowed.");
        }
        require("policy", policy);
        if (isVersion4) {
            return Optional.of(version4(fields, policy, token));
        }
        return Optional.of(
                new Claimed(
                        require("AWSAccessKeyId", fields.getOrDefault("awsaccesskeyid", "")),
                        require("signature", fields.getOrDefault("signature", "")),
                        policy,
                        token,
                        Optional.empty()));
    }

    private static Claimed version4(Map<String, String> fields, String policy, String token) {
        if (!fields.getOrDefault("x-amz-algorithm", "").equals(Claim.ALGORITHM)) {
            throw S3Exception.invalidArgument(
                    "x-amz-algorithm",
                    fields.getOrDefault("x-amz-algorithm", ""),
                    "X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\"");
        }
        Claim claim =
                Claim.ofForm(
                        require("x-amz-credential", fields.getOrDefault("x-amz-credential", "")),
                        require("x-amz-signature", fields.getOrDefault("x-amz-signature", "")));
        String date = require("x-amz-date", fields.getOrDefault("x-amz-date", ""));
        RequestTime time =
                RequestTime.iso(date)
                        .orElseThrow(
                                () ->
                                        S3Exception.invalidArgument(
                                                "x-amz-date",
                                                date,
                                                "X-Amz-Date must be in the ISO8601 Long Format"
                                                        + " \"yyyyMMdd'T'HHmmss'Z'\""));
        return new Claimed(
                claim.accessKey(),
                claim.signature(),
                policy,
                token,
                Optional.of(new Scope(claim, time)));
    }

    private static String require(String field, String value) {
        if (value.isEmpty()) {
            throw S3Exception.invalidArgument(
                    field, "", "Bucket POST must contain a field named '" + field + "'.");
        }
        return value;
    }

    /**
     * Verifies a form.
     *
     * @param head of the PUT that it stands for
     * @param claimed its signature; empty for a form of anybody
     * @throws S3Exception InvalidAccessKeyId, SignatureDoesNotMatch, ExpiredToken, or
     *     InvalidRequest for a version that is not in use
     */
    public Verified verify(HttpHead head, Optional<Claimed> claimed) {
        if (claimed.isEmpty()) {
            return verified(head, Credential.ANONYMOUS, Kind.NONE, settings.clock().instant());
        }
        Claimed claim = claimed.get();
        if (claim.scope().isEmpty() && version2 == SignatureV2Use.OFF) {
            throw SignatureV2.unsupported();
        }
        claim.scope()
                .ifPresent(
                        scope ->
                                authenticator.checkScope(
                                        scope.claim(), scope.time(), S3Error.INVALID_ARGUMENT));
        Credential credential = signers.claimed(head, claim.accessKey(), claim.token());
        signers.verified(head, credential, isSignature(claim, credential), claim.signature());
        return claim.scope()
                .map(scope -> verified(head, credential, Kind.FORM, scope.time().instant()))
                .orElseGet(
                        () -> verified(head, credential, Kind.FORM_V2, settings.clock().instant()));
    }

    private boolean isSignature(Claimed claim, Credential credential) {
        if (claim.scope().isEmpty()) {
            return Signers.isSignature(claim.signature(), credential, claim.policy());
        }
        byte[] signature =
                keys.key(credential, claim.scope().get().claim().day()).sign(claim.policy());
        return MessageDigest.isEqual(
                HexFormat.of().formatHex(signature).getBytes(StandardCharsets.US_ASCII),
                claim.signature().getBytes(StandardCharsets.UTF_8));
    }

    private static Verified verified(
            HttpHead head, Credential credential, Kind kind, java.time.Instant time) {
        return new Verified(
                credential, kind, PayloadMode.FORM, "UNSIGNED-PAYLOAD", head.headers(), null, time);
    }
}
