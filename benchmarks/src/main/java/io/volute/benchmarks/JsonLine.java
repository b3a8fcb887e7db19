package io.volute.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
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

    /** Adds the line to a file, which is made when there is none. */
    public void appendTo(Path file) throws IOException {
        Files.writeString(file, this + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
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
