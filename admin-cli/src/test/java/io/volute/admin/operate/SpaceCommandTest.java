package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the output of the first look at a store. */
class SpaceCommandTest {
    private static final String SPACE =
            """
            {"cubes": [{"cube": "default", "state": "healthy", "capacityBytes": 1073741824,
             "usedBytes": 16777216, "liveBytes": %d, "segmentBytes": 8388608, "expansion": %s,
             "segments": [], "cleaner": {}, "images": {},
             "writes": {"bytes": 10, "amplification": 83118.44,
              "causes": {"client-data": {"bytes": %d, "amplification": 1.0}}},
             "decision": {"action": "nothing",
              "reason": "99.9 %% free, cleaning starts at 10.0 %%"}}]}""";

    @RegisterExtension private final FakeServer server = new FakeServer();

    /** Segments are made whole: in a fresh store the ratio is that of a file to some bytes. */
    @Test
    void aFreshStoreHasNoAmplificationYet() {
        server.answer("GET space", SPACE.formatted(125_586, "133.59", 5));
        assertThat(server.run("space").out())
                .contains("too little to tell")
                .doesNotContain("133.59")
                .contains("cleaner idle: 99.9 % free, cleaning starts at 10.0 %")
                .contains("write amplification not known yet")
                .doesNotContain("83118");
    }

    @Test
    void aUsedStoreHasOne() {
        server.answer("GET space", SPACE.formatted(8_388_608, "2.0", 8_388_608));
        assertThat(server.run("space").out())
                .contains(
                        "space amplification 2.00 (used / live)", "write amplification 83118.440");
    }
}
