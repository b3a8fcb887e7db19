package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LifecycleCommandTest {
    private static final String ASKED = "GET lifecycle?at=2026-12-24T00%3A00%3A00Z&bucket=photos";

    @RegisterExtension private final FakeServer server = new FakeServer();

    @Test
    void showsWhatGoes() {
        server.answer(
                "GET lifecycle",
                """
                {"removals": [{"rule": "old", "action": "expire", "key": "a", "versionId": "null",
                  "bytes": 2048, "due": "2026-11-20T00:00:00Z"}], "next": "0va"}\
                """,
                """
                {"removals": [{"rule": "old", "action": "abort-upload", "key": "b",
                  "uploadId": "U", "bytes": 0, "due": "2026-11-20T00:00:00Z"}]}\
                """);
        Outcome plan = server.run("lifecycle", "plan", "photos", "--at", "20261224t000000z");
        assertThat(plan.code()).as(plan.err()).isZero();
        assertThat(plan.out())
                .contains("DUE                   ACTION")
                .contains("expire  a    null               2.0 KiB  old")
                .contains("abort-upload  b    U");
        assertThat(server.asked())
                .containsExactly(ASKED + "&max=1000", ASKED + "&from=0va&max=1000");
    }

    @Test
    void saysThatNothingGoes() {
        server.answer("GET lifecycle", "{\"removals\": []}");
        assertThat(server.run("lifecycle", "plan", "photos").out())
                .isEqualTo("the lifecycle rules of photos remove nothing now\n");
        assertThat(server.run("lifecycle", "plan", "photos", "--at", "+31d").out())
                .contains("remove nothing until 2026-12-22T10:00:00Z");
        assertThat(server.run("lifecycle").code()).isEqualTo(2);
    }
}
