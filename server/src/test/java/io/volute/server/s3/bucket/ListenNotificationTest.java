package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authority.PolicySource;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.notification.EventSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The stream of events that {@code mc watch} reads. */
class ListenNotificationTest {
    private static final String ALL =
            "events=s3:ObjectCreated:*&events=s3:ObjectRemoved:*&events=s3:ObjectAccessed:*";

    private S3TestBed bed;
    private String bucket;

    @BeforeEach
    void open() {
        bed = new S3TestBed();
        bucket = bed.bucket();
    }

    @AfterEach
    void close() {
        bed.close();
    }

    /** Encodes names of events as clients do. */
    private static String encoded(String target) {
        return target.replace("s3:", "s3%3A")
                .replaceAll(":([A-Za-z*]+)", "%3A$1")
                .replace("*", "%2A");
    }

    /** Listens until the streams are closed. */
    private CompletableFuture<TestResponse> listen(String target) {
        int before = bed.streams().count();
        CompletableFuture<TestResponse> answer =
                CompletableFuture.supplyAsync(() -> bed.get(encoded(target)));
        while (bed.streams().count() == before && !answer.isDone()) {
            Thread.onSpinWait();
        }
        return answer;
    }

    private List<String> lines(CompletableFuture<TestResponse> answer) throws Exception {
        bed.streams().close();
        TestResponse whole = answer.get(60, TimeUnit.SECONDS);
        assertThat(whole.status()).isEqualTo(200);
        return whole.text().lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    @Test
    void aListenerGetsTheEventsOfItsBucket() throws Exception {
        String other = bed.bucket();
        bed.put("/" + bucket + "/before", "x");
        CompletableFuture<TestResponse> listener = listen("/" + bucket + "?" + ALL);
        bed.put("/" + bucket + "/a b", "12345");
        bed.put("/" + other + "/elsewhere", "x");
        assertThat(bed.request("DELETE", "/" + bucket + "/before").send().status()).isEqualTo(204);
        List<String> lines = lines(listener);
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0))
                .startsWith("{\"Records\":[")
                .contains("ObjectCreated:Put", "\"key\":\"a+b\"", "\"size\":5");
        assertThat(lines.get(1)).contains("ObjectRemoved:Delete", "\"key\":\"before\"");
        assertThat(bed.store().outbox().consumers()).isEmpty();
    }

    @Test
    void filtersAndTypesChoose() throws Exception {
        CompletableFuture<TestResponse> listener =
                listen(
                        "/"
                                + bucket
                                + "?events=s3:ObjectCreated:Put&ping=10&prefix=in%2F&suffix=.jpg");
        for (String key : List.of("in/a.jpg", "in/a.png", "out/a.jpg")) {
            bed.put("/" + bucket + "/" + key, "x");
        }
        assertThat(bed.request("DELETE", "/" + bucket + "/in/a.jpg").send().status())
                .isEqualTo(204);
        assertThat(lines(listener)).singleElement().asString().contains("in/a.jpg");
    }

    @Test
    void theServiceHasTheEventsOfAllBuckets() throws Exception {
        CompletableFuture<TestResponse> listener = listen("/?" + ALL);
        String other = bed.bucket();
        bed.put("/" + bucket + "/a", "x");
        bed.put("/" + other + "/b", "x");
        assertThat(lines(listener)).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "/BUCKET?events=s3:ObjectMoved:*,InvalidArgument",
        "/BUCKET?events=s3:ObjectCreated:*&prefix=a&prefix=b,InvalidArgument",
        "/BUCKET?events=s3:ObjectCreated:*&Events=s3:ObjectCreated:*,InvalidArgument",
        "/BUCKET?events,InvalidRequest",
        "/nosuchbucket?events=s3:ObjectCreated:*,NoSuchBucket",
    })
    void wrongRequestsAreRefused(String target, String code) {
        assertThat(bed.get(encoded(target.replace("BUCKET", bucket))).code()).isEqualTo(code);
    }

    @Test
    void listeningNeedsAPermission() {
        for (String target : List.of("/" + bucket + "?" + ALL, "/?" + ALL)) {
            assertThat(bed.request("GET", encoded(target)).sendAs(bed.bob()).code())
                    .isEqualTo("AccessDenied");
        }
    }

    /** A client that reads a stream, and what happens once it has the first event. */
    private List<String> readWhile(CredentialStore users, TestSigner who, Runnable event)
            throws Exception {
        S3Protocol protocol =
                new S3Protocol(
                        bed.store(),
                        users,
                        new Authority(PolicySource.NONE),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                                .withEvents(new EventSettings(Map.of(), bed.streams())),
                        AuditTrail.NONE);
        CompletableFuture<TestResponse> answer =
                CompletableFuture.supplyAsync(
                        () ->
                                bed.request("GET", encoded("/" + bucket + "?" + ALL))
                                        .over(protocol)
                                        .sendAs(who));
        while (bed.streams().count() == 0 && !answer.isDone()) {
            Thread.onSpinWait();
        }
        event.run();
        bed.put("/" + bucket + "/secret", "x");
        TestResponse whole = answer.get(60, TimeUnit.SECONDS);
        return whole.text().lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    @Test
    void aStreamEndsWithItsKey() throws Exception {
        AtomicBoolean isDisabled = new AtomicBoolean();
        CredentialStore users =
                key -> isDisabled.get() ? Optional.empty() : S3TestBed.credentials().find(key);
        assertThat(readWhile(users, bed.root(), () -> isDisabled.set(true))).isEmpty();
    }

    @Test
    void aStreamEndsWithAnotherSecretOrGenerationOfItsKey() throws Exception {
        AtomicReference<Credential> key =
                new AtomicReference<>(S3TestBed.credentials().find("ROOTKEY").orElseThrow());
        Credential first = key.get();
        Credential again =
                new Credential(
                        first.accessKey(),
                        first.secretKey(),
                        first.principal(),
                        first.displayName(),
                        first.kind(),
                        first.generation() + 1,
                        Optional.empty());
        assertThat(readWhile(name -> Optional.of(key.get()), bed.root(), () -> key.set(again)))
                .isEmpty();
    }

    @Test
    void aStreamEndsWithItsBucket() throws Exception {
        Runnable remaking =
                () -> {
                    assertThat(bed.request("DELETE", "/" + bucket).send().status()).isEqualTo(204);
                    assertThat(bed.request("PUT", "/" + bucket).send().status()).isEqualTo(200);
                };
        CompletableFuture<TestResponse> listener = listen("/" + bucket + "?" + ALL);
        remaking.run();
        bed.put("/" + bucket + "/of-the-next", "x");
        assertThat(lines(listener)).isEmpty();
    }
}
