package io.volute.admin;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Parts of the server's documents, and figures for people. Missing ones are empty or 0. */
final class Shown {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private Shown() {}

    static Map<String, Object> map(Map<String, Object> document, String name) {
        return asMap(document.getOrDefault(name, Map.of()));
    }

    private static Map<String, Object> asMap(Object value) {
        Map<String, Object> copy = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, inner) -> copy.put(String.valueOf(name), inner));
        }
        return copy;
    }

    static List<Map<String, Object>> maps(Map<String, Object> document, String name) {
        List<Map<String, Object>> maps = new ArrayList<>();
        if (document.getOrDefault(name, List.of()) instanceof List<?> list) {
            list.forEach(each -> maps.add(asMap(each)));
        }
        return maps;
    }

    static long number(Map<String, Object> document, String name) {
        return document.getOrDefault(name, 0L) instanceof Number number ? number.longValue() : 0;
    }

    static String bytes(long bytes) {
        double figure = bytes;
        int unit = 0;
        while (Math.abs(figure) >= 1024 && unit < UNITS.length - 1) {
            figure /= 1024;
            unit++;
        }
        return unit == 0
                ? bytes + " B"
                : String.format(Locale.ROOT, "%.1f %s", figure, UNITS[unit]);
    }

    static String share(long part, long whole) {
        return whole == 0 ? "" : String.format(Locale.ROOT, "%5.1f%%", 100.0 * part / whole);
    }
}
