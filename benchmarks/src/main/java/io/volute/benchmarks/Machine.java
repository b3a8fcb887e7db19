package io.volute.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine of a measurement. */
public final class Machine {
    private Machine() {}

    /** Processor, operating system and Java, in words. */
    public static String describe() throws IOException {
        String model = "unknown processor";
        Path info = Path.of("/proc/cpuinfo");
        if (Files.isReadable(info)) {
            model =
                    Files.readAllLines(info).stream()
                            .filter(text -> text.startsWith("model name"))
                            .map(text -> text.substring(text.indexOf(':') + 1).trim())
                            .findFirst()
                            .orElse(model);
        }
        return model
                + " x"
                + Runtime.getRuntime().availableProcessors()
                + ", Linux "
                + System.getProperty("os.version")
                + ", driver on Java "
                + Runtime.version();
    }
}
