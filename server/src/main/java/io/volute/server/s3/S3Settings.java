package io.volute.server.s3;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.auth.sigv4.FailedSignatures;
import io.volute.server.auth.sigv4.SignatureV2Use;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.notification.EventSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The settings of the S3 protocol.
 *
 * @param region that requests must be signed for
 * @param virtualHostDomains hosts {@code bucket.domain} name a bucket; empty for path style only
 * @param clock of the server
 * @param unsignedPayloadOverHttp setting {@code auth.allow-unsigned-payload-over-http}: without
 *     TLS, header-signed requests may leave their body unsigned. Allowed by default, because
 *     clients do so only when configured to
 * @param timer times authentications, see {@link AuthSettings}
 * @param failures slows callers with failed signatures, in S3, STS and the admin API
 * @param signatureV2 requests that may have a signature of version 2
 * @param encryption encrypts and decrypts objects
 * @param ownership of the objects of new buckets
 * @param listsReadable setting {@code s3.list-readable-buckets}: ListBuckets shows callers also the
 *     buckets that they may list or read
 * @param bucketsOfUserMax buckets of one owner beyond which only the root makes more for that owner
 * @param events the receivers of events
 * @param unavailable counts the requests that a cube has refused
 */
public record S3Settings(
        String region,
        List<String> virtualHostDomains,
        InstantSource clock,
        boolean unsignedPayloadOverHttp,
        Supplier<Runnable> timer,
        FailedSignatures failures,
        SignatureV2Use signatureV2,
        Encryption encryption,
        ObjectOwnership ownership,
        boolean listsReadable,
        int bucketsOfUserMax,
        EventSettings events,
        AtomicLong unavailable) {
    public S3Settings {
        virtualHostDomains =
                virtualHostDomains.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }

    /** Untimed and never slowed, and without encryption. */
    public S3Settings(
            String region,
            List<String> virtualHostDomains,
            InstantSource clock,
            boolean unsignedPayloadOverHttp) {
        this(
                region,
                virtualHostDomains,
                clock,
                unsignedPayloadOverHttp,
                AuthSettings.UNTIMED,
                FailedSignatures.unlimited(),
                SignatureV2Use.PRESIGNED,
                Encryption.NONE,
                ObjectOwnership.BUCKET_OWNER_ENFORCED,
                true,
                Limits.BUCKETS_MAX,
                EventSettings.none(),
                new AtomicLong());
    }

    /** Returns the same settings with another limit of buckets. */
    public S3Settings withBucketsOfUser(int max) {
        return with(signatureV2, encryption, ownership, listsReadable, max, events);
    }

    /** Returns the same settings with encryption. */
    public S3Settings withEncryption(Encryption other) {
        return with(signatureV2, other, ownership, listsReadable, bucketsOfUserMax, events);
    }

    /** Returns the same settings with another use of version 2 of signatures. */
    public S3Settings withSignatureV2(SignatureV2Use use) {
        return with(use, encryption, ownership, listsReadable, bucketsOfUserMax, events);
    }

    /** Returns the same settings with another ownership of new buckets. */
    public S3Settings withOwnership(ObjectOwnership other) {
        return with(signatureV2, encryption, other, listsReadable, bucketsOfUserMax, events);
    }

    /** Returns the same settings without the readable buckets of others in ListBuckets. */
    public S3Settings withOwnBucketsOnly() {
        return with(signatureV2, encryption, ownership, false, bucketsOfUserMax, events);
    }

    /** Returns the same settings with receivers of events. */
    public S3Settings withEvents(EventSettings others) {
        return with(signatureV2, encryption, ownership, listsReadable, bucketsOfUserMax, others);
    }

    private S3Settings with(
            SignatureV2Use use,
            Encryption other,
            ObjectOwnership owning,
            boolean isReadable,
            int max,
            EventSettings receivers) {
        return new S3Settings(
                region,
                virtualHostDomains,
                clock,
                unsignedPayloadOverHttp,
                timer,
                failures,
                use,
                other,
                owning,
                isReadable,
                max,
                receivers,
                unavailable);
    }

    /** Returns what authenticates the requests of S3. */
    Authenticator authenticator(CredentialStore credentials) {
        return new Authenticator(
                credentials, authentication(), "s3", signatureV2, virtualHostDomains);
    }

    /** Returns the settings of authentication among these. */
    public AuthSettings authentication() {
        return new AuthSettings(region, clock, unsignedPayloadOverHttp, timer, failures);
    }
}
