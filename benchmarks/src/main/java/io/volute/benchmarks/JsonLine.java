package io.volute.benchmarks;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** One flat JSON object on one line. */
public final class JsonLine {
    private final StringBuilder text = new StringBuilder("{");

    /** Adds a text. */
    public JsonLine put(String name, String value) {
        key(name).append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
        return this;
    }

    /** Adds a whole number. */
    public JsonLine put(String name, long value) {
        key(name).append(value);
        return this;
    }

    /** Adds a number with four digits after the point; JSON has none for infinity and NaN. */
    public JsonLine put(String name, double value) {
        if (!Double.isFinite(value)) {
            return this;
        }
        key(name).append(String.format(Locale.ROOT, "%.4f", value));
        return this;
    }

    /** Adds a whole number, if there is one. */
    public JsonLine put(String name, OptionalLong value) {
        return value.isPresent() ? put(name, value.getAsLong()) : this;
    }

    /** Adds a number as {@link #put(String, double)} does, if there is one. */
    public JsonLine put(String name, OptionalDouble value) {
        return value.isPresent() ? put(name, value.getAsDouble()) : this;
    }

    private StringBuilder key(String name) {
        if (text.length() > 1) {
            text.append(',');
        }
        return text.append('"').append(name).append("\":");
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
