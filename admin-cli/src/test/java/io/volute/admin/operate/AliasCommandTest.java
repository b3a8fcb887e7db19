package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class AliasCommandTest {
    @RegisterExtension private final FakeServer server = new FakeServer();
    @TempDir private Path home;

    @BeforeEach
    void live() {
        server.with(Map.of("HOME", home.toString()));
        server.answer("GET space", "{\"cubes\": []}");
    }

    private Path file() {
        return home.resolve(".config/volute/servers.json");
    }

    private Outcome name(String name, String secret) {
        return server.runExactly(
                secret + "\n",
                "alias",
                "set",
                name,
                "--endpoint",
                server.endpoint(),
                "--access-key",
                "ROOT");
    }

    @Test
    void aNameStandsForAServer() throws IOException {
        Outcome outcome = name("shelf", "rootsecret");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        Outcome asked = server.runExactly("", "space", "--server", "shelf");
        assertThat(asked.code()).as(asked.err()).isZero();
        assertThat(server.asked()).containsExactly("GET space");
    }

    @Test
    void namesAreListedWithoutSecretsAndForgotten() throws IOException {
        assertThat(server.runExactly("", "alias", "list").out()).isEqualTo("none\n");
        assertThat(name("one", "rootsecret").code()).isZero();
        assertThat(name("two", "rootsecret").code()).isZero();
        assertThat(server.runExactly("", "alias", "list").out())
                .contains("one", "two", server.endpoint(), "us-east-1", "ROOT")
                .doesNotContain("rootsecret");
        assertThat(server.runExactly("", "alias", "list", "--json").out())
                .contains("\"name\":\"two\"")
                .doesNotContain("rootsecret");
        assertThat(server.runExactly("", "alias", "remove", "one", "--yes").code()).isZero();
        assertThat(server.runExactly("", "alias", "remove", "one", "--yes").code()).isEqualTo(1);
        assertThat(server.runExactly("", "alias", "list").out()).doesNotContain("one");
    }

    @Test
    void aFileThatOthersMayReadIsRefused() throws IOException {
        assertThat(name("shelf", "rootsecret").code()).isZero();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r-----"));
        Outcome outcome = server.runExactly("", "space", "--server", "shelf");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("chmod 600");
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void whatCannotBeIsToldWithAdvice() {
        assertThat(name("a/b", "s").code()).isEqualTo(2);
        assertThat(name("shelf", "").err()).contains("no secret key");
        Outcome unknown = server.runExactly("", "space", "--server", "none");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("volute alias set none");
        assertThat(server.runExactly("", "space", "--server", "a", "--region", "b").code())
                .isEqualTo(2);
        assertThat(server.runExactly("", "alias").code()).isEqualTo(2);
    }

    @Test
    void aCommandWithoutCredentialsNamesThemAndItsHelp() {
        for (String command : new String[] {"space", "history s3://bucket/key", "user list"}) {
            Outcome outcome = server.runExactly("", command.split(" "));
            assertThat(outcome.code()).as(command).isEqualTo(2);
            assertThat(outcome.err().lines().toList())
                    .as(command)
                    .hasSize(2)
                    .first(STRING)
                    .startsWith("volute: no credentials. Set VOLUTE_ACCESS_KEY");
            assertThat(outcome.out()).as(command).isEmpty();
        }
        assertThat(server.runExactly("", "user", "list").err())
                .endsWith("See 'volute user --help'.\n");
        assertThat(server.runExactly("", "space", "--colour").err())
                .isEqualTo("volute: Unknown option: '--colour'\nSee 'volute space --help'.\n");
    }

    @Test
    @Tag("slow")
    void theCompletionScriptKnowsCommandsAndOptions() throws Exception {
        Outcome outcome = server.runExactly("", "completion", "bash");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("complete -F", "provenance", "--dry-run", "history");
        assertThat(server.runExactly("", "completion", "csh").code()).isEqualTo(2);
        Path script = Files.writeString(home.resolve("completion"), outcome.out());
        String[] bash = {
            "bash",
            "-c",
            "source '"
                    + script
                    + "' && COMP_WORDS=(volute scr) COMP_CWORD=1 && _complete_volute"
                    + " && echo \"${COMPREPLY[@]}\""
        };
        Process process = new ProcessBuilder(bash).redirectErrorStream(true).start();
        assertThat(
                        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                                .strip())
                .isEqualTo("scrub");
    }
}
