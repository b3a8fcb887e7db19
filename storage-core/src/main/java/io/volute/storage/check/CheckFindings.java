package io.volute.storage.check;

import io.volute.storage.report.CheckReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The findings and progress of a check. It also limits the rate of reads. Used by one thread. */
final class CheckFindings {
    private static final long STEP_BYTES = 1 << 20;

    /** Thrown when the check was stopped. */
    static final class Ended extends IOException {
        private static final long serialVersionUID = 1L;

        Ended() {
            super("the check was stopped");
        }
    }

    private final long bytesPerSecond;
    private final CheckReport.Watch watch;
    private final List<CheckReport.Problem> problems = new ArrayList<>();
    private final long segmentsTotal;
    private long moreProblems;
    private long records;
    private long blobs;
    private long segments;
    private long bytesRead;
    private long sinceStep;

    CheckFindings(long bytesPerSecond, CheckReport.Watch watch, long segmentsTotal) {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException(
                    "a check reads at a rate above 0, not " + bytesPerSecond);
        }
        this.bytesPerSecond = bytesPerSecond;
        this.watch = watch;
        this.segmentsTotal = segmentsTotal;
    }

    void problem(CheckReport.Kind kind, String where, String what) {
        if (problems.size() < CheckReport.PROBLEMS_MAX) {
            problems.add(new CheckReport.Problem(kind, where, what));
        } else {
            moreProblems++;
        }
    }

    /** Counts problems that were not checked one by one. */
    void moreProblems(long count) {
        moreProblems += count;
    }

    void record(long bytes) throws Ended {
        records++;
        read(bytes);
    }

    void blob(long bytes) throws Ended {
        blobs++;
        read(bytes);
    }

    void segment() throws Ended {
        segments++;
        goOn();
    }

    /** Counts bytes read, and sleeps to keep the rate. */
    void read(long bytes) throws Ended {
        bytesRead += bytes;
        sinceStep += bytes;
        if (sinceStep >= STEP_BYTES) {
            goOn();
            LockSupport.parkNanos(nanos(sinceStep));
            sinceStep = 0;
        }
    }

    private long nanos(long bytes) {
        return (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    }

    private void goOn() throws Ended {
        if (Thread.currentThread().isInterrupted() || !watch.goesOn(progress())) {
            throw new Ended();
        }
    }

    private CheckReport.Progress progress() {
        return new CheckReport.Progress(records, blobs, segments, segmentsTotal, bytesRead);
    }

    CheckReport report(boolean complete) {
        return new CheckReport(complete, progress(), problems, moreProblems);
    }
}
