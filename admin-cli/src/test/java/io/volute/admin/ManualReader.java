package io.volute.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A program that reads manual pages. */
public final class ManualReader {
    private ManualReader() {}

    /**
     * Returns what the program prints about a page. A test is skipped when it is not installed.
     *
     * @param worst the greatest exit code that passes
     */
    public static String output(int worst, Path input, String... command) throws Exception {
        boolean isThere =
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, command[0])));
        assumeTrue(isThere, command[0] + " is not installed");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectInput(input.toFile())
                        .start();
        try (var out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(text).isLessThanOrEqualTo(worst);
            return text;
        }
    }
}
