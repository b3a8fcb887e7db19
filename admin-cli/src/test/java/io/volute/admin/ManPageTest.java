package io.volute.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.history.TraceCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class ManPageTest {
    @TempDir private Path directory;

    @Command(name = "volute", subcommands = TraceCommand.class)
    private static final class Root {}

    @Test
    void thePageOfTraceIsAsItShouldBe() throws IOException {
        CommandLine trace = new CommandLine(new Root()).getSubcommands().get("trace");
        try (var golden = getClass().getResourceAsStream("/volute-trace.1")) {
            assertThat(ManPage.of(trace.getCommandSpec(), "1.2"))
                    .isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void noTextIsTakenForACommand() {
        assertThat(Roff.text(".SH a\\fB-b")).isEqualTo("\\&.SH a\\(rsfB\\-b");
        assertThat(Roff.text("'\"`^~")).isEqualTo("\\(aq\\(dq\\(ga\\(ha\\(ti");
        assertThat(Roff.text("a\n.b \u00E9\uD83D\uDE00")).isEqualTo("a .b \\[u00E9]\\[u1F600]");
        assertThat(Roff.withOptions("--a-b=C or -h, not a-b"))
                .isEqualTo("\\fB\\-\\-a\\-b\\fR=C or \\fB\\-h\\fR, not a\\-b");
    }

    @Test
    void manShowsWhatWasWritten() throws Exception {
        String text = ".a 'b' \"c\" \\d --e-f `g` ^h ~i";
        String page =
                new Roff().macro("TH", "A", "1").macro("SH", "B").line(Roff.text(text)).toString();
        Path file = Files.writeString(directory.resolve("page"), page);
        assertThat(
                        ManualReader.output(0, file, "groff", "-man", "-Tascii", "-P-c")
                                .lines()
                                .map(String::strip))
                .contains(text);
    }
}
