package io.volute.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareTest {
    @TempDir Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream problems = new ByteArrayOutputStream();

    @BeforeEach
    void writeFiles() throws IOException {
        write("a", line("1a", "m", 100), line("1a", "m", 101));
        write("same", line("2b", "m", 101), line("2b", "m", 102));
        write("slow", line("2b", "m", 90), line("2b", "m", 91));
        write("elsewhere", line("2b", "n", 100));
        write("else", line("2b", "m", 100).replace("PUT", "GET"));
    }

    @Test
    void statusSaysWhetherItFails() {
        assertThat(run("a", "same", "--fail-below", "0.95")).isZero();
        assertThat(text()).contains("within the spread").doesNotContain("FAILS");
        assertThat(run("a", "slow")).isZero();
        assertThat(run("a", "slow", "--fail-below", "0.95")).isEqualTo(Compare.FAILS);
        assertThat(text()).contains("0.900", "WORSE, beyond the spread  FAILS", "commit 2b");
    }

    @Test
    void otherMachinesAreNotComparedUnlessAskedFor() {
        assertThat(run("a", "elsewhere")).isEqualTo(Compare.CANNOT);
        assertThat(text()).isEmpty();
        assertThat(problems.toString(StandardCharsets.UTF_8))
                .contains("different machines", "A: m", "B: n");
        assertThat(run("a", "elsewhere", "--any-machine")).isZero();
        assertThat(text()).contains("DIFFERENT MACHINES", "one run");
    }

    @Test
    void nothingInCommonIsNoSuccess() {
        assertThat(run("a", "else", "--fail-below", "0.5")).isEqualTo(Compare.CANNOT);
        assertThat(text()).contains("in A only:", "op=PUT", "in B only:", "op=GET", "nothing");
    }

    @Test
    void aFileThatIsNotOfResultsIsSaidToBeSo() throws IOException {
        write("bad", line("1", "m", 1), "ops 5");

        assertThat(run("a", "bad")).isEqualTo(Compare.CANNOT);
        assertThat(problems.toString(StandardCharsets.UTF_8)).contains("bad", "line 2");
    }

    @Test
    void programsGetTheSame() throws IOException {
        run("a", "slow", "--fail-below", "0.95", "--json");

        Map<String, Object> document = Json.read(out.toByteArray());
        assertThat(document).containsEntry("fails", true).containsEntry("sameMachine", true);
        assertThat(document.get("rows").toString())
                .contains("figure=ops_per_s", "verdict=worse", "median=100.5", "runs=2");
    }

    @Test
    void refusesWrongArguments() {
        assertThatThrownBy(() -> CompareOptions.parse("a.jsonl", "--json"))
                .hasMessageContaining("two files");
        assertThatThrownBy(() -> CompareOptions.parse("a", "b", "--fail-bellow", "1"))
                .hasMessageContaining("fail-bellow");
        assertThatThrownBy(() -> CompareOptions.parse("a", "b", "--a", "commit"))
                .hasMessageContaining("commit");
    }

    private int run(String a, String b, String... more) {
        out.reset();
        problems.reset();
        List<String> arguments = new ArrayList<>();
        arguments.add(directory.resolve(a).toString());
        arguments.add(directory.resolve(b).toString());
        arguments.addAll(List.of(more));
        return Compare.run(
                CompareOptions.parse(arguments.toArray(String[]::new)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(problems, true, StandardCharsets.UTF_8));
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private void write(String name, String... lines) throws IOException {
        Files.write(directory.resolve(name), List.of(lines));
    }

    private static String line(String commit, String machine, int perSecond) {
        return "{\"op\":\"PUT\",\"commit\":\"%s\",\"machine\":\"%s\",\"ops_per_s\":%d}"
                .formatted(commit, machine, perSecond);
    }
}
