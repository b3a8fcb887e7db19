package io.volute.server;

/** Makes text from clients fit for a line of the log. */
public final class LogText {
    private LogText() {}

    /** A key may hold anything, lines that look like ours included. */
    public static String of(Object named) {
        return String.valueOf(named).replaceAll("\\p{Cntrl}", "?");
    }
}
