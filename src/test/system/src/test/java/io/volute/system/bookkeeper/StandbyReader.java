package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.VoluteCommand;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Reads of a node that does not own the store, while its owner lives and while it is stopped. */
final class StandbyReader {
    private static final String BUCKET = "read-by-standbys";
    private static final String KEY = "key";
    private static final String LAG = "x-volute-lag";
    private static final int LARGE_BYTES = 9_000_000;

    /** The default of {@code cluster.standby-lag}. */
    private static final Duration LAG_MAX = Duration.ofSeconds(10);

    private final ServerProcess owner;
    private final URI standby;

    StandbyReader(ServerProcess owner, ServerProcess standby) {
        this.owner = owner;
        this.standby = standby.endpoint();
    }

    private static AwsRequestOverrideConfiguration accepting(Map<String, String> more) {
        AwsRequestOverrideConfiguration.Builder with =
                AwsRequestOverrideConfiguration.builder().putHeader("x-volute-read", "standby");
        more.forEach(with::putHeader);
        return with.build();
    }

    private static ResponseBytes<GetObjectResponse> get(
            S3Client s3, String key, Map<String, String> headers) {
        ResponseBytes<GetObjectResponse> answer =
                s3.getObjectAsBytes(
                        get ->
                                get.bucket(BUCKET)
                                        .key(key)
                                        .overrideConfiguration(accepting(headers)));
        assertThat(lag(answer.response())).isLessThanOrEqualTo(LAG_MAX);
        return answer;
    }

    private static Duration lag(GetObjectResponse answer) {
        String seconds = answer.sdkHttpResponse().firstMatchingHeader(LAG).orElseThrow();
        return Duration.ofMillis(new BigDecimal(seconds).movePointRight(3).longValueExact());
    }

    private static void await(BooleanSupplier condition) {
        long limit = System.nanoTime() + LAG_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("within the greatest lag").isLessThan(limit);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Ends with a stopped owner, which the caller kills. */
    void check() throws Exception {
        byte[] large = new byte[LARGE_BYTES];
        large[LARGE_BYTES - 1] = 1;
        try (S3Client writer = Clients.sync(owner.endpoint());
                S3Client root = Clients.once(standby)) {
            Store store = new Store(owner.endpoint(), writer);
            store.createVersioned(BUCKET);
            store.put(BUCKET, "large", large);
            String firstVersion = store.put(BUCKET, KEY, "first").versionId();
            Instant then = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            await(() -> Instant.now().truncatedTo(ChronoUnit.MILLIS).isAfter(then));
            Map<String, Object> added =
                    VoluteCommand.json(
                            owner,
                            "user",
                            "add",
                            "carol",
                            "--policy",
                            "readonly",
                            "--bucket",
                            BUCKET);
            AwsBasicCredentials key =
                    AwsBasicCredentials.create(
                            (String) added.get("accessKey"), (String) added.get("secretKey"));
            try (S3Client carol = Clients.as(standby, key)) {
                await(() -> isAccepted(carol));
                VoluteCommand.done(owner, "key", "remove", key.accessKeyId(), "--yes");
                await(() -> !isAccepted(carol));
            }
            store.put(BUCKET, KEY, "second");
            await(() -> get(root, KEY, Map.of()).asUtf8String().equals("second"));

            ServerProcess.signal("STOP", owner.pid());
            assertThat(get(root, KEY, Map.of()).asUtf8String()).isEqualTo("second");
            assertThat(get(root, KEY, Map.of("x-volute-at", then.toString())).asUtf8String())
                    .isEqualTo("first");
            assertThat(get(root, "large", Map.of()).asByteArray()).isEqualTo(large);
            requireListings(root, firstVersion);
            requireSignature();
        }
    }

    private static boolean isAccepted(S3Client s3) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, () -> get(s3, KEY, Map.of()));
        if (refused != null) {
            assertThat(refused.awsErrorDetails().errorCode()).isEqualTo("InvalidAccessKeyId");
        }
        return refused == null;
    }

    private static void requireListings(S3Client root, String firstVersion) {
        ListObjectsV2Response listed =
                root.listObjectsV2(
                        list -> list.bucket(BUCKET).overrideConfiguration(accepting(Map.of())));
        assertThat(listed.contents()).extracting(each -> each.key()).containsExactly(KEY, "large");
        assertThat(
                        root.listObjectVersions(
                                        list ->
                                                list.bucket(BUCKET)
                                                        .overrideConfiguration(accepting(Map.of())))
                                .versions())
                .extracting(each -> each.versionId())
                .contains(firstVersion);
        assertThat(
                        root.getObjectAsBytes(
                                        get ->
                                                get.bucket(BUCKET)
                                                        .key(KEY)
                                                        .versionId(firstVersion)
                                                        .overrideConfiguration(accepting(Map.of())))
                                .asUtf8String())
                .isEqualTo("first");
    }

    private void requireSignature() {
        AwsBasicCredentials forged =
                AwsBasicCredentials.create(ServerProcess.ACCESS_KEY, "not-the-secret");
        try (S3Client s3 = Clients.as(standby, forged)) {
            Store.refused(403, "SignatureDoesNotMatch", () -> get(s3, KEY, Map.of()));
        }
    }
}
