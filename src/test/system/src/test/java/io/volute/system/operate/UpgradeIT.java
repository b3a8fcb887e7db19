package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.VoluteCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A store that the first landed version of the server (commit 1c24b785) wrote before a SIGKILL,
 * opened by this one. Nobody may change that store: it stands for those of users.
 */
class UpgradeIT {
    private static final int PART = 5 << 20;

    @TempDir private Path directory;

    @BeforeEach
    void unpack() throws IOException {
        try (var store = getClass().getResourceAsStream("/upgrade/first-landed.tar.gz")) {
            Files.copy(store, directory.resolve("store.tar.gz"));
        }
        Path data = Files.createDirectory(directory.resolve("data"));
        ExternalClient.orSkip(directory, List.of("tar"), "--version")
                .run("-xzf", directory.resolve("store.tar.gz").toString(), "-C", data.toString())
                .orFail();
    }

    private ServerProcess start() {
        return ServerProcess.start(ServerProcess.Options.of(directory.resolve("data")));
    }

    /** The bytes that the writer of the store made. */
    private static byte[] block(int number, int length) {
        byte[] block = new byte[length];
        for (int i = 0; i < length; i++) {
            block[i] = (byte) (number * 31 + i * 7 + i / 251);
        }
        return block;
    }

    @Test
    void everythingIsThereAndWritesGoOn() throws Exception {
        try (ServerProcess server = start();
                S3Client s3 = Clients.once(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            assertAll(store);
            store.put("plain", "after", "the upgrade");
            store.put("versioned", "doc", "version 3");
            assertThat(server.stop()).isZero();
        }
        try (ServerProcess server = start();
                S3Client s3 = Clients.once(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            assertThat(store.text("plain", "after")).isEqualTo("the upgrade");
            assertThat(store.text("versioned", "doc")).isEqualTo("version 3");
            assertThat(store.text("plain", "small")).isEqualTo("small body");
            VoluteCommand.done(server, "check");
        }
    }

    private static void assertAll(Store store) {
        S3Client s3 = store.s3();
        assertThat(s3.listObjectsV2(list -> list.bucket("plain")).contents())
                .extracting(S3Object::key)
                .containsExactly("a b/\u00E9", "empty", "large", "over", "parts", "small");
        HeadObjectResponse small = s3.headObject(head -> head.bucket("plain").key("small"));
        assertThat(small.contentType()).isEqualTo("text/plain");
        assertThat(small.metadata()).containsEntry("by", "hand");
        assertThat(s3.getObjectTagging(get -> get.bucket("plain").key("small")).tagSet())
                .singleElement()
                .satisfies(tag -> assertThat(tag.key() + tag.value()).isEqualTo("tv"));
        assertThat(store.text("plain", "small")).isEqualTo("small body");
        assertThat(store.text("plain", "a b/\u00E9")).isEqualTo("name");
        assertThat(store.text("plain", "over")).isEqualTo("new");
        assertThat(store.get("plain", "empty")).isEmpty();
        assertThat(store.get("plain", "large")).isEqualTo(block(1, 700_000));
        byte[] parts = store.get("plain", "parts");
        assertThat(parts).hasSize(PART + 1000).startsWith(block(2, PART)).endsWith(block(3, 1000));
        assertThat(s3.headObject(head -> head.bucket("plain").key("parts")).eTag())
                .isEqualTo("\"bcdbdeda104cfeb8b4c5865505345550-2\"");
        var versions = s3.listObjectVersions(list -> list.bucket("versioned"));
        assertThat(versions.versions())
                .extracting(ObjectVersion::versionId)
                .contains(
                        "v000000000000001b51215a2b4",
                        "v0000000000000019ef51106e6",
                        "v0000000000000017bd86e58b0")
                .hasSize(4);
        assertThat(versions.deleteMarkers()).hasSize(1);
        assertThat(
                        s3.getObjectAsBytes(
                                        get ->
                                                get.bucket("versioned")
                                                        .key("doc")
                                                        .versionId("v0000000000000019ef51106e6"))
                                .asUtf8String())
                .isEqualTo("version 1");
    }
}
