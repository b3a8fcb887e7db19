package io.volute.admin.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class UserCommandsTest {
    @RegisterExtension private final FakeServer server = new FakeServer();

    @BeforeEach
    void hasUsers() {
        server.answer(
                "GET users",
                "{\"users\": [{\"name\": \"alice\", \"created\": \"2026-11-20T10:00:00Z\","
                        + " \"groups\": [\"staff\"], \"policies\": [\"readonly\"], \"inline\":"
                        + " {\"own\": \"{}\"}, \"keys\": [{\"accessKey\": \"AK1\", \"active\":"
                        + " true, \"created\": \"2026-11-20T10:00:00Z\"}, {\"accessKey\":"
                        + " \"AK2\", \"active\": false, \"created\":"
                        + " \"2026-11-21T10:00:00Z\"}]}, {\"name\": \"bob\", \"created\":"
                        + " \"2026-11-20T10:00:00Z\", \"groups\": [], \"policies\": [],"
                        + " \"inline\": {}, \"keys\": []}]}");
    }

    @Test
    void aUserIsShown() {
        Outcome outcome = server.run("user", "show", "alice");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .isEqualTo(
                        """
                        name      alice
                        created   2026-11-20T10:00:00Z
                        groups    staff
                        policies  readonly
                        inline    own  {}
                        key       AK1  enabled, made 2026-11-20T10:00:00Z
                        key       AK2  disabled, made 2026-11-21T10:00:00Z
                        """);
    }

    @Test
    void aMissingUserIsNamed() {
        Outcome outcome = server.run("user", "show", "carol");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("there is no user carol");
        assertThat(server.run("key", "list", "carol").code()).isEqualTo(1);
    }

    @Test
    void whatGoesIsNamedBeforeAnythingIsRemoved() {
        server.atTerminal()
                .answer("POST users/remove", "{\"name\": \"alice\"}")
                .answer("POST keys/remove", "{\"accessKey\": \"AK1\"}");
        Outcome kept = server.runWith("n\n", "user", "remove", "alice");
        assertThat(kept.code()).isEqualTo(1);
        assertThat(kept.err())
                .contains(
                        "User alice has 2 keys (AK1, AK2) that stop working at once, and is in"
                                + " staff.\nRemove the user? [y/N] ")
                .contains("not confirmed: nothing was changed");
        Outcome key = server.runWith("\n", "key", "remove", "AK1");
        assertThat(key.err())
                .contains("Key AK1 of user alice and its sessions stop working at once.")
                .containsPattern("The\\s+user\\s+has\\s+1\\s+other\\s+key\\.");
        assertThat(server.runWith("y\n", "key", "remove", "AK9").err())
                .contains("there is no key AK9: 'volute key list' lists all");
        assertThat(server.asked()).allMatch(each -> each.startsWith("GET "));
        assertThat(server.runWith("y\n", "user", "remove", "alice").out())
                .contains("removed user alice");
        assertThat(server.run("key", "remove", "AK1", "--yes").code()).isZero();
    }

    @Test
    void keysAreListedWithTheirUsers() throws IOException {
        assertThat(server.run("key", "list").out())
                .isEqualTo(
                        """
                        ACCESS KEY  USER   STATE     CREATED
                        AK1         alice  enabled   2026-11-20T10:00:00Z
                        AK2         alice  disabled  2026-11-21T10:00:00Z
                        """);
        assertThat(server.run("key", "list", "bob").out()).isEqualTo("no keys\n");
        assertThat(server.run("key", "list", "--json").json().get("keys").toString())
                .contains("accessKey=AK1", "user=alice", "active=false");
    }
}
