package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReplicationCommandTest {
    private static final String TARGETS =
            """
            "targets": [{"name": "vault", "configured": true, "replicated": 5, "failures": 1,
              "waiting": 7, "lagMillis": 61000, "refused": 1, "failure": "answered with 500"},
              {"name": "gone", "configured": false, "replicated": 0, "failures": 0, "waiting": 3,
              "lagMillis": 0, "refused": 0}]\
            """;

    private static final String RUN =
            """
            {"bucket": "photos", "state": "running", "again": false,
              "started": "2026-11-20T00:00:00Z", "rate": 5, "looked": 9, "total": 20,
              "sent": 7, "leftOut": 1, "key": "k"}\
            """;

    @RegisterExtension private final FakeServer server = new FakeServer();

    @Test
    void showsTargetsAndTheirLag() {
        server.answer(
                "GET replication",
                "{" + TARGETS + ", \"refused\": [], \"runs\": [], \"complete\": true}");
        assertThat(server.run("replication", "status").out())
                .contains("TARGET", "LAG", "vault", "61 s", "answered with 500")
                .contains("gone (not in the settings)")
                .doesNotContain("REFUSED KEY", "too many");
        assertThat(server.asked()).containsExactly("GET replication");
    }

    @Test
    void showsTheRefusedChangesOfABucket() {
        server.answer(
                "GET replication",
                "{"
                        + TARGETS
                        + ", \"complete\": false, \"refused\": [{\"target\": \"vault\","
                        + " \"change\": \"lock\", \"key\": \"a b\", \"versionId\": \"v1\","
                        + " \"at\": \"2026-11-20T00:00:00Z\"}], \"runs\": ["
                        + RUN
                        + "]}");
        assertThat(server.run("replication", "status", "photos").out())
                .contains("REFUSED KEY", "2026-11-20T00:00:00Z  vault   lock    v1       a b")
                .containsPattern(
                        "photos +running  2026-11-20T00:00:00Z  9 of about 20 \\(45%\\)  7     1 "
                                + " +k")
                .contains("too many changes wait");
        assertThat(server.asked()).containsExactly("GET replication?bucket=photos");
        assertThat(server.run("replication", "status", "photos", "--json").out())
                .contains("\"lock\"");
        assertThat(server.run("replication").code()).isEqualTo(2);
    }

    @Test
    void startsAndStopsARun() {
        server.answer("POST replication", RUN);
        server.answer("POST replication/stop", RUN.replace("running", "stopped"));
        assertThat(server.run("replication", "start", "photos", "--rate", "5").out())
                .contains("started");
        assertThat(server.run("replication", "start", "photos", "--again").code()).isZero();
        assertThat(server.run("replication", "stop", "photos").out()).contains("stopped");
        assertThat(server.asked())
                .containsExactly(
                        "POST replication{\"bucket\":\"photos\",\"again\":false,\"rate\":5}",
                        "POST replication{\"bucket\":\"photos\",\"again\":true}",
                        "POST replication/stop{\"bucket\":\"photos\"}");
    }

    @Test
    void sendsRefusedChangesAgainAndForgetsThem() {
        server.answer("POST replication/retry", "{\"bucket\": \"photos\", \"changes\": 2}");
        server.answer("POST replication/forget", "{\"bucket\": \"photos\", \"changes\": 3}");
        assertThat(server.run("replication", "retry", "photos").out())
                .contains("2 changes are sent again");
        assertThat(server.run("replication", "forget", "photos", "--yes").out())
                .contains("3 changes are forgotten");
    }
}
