package io.volute.admin.output;

import io.volute.adminapi.HistoryApi.Actor;
import io.volute.adminapi.HistoryApi.Place;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Formats parts of the server's answers, and figures. */
public final class AnswerFormat {
    /** A node of a trace that the caller may not list. */
    public static final String CLOSED = "in a bucket that you may not list";

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private AnswerFormat() {}

    /**
     * Returns the growth of a counter; 0 if it is lower, because a restarted server counts from 0.
     */
    public static long more(long before, long now) {
        return Math.max(0, now - before);
    }

    /** Returns an optional value as text; empty for none. */
    public static String text(Optional<?> value) {
        return value.map(Object::toString).orElse("");
    }

    /** Returns an optional number as text; empty for none. */
    public static String text(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : "";
    }

    /** Returns a list of names as text. */
    public static String words(List<String> names) {
        return names.isEmpty() ? "nothing" : String.join(", ", names);
    }

    /** Returns an actor at one of its versions; empty for nobody. */
    public static String actor(Optional<Actor> actor) {
        return actor.map(AnswerFormat::actor).orElse("");
    }

    /** Returns an actor at one of its versions. */
    public static String actor(Actor actor) {
        return actor.name().isEmpty()
                ? credential(actor) + ", " + number(actor)
                : client(actor) + " (" + credential(actor) + ", " + number(actor) + ")";
    }

    /** Returns the id, version and name of an actor, for a terminal. */
    public static String briefActor(Actor actor) {
        return number(actor) + " " + client(actor);
    }

    /** Returns the id and version of an actor. */
    public static String number(Actor actor) {
        return "actor " + actor.id() + "." + text(actor.version());
    }

    /**
     * Returns the name of an actor, in quotation marks when its client chose it, and its address.
     */
    public static String client(Actor actor) {
        String name = actor.name().isEmpty() ? actor.principal() : actor.name();
        return switch (actor.naming()) {
            case "chosen" ->
                    '"'
                            + name.replace("\\", "\\\\").replace("\"", "\\\"")
                            + "\" from "
                            + actor.address();
            case "session" -> name + " from " + actor.address();
            default -> name;
        };
    }

    /**
     * Returns the principal and access key of an actor, and the key that began its session; the
     * principal alone when the caller may not see the key.
     */
    public static String credential(Actor actor) {
        if (actor.accessKey().isEmpty()) {
            return actor.principal();
        }
        String key = actor.principal() + ", " + actor.accessKey();
        return actor.parentAccessKey()
                .map(parent -> key + " begun by " + parent + " of " + text(actor.parentPrincipal()))
                .orElse(key);
    }

    /** Returns a causal version of a key. */
    public static String place(Place place) {
        return place.bucket() + "/" + place.key() + " @" + place.causalVersion();
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

    /** Returns a number with its noun: {@code 1 chain}, {@code 2 entries}. */
    public static String count(long number, String noun) {
        String plural = noun.equals("entry") ? "entries" : noun + "s";
        return number + " " + (number == 1 ? noun : plural);
    }

    /** Returns a time to wait, rounded: {@code 42 s}, {@code 5 min}, {@code 3.5 h}. */
    public static String about(double seconds) {
        if (seconds < 100) {
            return Math.round(seconds) + " s";
        }
        return seconds < 6000
                ? Math.round(seconds / 60) + " min"
                : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
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

    /** Returns prose in lines that fit a terminal. */
    public static String wrapped(String prose) {
        return String.join("\n", TextWidth.wrap(prose, Screen.COLUMNS - 1));
    }

    /** Returns the whole percents of a part in brackets, or nothing if the whole is not known. */
    public static String percent(long part, long whole) {
        return whole <= 0 ? "" : " (" + Math.clamp(100 * part / whole, 0, 100) + "%)";
    }

    public static String share(long part, long whole) {
        return whole == 0 ? "" : String.format(Locale.ROOT, "%5.1f%%", 100.0 * part / whole);
    }
}
