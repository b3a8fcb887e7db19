package io.volute.admin.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Waiting for work in the server, with a run of replication as the work. */
class WaitOptionTest {
    private static final String START = "POST replication";
    private static final String STATE = "GET replication";

    @RegisterExtension private final FakeServer server = new FakeServer();

    private static String run(String state, int looked) {
        return "{\"bucket\": \"photos\", \"state\": \""
                + state
                + "\", \"again\": false, \"started\": \"2026-11-20T00:00:00Z\", \"rate\": 5,"
                + " \"looked\": "
                + looked
                + ", \"total\": 40, \"sent\": 7, \"leftOut\": 1}";
    }

    private static String state(String run, int refused) {
        return "{\"targets\": [{\"name\": \"t\", \"configured\": true, \"replicated\": 5,"
                + " \"failures\": 0, \"waiting\": 3, \"lagMillis\": 0, \"refused\": "
                + refused
                + "}], \"refused\": [], \"runs\": ["
                + run
                + "], \"complete\": true}";
    }

    private Outcome start(String... options) {
        String[] all = new String[3 + options.length];
        System.arraycopy(new String[] {"replication", "start", "photos"}, 0, all, 0, 3);
        System.arraycopy(options, 0, all, 3, options.length);
        return server.run(all);
    }

    @Test
    void whoDoesNotWaitReadsHowToLook() {
        server.answer(START, run("running", 0));
        assertThat(start().out())
                .contains(
                        "To look: volute replication status photos --endpoint " + server.endpoint())
                .contains("To end it: volute replication cancel photos");
        assertThat(server.pauses()).isZero();
    }

    @Test
    void whoWaitsSeesTheEnd() {
        server.eachTimeLater(40)
                .answer(START, run("running", 0))
                .answer(STATE, state(run("running", 10), 0), state(run("running", 20), 0))
                .answer(STATE, state(run("finished", 40), 0));
        Outcome outcome = start("--wait");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.err()).contains("replicating: 20 of 40 versions (50%)", "left");
        assertThat(outcome.out())
                .contains("finished: 7 versions sent, 1 left out; 3 changes of the bucket still");
    }

    @Test
    void aRunWithRefusedChangesIsNoSuccess() {
        server.answer(START, run("running", 0)).answer(STATE, state(run("finished", 40), 2));
        assertThat(start("--wait").code()).isEqualTo(3);
    }

    @Test
    void aRunThatSomebodyEndedIsNoSuccess() {
        server.answer(START, run("running", 0)).answer(STATE, state(run("stopped", 40), 0));
        assertThat(start("--wait").code()).isEqualTo(3);
    }

    @Test
    void waitingEndsInTimeAndTheWorkGoesOn() {
        server.eachTimeLater(4)
                .answer(START, run("running", 0))
                .answer(STATE, state(run("running", 10), 0));
        Outcome outcome = start("--timeout", "20s");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("not finished after 20 s. It goes on in the server.")
                .contains("volute replication cancel photos --endpoint " + server.endpoint());
        assertThat(start("--no-wait", "--timeout", "20s").code()).isEqualTo(2);
    }

    @Test
    void ctrlCLeavesTheWorkRunningAndSaysHowToLook() {
        server.interrupting()
                .answer(START, run("running", 0))
                .answer(STATE, state(run("finished", 40), 0));
        Outcome outcome = start("--wait");
        assertThat(outcome.err())
                .contains("volute: It goes on in the server. To look: volute replication status");
        // A command that has ended prints nothing.
        server.interrupting();
        assertThat(start("--wait").err()).contains("It goes on");
        assertThat(start().err()).doesNotContain("It goes on");
    }
}
