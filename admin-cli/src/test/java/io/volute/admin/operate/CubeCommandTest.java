package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class CubeCommandTest {
    private static final String MOVES = "GET cubes/moves";

    @RegisterExtension private final FakeServer server = new FakeServer();

    @Test
    void reportsThatNoMoveIsLeft() {
        server.answer(MOVES, "{\"moves\": []}");
        Outcome outcome = server.run("cube", "moves");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).isEqualTo("no moves: all have ended\n");
    }

    @Test
    void listsMovesAndFailsForOneThatDoesNotGoOn() {
        server.answer(
                MOVES,
                """
                {"moves": [{"bucket": "b", "from": "photos", "to": "default", "phase": "copying",
                  "began": "2026-11-21T10:00:00Z",
                  "keys": 3, "running": false, "why": "full"}]}\
                """);
        Outcome outcome = server.run("cube", "moves");
        assertThat(outcome.code()).as(outcome.err()).isEqualTo(3);
        assertThat(outcome.out()).contains("BUCKET").contains("b       photos  default  copying");
    }

    private static String cube(String state, boolean isRunning, String why) {
        return """
        {"cube": "default", "number": 0, "id": "i", "phase": "open", "state": "healthy",
          "buckets": 2, "log": {"store": "local", "state": "%s", "running": %s,
          "copied": 3, "segments": 8, "bytes": 5242880%s}}\
        """
                .formatted(state, isRunning, why);
    }

    /** It is no failure that another node has a cube. */
    @Test
    void aCubeOfAnotherNodeIsInOrder() {
        String healthy = cube("settled", false, "");
        String elsewhere =
                healthy.replace("open", "elsewhere").replace("\"state\": \"healthy\",", "");
        server.answer("GET cubes", "{\"cubes\": [" + elsewhere + "]}");
        assertThat(server.run("cube", "list").code()).isZero();
        assertThat(server.run("cube", "show", "default").code()).isZero();
    }

    @Test
    void showsHowFarAMigrationIs() {
        server.answer("GET cubes", "{\"cubes\": [" + cube("copying", true, "") + "]}");
        Outcome outcome = server.run("cube", "show", "default");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("log      local, moving: 3 of 8 segments (37%), 5.0 MiB in this run");
    }

    @Test
    void showsSegmentsWithFewerCopies() {
        String settled =
                cube("settled", false, ", \"underReplicated\": {\"segments\": 2, \"bytes\": 2048}");
        server.answer("GET cubes", "{\"cubes\": [" + settled + "]}");
        Outcome outcome = server.run("cube", "show", "default");
        assertThat(outcome.out())
                .contains("log      local\ncopies   fewer than wanted of 2 segments (2.0 KiB)\n");
    }

    @Test
    void waitsForAMigrationAndFailsIfItStops() {
        server.answer("POST cubes/migrate", cube("copying", true, ""));
        server.answer(
                "GET cubes",
                "{\"cubes\": [" + cube("copying", false, ", \"why\": \"no bookie\"") + "]}");
        Outcome outcome = server.run("cube", "migrate", "default", "--to", "bookkeeper", "--wait");
        assertThat(outcome.code()).as(outcome.err()).isEqualTo(3);
        assertThat(outcome.out())
                .contains("moving: 3 of 8 segments (37%), 5.0 MiB in this run; stopped: no bookie");
    }

    @Test
    void beginsAMigrationWithoutWaiting() {
        server.answer("POST cubes/migrate", cube("copying", true, ""));
        Outcome outcome = server.run("cube", "migrate", "default", "--to", "bookkeeper");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("the log of cube default is being moved to bookkeeper");
    }

    private static final String MOVE =
            """
            {"bucket": "b", "from": "photos", "to": "hot", "first": "m", "phase": "copying",
              "began": "2026-11-21T10:00:00Z", "keys": 0, "running": true}\
            """;

    @Test
    void waitsForTheEndOfAMove() {
        server.answer("POST buckets/split", MOVE);
        server.answer("GET cubes/moves", "{\"moves\": [" + MOVE + "]}", "{\"moves\": []}");
        Outcome ended = server.run("bucket", "split", "s3://b/m", "--to", "hot", "--wait");
        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.out()).endsWith("the move has ended\n");
        assertThat(server.pauses()).isEqualTo(2);
    }

    @Test
    void aMoveThatStopsIsAFailureOfTheWait() {
        String stopped = MOVE.replace("\"running\": true", "\"running\": false, \"why\": \"w\"");
        server.answer("POST cubes/moves", MOVE);
        server.answer("GET cubes/moves", "{\"moves\": [" + stopped + "]}");
        Outcome outcome = server.run("cube", "move-bucket", "b", "--to", "hot", "--wait");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out()).endsWith("the move stopped: w\n");
        assertThat(server.run("cube", "move-bucket", "b", "--to", "hot", "--no-wait").code())
                .isZero();
        assertThat(
                        server.run("cube", "move-bucket", "b", "--to", "hot", "--wait", "--no-wait")
                                .code())
                .isEqualTo(2);
    }

    @Test
    void splitsAndMergesABucket() {
        server.answer("POST buckets/split", MOVE);
        Outcome split = server.run("bucket", "split", "s3://b/m", "--to", "hot");
        assertThat(split.code()).as(split.err()).isZero();
        assertThat(split.out()).contains("keys from m on move to cube hot");
        server.answer("POST buckets/merge", MOVE);
        Outcome merge = server.run("bucket", "merge", "s3://b/m");
        assertThat(merge.code()).as(merge.err()).isZero();
        assertThat(merge.out()).contains("keys from m on move to cube hot");
        server.answer(MOVES, "{\"moves\": [" + MOVE + "]}");
        assertThat(server.run("cube", "moves").out()).containsPattern("copying +0 +m");
    }

    @Test
    void listsThePartsOfABucket() {
        server.answer(
                "GET buckets/parts",
                "{\"parts\": [{\"cube\": \"photos\"}, {\"first\": \"m\", \"cube\": \"hot\"}]}");
        Outcome outcome = server.run("bucket", "parts", "b");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines()).hasSize(3);
        assertThat(outcome.out()).contains("hot     m");
    }
}
