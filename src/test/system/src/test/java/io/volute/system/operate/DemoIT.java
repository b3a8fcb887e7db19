package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** The first minute with a store: the demonstration, and a user with one bucket. */
class DemoIT {
    private static final String BUCKET = "volute-demo";

    private static List<String> commands(Map<String, Object> told) {
        List<String> commands = new ArrayList<>();
        for (Object step : (List<?>) told.get("steps")) {
            commands.add((String) ((Map<?, ?>) step).get("command"));
        }
        return commands;
    }

    /** Runs a printed command of volute, as a process with the exit code of one. */
    private static String run(ServerProcess server, String command) throws Exception {
        String endpoint = " --endpoint " + server.endpoint();
        assertThat(command).startsWith("volute ").endsWith(endpoint);
        Said said =
                VoluteCommand.runAsProcess(
                        server, command.replace(endpoint, "").substring(7).split(" "));
        assertThat(said.code()).as(said.text() + server.log()).isZero();
        return said.text();
    }

    private static String read(S3Client s3, String bucket, String key) {
        return s3.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asUtf8String();
    }

    @Test
    void theFivePrintedCommandsWork() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("demo");
                ServerProcess server = ServerProcess.start(work);
                S3Client root = Clients.once(server.endpoint())) {
            List<String> commands = commands(VoluteCommand.json(server, "demo"));
            assertThat(commands).hasSize(5);
            assertThat(read(root, BUCKET, "report.txt")).contains("Pay");

            String past = commands.getFirst().replaceAll(".* s3://([^/]*)/report.txt -$", "$1");
            assertThat(commands.getFirst()).startsWith("aws --endpoint-url " + server.endpoint());
            assertThat(read(root, past, "report.txt")).contains("final");
            assertThat(run(server, commands.get(1)))
                    .contains("volute-demo-anna", "volute-demo-backup");
            assertThat(run(server, commands.get(2)))
                    .contains("report.txt", "ideas.txt", "plan.txt", "PAY-ME.txt")
                    .doesNotContain("anna");
            assertThat(run(server, commands.get(3))).contains("0 left, 0 unknown");
            assertThat(run(server, commands.get(4))).contains("0 findings");
            assertThat(read(root, BUCKET, "report.txt")).contains("final");
            assertThat(read(root, BUCKET, "plan.txt")).contains("Volute");

            Said again = VoluteCommand.run(server, "demo");
            assertThat(again.code()).isEqualTo(1);
            assertThat(again.text()).contains("volute demo volute-demo --remove");
            VoluteCommand.done(server, "demo", "--remove", "--yes");
            assertThat(VoluteCommand.done(server, "user", "list")).contains("no users");
            VoluteCommand.json(server, "demo");
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    @Test
    void aBucketOfOthersIsNotRemoved() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("demo-others");
                ServerProcess server = ServerProcess.start(work);
                S3Client root = Clients.once(server.endpoint())) {
            root.createBucket(create -> create.bucket(BUCKET));
            root.putObject(put -> put.bucket(BUCKET).key("k"), RequestBody.fromString("kept"));
            Said refused = VoluteCommand.run(server, "demo", "--remove", "--yes");
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.text()).contains("volute demo has not made it");
            assertThat(read(root, BUCKET, "k")).isEqualTo("kept");
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }

    @Test
    void aUserOfOneBucketIsMadeInOneStep() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("one-step");
                ServerProcess server = ServerProcess.start(work);
                S3Client root = Clients.once(server.endpoint())) {
            String[] add = {"user", "add", "carol", "--policy", "readwrite", "--bucket", "mine"};
            Said refused = VoluteCommand.run(server, add);
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.text()).contains("there is no bucket mine: make it first");
            root.createBucket(create -> create.bucket("mine"));
            root.createBucket(create -> create.bucket("other"));
            Map<String, Object> key = VoluteCommand.json(server, add);
            AwsBasicCredentials carol =
                    AwsBasicCredentials.create(
                            (String) key.get("accessKey"), (String) key.get("secretKey"));
            try (S3Client s3 = Clients.as(server.endpoint(), carol)) {
                s3.putObject(put -> put.bucket("mine").key("k"), RequestBody.fromString("v"));
                assertThat(read(s3, "mine", "k")).isEqualTo("v");
                assertThatThrownBy(() -> s3.listObjectsV2(list -> list.bucket("other")))
                        .isInstanceOf(S3Exception.class);
                assertThatThrownBy(() -> s3.deleteBucket(delete -> delete.bucket("mine")))
                        .isInstanceOf(S3Exception.class);
            }
            assertThat(server.stop()).as(server.log()).isZero();
        }
    }
}
