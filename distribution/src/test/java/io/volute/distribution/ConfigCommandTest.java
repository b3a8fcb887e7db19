package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ConfigCommandTest {
    @RegisterExtension private final FakeServer server = new FakeServer(ConfigCommand.class);
    @TempDir private Path directory;

    private Outcome run(String command, String file, String... more) throws IOException {
        Path config = Files.writeString(directory.resolve("volute.conf"), file);
        String[] all = new String[more.length + 4];
        System.arraycopy(more, 0, all, 4, more.length);
        all[0] = "config";
        all[1] = command;
        all[2] = "--config";
        all[3] = config.toString();
        return server.runExactly("", all);
    }

    @Test
    void whatIsRightCanBeUsed() throws IOException {
        Outcome outcome = run("check", "s3.region = eu-1\n");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).isEqualTo("the configuration can be used\n");
    }

    @Test
    void theTableOfSettingsFitsATerminal() throws IOException {
        String place = "/srv/" + "a-directory-with-quite-a-long-name/".repeat(3) + "data";
        server.atTerminal();
        Outcome narrow = run("print", "data.directory = " + place + "\n");
        assertThat(narrow.code()).as(narrow.err()).isZero();
        assertThat(narrow.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(narrow.out()).contains("...", "volute.conf line 1", "cubes.placement ");
        assertThat(run("print", "data.directory = " + place + "\n", "--wide").out())
                .contains(place, "/volute.conf line 1")
                .doesNotContain("...");
    }

    @Test
    void explainsAKey() throws IOException {
        assertThat(run("print", "s3.region = eu-1\n", "s3.region").out())
                .startsWith("s3.region = eu-1 (")
                .endsWith(
                        """
                        volute.conf line 1)
                          Region that requests must be signed for.
                          Values: a region such as us-east-1 (letters, digits, -)
                          Default: us-east-1
                          When to change it: If clients use another region.
                        """);
        assertThat(run("print", "", "admin.address").out())
                .startsWith("admin.address = none (default)\n")
                .contains("Address and port of the admin API alone.");
        assertThat(run("print", "", "log.audit", "--json").out())
                .contains("\"defaultValue\"", "\"meaning\"", "one of true, false");
        Outcome unknown = run("print", "", "s3.regoin");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("Unknown key s3.regoin");
    }

    @Test
    void allThatIsWrongIsToldWithAdvice() throws IOException {
        String wrong = "s3.regoin = eu-1\nlog.segment-size = 3\n";
        Outcome outcome = run("check", wrong);
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .contains("did you mean s3.region?", "volute.conf line 1", "log.segment-size");
        assertThat(run("check", wrong, "--json").json().get("problems"))
                .asString()
                .contains("did you mean s3.region?");
    }

    @Test
    void aPairOfTlsFilesIsTried() throws IOException {
        Path none = directory.resolve("none.pem");
        Outcome outcome = run("check", "tls { certificate = \"" + none + "\", key = k }");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.err()).contains("none.pem", "cannot be read");
    }

    @Test
    void warnsOfWhatIsAllowedAndUnwise() throws IOException {
        Outcome outcome =
                run(
                        "check",
                        "server.listen = \"0.0.0.0:9000\"\n"
                                + "tracing.endpoint = \"http://192.0.2.1:4318\"\n"
                                + "provenance.checkpoint-directory = d/copies",
                        "--data",
                        "d");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out())
                .contains("server.listen is", "without TLS", "within the data directory")
                .contains("tracing.endpoint is http://192.0.2.1:4318/v1/traces without TLS");
    }

    @Test
    void printsWhereValuesComeFrom() throws IOException {
        Outcome outcome = run("print", "s3.region = eu-1\n", "--listen", "127.0.0.1:1");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .anyMatch(each -> each.matches("s3.region +eu-1 +.*volute.conf line 1"))
                .anyMatch(each -> each.matches("server.listen +127.0.0.1:1 +the command line"))
                .anyMatch(each -> each.matches("scrub.interval +14d +default"))
                .anyMatch(each -> each.matches("tls.key +none +default"));
        assertThat(run("print", "s3.region = eu-1", "--json").json().get("settings"))
                .asString()
                .contains("{key=s3.region, value=eu-1, origin=file, where=");
    }

    @Test
    void showsNoSecrets() throws IOException {
        String file = "users = [{ access-key = backup, secret-key = \"tell-nobody\" }]";
        for (String form : new String[] {"--json", "--data=d"}) {
            Outcome outcome = run("print", file, form);
            assertThat(outcome.code()).as(outcome.err()).isZero();
            assertThat(outcome.out()).contains("backup").doesNotContain("tell-nobody");
        }
    }

    @Test
    void oneOfBothIsNeeded() {
        Outcome outcome = server.runExactly("", "config");
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err()).contains("check and print");
    }
}
