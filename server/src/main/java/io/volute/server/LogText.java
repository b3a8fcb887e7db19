package io.volute.server;

/** Makes text from clients fit for a line of the log. */
public final class LogText {
    private LogText() {}

    /** A key may hold anything, lines that look like ours included. */
    public static String of(Object named) {
        return String.valueOf(named).replaceAll("\\p{Cntrl}", "?");
    }

    /** Returns the message of a failure, or the name of its type if it has none. */
    public static String reason(Throwable failure) {
        String message = failure.getMessage();
        return of(message == null ? failure.getClass().getSimpleName() : message);
    }
}
