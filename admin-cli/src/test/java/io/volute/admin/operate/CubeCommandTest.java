package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

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
                  "keys": 3, "running": false, "why": "full"}]}""");
        Outcome outcome = server.run("cube", "moves");
        assertThat(outcome.code()).as(outcome.err()).isEqualTo(3);
        assertThat(outcome.out()).contains("BUCKET").contains("b       photos  default  copying");
    }
}
