package io.volute.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Runs the tests of the Python scripts in the directory of this module. */
class ScriptsTest {
    @Test
    void testsOfTheScriptsPass() throws IOException, InterruptedException {
        assumeTrue(isOnPath("python3"), "SKIPPED: python3 is not installed");

        Process process =
                new ProcessBuilder("python3", "-B", "-m", "unittest", "discover", "-s", ".")
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).containsPattern("Ran [1-9][0-9]* tests");
    }

    private static boolean isOnPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
