package io.volute.system.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ExternalClient;
import io.volute.system.FileTree;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServer.class)
class RcloneIT {
    private final Store store;

    RcloneIT(Store store) {
        this.store = store;
    }

    @Test
    void copiesChecksAndPurgesATree() throws IOException {
        try (TemporaryStore work = TemporaryStore.create("rclone")) {
            ExternalClient rclone =
                    ExternalClient.orSkip(work.path(), List.of("rclone"), "version")
                            .with("RCLONE_CONFIG", work.path().resolve("rclone.conf").toString())
                            .with("RCLONE_CONFIG_V_TYPE", "s3")
                            .with("RCLONE_CONFIG_V_PROVIDER", "Other")
                            .with("RCLONE_CONFIG_V_ENV_AUTH", "true")
                            .with("RCLONE_CONFIG_V_REGION", "us-east-1")
                            .with("RCLONE_CONFIG_V_ENDPOINT", store.endpoint().toString());
            Files.createFile(work.path().resolve("rclone.conf"));
            String bucket = store.bucket();
            Path tree = Files.createDirectory(work.path().resolve("tree"));
            FileTree.make(tree, 120, 3);
            rclone.run("copy", "tree", "V:" + bucket + "/into").orFail();
            rclone.run("check", "--download", "tree", "V:" + bucket + "/into").orFail();
            rclone.run("copy", "V:" + bucket + "/into", "down").orFail();
            FileTree.assertSame(tree, work.path().resolve("down"));
            assertThat(rclone.run("lsf", "-R", "--files-only", "V:" + bucket).orFail().lines())
                    .hasSize(120);
            // A server-side copy, and the deletion of all of it.
            rclone.run("copy", "V:" + bucket + "/into", "V:" + bucket + "/second").orFail();
            rclone.run("check", "V:" + bucket + "/into", "V:" + bucket + "/second").orFail();
            rclone.run("purge", "V:" + bucket).orFail();
        }
    }
}
