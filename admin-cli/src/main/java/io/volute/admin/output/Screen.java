package io.volute.admin.output;

import java.time.ZoneId;

/**
 * Where the output of a command goes.
 *
 * @param isOutTerminal whether a person reads the output as it is
 * @param isErrTerminal whether a person reads messages and progress as they are
 * @param zone of the times that people read
 */
public record Screen(boolean isOutTerminal, boolean isErrTerminal, ZoneId zone) {
    /** Columns of every terminal. */
    public static final int COLUMNS = 80;
}
