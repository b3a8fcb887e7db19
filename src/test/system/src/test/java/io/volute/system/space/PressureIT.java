package io.volute.system.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.AdminAnswers;
import io.volute.system.AdminAnswers.Space;
import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** History gives way to what clients write now, however fast they are. */
class PressureIT {
    private static final int CLIENTS = 4;
    private static final int WRITES = 500;
    private static final int BYTES = 100_000;
    private static final int SLOW_DOWN = 503;
    private static final Map<String, String> SMALL =
            Map.of(
                    "VOLUTE_LOG_SEGMENT_SIZE", "512KiB",
                    "VOLUTE_LOG_CAPACITY", "64MiB",
                    "VOLUTE_HISTORY_POLICY", "every-write");

    /** Three times the capacity is written over; clients may be slowed down, never refused. */
    @Test
    void nobodyHearsOfAFullStoreWhileHistoryCanGo() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("pressure");
                ServerProcess server = ServerProcess.start(directory, SMALL);
                S3Client s3 = Clients.once(server.endpoint());
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            s3.createBucket(create -> create.bucket("bucket"));
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String key = "key-" + i;
                clients.add(threads.submit(() -> overwrite(s3, key)));
            }
            for (Future<?> client : clients) {
                client.get();
            }
            Space space = new AdminAnswers(server.endpoint()).space();
            assertThat(space.live())
                    .as("some history is still there: %s", space)
                    .isGreaterThan(10L * BYTES);
        }
    }

    private static void overwrite(S3Client s3, String key) {
        for (int i = 0; i < WRITES; i++) {
            RequestBody body = RequestBody.fromBytes(Bytes.random(i, BYTES));
            while (!isTaken(s3, key, body)) {
                // It has waited for most of a second by then.
            }
        }
    }

    private static boolean isTaken(S3Client s3, String key, RequestBody body) {
        try {
            s3.putObject(put -> put.bucket("bucket").key(key), body);
            return true;
        } catch (S3Exception e) {
            assertThat(e.statusCode()).as(e.getMessage()).isEqualTo(SLOW_DOWN);
            return false;
        }
    }
}
