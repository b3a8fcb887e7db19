package io.volute.admin.output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads parts of the server's answers, and formats figures. Missing parts are empty or 0. */
public final class AnswerFormat {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private AnswerFormat() {}

    public static Map<String, Object> map(Map<String, Object> document, String name) {
        return asMap(document.getOrDefault(name, Map.of()));
    }

    private static Map<String, Object> asMap(Object value) {
        Map<String, Object> copy = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, inner) -> copy.put(String.valueOf(name), inner));
        }
        return copy;
    }

    public static List<Map<String, Object>> maps(Map<String, Object> document, String name) {
        List<Map<String, Object>> maps = new ArrayList<>();
        if (document.getOrDefault(name, List.of()) instanceof List<?> list) {
            list.forEach(each -> maps.add(asMap(each)));
        }
        return maps;
    }

    public static long number(Map<String, Object> document, String name) {
        return document.getOrDefault(name, 0L) instanceof Number number ? number.longValue() : 0;
    }

    /**
     * Returns the growth of a counter; 0 if it is lower, because a restarted server counts from 0.
     */
    public static long more(Map<String, Object> before, Map<String, Object> now, String name) {
        return Math.max(0, number(now, name) - number(before, name));
    }

    /** Returns a value of the document as text, unchanged. */
    public static String text(Map<String, Object> document, String name) {
        return String.valueOf(document.getOrDefault(name, ""));
    }

    /** Those of a list. */
    public static String words(Map<String, Object> document, String name) {
        return document.get(name) instanceof List<?> list && !list.isEmpty()
                ? String.join(", ", list.stream().map(String::valueOf).toList())
                : "nothing";
    }

    public static boolean isTrue(Map<String, Object> document, String name) {
        return Boolean.TRUE.equals(document.get(name));
    }

    /** An actor at one of its versions; nothing for nobody. */
    public static String actor(Map<String, Object> actor) {
        return actor.isEmpty()
                ? ""
                : client(actor)
                        + " ("
                        + credential(actor)
                        + ", actor "
                        + text(actor, "id")
                        + "."
                        + text(actor, "version")
                        + ")";
    }

    /** The name of an actor, in quotation marks when its client chose it, and its address. */
    public static String client(Map<String, Object> actor) {
        String name = text(actor, "name");
        String address = text(actor, "address");
        return switch (text(actor, "naming")) {
            case "chosen" ->
                    '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\" from " + address;
            case "session" -> name + " from " + address;
            default -> name;
        };
    }

    /** The principal and access key of an actor, and the key that began its session. */
    public static String credential(Map<String, Object> actor) {
        String key = text(actor, "principal") + ", " + text(actor, "accessKey");
        String parent = text(actor, "parentAccessKey");
        return parent.isEmpty()
                ? key
                : key + " begun by " + parent + " of " + text(actor, "parentPrincipal");
    }

    /** A causal version of a key; nothing for none. */
    public static String place(Map<String, Object> place) {
        return place.isEmpty()
                ? ""
                : text(place, "bucket")
                        + "/"
                        + text(place, "key")
                        + " @"
                        + text(place, "causalVersion");
    }

    /**
     * A text of others with nothing in it that a terminal would obey or hide: as in a Java string.
     */
    public static String visible(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints()
                .forEach(
                        c -> {
                            switch (c) {
                                case '\n' -> shown.append("\\n");
                                case '\r' -> shown.append("\\r");
                                case '\t' -> shown.append("\\t");
                                case '\\' -> shown.append("\\\\");
                                default -> {
                                    if (isVisible(c)) {
                                        shown.appendCodePoint(c);
                                    } else {
                                        escape(c, shown);
                                    }
                                }
                            }
                        });
        return shown.toString();
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }

    private static void escape(int c, StringBuilder shown) {
        for (char unit : Character.toChars(c)) {
            shown.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
        }
    }

    public static String bytes(long bytes) {
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

    public static String share(long part, long whole) {
        return whole == 0 ? "" : String.format(Locale.ROOT, "%5.1f%%", 100.0 * part / whole);
    }
}
