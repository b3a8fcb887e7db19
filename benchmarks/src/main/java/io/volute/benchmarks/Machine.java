package io.volute.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The machine of a measurement. */
public final class Machine {
    private Machine() {}

    /** Processor, operating system and Java, in words. */
    public static String describe() throws IOException {
        String model =
                Files.readString(Path.of("/proc/cpuinfo"))
                        .lines()
                        .filter(text -> text.startsWith("model name"))
                        .map(text -> text.substring(text.indexOf(':') + 1).trim())
                        .findFirst()
                        .orElse("unknown processor");
        return String.format(
                Locale.ROOT,
                "%s x%d, Linux %s, driver on Java %s",
                model,
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.version"),
                Runtime.version());
    }
}
