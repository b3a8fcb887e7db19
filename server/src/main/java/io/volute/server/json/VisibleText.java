package io.volute.server.json;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * JSON for lines of logs. Text of clients can neither end a line nor steer a terminal: all
 * characters but visible ASCII are escaped.
 */
public final class VisibleText {
    /** Writes such JSON. */
    public static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .characterEscapes(new Escapes())
                    .build();

    private static final DateTimeFormatter MILLIS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

    private VisibleText() {}

    /** An instant with three digits of a second, also when they are zeros. */
    public static String of(Instant time) {
        return MILLIS.format(time);
    }

    /** The beginning of a text that is too long. */
    public static String cut(String text, int charsMax) {
        return text.length() <= charsMax ? text : text.substring(0, charsMax);
    }

    /** JSON itself leaves DEL as it is. */
    private static final class Escapes extends CharacterEscapes {
        private static final long serialVersionUID = 1;
        private static final int DELETE = 127;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes[DELETE] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public SerializableString getEscapeSequence(int character) {
            throw new IllegalStateException("none has a sequence of its own");
        }
    }
}
