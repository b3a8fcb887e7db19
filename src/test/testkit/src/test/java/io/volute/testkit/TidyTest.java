package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the rules for source files of the repository that compilers do not check. */
class TidyTest {
    private static final int PACKAGE_FILES_MAX = 25;
    private static final int MAIN_LINES_MAX = 400;
    private static final int TEST_LINES_MAX = 800;
    private static final int COLUMNS_MAX = 100;
    private static final Pattern UNFINISHED =
            Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final String SLEEP = "Thread.sl" + "eep(";
    private static final Pattern BAD_NAME =
            Pattern.compile(".*(Manager|Helper|Util|Utils|Impl)\\.java");

    /** File name and reason. Think hard before adding one. */
    private static final Map<String, String> MAY_BE_LONGER = Map.of();

    @Test
    void sourcesAreTidy() throws IOException {
        assertThat(violations(RepositoryFiles.root())).isEmpty();
    }

    @Test
    void findsWhatIsUntidy(@TempDir Path directory) throws IOException {
        Path main = Files.createDirectories(directory.resolve("m/src/main/java/p"));
        Files.writeString(main.resolve("ThingHelper.java"), "class ThingHelper {}\n");
        Files.writeString(main.resolve("Long.java"), "// TO".concat("DO\n").repeat(401));
        Files.writeString(main.resolve("Wide.java"), " ".repeat(101) + "\n" + SLEEP + "1);\n");
        Path tests = Files.createDirectories(directory.resolve("m/src/test/java/p"));
        for (int i = 0; i <= PACKAGE_FILES_MAX; i++) {
            Files.writeString(tests.resolve("Case" + i + ".java"), "class Case {}\n");
        }
        assertThat(violations(directory))
                .anySatisfy(line -> assertThat(line).contains("ThingHelper.java: name"))
                .anySatisfy(line -> assertThat(line).contains("src/test/java/p: 26 files"))
                .anySatisfy(line -> assertThat(line).contains("Long.java: 401 lines"))
                .anySatisfy(line -> assertThat(line).contains("Long.java:1: unfinished"))
                .anySatisfy(line -> assertThat(line).contains("Wide.java:1: 101 columns"))
                .anySatisfy(line -> assertThat(line).contains("Wide.java:2: sleeps"))
                .anySatisfy(line -> assertThat(line).contains("no package-info.java"));
    }

    private static List<String> violations(Path root) throws IOException {
        List<Path> sources = RepositoryFiles.below(root, ".java");
        assertThat(sources).isNotEmpty();
        List<String> violations = new ArrayList<>();
        Map<Path, Integer> packages = new TreeMap<>();
        for (Path source : sources) {
            String name = root.relativize(source).toString();
            boolean isMain = name.contains("src/main/java");
            packages.merge(source.getParent(), 1, Integer::sum);
            if (BAD_NAME.matcher(name).matches()) {
                violations.add(name + ": name says nothing");
            }
            check(source, name, isMain ? MAIN_LINES_MAX : TEST_LINES_MAX, violations);
        }
        packages.forEach(
                (each, files) -> {
                    boolean isMain = each.toString().contains("src/main/java");
                    if (isMain && !Files.exists(each.resolve("package-info.java"))) {
                        violations.add(root.relativize(each) + ": no package-info.java");
                    }
                    if (files > PACKAGE_FILES_MAX) {
                        violations.add(
                                root.relativize(each)
                                        + ": "
                                        + files
                                        + " files, at most "
                                        + PACKAGE_FILES_MAX);
                    }
                });
        return violations;
    }

    private static void check(Path source, String name, int linesMax, List<String> violations)
            throws IOException {
        List<String> lines = Files.readAllLines(source);
        boolean mayBeLonger = MAY_BE_LONGER.containsKey(source.getFileName().toString());
        if (lines.size() > linesMax && !mayBeLonger) {
            violations.add(name + ": " + lines.size() + " lines, at most " + linesMax);
        }
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
