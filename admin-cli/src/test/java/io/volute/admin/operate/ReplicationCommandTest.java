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

    @RegisterExtension private final FakeServer server = new FakeServer();

    @Test
    void showsTargetsAndTheirLag() {
        server.answer("GET replication", "{" + TARGETS + ", \"refused\": [], \"complete\": true}");
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
                        + " \"at\": \"2026-11-20T00:00:00Z\"}]}");
        assertThat(server.run("replication", "status", "photos").out())
                .contains("REFUSED KEY", "2026-11-20T00:00:00Z  vault   lock    v1       a b")
                .contains("too many changes wait");
        assertThat(server.asked()).containsExactly("GET replication?bucket=photos");
        assertThat(server.run("replication", "status", "photos", "--json").out())
                .contains("\"lock\"");
        assertThat(server.run("replication").code()).isEqualTo(2);
    }
}
