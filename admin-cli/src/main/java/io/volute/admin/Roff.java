package io.volute.admin;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Source of a page of the manual, for {@code man}: macros, and text that cannot be mistaken. */
final class Roff {
    private static final Pattern OPTION =
            Pattern.compile("(?<![A-Za-z0-9-])--?[A-Za-z][A-Za-z0-9-]*");

    private final StringBuilder source = new StringBuilder();

    /** Text as it is read: no character of it is a command, and a hyphen can be searched for. */
    static String text(String plain) {
        StringBuilder text = new StringBuilder();
        for (int c : plain.codePoints().toArray()) {
            switch (c) {
                case '\\' -> text.append("\\(rs");
                case '-' -> text.append("\\-");
                case '"' -> text.append("\\(dq");
                case '\'' -> text.append("\\(aq");
                case '`' -> text.append("\\(ga");
                case '^' -> text.append("\\(ha");
                case '~' -> text.append("\\(ti");
                case '\n' -> text.append(' ');
                // At the beginning of a line it would begin a macro.
                case '.' -> text.append(text.isEmpty() ? "\\&." : ".");
                default ->
                        text.append(
                                c < 0x7F
                                        ? Character.toString(c)
                                        : String.format(Locale.ROOT, "\\[u%04X]", c));
            }
        }
        return text.toString();
    }

    /** Text in which options are bold. */
    static String withOptions(String plain) {
        StringBuilder text = new StringBuilder();
        Matcher option = OPTION.matcher(plain);
        int end = 0;
        while (option.find()) {
            text.append(text(plain.substring(end, option.start())));
            text.append(bold(option.group()));
            end = option.end();
        }
        return text.append(text(plain.substring(end))).toString();
    }

    static String bold(String plain) {
        return "\\fB" + text(plain) + "\\fR";
    }

    /** A macro; its arguments are as they come. */
    Roff macro(String name, String... arguments) {
        source.append('.').append(name);
        for (String argument : arguments) {
            source.append(" \"").append(text(argument)).append('"');
        }
        source.append('\n');
        return this;
    }

    /** A line of what {@link #text} and the others have made. */
    Roff line(String text) {
        source.append(text).append('\n');
        return this;
    }

    @Override
    public String toString() {
        return source.toString();
    }
}
