package io.volute.system.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ExternalClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code provenance_verify.py}, a second verifier that shares no code with ours, agrees with it on
 * the golden vectors and on every forgery.
 */
class ProvenanceVerifierIT {
    private static final String SCRIPT = "provenance_verify.py";
    private static final String GOLDEN = "provenance/src/test/resources/golden";

    @TempDir private Path work;

    private ExternalClient python() throws IOException {
        try (InputStream script = getClass().getResourceAsStream("/" + SCRIPT)) {
            Files.copy(script, work.resolve(SCRIPT));
        }
        return ExternalClient.orSkip(work, List.of("python3"), "-c", "import hashlib, json");
    }

    private static Path golden() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(directory.resolve(GOLDEN))) {
            directory = directory.getParent();
        }
        return directory.resolve(GOLDEN);
    }

    @Test
    void agreesOnVectorsAndForgeries() throws IOException {
        ExternalClient.Result result = python().run(SCRIPT, "--golden", golden().toString());
        assertThat(result.code()).as(result.output()).isZero();
        assertThat(result.output().lines().filter(line -> line.startsWith("PASS")).count())
                .isGreaterThan(400);
        assertThat(result.output()).contains("PASS both: honest [] []").doesNotContain("FAIL");
    }

    /** The verifier detects a wrong verdict: an honest chain that the vectors call forged. */
    @Test
    void disagreesWithAWrongVerdict() throws IOException {
        Path copy = Files.createDirectory(work.resolve("golden"));
        for (String name : List.of("vectors.json", "chains.json", "forgeries.json")) {
            String text = Files.readString(golden().resolve(name));
            Files.writeString(
                    copy.resolve(name),
                    text.replaceFirst("\"promises\": \\[\\]", "\"promises\": [\"I1\"]"));
        }
        ExternalClient.Result result = python().run(SCRIPT, "--golden", copy.toString());
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.output()).contains("FAIL one: honest [] ['I1']");
    }

    private static String vector(String vectors, String name) {
        Matcher value = Pattern.compile("\"" + name + "\": \"([0-9a-f]+)\"").matcher(vectors);
        assertThat(value.find()).as(name).isTrue();
        return value.group(1);
    }

    @Test
    void computesTheRootOfAllHeads() throws IOException {
        String vectors = Files.readString(golden().resolve("vectors.json"));
        byte[] file = HexFormat.of().parseHex(vector(vectors, "headsFile"));
        Files.write(work.resolve("heads"), file);
        ExternalClient python = python();
        ExternalClient.Result whole = python.run(SCRIPT, "--heads", "heads");
        assertThat(whole.code()).as(whole.output()).isZero();
        assertThat(whole.output()).contains("6 chains, root " + vector(vectors, "mapRoot"));
        Files.write(work.resolve("heads"), Arrays.copyOf(file, file.length - 1));
        ExternalClient.Result cut = python.run(SCRIPT, "--heads", "heads");
        assertThat(cut.code()).isEqualTo(1);
        assertThat(cut.output()).contains("no canonical file of heads: cut off");
    }
}
