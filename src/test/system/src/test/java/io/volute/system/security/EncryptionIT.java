package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.Clients;
import io.volute.system.Past;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.InvalidObjectStateException;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * Encrypted objects survive a kill and the loss of the index; after a shred neither brings them
 * back, and an audit of everything passes.
 */
class EncryptionIT {
    private static final String BUCKET = "bucket";

    /** A body that is a single put in a record, one in a head, and one in a stream segment. */
    private static final List<Integer> SIZES = List.of(50, 20_000, 400_000);

    private static String body(String marker, int length) {
        return marker + ("-" + marker).repeat(length / (marker.length() + 1));
    }

    private static void put(S3Client s3, String key, String body) {
        PutObjectResponse put =
                s3.putObject(
                        each ->
                                each.bucket(BUCKET)
                                        .key(key)
                                        .serverSideEncryption(ServerSideEncryption.AES256),
                        RequestBody.fromString(body));
        assertThat(put.serverSideEncryption()).isEqualTo(ServerSideEncryption.AES256);
    }

    private static String get(S3Client s3, String bucket, String key) {
        return s3.getObjectAsBytes(each -> each.bucket(bucket).key(key)).asUtf8String();
    }

    private static boolean isOnDisk(Path data, String text) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void assertShredded(S3Client s3, String bucket) {
        for (int size : SIZES) {
            assertThatThrownBy(() -> get(s3, bucket, "gone-" + size))
                    .isInstanceOf(InvalidObjectStateException.class)
                    .hasMessageContaining("destroyed by a shred");
        }
    }

    private static void assertKept(S3Client s3) {
        for (int size : SIZES) {
            assertThat(get(s3, BUCKET, "kept-" + size)).isEqualTo(body("kept", size));
        }
    }

    @Test
    void whatIsShreddedIsGoneForGoodAndTheHistorySaysSo() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("encryption")) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data());
            String past;
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                s3.createBucket(each -> each.bucket(BUCKET));
                for (int size : SIZES) {
                    put(s3, "gone-" + size, body("first", size));
                    put(s3, "kept-" + size, body("kept", size));
                }
                past = Past.alias(BUCKET, Past.between(s3, BUCKET));
                for (int size : SIZES) {
                    put(s3, "gone-" + size, body("second", size));
                    assertThat(get(s3, past, "gone-" + size)).isEqualTo(body("first", size));
                }
                assertThat(isOnDisk(directory.data(), "kept-kept")).isFalse();
                s3.putObject(
                        each -> each.bucket(BUCKET).key("plain"), RequestBody.fromString("plain"));
                Said refused =
                        VoluteCommand.run(server, "shred", "--yes", "s3://" + BUCKET + "/plain");
                assertThat(refused.code()).isEqualTo(1);
                assertThat(refused.text()).contains("not encrypted");
                for (int size : SIZES) {
                    assertThat(
                                    VoluteCommand.done(
                                            server,
                                            "shred",
                                            "--yes",
                                            "s3://" + BUCKET + "/gone-" + size))
                            .contains("2 states shredded");
                }
                assertShredded(s3, BUCKET);
                assertShredded(s3, past);
                assertKept(s3);
                server.kill();
            }
            TemporaryStore.deleteTree(directory.data().resolve("cubes/default/index"));
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                assertShredded(s3, BUCKET);
                assertShredded(s3, past);
                assertKept(s3);
                assertThat(get(s3, BUCKET, "plain")).isEqualTo("plain");
                assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                        .contains("0 findings");
                assertThat(
                                VoluteCommand.done(
                                        server,
                                        "provenance",
                                        "show",
                                        "s3://" + BUCKET + "/gone-" + SIZES.getFirst()))
                        .contains("shredded=2");
                put(s3, "gone-50", body("third", 50));
                assertThat(get(s3, BUCKET, "gone-50")).isEqualTo(body("third", 50));
                assertThat(server.stop()).isZero();
            }
        }
    }
}
