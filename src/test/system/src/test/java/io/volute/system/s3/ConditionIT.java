package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

@ExtendWith(SharedServer.class)
class ConditionIT {
    private static final Instant PAST = Instant.ofEpochSecond(1_000_000_000);
    private final Store store;
    private final S3Client s3;

    ConditionIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private int read(String bucket, Consumer<GetObjectRequest.Builder> condition) {
        int get;
        try {
            get =
                    s3.getObjectAsBytes(
                                    request -> {
                                        request.bucket(bucket).key("key");
                                        condition.accept(request);
                                    })
                            .response()
                            .sdkHttpResponse()
                            .statusCode();
        } catch (S3Exception e) {
            get = e.statusCode();
        }
        return get;
    }

    @Test
    void readsObeyTheirConditions() {
        String bucket = store.bucket();
        String etag = store.put(bucket, "key", "body").eTag();
        Instant made = s3.headObject(head -> head.bucket(bucket).key("key")).lastModified();
        Instant before = made.minusSeconds(3_600);

        assertThat(read(bucket, get -> get.ifMatch(etag))).isEqualTo(200);
        assertThat(read(bucket, get -> get.ifMatch("\"other\""))).isEqualTo(412);
        assertThat(read(bucket, get -> get.ifNoneMatch(etag))).isEqualTo(304);
        assertThat(read(bucket, get -> get.ifNoneMatch("\"other\""))).isEqualTo(200);
        assertThat(read(bucket, get -> get.ifModifiedSince(before))).isEqualTo(200);
        assertThat(read(bucket, get -> get.ifModifiedSince(made))).isEqualTo(304);
        assertThat(read(bucket, get -> get.ifUnmodifiedSince(made))).isEqualTo(200);
        assertThat(read(bucket, get -> get.ifUnmodifiedSince(PAST))).isEqualTo(412);
        // Amazon's page of GetObject defines the pairs:
        assertThat(read(bucket, get -> get.ifMatch(etag).ifUnmodifiedSince(PAST))).isEqualTo(200);
        assertThat(read(bucket, get -> get.ifNoneMatch(etag).ifModifiedSince(before)))
                .isEqualTo(304);
    }

    @Test
    void headsObeyThemToo() {
        String bucket = store.bucket();
        String etag = store.put(bucket, "key", "body").eTag();
        refused(
                412,
                "",
                () -> s3.headObject(head -> head.bucket(bucket).key("key").ifMatch("\"other\"")));
        refused(
                304,
                "",
                () -> s3.headObject(head -> head.bucket(bucket).key("key").ifNoneMatch(etag)));
    }

    private String putIf(String bucket, String body, Consumer<PutObjectRequest.Builder> condition) {
        return s3.putObject(
                        put -> {
                            put.bucket(bucket).key("key");
                            condition.accept(put);
                        },
                        RequestBody.fromString(body))
                .eTag();
    }

    @Test
    void createOnlyDoesNotOverwrite() {
        String bucket = store.bucket();
        putIf(bucket, "first", put -> put.ifNoneMatch("*"));
        refused(
                412,
                "PreconditionFailed",
                () -> putIf(bucket, "second", put -> put.ifNoneMatch("*")));
        assertThat(store.text(bucket, "key")).isEqualTo("first");
        s3.deleteObject(delete -> delete.bucket(bucket).key("key"));
        putIf(bucket, "third", put -> put.ifNoneMatch("*"));
        assertThat(store.text(bucket, "key")).isEqualTo("third");
    }

    @Test
    void createOnlyWorksOnADeleteMarker() {
        String bucket = store.versionedBucket();
        store.put(bucket, "key", "first");
        s3.deleteObject(delete -> delete.bucket(bucket).key("key"));
        putIf(bucket, "second", put -> put.ifNoneMatch("*"));
        assertThat(store.text(bucket, "key")).isEqualTo("second");
    }

    @Test
    void replaceOnlyWhatIsNamed() {
        String bucket = store.bucket();
        refused(404, "NoSuchKey", () -> putIf(bucket, "x", put -> put.ifMatch("\"etag\"")));
        String first = putIf(bucket, "first", put -> {});
        String second = putIf(bucket, "second", put -> put.ifMatch(first));
        refused(412, "PreconditionFailed", () -> putIf(bucket, "third", put -> put.ifMatch(first)));
        assertThat(store.text(bucket, "key")).isEqualTo("second");
        putIf(bucket, "fourth", put -> put.ifMatch(second));
        assertThat(store.text(bucket, "key")).isEqualTo("fourth");
    }

    @Test
    void ofManyConcurrentCreatesExactlyOneWins() throws Exception {
        String bucket = store.bucket();
        for (int round = 0; round < 10; round++) {
            String key = "race-" + round;
            List<String> winners =
                    race(
                            16,
                            racer -> {
                                String body = key + " by " + racer;
                                s3.putObject(
                                        put -> put.bucket(bucket).key(key).ifNoneMatch("*"),
                                        RequestBody.fromString(body));
                                return body;
                            });
            assertThat(winners).hasSize(1);
            assertThat(store.text(bucket, key)).isEqualTo(winners.getFirst());
        }
    }

    @Test
    void ofManyConcurrentReplacesExactlyOneWins() throws Exception {
        String bucket = store.bucket();
        String etag = store.put(bucket, "key", "start").eTag();
        for (int round = 0; round < 10; round++) {
            String expected = etag;
            String name = "round " + round;
            List<String> winners =
                    race(
                            16,
                            racer -> {
                                String body = name + " by " + racer;
                                s3.putObject(
                                        put -> put.bucket(bucket).key("key").ifMatch(expected),
                                        RequestBody.fromString(body));
                                return body;
                            });
            assertThat(winners).hasSize(1);
            assertThat(store.text(bucket, "key")).isEqualTo(winners.getFirst());
            etag = s3.headObject(head -> head.bucket(bucket).key("key")).eTag();
        }
    }

    private interface Racer {
        String run(int racer);
    }

    /**
     * Returns the results of the winners. The server must have refused the losers with 412 or 409.
     */
    private static List<String> race(int racers, Racer body)
            throws InterruptedException, ExecutionException {
        try (ExecutorService threads = Executors.newFixedThreadPool(racers)) {
            List<Callable<String>> tasks = new ArrayList<>();
            for (int i = 0; i < racers; i++) {
                int racer = i;
                tasks.add(
                        () -> {
                            try {
                                return body.run(racer);
                            } catch (S3Exception e) {
                                assertThat(e.statusCode()).as(e.getMessage()).isIn(409, 412);
                                return "";
                            }
                        });
            }
            List<String> winners = new ArrayList<>();
            for (Future<String> each : threads.invokeAll(tasks)) {
                if (!each.get().isEmpty()) {
                    winners.add(each.get());
                }
            }
            return winners;
        }
    }
}
