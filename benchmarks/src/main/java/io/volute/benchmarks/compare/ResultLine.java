package io.volute.benchmarks.compare;

import io.volute.server.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A line of a file of results.
 *
 * @param fields texts, and numbers as {@code Long} or {@code Double}
 */
record ResultLine(Map<String, Object> fields) {
    /** Fields that say how something was measured: the same in all, and it is the same figure. */
    static final List<String> SETTINGS =
            List.of(
                    "kind",
                    "experiment",
                    "mix",
                    "op",
                    "workload",
                    "target",
                    "settings",
                    "through",
                    "variant",
                    "distribution",
                    "store",
                    "policy",
                    "size",
                    "object_bytes",
                    "bytes",
                    "objects",
                    "connections",
                    "threads",
                    "rate_percent",
                    "rate",
                    "background_puts",
                    "actors",
                    "get_percent",
                    "batch",
                    "prefixes",
                    "payload",
                    "versioning",
                    "capacity_bytes",
                    "segment_bytes",
                    "reserve_segments",
                    "utilization_percent",
                    "duration_s",
                    "warm_up_s",
                    "seed");

    /** Of run-latency.sh: they have the rate that was given. */
    private static final Set<String> PACED = Set.of("window", "ratio", "complaint");

    /** What follows from a setting and from what was measured before is no setting. */
    private static final Map<String, Set<String>> MEASURED =
            Map.of(
                    "rate_percent", Set.of("rate"),
                    "utilization_percent", Set.of("objects", "background_puts"));

    /**
     * All lines of a file.
     *
     * @throws IOException when it cannot be read or is not of JSON lines; says which line
     */
    static List<ResultLine> read(Path file) throws IOException {
        List<ResultLine> lines = new ArrayList<>();
        List<String> texts = Files.readAllLines(file);
        for (int i = 0; i < texts.size(); i++) {
            if (!texts.get(i).isBlank()) {
                try {
                    lines.add(parse(texts.get(i)));
                } catch (IOException e) {
                    throw new IOException(file + ", line " + (i + 1) + ": " + e.getMessage(), e);
                }
            }
        }
        return lines;
    }

    static ResultLine parse(String json) throws IOException {
        return new ResultLine(Json.read(json.getBytes(StandardCharsets.UTF_8)));
    }

    /** A field as text; empty when it is not there. */
    String text(String name) {
        Object value = fields.get(name);
        return value == null ? "" : value.toString();
    }

    /** A field that is a number. */
    Optional<Double> number(String name) {
        return fields.get(name) instanceof Number number
                ? Optional.of(number.doubleValue())
                : Optional.empty();
    }

    /** By name, in the order of {@link #SETTINGS}. */
    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String name : SETTINGS) {
            boolean measured =
                    MEASURED.entrySet().stream()
                            .anyMatch(
                                    each ->
                                            fields.containsKey(each.getKey())
                                                    && each.getValue().contains(name));
            if (fields.containsKey(name) && !measured) {
                settings.put(name, text(name));
            }
        }
        return settings;
    }

    /** Whether requests came at a given rate, so that throughput is no result. */
    boolean isPaced() {
        return number("rate").orElse(0.0) > 0 || PACED.contains(text("kind"));
    }
}
