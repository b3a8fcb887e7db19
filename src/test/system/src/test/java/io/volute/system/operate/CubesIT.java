package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Several cubes in the real server: a cube that is gone, damaged or killed fails alone. */
class CubesIT {
    @Test
    void aCubeThatIsGoneFailsAloneAndComesBack() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("cubes")) {
            Path photos = directory.data().resolve("cubes/photos");
            Path aside = directory.path().resolve("aside");
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                assertThat(VoluteCommand.done(server, "cube", "create", "photos"))
                        .contains("created cube photos");
                assertThat(
                                VoluteCommand.done(
                                        server, "bucket", "create", "pictures", "--cube", "photos"))
                        .contains("created bucket pictures");
                Store store = new Store(server.endpoint(), s3);
                store.create("documents");
                store.put("pictures", "k", "a picture");
                store.put("documents", "k", "a document");
                copy(s3, "pictures", "documents");
                assertThat(text(s3, "documents", "copied")).isEqualTo("a picture");
                // Without a stop: both cubes recover.
                server.kill();
            }
            Files.move(photos, aside);
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                for (int i = 0; i < 100; i++) {
                    new Store(server.endpoint(), s3).put("documents", "k" + i, "text " + i);
                    assertThat(text(s3, "documents", "k" + i)).isEqualTo("text " + i);
                }
                S3Exception refused =
                        catchThrowableOfType(S3Exception.class, () -> text(s3, "pictures", "k"));
                assertThat(refused.statusCode()).isEqualTo(503);
                assertThat(refused.awsErrorDetails().errorMessage()).contains("cube photos");
                assertThat(s3.listBuckets().buckets())
                        .extracting(Bucket::name)
                        .containsExactly("documents", "pictures");
                assertThat(cube(server, "photos"))
                        .containsEntry("phase", "failed")
                        .containsEntry("buckets", 1L);
                assertThat(VoluteCommand.run(server, "cube", "show", "photos").text())
                        .contains("is missing in the data directory");
                Files.move(aside, photos);
                assertThat(VoluteCommand.done(server, "cube", "reopen", "photos"))
                        .contains("is being opened");
                while (!"open".equals(cube(server, "photos").get("phase"))) {
                    Thread.onSpinWait();
                }
                assertThat(text(s3, "pictures", "k")).isEqualTo("a picture");
                assertThat(VoluteCommand.done(server, "audit", "--all")).contains("0 findings");
                String export = directory.path().resolve("export").toString();
                assertThat(
                                VoluteCommand.run(
                                                server,
                                                "provenance",
                                                "export",
                                                "--all",
                                                "--output",
                                                export)
                                        .text())
                        .contains("InvalidArgument", "name a bucket or a cube");
                VoluteCommand.done(
                        server,
                        "provenance",
                        "export",
                        "--all",
                        "--cube",
                        "photos",
                        "--output",
                        export);
                assertThat(server.stop()).isZero();
            }
        }
    }

    @Test
    void aBucketMovesAlthoughTheServerIsKilled() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("moves")) {
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                assertThat(VoluteCommand.done(server, "cube", "create", "photos"))
                        .contains("created cube photos");
                Store store = new Store(server.endpoint(), s3);
                store.create("pictures");
                for (int i = 0; i < 200; i++) {
                    store.put("pictures", "k" + i, "text " + i);
                }
                assertThat(VoluteCommand.done(server, "audit", "pictures")).contains("0 findings");
                server.kill();
            }
            for (int round = 0; round < 6; round++) {
                String to = round < 3 ? "photos" : "default";
                try (ServerProcess server = ServerProcess.start(directory);
                        S3Client s3 = Clients.sync(server.endpoint())) {
                    Store store = new Store(server.endpoint(), s3);
                    boolean isThere =
                            to.equals(
                                    s3.headBucket(head -> head.bucket("pictures"))
                                            .sdkHttpResponse()
                                            .firstMatchingHeader("x-volute-cube")
                                            .orElse("default"));
                    if (!isThere) {
                        assertThat(
                                        VoluteCommand.done(
                                                server,
                                                "cube",
                                                "move-bucket",
                                                "pictures",
                                                "--to",
                                                to))
                                .contains("is being moved to cube " + to);
                    }
                    for (int i = 0; i < 10; i++) {
                        store.put("pictures", "r" + round + "-" + i, "written " + i);
                    }
                    server.kill();
                }
            }
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                while (!moves(server).isEmpty()) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < 200; i++) {
                    assertThat(text(s3, "pictures", "k" + i)).isEqualTo("text " + i);
                }
                for (int i = 0; i < 60; i++) {
                    assertThat(text(s3, "pictures", "r" + i / 10 + "-" + i % 10))
                            .isEqualTo("written " + i % 10);
                }
                assertThat(VoluteCommand.done(server, "audit", "pictures")).contains("0 findings");
                assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                        .contains("0 findings");
                assertThat(server.stop()).isZero();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> moves(ServerProcess server) throws Exception {
        return (List<Map<String, Object>>)
                VoluteCommand.run(server, "cube", "moves", "--json").json().get("moves");
    }

    @Test
    void aBucketIsDividedAlthoughTheServerIsKilled() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("split")) {
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                assertThat(VoluteCommand.done(server, "cube", "create", "hot"))
                        .contains("created cube hot");
                Store store = new Store(server.endpoint(), s3);
                store.create("pictures");
                for (int i = 100; i < 300; i++) {
                    store.put("pictures", "k" + i, "text " + i);
                }
                assertThat(bucket(server, "split", "k200", "--to", "hot"))
                        .contains("keys from k200 on move to cube hot");
                server.kill();
            }
            try (ServerProcess server = ServerProcess.start(directory);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                while (!moves(server).isEmpty()) {
                    Thread.onSpinWait();
                }
                assertThat(VoluteCommand.done(server, "bucket", "parts", "pictures"))
                        .contains("default", "hot      k200");
                List<String> keys =
                        s3
                                .listObjectsV2Paginator(q -> q.bucket("pictures").maxKeys(30))
                                .contents()
                                .stream()
                                .map(S3Object::key)
                                .toList();
                assertThat(keys).hasSize(200).isSorted();
                for (int i = 100; i < 300; i++) {
                    assertThat(text(s3, "pictures", "k" + i)).isEqualTo("text " + i);
                }
                assertThat(VoluteCommand.done(server, "audit", "pictures")).contains("0 findings");
                assertThat(bucket(server, "merge", "k200"))
                        .contains("keys from k200 on move to cube default");
                while (!moves(server).isEmpty()) {
                    Thread.onSpinWait();
                }
                assertThat(text(s3, "pictures", "k250")).isEqualTo("text 250");
                assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                        .contains("0 findings");
                assertThat(server.stop()).isZero();
            }
        }
    }

    private static String bucket(ServerProcess server, String verb, String at, String... more)
            throws Exception {
        List<String> words = new ArrayList<>(List.of("bucket", verb, "s3://pictures/" + at));
        words.addAll(List.of(more));
        return VoluteCommand.done(server, words.toArray(String[]::new));
    }

    private static void copy(S3Client s3, String from, String to) {
        assertThat(
                        s3.copyObject(
                                        copy ->
                                                copy.sourceBucket(from)
                                                        .sourceKey("k")
                                                        .destinationBucket(to)
                                                        .destinationKey("copied"))
                                .copyObjectResult()
                                .eTag())
                .isEqualTo(s3.headObject(head -> head.bucket(from).key("k")).eTag());
    }

    private static String text(S3Client s3, String bucket, String key) {
        return s3.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asUtf8String();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> cube(ServerProcess server, String name) throws Exception {
        List<Map<String, Object>> cubes =
                (List<Map<String, Object>>)
                        VoluteCommand.run(server, "cube", "list", "--json").json().get("cubes");
        return cubes.stream()
                .filter(cube -> name.equals(cube.get("cube")))
                .findFirst()
                .orElseThrow();
    }
}
