package io.volute.server.auditlog;

import io.volute.provenance.format.Hash;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of a verification of an audit log.
 *
 * @param files number of files read
 * @param seals number of valid seals
 * @param sealing the last valid seal
 */
public record AuditLogReport(
        int files,
        Extent extent,
        Gaps gaps,
        long seals,
        Optional<Sealing> sealing,
        Findings findings) {

    /**
     * The verified extent of the log.
     *
     * @param lines number of whole lines
     * @param first sequence of the first one; 0 when there is none
     * @param last sequence of the last one
     * @param lastHash hash of the last line; a later verification needs it to detect a truncated
     *     log
     */
    public record Extent(long lines, long first, long last, Hash lastHash) {}

    /**
     * The gaps that the log itself records.
     *
     * @param torn number of places where a write was not finished
     * @param tornBytes number of bytes there, which are no part of the log
     * @param lost number of lines that could not be written
     */
    public record Gaps(int torn, long tornBytes, long lost) {}

    /**
     * Up to where the store vouches for the log.
     *
     * @param sequence of the line
     * @param isVerified by the keys of the store; else only that it is about this line
     */
    public record Sealing(long sequence, Instant time, boolean isVerified) {}

    /** Why something is wrong, probably. */
    public enum Cause {
        /** Bytes of a line were changed after the write. */
        CHANGED,
        /** Lines are missing. */
        REMOVED,
        /** A line was put in place of another one, with all hashes made anew. */
        REPLACED,
        /** A line is where it does not belong: copied, moved or put in. */
        MISPLACED,
        /** A file ends within a line. */
        UNFINISHED,
        /** A seal is missing, or not by the store. */
        SEAL
    }

    /**
     * An error in the log.
     *
     * @param file its name
     * @param line in the file, from 1; 0 for all of it
     * @param after sequence of the last line before it
     */
    public record Finding(String file, int line, long after, Cause cause, String detail) {}

    /**
     * All errors.
     *
     * @param more number of errors that are not in the list
     */
    public record Findings(List<Finding> list, long more) {
        public Findings {
            list = List.copyOf(list);
        }

        public boolean isEmpty() {
            return list.isEmpty();
        }
    }
}
