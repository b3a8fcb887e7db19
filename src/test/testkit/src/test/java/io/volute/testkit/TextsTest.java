package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that texts for people follow the writing rules: help of metrics and commands, log lines,
 * messages of errors, alerts, dashboards and the help of the start script.
 */
class TextsTest {
    private static final String VALUE = "(?:\"(?:[^\"\\\\]++|\\\\.)*+\"|[A-Z][\\w.]*+)";
    private static final String TEXT = VALUE + "(?:\\s*\\+\\s*" + VALUE + ")*+";
    private static final Pattern PART = Pattern.compile(VALUE);
    private static final Pattern CONSTANT =
            Pattern.compile("\\bString ([A-Z_]+) =\\s*(" + TEXT + ");");

    /** The source text before the help of a metric. */
    private static final Pattern METRIC =
            Pattern.compile(
                    "\\b(?:counter|gauge|histogram)s?\\(\\s*\"volute_\\w+\","
                            + "|\\.(?:description|help)\\(");

    /** The source text before the texts of a command, option, argument or example. */
    private static final Pattern COMMAND =
            Pattern.compile("\\b(?:description|header|footer|exitCodeList|does)\\s*=(?!=)");

    /** The source text before a log line. */
    private static final Pattern LOG = Pattern.compile("\\bLOG\\.(?:info|warn|error)\\(");

