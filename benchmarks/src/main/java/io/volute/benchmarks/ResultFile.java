package io.volute.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of result lines, to which every run adds its own. */
public record ResultFile(Path path) {

    /** Adds a line; the file is made when there is none. */
    public void append(JsonLine line) {
        try {
            Files.writeString(
                    path,
                    line + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("results cannot be written to " + path, e);
        }
    }
}
