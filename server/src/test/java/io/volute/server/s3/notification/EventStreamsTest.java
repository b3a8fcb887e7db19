package io.volute.server.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventStreamsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final BucketInfo BUCKET =
            new BucketInfo(
                    1,
                    new BucketName("photos"),
                    "root",
                    NOW,
                    VersioningState.UNVERSIONED,
                    HistoryPolicy.NONE);
    private static final EventStreams.Wanted ALL =
            new EventStreams.Wanted(
                    Optional.of(new BucketName("photos")), "", "", Set.of(EventType.CREATED_PUT));

    private static final long WEIGHT =
            64L + EventRecord.of(change("k0"), EventType.CREATED_PUT, "", "eu-1").length;

    private static KeyChange change(String key) {
        ObjectVersion version =
                new ObjectVersion(
                        new ObjectKey(key),
                        1,
                        true,
                        true,
                        false,
                        NOW,
                        "root",
                        5,
                        0,
                        ObjectAttributes.ofEtag("e"));
        return new KeyChange(7, NOW, ChangeKind.PUT, BUCKET, version, new Caller("root", "k", "a"));
    }

    private static void offer(EventStreams streams, String key) {
        streams.offering(change(key), EventType.CREATED_PUT).run();
    }

    /** Writes events at the first blank, so that all of them wait before one is read. */
    private static OutputStream eventsFirst(
            EventStreams streams, int events, ByteArrayOutputStream seen) {
        return new OutputStream() {
            private boolean hasBegun;

            @Override
            public void write(int b) {
                if (!hasBegun) {
                    hasBegun = true;
                    for (int i = 0; i < events; i++) {
                        offer(streams, "k" + i);
                    }
                    streams.close();
                }
                seen.write(b);
            }
        };
    }

    @Test
    void eventsThatWaitAreWrittenBeforeTheEnd() throws IOException {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMinutes(1), 5, 1 << 20);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        streams.open(ALL, "alice", () -> true).writeTo(eventsFirst(streams, 3, seen));
        assertThat(seen.toString(StandardCharsets.UTF_8).lines())
                .hasSize(3)
                .allMatch(line -> line.contains("\"awsRegion\":\"eu-1\""));
        assertThat(streams.count()).isZero();
    }

    @Test
    void aClientThatIsTooSlowIsCutOff() {
        EventStreams streams =
                new EventStreams("eu-1", Duration.ofMinutes(1), 5, 3 * WEIGHT * 3 / 2);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        EventStreams.Body body = streams.open(ALL, "alice", () -> true);
        assertThatThrownBy(() -> body.writeTo(eventsFirst(streams, 4, seen)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too slow");
        assertThat(streams.count()).isZero();
    }

    /** It takes part of the heap at most, and returns all of it, also when it never reads again. */
    @Test
    void aClientThatDoesNotReadLeavesHeapForOthers() throws IOException {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMinutes(1), 5, 100 * WEIGHT);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        OutputStream stuck =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        while (streams.count() > 0) {
                            offer(streams, "k0");
                            assertThat(streams.heldBytes()).isLessThanOrEqualTo(67 * WEIGHT);
                        }
                        // Cut off, and not even its thread knows.
                        assertThat(streams.heldBytes()).isZero();
                        streams.open(ALL, "alice", () -> true)
                                .writeTo(eventsFirst(streams, 60, seen));
                    }
                };
        assertThatThrownBy(() -> streams.open(ALL, "bob", () -> true).writeTo(stuck))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too slow");
        assertThat(seen.toString(StandardCharsets.UTF_8).lines()).hasSize(60);
        assertThat(streams.heldBytes()).isZero();
    }

    @Test
    void oneCallerLeavesPlacesForOthers() throws IOException {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMillis(1), 4, 1 << 20);
        int[] open = {0};
        listen(streams, open);
        assertThat(open[0]).isEqualTo(3);
    }

    /** Listens once more within each stream, as long as the caller gets one. */
    private static void listen(EventStreams streams, int[] open) throws IOException {
        EventStreams.Body body;
        try {
            body = streams.open(ALL, "alice", () -> false);
        } catch (S3Exception e) {
            assertThat(e.error()).isEqualTo(S3Error.SLOW_DOWN);
            streams.open(ALL, "bob", () -> false).writeTo(OutputStream.nullOutputStream());
            return;
        }
        open[0]++;
        body.writeTo(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        listen(streams, open);
                    }
                });
    }

    @Test
    void aStreamEndsWithThePermission() throws IOException {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMillis(1), 5, 1 << 20);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        int[] left = {2};
        streams.open(ALL, "alice", () -> left[0]-- > 0).writeTo(seen);
        assertThat(seen.toString(StandardCharsets.UTF_8)).isEqualTo("   ");
    }

    @Test
    void thereAreNotMoreStreamsThanMayBe() throws IOException {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMillis(1), 1, 1 << 20);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        streams.open(
                        ALL,
                        "alice",
                        () -> {
                            assertThatThrownBy(() -> streams.open(ALL, "alice", () -> true))
                                    .isInstanceOfSatisfying(
                                            S3Exception.class,
                                            e ->
                                                    assertThat(e.error())
                                                            .isEqualTo(S3Error.SLOW_DOWN));
                            return false;
                        })
                .writeTo(seen);
        assertThat(seen.size()).isEqualTo(1);
        streams.close();
        assertThatThrownBy(() -> streams.open(ALL, "alice", () -> true))
                .isInstanceOf(S3Exception.class);
    }
}
