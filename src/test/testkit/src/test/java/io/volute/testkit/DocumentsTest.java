package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rules for the Markdown documents of the repository: links, line length, names of tests and
 * classes, glossary, invariants, decision records.
 */
class DocumentsTest {
    private static final int COLUMNS_MAX = 100;

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(#[^)\\s]*)?\\)");

    /** A class of tests, as the documents write it: alone or with a method or a note. */
    private static final Pattern NAMED_TEST =
            Pattern.compile("`([A-Z]\\w+(?:Test|IT|Model|Crash|Fuzz|Lincheck))[`.]");

    /** A test method, written in full or with its beginning and three dots. */
    private static final Pattern NAMED_METHOD =
            Pattern.compile("`(\\w+(?:Test|IT|Model|Crash|Fuzz|Lincheck))\\.(\\w+)(\\.\\.\\.)?`");

    private static final Pattern NAMED_TYPE = Pattern.compile("`([A-Z][a-z]\\w*[A-Z]\\w*)[`.]");

    private static final Pattern TYPE =
            Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");

    /** Names in the map of the code that are no types of this repository: errors and answers. */
    private static final Set<String> OTHER_NAMES = Set.of("SlowDown", "AccessDenied");

    private static final int CELL_CHARS_MAX = 220;

    /** A cell without prose: names of options, for example. */
    private static final Pattern NAMES = Pattern.compile("\\s*`[^`]*`(?:, `[^`]*`)*+\\s*");

    private static final Path ROOT = RepositoryFiles.root();

    /** The text of each Java file by its name; of files of one name, behind each other. */
    private static Map<String, String> sources = Map.of();

    @BeforeAll
    static void readSources() throws IOException {
        sources = new HashMap<>();
        for (Path source : RepositoryFiles.below(ROOT, ".java")) {
            String name = source.getFileName().toString().replace(".java", "");
            sources.merge(name, Files.readString(source), String::concat);
        }
    }

    /** Returns the lines outside of fenced blocks. */
    private static Map<Integer, String> prose(Path document) throws IOException {
        Map<Integer, String> lines = new HashMap<>();
        boolean isFenced = false;
        int number = 0;
        for (String line : Files.readAllLines(document)) {
            number++;
            if (line.strip().startsWith("```")) {
                isFenced = !isFenced;
            } else if (!isFenced) {
                lines.put(number, line);
            }
        }
        return lines;
    }

    private static Set<String> anchors(Path document) throws IOException {
        return prose(document).values().stream()
                .filter(line -> line.startsWith("#"))
                .map(
                        line ->
                                line.replaceFirst("^#+ ", "")
                                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1"))
                .map(line -> line.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_\\- ]", ""))
                .map(line -> "#" + line.replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static Set<String> brokenLinks(Path root) throws IOException {
        Set<String> broken = new TreeSet<>();
        for (Path document : RepositoryFiles.below(root, ".md")) {
            Matcher link = LINK.matcher(String.join("\n", prose(document).values()));
            while (link.find()) {
                if (link.group(1).matches("[a-z]+:.*")) {
                    continue;
                }
                Path target = document.resolveSibling(link.group(1)).normalize();
                if (link.group(1).isEmpty()) {
                    target = document;
                }
                boolean isThere =
                        Files.exists(target)
                                && (link.group(2) == null
                                        || !target.toString().endsWith(".md")
                                        || anchors(target).contains(link.group(2)));
                if (!isThere) {
                    broken.add(root.relativize(document) + ": " + link.group());
                }
            }
        }
        return broken;
    }

    private static Set<String> longLines(Path root) throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path document : RepositoryFiles.below(root, ".md")) {
            prose(document)
                    .forEach(
                            (number, line) -> {
                                boolean isProse =
                                        !line.startsWith("    ") && !line.strip().startsWith("|");
                                String shown = line.replaceAll("]\\([^)]*\\)", "]");
                                if (isProse
                                        && shown.codePointCount(0, shown.length()) > COLUMNS_MAX) {
                                    found.add(root.relativize(document) + ":" + number);
                                }
                            });
        }
        return found;
    }

    @Test
    void linksResolve() throws IOException {
        assertThat(brokenLinks(ROOT)).isEmpty();
    }

    @Test
    void linesFitIntoAHundredColumns() throws IOException {
        assertThat(longLines(ROOT)).isEmpty();
    }

    private static Set<String> unplain(Path root) throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path document : RepositoryFiles.below(root, ".md")) {
            prose(document)
                    .forEach(
                            (number, line) -> {
                                if (!line.startsWith("    ")) {
                                    for (String breach : breaches(line)) {
                                        found.add(
                                                root.relativize(document)
                                                        + ":"
                                                        + number
                                                        + ": "
                                                        + breach);
                                    }
                                }
                            });
        }
        return found;
    }

