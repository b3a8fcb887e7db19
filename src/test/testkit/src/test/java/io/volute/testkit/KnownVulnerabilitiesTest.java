package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the libraries of the parent pom with a list of known vulnerabilities, without a network.
 */
class KnownVulnerabilitiesTest {
    private static final String LIST = "/known-vulnerabilities.txt";
    private static final String UNSEARCHED = "unsearched";

    /** The first property of a library that only tests and benchmarks use. */
    private static final String FIRST_OF_TESTS = "junit.version";

    private static final Pattern PROPERTY = Pattern.compile("<([a-z0-9.]+\\.version)>([^<]+)</");
    private static final Pattern RANGE = Pattern.compile("([\\[(])([0-9.]*),([0-9.]+)\\)");

    private record Advisory(String property, String id, String affected, String source) {
        static Advisory of(String line) {
            List<String> fields = List.of(line.split(" \\| "));
            return fields.size() == 2
                    ? new Advisory(fields.getFirst(), fields.getLast(), "", "")
                    : new Advisory(fields.get(0), fields.get(1), fields.get(2), fields.get(3));
        }

        boolean affects(String version) {
            Matcher ranges = RANGE.matcher(affected);
            while (ranges.find()) {
                String from = ranges.group(2);
                if ((from.isEmpty() || compare(version, from) >= 0)
                        && compare(version, ranges.group(3)) < 0) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Compares versions by their leading numbers; words such as Final do not count. */
    private static int compare(String left, String right) {
        String[] these = left.split("[.-]");
        String[] those = right.split("[.-]");
        for (int i = 0; i < Math.max(these.length, those.length); i++) {
            int difference = Integer.compare(number(these, i), number(those, i));
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private static int number(String[] parts, int index) {
        return index < parts.length && parts[index].matches("[0-9]{1,9}")
                ? Integer.parseInt(parts[index])
                : 0;
    }

    private static List<Advisory> advisories() throws IOException {
        try (InputStream in = KnownVulnerabilitiesTest.class.getResourceAsStream(LIST)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Advisory::of)
                    .toList();
        }
    }

    /** The versions of the libraries that the server and its commands use. */
    private static Map<String, String> versions() throws IOException {
        Map<String, String> versions = new LinkedHashMap<>();
        Matcher properties =
                PROPERTY.matcher(Files.readString(RepositoryFiles.root().resolve("pom.xml")));
        while (properties.find() && !properties.group(1).equals(FIRST_OF_TESTS)) {
            versions.put(properties.group(1), properties.group(2));
        }
        return versions;
    }

    @Test
    void noLibraryHasAKnownVulnerability() throws IOException {
        Map<String, String> versions = versions();
        List<String> found =
                advisories().stream()
                        .filter(each -> versions.containsKey(each.property()))
                        .filter(each -> each.affects(versions.get(each.property())))
                        .map(each -> versions.get(each.property()) + " has " + each)
                        .toList();
        assertThat(found).isEmpty();
    }

    /** A library that comes or goes takes its lines with it, and each line can be checked. */
    @Test
    void theListIsOfTheLibrariesOfThePom() throws IOException {
        assertThat(advisories().stream().map(Advisory::property).distinct())
                .containsExactlyInAnyOrderElementsOf(versions().keySet());
        assertThat(advisories())
                .filteredOn(each -> !each.id().equals(UNSEARCHED))
                .allSatisfy(
                        each -> {
                            assertThat(each.id()).matches("CVE-\\d{4}-\\d+|GHSA(-[a-z0-9]{4}){3}");
                            assertThat(each.affected()).matches("(" + RANGE.pattern() + " ?)+");
                            assertThat(each.source()).startsWith("https://");
                        });
    }

    @ParameterizedTest
    @CsvSource({
        "4.1.41.Final, true",
        "4.1.125.Final, false",
        "4.1.126, false",
        "4.2.0.Final, true",
        "4.2.4.Final, true",
        "4.2.5.Final, false",
        "4.2.20.Final, false",
        "5.0, false",
    })
    void anAffectedVersionIsFound(String version, boolean affected) {
        Advisory advisory =
                Advisory.of("p | CVE-2025-58056 | (,4.1.125) [4.2.0,4.2.5) | https://example.com");
        assertThat(advisory.affects(version)).isEqualTo(affected);
    }
}
