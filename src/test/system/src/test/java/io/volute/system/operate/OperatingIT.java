package io.volute.system.operate;

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

/** Tests the operator's commands against a real server. */
class OperatingIT {
    private static final int LOOKS_MAX = 120;

    /** When the last scrub began, as soon as there is one. */
    private static Object scrubbed(ServerProcess server) throws Exception {
        for (int i = 0; i < LOOKS_MAX; i++) {
            if (VoluteCommand.json(server, "scrub").get("last") instanceof Map<?, ?> last) {
                assertThat(last.get("problems")).isEqualTo(0L);
                assertThat(last.get("findings")).isEqualTo(0L);
                return last.get("began");
            }
        }
        throw new AssertionError("the scrub does not end: " + server.log());
    }

    @Test
    void aScrubIsAskedForAndRememberedAndTheDoctorKnows() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("operating")) {
            Object began;
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.once(server.endpoint())) {
                s3.createBucket(create -> create.bucket("bucket"));
                assertThat(
                                s3.putObject(
                                                put -> put.bucket("bucket").key("key"),
                                                RequestBody.fromString("content"))
                                        .sdkHttpResponse()
                                        .isSuccessful())
                        .isTrue();
                assertThat(VoluteCommand.done(server, "scrub", "--now")).contains("running  ");
                began = scrubbed(server);
                assertThat(VoluteCommand.done(server, "top", "--count", "1", "--every", "1s"))
                        .contains("cube default", "client-data", "scrub  not running");
                assertThat(server.stop()).as(server.log()).isZero();
            }
            try (ServerProcess server = ServerProcess.start(directory)) {
                assertThat(scrubbed(server)).isEqualTo(began);
                // Its exit code is about this machine's disk as well.
                Said doctor =
                        VoluteCommand.run(server, "doctor", "--data", directory.data().toString());
                assertThat(doctor.text())
                        .contains(
                                "ok    configuration: ",
                                "ok    cube default: it is healthy",
                                "ok    scrub: the last one began " + began,
                                "ok    check: ");
                assertThat(server.stop()).as(server.log()).isZero();
            }
        }
    }
}