    private static List<String> breaches(String line) {
        List<String> found = new ArrayList<>();
        String shown = line.replaceAll("]\\([^)]*\\)", "]");
        for (String cell : line.strip().startsWith("|") ? shown.split("\\|") : new String[0]) {
            if (cell.length() > CELL_CHARS_MAX && !NAMES.matcher(cell).matches()) {
                found.add("cell of " + cell.length() + " characters");
            }
            if (cell.replaceAll("`[^`]*`", "x").split("[.!?]\\s+(?=[A-Z])").length > 2) {
                found.add("cell of more than two sentences");
            }
        }
        String words = shown.replaceAll("`[^`]*`", "");
        found.addAll(PlainProse.breaches(words));
        return found;
    }

    @Test
    void proseIsPlain() throws IOException {
        assertThat(unplain(ROOT)).isEmpty();
    }

    @Test
    void everyPageStatesItsPurpose() throws IOException {
        for (Path page : RepositoryFiles.below(ROOT.resolve("docs"), ".md")) {
            if (!page.getFileName().toString().matches("\\d{4}-.*")) {
                String first =
                        Stream.of(
                                        Files.readString(page)
                                                .replaceAll("(?s)```.*?```", "")
                                                .split("\n\n"))
                                .map(String::strip)
                                .filter(each -> !each.isEmpty() && !each.startsWith("#"))
                                .findFirst()
                                .orElse("");
                assertThat(first).as(page.toString()).startsWith("This page ");
            }
        }
    }

    @Test
    void findsWhatIsWrong(@TempDir Path directory) throws IOException {
        Files.writeString(
                directory.resolve("a.md"),
                "# One\n[x](gone.md) [y](#two) [z](#one)\n" + "word ".repeat(30) + "\n");
        assertThat(brokenLinks(directory)).containsExactly("a.md: ](#two)", "a.md: ](gone.md)");
        assertThat(longLines(directory)).containsExactly("a.md:3");
        Files.writeString(
                directory.resolve("b.md"), "The log tells him.\nWho has it\n" + "w ".repeat(33));
        Files.writeString(
                directory.resolve("c.md"),
                "| "
                        + "x".repeat(230)
                        + " |\n| A b. C d. E f. |\n| "
                        + "`x`, ".repeat(60)
                        + "`y` |\n");
        assertThat(unplain(directory))
                .noneMatch(each -> each.startsWith("c.md:3"))
                .contains(
                        "b.md:1: verb of speech for data flow",
                        "b.md:1: gender of a person",
                        "b.md:2: relative clause as a noun",
                        "b.md:3: sentence of 33 words",
                        "c.md:1: cell of 232 characters",
                        "c.md:2: cell of more than two sentences");
    }

    @Test
    void everyPageIsListed() throws IOException {
        Set<Path> reached = new HashSet<>();
        List<Path> open = new ArrayList<>(List.of(ROOT.resolve("docs/README.md")));
        while (!open.isEmpty()) {
            Path page = open.removeLast();
            if (reached.add(page)) {
                Matcher link = LINK.matcher(Files.readString(page));
                while (link.find()) {
                    Path target = page.resolveSibling(link.group(1)).normalize();
                    if (target.toString().endsWith(".md") && Files.exists(target)) {
                        open.add(target);
                    }
                }
            }
        }
        assertThat(reached).containsAll(RepositoryFiles.below(ROOT.resolve("docs"), ".md"));
    }

    @Test
    void documentsNameTestsThatExist() throws IOException {
        Set<String> types = types();
        Set<String> gone = new TreeSet<>();
        for (Path document : RepositoryFiles.below(ROOT.resolve("docs"), ".md")) {
            Matcher name = NAMED_TEST.matcher(Files.readString(document));
            while (name.find()) {
                if (!types.contains(name.group(1))) {
                    gone.add(ROOT.relativize(document) + ": " + name.group(1));
                }
            }
        }
        assertThat(gone).isEmpty();
    }

