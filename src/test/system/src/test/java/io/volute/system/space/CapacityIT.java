package io.volute.system.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.AdminAnswers;
import io.volute.system.AdminAnswers.Space;
import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Tests that space is either used or free. Any other space is lost to clients. */
class CapacityIT {
    private static final long CAPACITY = 64L << 20;
    private static final long SEGMENT = 512L << 10;
    private static final Map<String, String> SMALL =
            Map.of("VOLUTE_LOG_SEGMENT_SIZE", "512KiB", "VOLUTE_LOG_CAPACITY", "64MiB");

    @Test
    void usedAndFreeAreTheCapacity() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("capacity");
                ServerProcess server = ServerProcess.start(directory, SMALL);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            for (int i = 0; i < 80; i++) {
                String key = "key-" + i;
                s3.putObject(
                        put -> put.bucket("bucket").key(key),
                        RequestBody.fromBytes(Bytes.random(i, 400_000)));
            }
            Space space = new AdminAnswers(server.endpoint()).space();
            assertThat(space.capacity())
                    .as("used and free, with the rounding of two segments: %s", space)
                    .isBetween(CAPACITY - 2 * SEGMENT, CAPACITY);
        }
    }
}
