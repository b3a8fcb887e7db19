package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.ObjectVersion;

/** A process that stands still for a while, and answers that their clients never see. */
class DisturbedIT {
    private static final int ROUNDS = 40;

    private TemporaryStore directory;
    private ServerProcess server;
    private S3Client s3;
    private Store store;

    @BeforeEach
    void start() {
        directory = TemporaryStore.create("disturbed");
        server = ServerProcess.start(directory);
        s3 = Clients.sync(server.endpoint());
        store = new Store(server.endpoint(), s3);
        store.create("bucket");
    }

    @AfterEach
    void close() {
        if (server != null) {
            s3.close();
            server.close();
        }
        directory.close();
    }

    @Test
    void aProcessThatStoodStillGoesOn() throws Exception {
        List<RawConnection> open = new ArrayList<>();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                open.add(RawConnection.open(server.endpoint()));
            }
            ServerProcess.signal("STOP", server.pid());
            for (int i = 0; i < ROUNDS; i++) {
                open.get(i).send(put(i).signed(server.endpoint()));
            }
            ServerProcess.signal("CONT", server.pid());
            for (RawConnection each : open) {
                Answer answer = each.read("PUT").orElseThrow(EOFException::new);
                assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            }
        } finally {
            for (RawConnection each : open) {
                each.close();
            }
        }
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(store.text("bucket", "key-" + i)).isEqualTo(content(i));
        }
        assertThat(server.stop()).isZero();
    }

    @Test
    void aLostAnswerAndARetryHaveNoOtherEffectThanOneOrTwoWrites() throws IOException {
        store.versioning("bucket", BucketVersioningStatus.ENABLED);
        for (int i = 0; i < ROUNDS; i++) {
            lose(put(i));
            store.put("bucket", "key-" + i, content(i));
            assertThat(versions(s3, "key-" + i)).hasSizeBetween(1, 2);
            for (ObjectVersion version : versions(s3, "key-" + i)) {
                assertThat(store.version("bucket", "key-" + i, version.versionId()).asUtf8String())
                        .isEqualTo(content(i));
            }
        }
    }

    @Test
    void aRetriedCreationMakesOneVersion() throws IOException {
        store.versioning("bucket", BucketVersioningStatus.ENABLED);
        for (int i = 0; i < ROUNDS; i++) {
            lose(put(i).header("If-None-Match", "*"));
            Answer retried =
                    RawConnection.exchange(
                            server.endpoint(),
                            put(i).header("If-None-Match", "*").signed(server.endpoint()),
                            "PUT");
            // 409: the first is still at it.
            assertThat(retried.status()).as(retried.body()).isIn(200, 409, 412);
        }
        // A stop finishes what is in flight.
        assertThat(server.stop()).isZero();
        assertOneVersionEach(server.options());
    }

    private static void assertOneVersionEach(ServerProcess.Options options) {
        try (ServerProcess again = ServerProcess.start(options);
                S3Client client = Clients.sync(again.endpoint())) {
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(versions(client, "key-" + i)).as("key-" + i).hasSize(1);
            }
        }
    }

    private static RawRequest put(int number) {
        return RawRequest.of("PUT", "/bucket/key-" + number).body(content(number));
    }

    private static String content(int number) {
        return ("content of " + number + "; ").repeat(500);
    }

    private static List<ObjectVersion> versions(S3Client s3, String key) {
        return s3.listObjectVersions(list -> list.bucket("bucket").prefix(key)).versions().stream()
                .filter(version -> version.key().equals(key))
                .toList();
    }

    /** Sends all of it and goes away without looking at the answer. */
    private void lose(RawRequest request) throws IOException {
        try (RawConnection connection = RawConnection.open(server.endpoint())) {
            connection.send(request.signed(server.endpoint()));
            connection.reset();
        }
    }
}