    @Test
    void documentsNameMethodsThatExist() throws IOException {
        Set<String> gone = new TreeSet<>();
        for (Path document : RepositoryFiles.below(ROOT.resolve("docs"), ".md")) {
            Matcher name = NAMED_METHOD.matcher(Files.readString(document));
            while (name.find()) {
                String end = name.group(3) == null ? "(" : "";
                String source = sources.getOrDefault(name.group(1), "");
                if (!source.contains(" " + name.group(2) + end)) {
                    gone.add(ROOT.relativize(document) + ": " + name.group());
                }
            }
        }
        assertThat(gone).isEmpty();
    }

    @Test
    void theMapOfTheCodeNamesTypesThatExist() throws IOException {
        Set<String> types = types();
        Set<String> gone = new TreeSet<>();
        List<Path> pages =
                new ArrayList<>(RepositoryFiles.below(ROOT.resolve("docs/design"), ".md"));
        pages.add(ROOT.resolve("ARCHITECTURE.md"));
        for (Path document : pages) {
            Matcher name = NAMED_TYPE.matcher(Files.readString(document));
            while (name.find()) {
                if (!types.contains(name.group(1)) && !OTHER_NAMES.contains(name.group(1))) {
                    gone.add(ROOT.relativize(document) + ": " + name.group(1));
                }
            }
        }
        assertThat(gone).isEmpty();
    }

    private static Set<String> types() {
        Set<String> types = new HashSet<>(sources.keySet());
        for (String source : sources.values()) {
            Matcher type = TYPE.matcher(source);
            while (type.find()) {
                types.add(type.group(1));
            }
        }
        return types;
    }

    @Test
    void everyInvariantNamesATest() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/design/invariants.md"));
        List<String> rules =
                Stream.of(page.split("\n(?=- \\*\\*)"))
                        .filter(each -> each.startsWith("- **"))
                        .map(each -> each.replaceAll("\\s+", " "))
                        .toList();
        assertThat(rules).hasSizeGreaterThan(50);
        assertThat(rules)
                .allSatisfy(
                        rule -> {
                            assertThat(rule).matches("- \\*\\*[A-Z]-\\d+\\. .*");
                            int enforced = rule.indexOf("*Enforced by:*");
                            assertThat(enforced).as(rule).isPositive();
                            assertThat(rule.substring(enforced)).containsPattern(NAMED_TEST);
                        });
        assertThat(rules.stream().map(each -> each.substring(4, each.indexOf(". "))))
                .doesNotHaveDuplicates();
    }

    @Test
    void everyTermOfTheGlossaryIsDefinedOnceAndUsed() throws IOException {
        Path glossary = ROOT.resolve("docs/glossary.md");
        Matcher term =
                Pattern.compile("(?m)^- \\*\\*([^*(]+?)( \\([^)]*\\))?\\*\\*:")
                        .matcher(Files.readString(glossary));
        List<String> terms = new ArrayList<>();
        while (term.find()) {
            terms.add(term.group(1) + (term.group(2) == null ? "" : term.group(2)));
        }
        assertThat(terms).hasSizeGreaterThan(40).doesNotHaveDuplicates();
        StringBuilder words = new StringBuilder();
        for (Path document : RepositoryFiles.below(ROOT, ".md")) {
            if (!document.equals(glossary)) {
                words.append(Files.readString(document).toLowerCase(Locale.ROOT));
            }
        }
        String text = words.toString().replaceAll("\\s+", " ");
        assertThat(terms)
                .allSatisfy(
                        each ->
                                assertThat(
                                                text.contains(
                                                        each.replaceFirst(" \\(.*", "")
                                                                .toLowerCase(Locale.ROOT)))
                                        .as(each)
                                        .isTrue());
    }

    @Test
    void everyDecisionHasItsSections() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/decisions/README.md"));
        for (Path record : RepositoryFiles.below(ROOT.resolve("docs/decisions"), ".md")) {
            String name = record.getFileName().toString();
            if (!name.equals("README.md")) {
                assertThat(name).matches("\\d{4}-[a-z0-9-]+\\.md");
                assertThat(index).contains("(" + name + ")");
                assertThat(Files.readString(record))
                        .as(name)
                        .startsWith("# " + name.substring(0, 4) + ". ")
                        .contains(
                                "## Problem\n",
                                "## Decision\n",
                                "## Consequences\n",
                                "## Alternatives\n",
                                "## Tests\n");
            }
        }
    }
}
