package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.VoluteCommand;
import io.volute.admin.client.CommandContext;
import io.volute.admin.grammar.Grammar;
import io.volute.admin.grammar.OldSpelling;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Each former spelling means what it meant, and warns. */
@Tag("slow")
class OldSpellingTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

    /** Former spellings beside the present ones. */
    private static final List<List<String>> LINES =
            List.of(
                    List.of(
                            "restore --bucket photos --to -2h --dry-run",
                            "restore photos --at -2h --dry-run"),
                    List.of(
                            "restore --to=2026-11-20T14:05:00Z --bucket=photos --prefix --to",
                            "restore --at 2026-11-20T14:05:00Z photos --prefix --to"),
                    List.of(
                            "restore --bucket photos --undo-user u --since -1d",
                            "restore photos --undo-user u --since -1d"),
                    List.of(
                            "history purge --json --bucket photos --before -7d --yes",
                            "history purge --json photos --until -7d --yes"),
                    List.of(
                            "history --json purge --bucket photos --before -7d",
                            "history --json purge photos --until -7d"),
                    List.of(
                            "bucket split photos --at m --to hot",
                            "bucket split s3://photos/m --to hot"),
                    List.of(
                            "bucket split --at m/n --to hot photos",
                            "bucket split s3://photos/m/n --to hot"),
                    List.of("bucket merge photos --at m", "bucket merge s3://photos/m"),
                    List.of("replication stop photos", "replication cancel photos"),
                    List.of("replication --json stop stop", "replication --json cancel stop"),
                    List.of("top --every 5", "top --every 5s"),
                    List.of("demo --remove --bucket d", "demo --remove d"),
                    List.of(
                            "import --from s3://a/p --bucket b --from-server old",
                            "import --from s3://a/p --into b --from-server old"),
                    List.of(
                            "damage repair s3://b/k --version v --from backup",
                            "damage repair s3://b/k --version-id v --from backup"),
                    List.of(
                            "health --address 10.0.0.1:9000",
                            "health --endpoint http://10.0.0.1:9000"),
                    List.of("audit --bucket photos", "audit photos"),
                    List.of("audit --prefix s3://photos/a/b", "audit s3://photos --prefix a/b"),
                    List.of(
                            "provenance show --bucket photos --max 3",
                            "provenance show photos --max 3"),
                    List.of(
                            "provenance export --prefix s3://b/a --output f",
                            "provenance export b --prefix a --output f"),
                    List.of(
                            "provenance share --bucket b --export e --output f",
                            "provenance share b --export e --output f"),
                    List.of(
                            "provenance auditors add --name ann --public-key f",
                            "provenance auditors add ann --public-key f"),
                    List.of(
                            "provenance auditors remove --name ann",
                            "provenance auditors remove ann"),
                    List.of(
                            "provenance principal --principal a --public-key f",
                            "provenance principal a --public-key f"),
                    List.of(
                            "backup restore --from t --data d --bucket b --to-instant -1d"
                                    + " --endpoint e",
                            "backup restore --from t --data d b --at -1d --endpoint e"),
                    List.of("cluster local --session 7", "cluster local --session 7s"));

    /** It parses line after line, and takes long to make. */
    private static final CommandLine VOLUTE = volute();

    private record Parsed(String command, List<String> values, String err) {}

    private static CommandLine volute() {
        CommandContext real = Main.context();
        CommandContext context =
                new CommandContext(
                        real.launcher(),
                        Map.of(),
                        real.arguments(),
                        () -> NOW,
                        real.nanos(),
                        real.in(),
                        real.screen(),
                        real.pause());
        return VoluteCommand.commandLine(context, Main.COMMANDS);
    }

    private static Parsed parse(String words) {
        StringWriter err = new StringWriter();
        CommandLine line = VOLUTE.setErr(new PrintWriter(err));
        ParseResult result = line.parseArgs(words.split(" "));
        while (result.hasSubcommand()) {
            result = result.subcommand();
        }
        List<String> values = new ArrayList<>();
        for (ArgSpec each : result.commandSpec().args()) {
            values.add(each.paramLabel() + " " + each.getValue());
        }
        return new Parsed(result.commandSpec().qualifiedName(), values, err.toString());
    }

    @ParameterizedTest
    @FieldSource("LINES")
    void isTheSameWithAWarning(List<String> line) {
        Parsed old = parse(line.getFirst());
        Parsed now = parse(line.getLast());
        assertThat(old.command()).isEqualTo(now.command());
        assertThat(old.values()).isEqualTo(now.values());
        assertThat(now.err()).isEmpty();
        assertThat(old.err().lines())
                .singleElement()
                .asString()
                .startsWith("volute: old spelling: '");
    }

    private static void collect(CommandLine line, Set<String> warnings) {
        for (OldSpelling each : Grammar.oldSpellings(line.getCommandSpec())) {
            warnings.add("'" + each.value() + "' is now '" + each.now() + "'");
        }
        line.getSubcommands().values().forEach(each -> collect(each, warnings));
    }

    @Test
    void allOfThemAreTried() {
        Set<String> all = new TreeSet<>();
        collect(VOLUTE, all);
        String seen =
                LINES.stream()
                        .map(each -> parse(each.getFirst()).err())
                        .collect(Collectors.joining());
        assertThat(all).isNotEmpty().allMatch(seen::contains);
    }

    @Test
    void aValueIsNoOption() {
        Parsed parsed = parse("restore b --undo-name --bucket --since -1d");
        assertThat(parsed.err()).isEmpty();
        assertThat(parsed.values()).contains("NAME [--bucket]");
    }

    @Test
    void theWarningIsNoPartOfTheOutput() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        VoluteCommand.run(
                Main.context(),
                Main.COMMANDS,
                new PrintWriter(out),
                new PrintWriter(err),
                "audit",
                "--json",
                "--bucket",
                "b",
                "--endpoint",
                "http://127.0.0.1:1");
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString())
                .startsWith("volute: old spelling: '--bucket BUCKET' is now 'BUCKET'\n");
    }

    /** Lines for a shell, in blocks and between backticks. */
    private static final Pattern LINE =
            Pattern.compile("(?m)(?:^ *|`)(?:\\./)?volute ([^`\n#|>]+)");

    @Test
    void documentsHaveThePresentSpellings() throws IOException {
        Path root =
                Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                        .filter(each -> Files.exists(each.resolve("CHANGELOG.md")))
                        .findFirst()
                        .orElseThrow();
        List<Path> pages = new ArrayList<>(List.of(root.resolve("README.md")));
        try (Stream<Path> all = Files.walk(root.resolve("docs"))) {
            all.filter(each -> each.toString().endsWith(".md")).forEach(pages::add);
        }
        int lines = 0;
        List<String> old = new ArrayList<>();
        for (Path page : pages) {
            Matcher matcher = LINE.matcher(Files.readString(page).replaceAll("\\\\\n *", ""));
            while (matcher.find()) {
                lines++;
                StringWriter err = new StringWriter();
                try {
                    VOLUTE.setErr(new PrintWriter(err))
                            .parseArgs(matcher.group(1).strip().split("\\s+"));
                } catch (ParameterException e) {
                    // A line with placeholders; former spellings are found before.
                }
                if (!err.toString().isEmpty()) {
                    old.add(root.relativize(page) + ": " + matcher.group());
                }
            }
        }
        assertThat(old).isEmpty();
        assertThat(lines).isGreaterThan(100);
    }
}
