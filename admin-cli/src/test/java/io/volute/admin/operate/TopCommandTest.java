package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
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
              "cleaner": {"copiedBytes": %d}, "images": {"hits": %d, "misses": 7}}]}\
            """;

    private static final String REQUESTS =
            """
            {"underWay": %d, "operations": [
              {"operation": "GetObject", "requests": 0, "durations": []},
              {"operation": "PutObject", "requests": %d, "clientErrors": %d, "serverErrors": 0,
                "receivedBytes": %d, "sentBytes": 0, "micros": %d, "durations": [
                {"withinMicros": 800, "requests": %d}, {"withinMicros": 6400, "requests": %d},
                {"requests": 0}]}]}\
            """;

    @RegisterExtension private final FakeServer server = new FakeServer().eachTimeLater(1);

    private Outcome top(String... more) {
        server.answer(
                "GET space",
                SPACE.formatted(1000, 0, 0),
                SPACE.formatted(7000, 3000, 30),
                SPACE.formatted(10, 3000, 30));
        server.answer(
                "GET requests",
                REQUESTS.formatted(1, 10, 1, 1000, 9000, 10, 0),
                REQUESTS.formatted(3, 30, 5, 21_480, 69_000, 28, 2),
                REQUESTS.formatted(0, 4, 0, 40, 4000, 4, 0));
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
                        "requests   5.0/s   5.0 KiB/s in   0 B/s out   3 under way",
                        "OPERATION  /S   MEAN    HALF WITHIN  99% WITHIN  4XX/S  5XX/S",
                        "PutObject  5.0  3.0 ms  800 us       6.4 ms      1.0    0.0",
                        "cube default   healthy   1.0 KiB of 4.0 KiB free for clients (25.0%)",
                        "WRITTEN FOR  RATE",
                        "client-data  1.5 KiB/s",
                        "cleaning     0 B/s",
                        "cleaner        750 B/s copied   compact",
                        "memory images  8/s hits   0/s misses",
                        "scrub  not running")
                .hasSize(20);
        assertThat(outcome.out()).doesNotContain("\u001b");
    }

    @Test
    void aServerThatStartedAnewCountsFromZero() throws IOException {
        String last = top("--json").out().lines().toList().getLast();
        assertThat(last).contains("\"client-data\":0", "\"scrub\":{}");
        assertThat(last).contains("\"operation\":\"PutObject\",\"requestsPerSecond\":1.0");
    }

    @Test
    void refusesWhatCannotBe() {
        assertThat(server.run("top", "--every", "0").code()).isEqualTo(2);
    }
}
