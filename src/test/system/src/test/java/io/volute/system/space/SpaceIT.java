package io.volute.system.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Tests the operator's commands about space against the real server. */
class SpaceIT {
    private static final int BODY_BYTES = 64 << 10;
    private static final int TRIES_MAX = 500;
    private static final int BUSY_MAX = 8;
    private static final Map<String, String> SMALL =
            Map.of("VOLUTE_LOG_SEGMENT_SIZE", "1MiB", "VOLUTE_LOG_CAPACITY", "20MiB");

    private static int put(S3Client s3, int i) {
        try {
            byte[] body = new byte[BODY_BYTES];
            body[0] = (byte) i;
            return s3.putObject(
                            put -> put.bucket("bucket").key("key" + i), RequestBody.fromBytes(body))
                    .sdkHttpResponse()
                    .statusCode();
        } catch (S3Exception e) {
            return e.statusCode();
        }
    }

    /** Until the store is full, or always busy, which is as good to a client. */
    private static int fill(S3Client s3) {
        int count = 0;
        int busy = 0;
        for (int tries = 0; tries < TRIES_MAX && busy < BUSY_MAX; tries++) {
            int status = put(s3, count);
            if (status == 507) {
                return count;
            }
            assertThat(status).isIn(200, 503);
            count += status == 200 ? 1 : 0;
            busy = status == 503 ? busy + 1 : 0;
        }
        assertThat(busy).isEqualTo(BUSY_MAX);
        return count;
    }

    @Test
    void aFullStoreIsSeenCleanedAndChecked() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("space");
                ServerProcess server = ServerProcess.start(directory, SMALL);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            int count = fill(s3);
            assertThat(count).isGreaterThan(100);

            for (int i = 0; i < count; i += 2) {
                String key = "key" + i;
                s3.deleteObject(delete -> delete.bucket("bucket").key(key));
            }
            assertThat(VoluteCommand.done(server, "clean", "--now"))
                    .contains("compact: ")
                    .contains("combined: ");
            assertThat(put(s3, count)).as(server.log()).isEqualTo(200);

            assertThat(VoluteCommand.done(server, "space"))
                    .contains("cube default (healthy)")
                    .contains("tombstone")
                    .contains("cleaning")
                    .contains("last decision");
            assertThat(VoluteCommand.json(server, "space").toString()).contains("capacityBytes=");

            assertThat(VoluteCommand.done(server, "check"))
                    .contains("finished: ")
                    .contains(" 0 problems");
            for (int i = 1; i < count; i += 2) {
                String key = "key" + i;
                byte[] body =
                        s3.getObjectAsBytes(get -> get.bucket("bucket").key(key)).asByteArray();
                assertThat(body).hasSize(BODY_BYTES).startsWith((byte) i);
            }
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    @Test
    void refusalsHaveExitCodesOfTheirOwn() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("refusal");
                ServerProcess server = ServerProcess.start(directory)) {
            Said wrongSecret = VoluteCommand.runAs(server, "not-the-secret", "space");
            assertThat(wrongSecret.code()).isEqualTo(1);
            assertThat(wrongSecret.text()).contains("SignatureDoesNotMatch").contains("(request ");
            Said wrongUse = VoluteCommand.run(server, "clean");
            assertThat(wrongUse.code()).isEqualTo(2);
            assertThat(wrongUse.text()).contains("--now");
            Said both = VoluteCommand.run(server, "clean", "--now", "--compact", "--combined");
            assertThat(both.code()).isEqualTo(2);
            Map<String, Object> once = VoluteCommand.json(server, "clean", "--now", "--compact");
            assertThat(once.toString()).contains("compact={").doesNotContain("combined");
            server.kill();
            Said gone = VoluteCommand.run(server, "space");
            assertThat(gone.code()).isEqualTo(1);
            assertThat(gone.text()).contains("cannot reach http://127.0.0.1:");
        }
    }
}
