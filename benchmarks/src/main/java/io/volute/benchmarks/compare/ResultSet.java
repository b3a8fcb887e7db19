package io.volute.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What of a file is compared.
 *
 * @param name for a reader
 * @param byKey lines by their settings, without those that chose them or may differ
 * @param leftOut lines of other commits, or that were not chosen
 */
record ResultSet(String name, Map<Map<String, String>, List<ResultLine>> byKey, int leftOut) {

    /**
     * Reads a file.
     *
     * @param chosen fields with the values that lines must have; without a commit among them, lines
     *     of the commit of the last line count
     * @param ignored settings that may differ
     */
    static ResultSet read(Path file, Map<String, String> chosen, Set<String> ignored)
            throws IOException {
        return of(file.toString(), ResultLine.read(file), chosen, ignored);
    }

    static ResultSet of(
            String name, List<ResultLine> all, Map<String, String> chosen, Set<String> ignored) {
        Map<String, String> wanted = new LinkedHashMap<>(chosen);
        List<ResultLine> among = all.stream().filter(line -> isOf(line, chosen)).toList();
        if (!among.isEmpty()) {
            wanted.putIfAbsent("commit", among.getLast().text("commit"));
        }
        Map<Map<String, String>, List<ResultLine>> byKey = new LinkedHashMap<>();
        int count = 0;
        for (ResultLine line : among) {
            if (isOf(line, wanted)) {
                Map<String, String> key = line.settings();
                key.keySet().removeAll(chosen.keySet());
                key.keySet().removeAll(ignored);
                byKey.computeIfAbsent(key, first -> new ArrayList<>()).add(line);
                count++;
            }
        }
        return new ResultSet(name, byKey, all.size() - count);
    }

    private static boolean isOf(ResultLine line, Map<String, String> wanted) {
        return wanted.entrySet().stream()
                .allMatch(each -> line.text(each.getKey()).equals(each.getValue()));
    }

    /** All values of a field. */
    Set<String> values(String field) {
        Set<String> values = new TreeSet<>();
        byKey.values().stream()
                .flatMap(Collection::stream)
                .forEach(line -> values.add(line.text(field)));
        return values;
    }

    /** Operations that failed. */
    long errors() {
        return byKey.values().stream()
                .flatMap(Collection::stream)
                .mapToLong(line -> line.number("errors").orElse(0.0).longValue())
                .sum();
    }

    int lines() {
        return byKey.values().stream().mapToInt(List::size).sum();
    }
}
