package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.Ticks;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a run has found: lines in {@code results.jsonl} that say which run they are of, and
 * complaints, which are printed and counted too.
 */
final class Findings {
    private final PrintStream out;
    private final CleaningOptions options;
    private final String machine;
    private final String begun;
    private final Path file;
    private int complaints;

    /** To be made when the run begins: the lines say when that was. */
    Findings(PrintStream out, CleaningOptions options) throws IOException {
        this.out = out;
        this.options = options;
        this.machine = Machine.describe();
        this.begun = Ticks.wallClock().toString();
        Files.createDirectories(options.output());
        this.file = options.output().resolve("results.jsonl");
    }

    String machine() {
        return machine;
    }

    int complaints() {
        return complaints;
    }

    /**
     * @param line gets the text
     */
    void complain(String text, JsonLine line) {
        complaints++;
        out.println("WRONG: " + text);
        append(line.put("text", text));
    }

    /** Starts a line with the parameters of the run. The caller adds fields and appends it. */
    JsonLine line(String kind) {
        return new JsonLine()
                .put("kind", kind)
                .put("begun", begun)
                .put("commit", options.commit())
                .put("machine", machine)
                .put("capacity_bytes", options.capacityBytes())
                .put("segment_bytes", (long) options.segmentBytes())
                .put("reserve_segments", (long) options.reserveSegments())
                .put("threads", (long) options.threads())
                .put("seed", options.seed());
    }

    void append(JsonLine line) {
        try {
            line.appendTo(file);
        } catch (IOException e) {
            throw new UncheckedIOException("results cannot be written to " + file, e);
        }
    }
}
