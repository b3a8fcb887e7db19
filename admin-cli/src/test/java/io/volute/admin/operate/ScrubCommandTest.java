package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ScrubCommandTest {
    private static final String LAST =
            "\"last\": {\"began\": \"2026-11-20T10:00:00Z\", \"ended\": \"2026-11-20T11:00:00Z\","
                    + " \"problems\": %d, \"findings\": 0, \"found\": [%s], \"moreFound\": %d},"
                    + " \"next\": \"2026-12-04T10:00:00Z\"";

    @RegisterExtension private final FakeServer server = new FakeServer();

    private void answer(String method, String more) {
        server.answer(method + " scrub", "{\"intervalSeconds\": 1209600" + more + "}");
    }

    /** The scrub begins after the answer, and its progress is no part of the report. */
    @Test
    void waitsForTheEndOfTheScrubThatItBegan() {
        answer("POST", "");
        answer("GET", "");
        String running =
                ", \"running\": {\"began\": \"2026-11-20T10:00:00Z\", \"segments\": %d,"
                        + " \"segmentsTotal\": 9, \"bytesRead\": %d}";
        answer("GET", running.formatted(1, 1 << 20));
        answer("GET", running.formatted(4, 4 << 20));
        answer("GET", ", " + LAST.formatted(0, "", 0));
        Outcome outcome = server.eachTimeLater(60).run("scrub", "--now", "--wait");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).startsWith("last  2026-11-20T10:00:00Z to ");
        assertThat(outcome.err())
                .contains("scrubbing: 4 of 9 segments (44%), 4.0 MiB, 51.2 KiB/s, 2 min left");
        assertThat(server.pauses()).isEqualTo(4);
    }

    @Test
    void showsThatNothingWasFound() {
        answer("GET", ", " + LAST.formatted(0, "", 0));
        Outcome outcome = server.run("scrub");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .containsExactly(
                        "last  2026-11-20T10:00:00Z to 2026-11-20T11:00:00Z: 0 problems in stored"
                                + " data, 0 findings in chains",
                        "next  2026-12-04T10:00:00Z");
    }

    @Test
    void showsTheScrubOfEachOwner() {
        String other =
                ", \"others\": [{\"node\": \"node1\", \"intervalSeconds\": 1209600, "
                        + LAST.formatted(2, "\"segment 3: damaged\"", 1)
                        + "}]";
        answer("GET", ", " + LAST.formatted(0, "", 0) + other);
        Outcome found = server.run("scrub");
        assertThat(found.code()).isEqualTo(3);
        assertThat(found.out())
                .contains("\nnode node1\nsegment 3: damaged\nand 1 more\nlast  2026");
    }

    @Test
    void anOwnerThatIsMissingIsNotSound() {
        answer(
                "GET",
                ", "
                        + LAST.formatted(0, "", 0)
                        + ", \"missing\": [{\"node\": \"node2\", \"cubes\": [\"cold\"], \"why\":"
                        + " \"it is lost\"}]");
        Outcome missing = server.run("scrub");
        assertThat(missing.code()).isEqualTo(3);
        assertThat(missing.err()).contains("Node node2 with cold is missing: it is lost");
    }

    @Test
    void whatWasFoundIsTheExitCode() {
        answer("GET", ", " + LAST.formatted(4, "\"segment 7: \\u001b[31mdamaged\"", 3));
        Outcome outcome = server.run("scrub");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out())
                .startsWith("segment 7: \\u001b[31mdamaged\nand 3 more\n")
                .contains("4 problems");
        assertThat(server.run("scrub", "--json").code()).isEqualTo(3);
    }

    @Test
    void aFailureIsTold() {
        answer("GET", ", \"failure\": \"the disk is gone\"");
        Outcome outcome = server.run("scrub");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out()).contains("last     none yet", "failure  the disk is gone");
    }

    @Test
    void beginsOne() {
        answer(
                "POST",
                ", \"running\": {\"began\": \"2026-11-21T10:00:00Z\", \"segments\": 1,"
                        + " \"segmentsTotal\": 4, \"bytesRead\": 2048, \"chains\": 0,"
                        + " \"found\": 0}");
        Outcome outcome = server.run("scrub", "--now");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("1 of 4 segments, 2.0 KiB read")
                .contains("next     soon");
        assertThat(server.asked()).containsExactly("POST scrub{}");
    }
}
