package io.volute.benchmarks.history;

import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.ResultFile;
import io.volute.benchmarks.Ticks;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Lines of JSON as they come, and tables of this run at its end. */
final class HistoryResults {
    /** In the place of a figure that a store does not tell. */
    static final String UNTOLD = "";

    private final HistoryOptions options;
    private final String machine;
    private final List<String> page = new ArrayList<>();

    HistoryResults(HistoryOptions options) throws IOException {
        this.options = options;
        this.machine = Machine.describe();
        Files.createDirectories(options.output());
        page.add("# History: what it costs, what it gives back");
        page.add("");
        page.add("Written by `benchmarks/run-history.sh`, commit " + options.commit() + ",");
        page.add(machine + ".");
        page.add(options.through().description());
    }

    /** Begins a table. */
    void table(String title, String... columns) {
        page.add("");
        page.add("## " + title);
        page.add("");
        page.add("| " + String.join(" | ", columns) + " |");
        page.add("|" + "---|".repeat(columns.length));
    }

    /** Formats a figure; a placeholder if the store does not report it. */
    static String cell(OptionalLong figure) {
        return figure.isPresent() ? Long.toString(figure.getAsLong()) : UNTOLD;
    }

    void row(List<String> cells) {
        String row = "| " + String.join(" | ", cells) + " |";
        page.add(row);
        System.out.println(row);
    }

    JsonLine line(String experiment, String policy) {
        return new JsonLine()
                .put("experiment", experiment)
                .put("policy", policy)
                .put("commit", options.commit())
                .put("machine", machine)
                .put("at", Ticks.wallClock().toString())
                .put("through", options.through().title());
    }

    void add(JsonLine line) {
        new ResultFile(options.output().resolve("results.jsonl")).append(line);
    }

    void write() throws IOException {
        Files.writeString(
                options.output().resolve(options.through().page()), String.join("\n", page) + "\n");
    }
}
