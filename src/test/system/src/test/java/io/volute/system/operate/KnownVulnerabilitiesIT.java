package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.ContainerEngine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares every jar of the distribution with a list of known vulnerabilities, without a network:
 * those that other libraries bring along, and those that are packed into others, too.
 */
class KnownVulnerabilitiesIT {
    private static final String LIST = "/known-vulnerabilities.txt";
    private static final String UNSEARCHED = "unsearched";
    private static final String OWN = "volute-";

    private static final Pattern RANGE = Pattern.compile("([\\[(])([0-9.]*),([0-9.]+)\\)");
    private static final Pattern JAR = Pattern.compile("(.+?)-([0-9][^/]*)\\.jar");
    private static final Pattern COORDINATES =
            Pattern.compile("META-INF/maven/[^/]+/[^/]+/pom\\.properties");

    @TempDir private Path directory;

    private record Artifact(String name, String version) {}

    private record Advisory(String artifact, String id, String affected, String source) {
        static Advisory of(String line) {
            List<String> fields = List.of(line.split(" \\| "));
            return fields.size() == 2
                    ? new Advisory(fields.getFirst(), fields.getLast(), "", "")
                    : new Advisory(fields.get(0), fields.get(1), fields.get(2), fields.get(3));
        }

        boolean isOf(Artifact found) {
            return artifact.endsWith("*")
                    ? found.name().startsWith(artifact.substring(0, artifact.length() - 1))
                    : found.name().equals(artifact);
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
        try (InputStream in = KnownVulnerabilitiesIT.class.getResourceAsStream(LIST)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Advisory::of)
                    .toList();
        }
    }

    /** Returns the libraries in the jars of a directory, each by its name and by what is in it. */
    private static List<Artifact> artifacts(Path lib) throws IOException {
        List<Artifact> found = new ArrayList<>();
        List<Path> jars;
        try (Stream<Path> files = Files.list(lib)) {
            jars = files.filter(each -> each.toString().endsWith(".jar")).sorted().toList();
        }
        for (Path jar : jars) {
            String name = jar.getFileName().toString();
            Matcher matcher = JAR.matcher(name);
            assertThat(matcher.matches()).as("%s is ARTIFACT-VERSION.jar", name).isTrue();
            if (!name.startsWith(OWN)) {
                found.add(new Artifact(matcher.group(1), matcher.group(2)));
            }
            try (InputStream in = Files.newInputStream(jar)) {
                addInner(in, found);
            }
        }
        found.removeIf(each -> each.name().startsWith(OWN));
        return found;
    }

    /** Adds the libraries that Maven packed into a jar, also into a jar in it. */
    private static void addInner(InputStream jar, List<Artifact> found) throws IOException {
        ZipInputStream zip = new ZipInputStream(jar);
        for (ZipEntry each = zip.getNextEntry(); each != null; each = zip.getNextEntry()) {
            if (COORDINATES.matcher(each.getName()).matches()) {
                Properties properties = new Properties();
                properties.load(zip);
                found.add(
                        new Artifact(
                                properties.getProperty("artifactId", ""),
                                properties.getProperty("version", "")));
            } else if (each.getName().endsWith(".jar")) {
                addInner(zip, found);
            }
        }
    }

    private static List<String> vulnerabilities(List<Artifact> artifacts) throws IOException {
        List<Advisory> advisories = advisories();
        return artifacts.stream()
                .distinct()
                .flatMap(
                        artifact ->
                                advisories.stream()
                                        .filter(each -> each.isOf(artifact))
                                        .filter(each -> each.affects(artifact.version()))
                                        .map(each -> artifact + " has " + each))
                .toList();
    }

    private static Path lib() {
        Path lib = ContainerEngine.repository().resolve("distribution/target/lib");
        assumeThat(lib).as("SKIPPED: Volute has not been packaged; run mvn verify").exists();
        return lib;
    }

    @Test
    void noLibraryHasAKnownVulnerability() throws IOException {
        assertThat(vulnerabilities(artifacts(lib()))).isEmpty();
    }

    /** A library that comes or goes takes its lines with it. */
    @Test
    void theListIsOfTheLibrariesOfTheDistribution() throws IOException {
        List<Artifact> artifacts = artifacts(lib());
        List<Advisory> advisories = advisories();
        TreeSet<String> missing = new TreeSet<>();
        artifacts.stream()
                .filter(each -> advisories.stream().noneMatch(line -> line.isOf(each)))
                .forEach(each -> missing.add(each.name()));
        assertThat(missing).as("libraries without a line in the list").isEmpty();
        assertThat(advisories)
                .allSatisfy(line -> assertThat(artifacts).as("%s", line).anyMatch(line::isOf));
    }

    /** Each line can be checked. */
    @Test
    void eachAdvisoryHasItsSource() throws IOException {
        assertThat(advisories())
                .filteredOn(each -> !each.id().equals(UNSEARCHED))
                .isNotEmpty()
                .allSatisfy(
                        each -> {
                            assertThat(each.id()).matches("CVE-\\d{4}-\\d+|GHSA(-[a-z0-9]{4}){3}");
                            assertThat(each.affected()).matches("(" + RANGE.pattern() + " ?)+");
                            assertThat(each.source()).startsWith("https://");
                        });
    }

    private static void pack(OutputStream out, String entry, byte[] content) throws IOException {
        ZipOutputStream zip = new ZipOutputStream(out);
        zip.putNextEntry(new ZipEntry(entry));
        zip.write(content);
        zip.closeEntry();
        zip.finish();
    }

    private static byte[] coordinates(String artifact, String version) {
        return ("artifactId=" + artifact + "\nversion=" + version + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** commons-text comes with commons-configuration2; the parent pom does not name it. */
    @Test
    void aPlantedLibraryIsFoundHoweverItCame() throws IOException {
        try (OutputStream out = Files.newOutputStream(directory.resolve("guava-31.1-jre.jar"))) {
            pack(out, "com/google/Any.class", new byte[0]);
        }
        String place = "META-INF/maven/a/b/pom.properties";
        try (OutputStream out = Files.newOutputStream(directory.resolve("all-1.0.jar"))) {
            pack(out, place, coordinates("commons-text", "1.9"));
        }
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        pack(inner, place, coordinates("netty-codec-http", "4.2.4.Final"));
        try (OutputStream out = Files.newOutputStream(directory.resolve("outer-1.0.jar"))) {
            pack(out, "lib/inner.jar", inner.toByteArray());
        }
        List<String> found = vulnerabilities(artifacts(directory));
        assertThat(found)
                .anyMatch(each -> each.contains("CVE-2023-2976"))
                .anyMatch(each -> each.contains("CVE-2022-42889"))
                .anyMatch(each -> each.contains("CVE-2025-58056"));
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