    /** A literal of any use, with the literals and constants that continue it. */
    private static final Pattern LITERAL =
            Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*+\"(?:\\s*\\+\\s*" + VALUE + ")*+");

    /** Comments, blocks of text and quotes as characters: a literal does not begin in them. */
    private static final Pattern NO_LITERAL =
            Pattern.compile("(?m)^\\s*(?://|\\*|/\\*).*$|(?s:\"\"\".*?\"\"\")|'\\\\?\"'");

    /** A sentence or a part of one: shorter literals are names and formats. */
    private static final Pattern SENTENCE = Pattern.compile("(?s).*(?:\\b[A-Za-z]{2,}\\b.*){4}");

    /** Names without a sentence around them, as of actions of IAM. */
    private static final Pattern NAMES = Pattern.compile("(?:[A-Z]\\w+ ?)+");

    /** Messages in the words of Amazon S3, which clients may compare. */
    private static final Set<String> OF_AMAZON =
            Set.of(
                    "The Content-MD5 you specified did not match what we received.",
                    "The provided 'x-amz-content-sha256' header does not match what was computed.",
                    " does not match what was computed: ");

    private static final Pattern FIRST = Pattern.compile("\\s*\\{?\\s*(" + TEXT + ")");
    private static final Pattern NEXT = Pattern.compile("\\s*,\\s*(" + TEXT + ")(?!\\s*[=(])");
    private static final Pattern CODE =
            Pattern.compile(
                    "`[^`]*`|]\\([^)]*\\)|\\$\\{[^}]*}|\\{\\{[^}]*}}|%n|^[0-9]+:(?=\\S)|\\\\\"");

    /** A text of an alert or of a dashboard, each on a line of its own. */
    private static final Pattern MONITORING =
            Pattern.compile(
                    "\\s*\"?(?:title|titleFormat|description|content|summary)\"?:"
                            + " \"((?:[^\"\\\\]|\\\\.)*)\",?");

    /** The start of a text in the help of the start script: beside or below a command. */
    private static final Pattern SCRIPT_HELP = Pattern.compile("(?:  \\S.*?\\S| {8,}) {2,}(\\S.*)");

    /** The rule behind each pattern, for texts that have no context. */
    private static final Map<Pattern, String> WORDING =
            Map.of(
                    Pattern.compile(
                            "\\b([Ww]hat|[Ww]hatever|[Ww]hoever|[Ww]hom|Who)\\b"
                                    + "|\\b(and|by|for|of|says|shows?|states?) (who|why)\\b"),
                    "relative clause as a noun",
                    Pattern.compile(
                            "\\b([Nn]obody|meanwhile|(?<!begin-)anew|[Bb]eside|[Bb]ehind|elsewhere"
                                    + "|those of)\\b"),
                    "word with a plainer synonym");

    /** A pronoun for a noun of a neighbour: each metric is read alone. */
    private static final Pattern REFERENCE =
            Pattern.compile("\\b([Oo]f|for|to|by) (them|those|these|that|it)\\b|\\bsuch\\b");

    private record HelpText(String place, String words, boolean isOfMetric) {
        List<String> breaches() {
            String plain = CODE.matcher(words).replaceAll("").strip();
            List<String> found = new ArrayList<>(PlainProse.breaches(plain));
            // An option may begin with its condition.
            if (PlainProse.isFragment(plain) && !plain.matches("With(out)? .*")) {
                found.add("begins with a fragment");
            }
            WORDING.forEach(
                    (pattern, rule) -> {
                        if (pattern.matcher(plain).find() && !found.contains(rule)) {
                            found.add(rule);
                        }
                    });
            if (isOfMetric && REFERENCE.matcher(plain).find()) {
                found.add("reference to another metric");
            }
            return found.stream().map(rule -> place + ": " + rule).toList();
        }
    }

    private static List<HelpText> texts(Path root) throws IOException {
        Map<Path, String> sources = new TreeMap<>();
        Map<String, String> constants = new HashMap<>();
        for (Path source : RepositoryFiles.below(root, ".java")) {
            if (source.toString().contains("src/main/java")) {
                String text = Files.readString(source);
                sources.put(source, text);
                Matcher constant = CONSTANT.matcher(text);
                while (constant.find()) {
                    constants.put(
                            typeName(source) + "." + constant.group(1),
                            words(constant.group(2), typeName(source), Map.of()));
                }
            }
        }
        List<HelpText> found = new ArrayList<>();
        sources.forEach(
                (source, text) -> {
                    addTexts(found, source, text, METRIC, constants);
                    addTexts(found, source, text, COMMAND, constants);
                    addTexts(found, source, text, LOG, constants);
                    addSentences(found, source, text, constants);
                });
        for (String ending : List.of(".json", ".yml")) {
            for (Path file : RepositoryFiles.below(root.resolve("docker"), ending)) {
                addMonitoringTexts(found, file);
            }
        }
        addScriptHelp(found, root.resolve("volute"));
        return found;
    }

    /** Adds the literals that read as prose: messages of errors, answers, printed lines. */
    private static void addSentences(
            List<HelpText> found, Path source, String text, Map<String, String> constants) {
        String code =
                NO_LITERAL
                        .matcher(text)
                        .replaceAll(each -> "\n".repeat(each.group().split("\n", -1).length - 1));
        Matcher literal = LITERAL.matcher(code);
        while (literal.find()) {
            String words = words(literal.group(), typeName(source), constants);
            if (SENTENCE.matcher(words).matches()
                    && !NAMES.matcher(words).matches()
                    && !OF_AMAZON.contains(words)) {
                long line = code.substring(0, literal.start()).lines().count();
                HelpText sentence = new HelpText(source.getFileName() + ":" + line, words, false);
                if (found.stream().noneMatch(each -> each.place().equals(sentence.place()))) {
                    found.add(sentence);
                }
            }
        }
    }

    private static void addMonitoringTexts(List<HelpText> found, Path file) throws IOException {
        int line = 0;
        for (String each : Files.readAllLines(file)) {
            line++;
            Matcher text = MONITORING.matcher(each);
            if (text.matches()) {
                found.add(new HelpText(file.getFileName() + ":" + line, text.group(1), false));
            }
        }
    }

    /** Adds the texts of the usage message, each joined from the lines that continue it. */
    private static void addScriptHelp(List<HelpText> found, Path script) throws IOException {
        // The usage has several blocks, some of them generated.
        List<String> lines =
                Files.readAllLines(script).stream()
                        .map(line -> line.matches("END|    (cat <<'END'|# .*)") ? "" : line)
                        .toList();
        int begin = lines.indexOf("usage() {");
        int end = begin + lines.subList(begin, lines.size()).indexOf("}");
        String words = "";
        int start = 0;
        for (int i = begin + 1; i <= end; i++) {
            Matcher help = SCRIPT_HELP.matcher(lines.get(i));
            boolean isHelp = help.matches();
            boolean continues = isHelp ? lines.get(i).startsWith("   ") : i != end;
            if (!continues || lines.get(i).isEmpty() || !isHelp && lines.get(i).startsWith(" ")) {
                found.add(new HelpText(script.getFileName() + ":" + start, words.strip(), false));
                words = "";
            }
            start = words.isBlank() ? i + 1 : start;
            if (isHelp || !lines.get(i).startsWith(" ")) {
                words += " " + (isHelp ? help.group(1) : lines.get(i));
            }
        }
    }

    private static String typeName(Path source) {
        return source.getFileName().toString().replace(".java", "");
    }

    private static void addTexts(
            List<HelpText> found,
            Path source,
            String text,
            Pattern opening,
            Map<String, String> constants) {
        Matcher before = opening.matcher(text);
        while (before.find()) {
            Matcher next = FIRST.matcher(text).region(before.end(), text.length());
            boolean hasNext = next.lookingAt();
            while (hasNext) {
                long line = text.substring(0, next.start(1)).lines().count();
                found.add(
                        new HelpText(
                                source.getFileName() + ":" + line,
                                words(next.group(1), typeName(source), constants),
                                opening.equals(METRIC)));
                // Only commands have lists of texts: else the next argument is a figure.
                next = NEXT.matcher(text).region(next.end(), text.length());
                hasNext = opening.equals(COMMAND) && next.lookingAt();
            }
        }
    }

    /** Returns the text that an expression of literals and constants has. */
    private static String words(String expression, String type, Map<String, String> constants) {
        StringBuilder words = new StringBuilder();
        Matcher part = PART.matcher(expression);
        while (part.find()) {
            String value = part.group();
            if (value.startsWith("\"")) {
                words.append(value, 1, value.length() - 1);
            } else {
                String name = value.contains(".") ? value : type + "." + value;
                words.append(constants.getOrDefault(name, "`code`"));
            }
        }
        return words.toString();
    }

    private static List<String> breaches(List<HelpText> texts) {
        return texts.stream().flatMap(each -> each.breaches().stream()).toList();
    }

    @Test
    void textsArePlain() throws IOException {
        List<HelpText> texts = texts(RepositoryFiles.root());
        assertThat(texts.stream().filter(HelpText::isOfMetric)).hasSizeGreaterThan(120);
        assertThat(texts).hasSizeGreaterThan(1000);
        assertThat(texts.stream().filter(each -> each.place().startsWith("alerts.yml:")))
                .hasSizeGreaterThan(100);
        assertThat(texts.stream().filter(each -> each.place().startsWith("health.json:")))
                .hasSizeGreaterThan(30);
        assertThat(texts.stream().filter(each -> each.place().startsWith("volute:")))
                .hasSizeGreaterThan(40);
        assertThat(breaches(texts)).isEmpty();
    }

    @Test
    void findsWhatIsWrong(@TempDir Path directory) throws IOException {
        Path sources = Files.createDirectories(directory.resolve("src/main/java"));
        Files.writeString(
                sources.resolve("A.java"),
                """
                gauge("volute_a", "Of the capacity, free bytes", figure);
                gauge("volute_b", "1 for what was decided last, and why", figure);
                counter(
                        "volute_c_total",
                        "Bytes" + " of those", figure);
                static final String LAST = "The log" + " tells him";
                @Option(names = "--all", description = LAST + " anew.")
                @Command(description = {"Shows a cube.", "LONG"}, exitCodeList = "1:Who asks")
                @Option(description = "With --all: every key.")
                Gauge.builder(name).description("Whether it runs");
                LOG.warn("{} is damaged: made anew", name);
                throw new IOException(file + " is lost: the log" + " says the reason");
                throw refused('"', "Not a name of a bucket.", "too " + "short");
                // "This is what nobody reads."
                String block = \"""
                    This is what nobody reads.
                    \""";
                return name.isEmpty() ? "names nobody of it" : "encryption = begin-anew is set";
                names("CreateBucket DeleteBucket WhoHasIt WhatIs");
                """
                        .replace("LONG", "w ".repeat(33)));
        Path docker = Files.createDirectories(directory.resolve("docker/grafana"));
        Files.writeString(
                docker.resolve("B.json"),
                """
                {
                  "title": "Who has it",
                  "description": "Bytes by \\"cause\\"; the log says why."
                }
                """);
        Files.writeString(
                docker.resolve("c.yml"),
                """
                expr: up == 0
                summary: "{{ $value }} nodes are behind"
                """);
        Files.writeString(
                directory.resolve("volute"),
                """
                usage() {
                    cat <<'END'
                Usage: ./volute COMMAND

                  check    verify it anew
                  clean --now
                           free space, and show
                           what is dead

                Environment: VOLUTE_A sets what
                is used.
                END
                }
                echo what
                """);
        assertThat(breaches(texts(directory)))
                .containsExactlyInAnyOrder(
                        "A.java:1: begins with a fragment",
                        "A.java:2: relative clause as a noun",
                        "A.java:5: reference to another metric",
                        "A.java:6: verb of speech for data flow",
                        "A.java:6: gender of a person",
                        "A.java:7: verb of speech for data flow",
                        "A.java:7: gender of a person",
                        "A.java:7: word with a plainer synonym",
                        "A.java:8: sentence of 33 words",
                        "A.java:8: begins with a fragment",
                        "A.java:8: relative clause as a noun",
                        "A.java:10: begins with a fragment",
                        "A.java:11: word with a plainer synonym",
                        "A.java:12: verb of speech for data flow",
                        "A.java:13: begins with a fragment",
                        "A.java:18: word with a plainer synonym",
                        "B.json:2: begins with a fragment",
                        "B.json:2: relative clause as a noun",
                        "B.json:3: verb of speech for data flow",
                        "B.json:3: relative clause as a noun",
                        "c.yml:2: word with a plainer synonym",
                        "volute:5: word with a plainer synonym",
                        "volute:7: relative clause as a noun",
                        "volute:10: relative clause as a noun");
    }
}
