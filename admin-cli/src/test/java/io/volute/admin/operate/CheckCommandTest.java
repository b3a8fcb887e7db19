package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CheckCommandTest {
    private static final String START = "POST check";
    private static final String RATE = ",\"bytesPerSecond\":134217728}";

    @RegisterExtension private final FakeServer server = new FakeServer();

    private static String check(String cube, String problems) {
        return "{\"cube\": \""
                + cube
                + "\", \"state\": \"finished\", \"id\": 1, \"started\": \"2026-11-21T10:00:00Z\","
                + " \"records\": 3, \"blobs\": 2, \"segments\": 1, \"segmentsTotal\": 1,"
                + " \"bytesRead\": 4096, \"problems\": ["
                + problems
                + "], \"moreProblems\": 0}";
    }

    private void cubes(String... names) {
        String none = "{\"cube\": \"%s\", \"state\": \"none\"}";
        server.answer(
                "GET check",
                "{\"checks\": ["
                        + String.join(
                                ",",
                                Stream.of(names).map(name -> none.replace("%s", name)).toList())
                        + "]}");
    }

    @Test
    void theOnlyCubeIsNotNamed() throws Exception {
        cubes("default");
        server.answer(START, 202, check("default", ""));
        Outcome outcome = server.run("check");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .isEqualTo(
                        "finished: 1 of 1 segment, 3 records, 2 blobs, 4.0 KiB read, 0 problems\n");
        assertThat(server.asked())
                .containsExactly("GET check", START + "{\"cube\":\"default\"" + RATE);
        assertThat(server.run("check", "--json").json()).containsEntry("cube", "default");
    }

    @Test
    void checksOneCubeAfterTheOther() throws Exception {
        cubes("default", "broken", "hot");
        String damage = "{\"kind\": \"checksum\", \"where\": \"segment 7\", \"what\": \"bits\"}";
        server.answer(START, 202, check("default", ""));
        server.answer(START, 503, "{\"code\": \"ServiceUnavailable\", \"message\": \"broken\"}");
        server.answer(START, 202, check("hot", damage));
        Outcome outcome = server.run("check");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("broken");
        assertThat(outcome.out().lines())
                .startsWith(
                        "cube default: finished: 1 of 1 segment, 3 records, 2 blobs, 4.0 KiB read,"
                                + " 0 problems",
                        "cube hot: checksum: segment 7: bits");
        assertThat(server.asked()).contains(START + "{\"cube\":\"hot\"" + RATE);
    }

    @Test
    void aDamageInAnyCubeIsWrong() throws Exception {
        cubes("default", "hot");
        String damage = "{\"kind\": \"checksum\", \"where\": \"segment 7\", \"what\": \"bits\"}";
        server.answer(START, 202, check("default", damage));
        server.answer(START, 202, check("hot", ""));
        Outcome outcome = server.run("check", "--json");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat((List<?>) outcome.json().get("checks")).hasSize(2);
    }

    @Test
    @Tag("slow")
    void cleansAllCubesThatCanBeCleaned() {
        String cube =
                "{\"cube\": \"%s\", \"number\": 0, \"id\": \"\", \"phase\": \"%p\","
                        + " \"buckets\": 1}";
        server.answer(
                "GET cubes",
                "{\"cubes\": ["
                        + cube.replace("%s", "default").replace("%p", "open")
                        + ","
                        + cube.replace("%s", "broken").replace("%p", "failed")
                        + ","
                        + cube.replace("%s", "hot").replace("%p", "elsewhere")
                        + "]}");
        String freed = "{\"cube\": \"c\", \"level\": \"compact\", \"freedBytes\": %d}";
        for (long bytes : new long[] {1024, 0, 2048, 0}) {
            server.answer("POST clean", 200, freed.replace("%d", Long.toString(bytes)));
        }
        Outcome outcome = server.run("clean", "--now", "--compact");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).isEqualTo("compact: 3.0 KiB freed in 2 passes\n");
        assertThat(server.asked())
                .containsExactly(
                        "GET cubes",
                        "POST clean{\"cube\":\"default\",\"level\":\"compact\"}",
                        "POST clean{\"cube\":\"default\",\"level\":\"compact\"}",
                        "POST clean{\"cube\":\"hot\",\"level\":\"compact\"}",
                        "POST clean{\"cube\":\"hot\",\"level\":\"compact\"}");
    }
}
