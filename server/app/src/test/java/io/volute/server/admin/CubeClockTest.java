package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.CubesApi.ClockInfo;
import io.volute.adminapi.CubesApi.Cubes;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clock in the answers about cubes. */
class CubeClockTest {
    @TempDir private Path directory;

    private static Optional<ClockInfo> clock(AdminTestBed bed) throws IOException {
        Cubes cubes = AdminJson.as(bed.get("/_volute/v1/cubes", Map.of()).document(), Cubes.class);
        return cubes.cubes().getFirst().clock();
    }

    @Test
    void aClockThatWentBackIsShown() throws IOException {
        try (AdminTestBed bed = new AdminTestBed(directory)) {
            Caller root = new Caller("root", "", "");
            assertThat(bed.store.createBucket(root, new BucketName("bucket"))).isNotNull();
            ProvenanceRoutesTest.put(bed, "k", "text");
            assertThat(clock(bed)).isEmpty();
            bed.later(Duration.ofMinutes(-1));
            ClockInfo behind = clock(bed).orElseThrow();
            assertThat(behind.behindSeconds()).isEqualTo(60);
            assertThat(behind.unknown()).hasSize(1);
            assertThat(behind.unknown().getFirst().until()).isEmpty();
            bed.later(Duration.ofMinutes(2));
            ClockInfo over = clock(bed).orElseThrow();
            assertThat(over.behindSeconds()).isZero();
            assertThat(over.unknown().getFirst().until()).isPresent();
        }
    }
}
