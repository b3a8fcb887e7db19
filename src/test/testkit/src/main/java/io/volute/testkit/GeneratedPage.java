package io.volute.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A committed page of the documents whose parts a test renders from the code.
 *
 * <p>A part is the text between a line {@code <!-- generated: NAME -->} and a line {@code <!-- end
 * -->}; in a file whose comments begin with a number sign, between {@code # generated: NAME} and
 * {@code # end}. All other lines are written by hand.
 *
 * <pre>{@code
 * GeneratedPage.of("docs/reference/settings.md").part("log", rows).check();
 * }</pre>
 *
 * <p>The test is a class {@code *ReferenceTest}. {@code ./volute docs} runs all of these with
 * {@code -Dvolute.docs=write}: then {@link #check} writes the page. For one thread.
 */
public final class GeneratedPage {
    private static final Pattern PART =
            Pattern.compile(
                    "(?ms)^(?<begin>[ ]*(?:<!--|#) generated: (?<name>[a-z0-9 -]+?)(?: -->)?\n)"
                            + ".*?^(?<end>[ ]*(?:<!--|#) end(?: -->)?)$");

    private final String name;
    private final Path file;
    private final String committed;
    private final Set<String> rendered = new HashSet<>();
    private String text;

    private GeneratedPage(String name, Path file) throws IOException {
        this.name = name;
        this.file = file;
        committed = Files.readString(file);
        text = committed;
    }

    /**
     * Reads a page.
     *
     * @param name of the file, from the top of the repository
     */
    public static GeneratedPage of(String name) throws IOException {
        return new GeneratedPage(name, RepositoryFiles.root().resolve(name));
    }

    /**
     * Replaces the text of a part.
     *
     * @param part the name in its marker
     * @param lines with line ends between them
     * @throws AssertionError if the page does not have exactly one such part
     */
    public GeneratedPage part(String part, String lines) {
        StringBuilder page = new StringBuilder();
        Matcher each = PART.matcher(text);
        int found = 0;
        while (each.find()) {
            String replacement = each.group();
            if (each.group("name").equals(part)) {
                found++;
                replacement =
                        each.group("begin") + lines.stripTrailing() + "\n" + each.group("end");
            }
            each.appendReplacement(page, Matcher.quoteReplacement(replacement));
        }
        each.appendTail(page);
        if (found != 1 || !rendered.add(part)) {
            throw new AssertionError(
                    name + " needs one part \"generated: " + part + "\"; it has " + found);
        }
        text = page.toString();
        return this;
    }

    /**
     * Compares the page with the code, or writes it if the property {@code volute.docs} is {@code
     * write}.
     *
     * @throws AssertionError if they differ, or if nothing renders one of the parts
     */
    public void check() throws IOException {
        Matcher each = PART.matcher(text);
        while (each.find()) {
            if (!rendered.contains(each.group("name"))) {
                throw new AssertionError(
                        name + " has a part that no code renders: " + each.group("name"));
            }
        }
        if (text.equals(committed)) {
            return;
        }
        if ("write".equals(System.getProperty("volute.docs"))) {
            Files.writeString(file, text);
            return;
        }
        List<String> lines = committed.lines().toList();
        List<String> rendering = text.lines().toList();
        int line = 0;
        while (line < Math.min(lines.size(), rendering.size())
                && lines.get(line).equals(rendering.get(line))) {
            line++;
        }
        throw new AssertionError(
                name
                        + " differs from the code in line "
                        + (line + 1)
                        + ". Run ./volute docs, and commit the page.\nPage: "
                        + at(lines, line)
                        + "\nCode: "
                        + at(rendering, line));
    }

    private static String at(List<String> lines, int line) {
        return line < lines.size() ? lines.get(line) : "(end)";
    }

    /**
     * Returns a table of Markdown.
     *
     * @param header the title of each column
     * @param rows the cells of each row, as many as there are titles
     */
    public static String table(List<String> header, List<List<String>> rows) {
        StringBuilder table = new StringBuilder();
        row(table, header);
        table.append("|---".repeat(header.size())).append("|\n");
        rows.forEach(cells -> row(table, cells));
        return table.toString();
    }

    private static void row(StringBuilder table, List<String> cells) {
        for (String cell : cells) {
            table.append("| ").append(cell.replace("|", "\\|")).append(' ');
        }
        table.append("|\n");
    }
}
