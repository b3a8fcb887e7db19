package io.volute.storage.report;

import java.util.List;

/**
 * What a check of a cube found.
 *
 * @param complete everything was looked at; false when it was told to stop
 * @param problems the first {@value #PROBLEMS_MAX} of them
 * @param moreProblems that are not among them
 */
public record CheckReport(
        boolean complete, Progress progress, List<Problem> problems, long moreProblems) {
    public static final int PROBLEMS_MAX = 1000;

    public CheckReport {
        problems = List.copyOf(problems);
    }

    /** Nothing is wrong in what was looked at. */
    public boolean isSound() {
        return problems.isEmpty();
    }

    /**
     * What is wrong.
     *
     * @param where segment and offset, or record or blob
     */
    public record Problem(Kind kind, String where, String what) {}

    /** What a problem is about. */
    public enum Kind {
        /** Figures of a segment are not what lies in it. */
        ACCOUNTING,
        /** A record or composed blob refers to nothing, or a count is wrong. */
        REFERENCE,
        /** Bytes that are not those written. */
        CHECKSUM
    }

    /**
     * How far a check is.
     *
     * @param records in the index, looked at
     * @param blobs in the index, looked at
     * @param segments looked at
     * @param segmentsTotal there were when it began
     * @param bytesRead of log and index
     */
    public record Progress(
            long records, long blobs, long segments, long segmentsTotal, long bytesRead) {}

    /** Follows a check. */
    public interface Watch {
        /** Whether to go on. */
        boolean goesOn(Progress progress);
    }
}
