package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the rules for source files of the repository that compilers do not check. */
class TidyTest {
    private static final int COLUMNS_MAX = 100;
    private static final Pattern UNFINISHED =
            Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final String SLEEP = "Thread.sl" + "eep(";
    private static final Pattern BAD_NAME =
            Pattern.compile(".*(Manager|Helper|Util|Utils|Impl)\\.java");

    @Test
    void sourcesAreTidy() throws IOException {
        assertThat(violations(RepositoryFiles.root())).isEmpty();
    }

    @Test
    void findsWhatIsUntidy(@TempDir Path directory) throws IOException {
        Path main = Files.createDirectories(directory.resolve("m/src/main/java/p"));
        Files.writeString(main.resolve("ThingHelper.java"), "class ThingHelper {}\n");
        Files.writeString(main.resolve("Unfinished.java"), "// TO".concat("DO\n"));
        Files.writeString(main.resolve("Wide.java"), " ".repeat(101) + "\n" + SLEEP + "1);\n");
        assertThat(violations(directory))
                .anySatisfy(line -> assertThat(line).contains("ThingHelper.java: name"))
                .anySatisfy(line -> assertThat(line).contains("Unfinished.java:1: unfinished"))
                .anySatisfy(line -> assertThat(line).contains("Wide.java:1: 101 columns"))
                .anySatisfy(line -> assertThat(line).contains("Wide.java:2: sleeps"))
                .anySatisfy(line -> assertThat(line).contains("no package-info.java"));
    }

    private static List<String> violations(Path root) throws IOException {
        List<Path> sources = RepositoryFiles.below(root, ".java");
        assertThat(sources).isNotEmpty();
        List<String> violations = new ArrayList<>();
        Set<Path> packages = new TreeSet<>();
        for (Path source : sources) {
            String name = root.relativize(source).toString();
            if (name.contains("src/main/java")) {
                packages.add(source.getParent());
            }
            if (BAD_NAME.matcher(name).matches()) {
                violations.add(name + ": name says nothing");
            }
            check(source, name, violations);
        }
        for (Path each : packages) {
            if (!Files.exists(each.resolve("package-info.java"))) {
                violations.add(root.relativize(each) + ": no package-info.java");
            }
        }
        return violations;
    }

    private static void check(Path source, String name, List<String> violations)
            throws IOException {
        List<String> lines = Files.readAllLines(source);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean isImport = line.startsWith("import ");
            if (line.codePointCount(0, line.length()) > COLUMNS_MAX && !isImport) {
                violations.add(name + ":" + (i + 1) + ": " + line.length() + " columns");
            }
            if (UNFINISHED.matcher(line).find()) {
                violations.add(name + ":" + (i + 1) + ": unfinished: " + line.strip());
            }
            if (line.contains(SLEEP)) {
                violations.add(name + ":" + (i + 1) + ": sleeps");
            }
        }
    }
}
