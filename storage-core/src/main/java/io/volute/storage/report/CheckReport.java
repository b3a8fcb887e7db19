package io.volute.storage.report;

import java.util.List;
import java.util.Optional;

/**
 * The result of a check of a cube.
 *
 * @param complete whether everything was checked; false when the check was stopped
 * @param problems the first {@value #PROBLEMS_MAX} problems
 * @param moreProblems number of problems that are not in the list
 */
public record CheckReport(
        boolean complete, Progress progress, List<Problem> problems, long moreProblems) {
    public static final int PROBLEMS_MAX = 1000;

    public CheckReport {
        problems = List.copyOf(problems);
    }

    /** Returns whether no problem was found in the part that was checked. */
    public boolean isSound() {
        return problems.isEmpty();
    }

    /**
     * A problem that a check found.
     *
     * @param where segment and offset, or the record or blob
     * @param damage the live records that need it; empty when nothing that is live is lost
     */
    public record Problem(Kind kind, String where, String what, Optional<Damage> damage) {
        /** Creates a problem by which nothing that is live is lost. */
        public Problem(Kind kind, String where, String what) {
            this(kind, where, what, Optional.empty());
        }
    }

    /** The kind of a problem. */
    public enum Kind {
        /** The accounting of a segment differs from its content. */
        ACCOUNTING,
        /** A record or composed blob refers to a missing blob, or a reference count is wrong. */
        REFERENCE,
        /** Stored bytes are not the written ones. */
        CHECKSUM
    }

    /**
     * The progress of a check.
     *
     * @param records records of the index checked so far
     * @param blobs blobs of the index checked so far
     * @param segments segments checked so far
     * @param segmentsTotal number of segments when the check began
     * @param bytesRead bytes read from log and index
     */
    public record Progress(
            long records, long blobs, long segments, long segmentsTotal, long bytesRead) {}

    /** An observer of a check. */
    public interface Watch {
        /** Takes the progress; returns whether the check goes on. */
        boolean goesOn(Progress progress);
    }
}
