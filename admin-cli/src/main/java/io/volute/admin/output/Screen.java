package io.volute.admin.output;

import java.time.ZoneId;

/**
 * Where the output of a command goes, and where its input comes from.
 *
 * @param isInTerminal whether a person types the input
 * @param isOutTerminal whether a person reads the output as it is
 * @param isErrTerminal whether a person reads messages and progress as they are
 * @param zone of the times that people read
 */
public record Screen(
        boolean isInTerminal, boolean isOutTerminal, boolean isErrTerminal, ZoneId zone) {
    /** Columns of every terminal. */
    public static final int COLUMNS = 80;

    /** Returns whether a person reads a question and can answer it. */
    public boolean canAsk() {
        return isInTerminal && isErrTerminal;
    }
}
