package io.volute.system.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.FileTree;
import io.volute.system.ServerProcess;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

@ExtendWith(SharedServer.class)
class AwsCliIT {
    private final Store store;

    AwsCliIT(Store store) {
        this.store = store;
    }

    private static ExternalClient aws(Path directory, URI endpoint) throws IOException {
        return ExternalClient.orSkip(directory, List.of("aws"), "--version")
                .with("AWS_ENDPOINT_URL", endpoint.toString());
    }

    @Test
    void copiesListsSignsAndRemoves() throws IOException {
        try (TemporaryStore work = TemporaryStore.create("aws")) {
            ExternalClient aws = aws(work.path(), store.endpoint());
            String bucket = store.bucket();
            Path file = work.path().resolve("file.bin");
            byte[] body = Bytes.random(1, (17 << 20) + 3);
            Files.write(file, body);
            aws.run("s3", "cp", "file.bin", "s3://" + bucket + "/dir/a b.bin").orFail();
            assertThat(store.get(bucket, "dir/a b.bin")).isEqualTo(body);
            assertThat(aws.run("s3", "ls", "s3://" + bucket + "/dir/").orFail())
                    .contains(Integer.toString(body.length))
                    .contains("a b.bin");
            aws.run("s3", "mv", "s3://" + bucket + "/dir/a b.bin", "s3://" + bucket + "/moved")
                    .orFail();
            aws.run("s3", "cp", "s3://" + bucket + "/moved", "back.bin").orFail();
            assertThat(Files.readAllBytes(work.path().resolve("back.bin"))).isEqualTo(body);
            assertThat(
                            aws.run("s3api", "head-object", "--bucket", bucket, "--key", "moved")
                                    .orFail())
                    .contains("\"ContentLength\": " + body.length);
            String url = aws.run("s3", "presign", "s3://" + bucket + "/moved").orFail().strip();
            assertThat(url).startsWith(store.endpoint().toString());
            assertThat(URI.create(url).toURL().openStream()).hasBinaryContent(body);
            aws.run("s3", "rm", "--recursive", "s3://" + bucket).orFail();
            aws.run("s3", "rb", "s3://" + bucket).orFail();
            assertThat(aws.run("s3", "ls", "s3://" + bucket).code()).isNotZero();
        }
    }

    @Test
    void namesTheOwnerTheStorageClassAndMissingServices() throws IOException {
        try (TemporaryStore work = TemporaryStore.create("aws-names")) {
            ExternalClient aws = aws(work.path(), store.endpoint());
            String bucket = store.bucket();
            String account =
                    aws.run("sts", "get-caller-identity", "--query", "Account", "--output", "text")
                            .orFail()
                            .strip();
            List<String> put =
                    List.of(
                            "s3api",
                            "put-object",
                            "--bucket",
                            bucket,
                            "--key",
                            "k",
                            "--storage-class",
                            "STANDARD_IA",
                            "--expected-bucket-owner");
            assertThat(aws.run(with(put, "111122223333")).output()).contains("AccessDenied");
            aws.run(with(put, account)).orFail();
            List<String> head = List.of("s3api", "head-object", "--key", "k");
            assertThat(aws.run(with(head, "--bucket", bucket)).orFail()).contains("STANDARD_IA");
            assertThat(aws.run("iam", "list-users").orFail()).contains("Users");
            assertThat(aws.run("iam", "list-server-certificates").output())
                    .contains("InvalidAction");
        }
    }

    private static String[] with(List<String> arguments, String... more) {
        return Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void syncsATreeUpThroughAKillAndDownAgain() throws IOException {
        int files = Integer.getInteger("volute.treeFiles", 400);
        try (TemporaryStore work = TemporaryStore.create("sync")) {
            ServerProcess.Options options = ServerProcess.Options.of(work.data());
            Path tree = Files.createDirectory(work.path().resolve("tree"));
            FileTree.make(tree, files, 7);
            ServerProcess server = ServerProcess.start(options);
            try (S3Client s3 = Clients.sync(server.endpoint())) {
                ExternalClient aws =
                        aws(work.path(), server.endpoint()).with("AWS_MAX_ATTEMPTS", "1");
                s3.createBucket(create -> create.bucket("tree"));
                int seen = killInTheMiddle(server, s3, aws, files);
                server = ServerProcess.start(options);
                int kept = count(s3);
                assertThat(kept).as("what was listed before the kill").isGreaterThanOrEqualTo(seen);
                aws.run("s3", "sync", "--only-show-errors", "tree", "s3://tree/").orFail();
                assertThat(count(s3)).isEqualTo(files);
                aws.run("s3", "sync", "--only-show-errors", "s3://tree/", "down").orFail();
                FileTree.assertSame(tree, work.path().resolve("down"));
                // Nothing is left to do.
                assertThat(aws.run("s3", "sync", "tree", "s3://tree/").orFail().strip()).isEmpty();
                System.out.printf(
                        "sync: %d files, %d listed before the kill, %d after it%n",
                        files, seen, kept);
            } finally {
                server.close();
            }
        }
    }

    /** Returns how many objects a listing had shown before the server died. */
    private static int killInTheMiddle(
            ServerProcess server, S3Client s3, ExternalClient aws, int files) throws IOException {
        int seen = 0;
        try (ExternalClient.Running sync =
                aws.start("s3", "sync", "--only-show-errors", "tree", "s3://tree/")) {
            while (seen < files / 3 && sync.process().isAlive()) {
                seen = count(s3);
            }
            server.kill();
            assertThat(sync.result().code()).as("the sync was under way").isNotZero();
        }
        return seen;
    }

    private static int count(S3Client s3) {
        return (int)
                s3.listObjectsV2Paginator(list -> list.bucket("tree")).contents().stream().count();
    }
}
