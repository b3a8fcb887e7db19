package io.volute.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer.Outcome;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TopCommandTest {
    private static final String SPACE =
            """
            {"cubes": [{"cube": "default", "state": "healthy", "capacityBytes": 4096,
              "clientFreeBytes": 1024, "decision": {"action": "compact"},
              "writes": {"causes": {"client-data": {"bytes": %d}, "cleaning": {"bytes": 5}}},
              "cleaner": {"copiedBytes": %d}, "images": {"hits": %d, "misses": 7}}]}""";

    @RegisterExtension private final FakeServer server = new FakeServer().eachTimeLater(1);

    private Outcome top(String... more) {
        server.answer(
                "GET space",
                SPACE.formatted(1000, 0, 0),
                SPACE.formatted(7000, 3000, 30),
                SPACE.formatted(10, 3000, 30));
        server.answer(
                "GET scrub",
                "{\"running\": {\"segments\": 1, \"segmentsTotal\": 9, \"found\": 2}}",
                "{}");
        String[] all = new String[more.length + 3];
        all[0] = "top";
        all[1] = "--count";
        all[2] = "2";
        System.arraycopy(more, 0, all, 3, more.length);
        return server.run(all);
    }

    @Test
    void showsWhatHappensBetweenTwoLooks() {
        Outcome outcome = top();
        assertThat(outcome.code()).as(outcome.err()).isZero();
        // Time passes by a second at each look: four pass between two.
        assertThat(outcome.out().lines().toList())
                .startsWith(
                        "cube default   healthy   1.0 KiB of 4.0 KiB free for clients (25.0%)",
                        "  client-data         1.5 KiB/s",
                        "  cleaning                0 B/s",
                        "  cleaner               750 B/s copied   compact",
                        "  memory images             8/s hits   0/s misses",
                        "scrub      not running")
                .hasSize(12);
        assertThat(outcome.out()).doesNotContain("\u001b");
    }

    @Test
    void aServerThatStartedAnewCountsFromZero() throws IOException {
        String last = top("--json").out().lines().toList().getLast();
        assertThat(last).contains("\"client-data\":0", "\"scrub\":{}");
    }

    @Test
    void refusesWhatCannotBe() {
        assertThat(server.run("top", "--every", "0").code()).isEqualTo(2);
    }
}
