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
            new EventStreams.Wanted(Optional.of("photos"), "", "", Set.of(EventType.CREATED_PUT));

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
        return new KeyChange(
                7, NOW, KeyChange.Kind.PUT, BUCKET, version, new Caller("root", "k", "a"));
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
        EventStreams streams = new EventStreams("eu-1", Duration.ofMinutes(1), 5, 10);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        streams.open(ALL, () -> true).writeTo(eventsFirst(streams, 3, seen));
        assertThat(seen.toString(StandardCharsets.UTF_8).lines())
                .hasSize(3)
                .allMatch(line -> line.contains("\"awsRegion\":\"eu-1\""));
        assertThat(streams.count()).isZero();
    }

    @Test
    void aClientThatIsTooSlowIsCutOff() {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMinutes(1), 5, 3);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        EventStreams.Body body = streams.open(ALL, () -> true);
        assertThatThrownBy(() -> body.writeTo(eventsFirst(streams, 4, seen)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too slow");
        assertThat(streams.count()).isZero();
    }

    @Test
    void aStreamEndsWithThePermission() throws IOException {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMillis(1), 5, 3);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        int[] left = {2};
        streams.open(ALL, () -> left[0]-- > 0).writeTo(seen);
        assertThat(seen.toString(StandardCharsets.UTF_8)).isEqualTo("   ");
    }

    @Test
    void thereAreNotMoreStreamsThanMayBe() throws IOException {
        EventStreams streams = new EventStreams("eu-1", Duration.ofMillis(1), 1, 3);
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        streams.open(
                        ALL,
                        () -> {
                            assertThatThrownBy(() -> streams.open(ALL, () -> true))
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
        assertThatThrownBy(() -> streams.open(ALL, () -> true)).isInstanceOf(S3Exception.class);
    }
}
