package io.volute.storage.check;

import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CheckReport.Kind;
import io.volute.storage.report.Damage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The findings and progress of a check. It also limits the rate of reads. Used by one thread. */
final class CheckFindings {
    private static final long STEP_BYTES = 1 << 20;

    /** Greatest number of users that are listed of one blob: copies of it are alike. */
    private static final int USERS_OF_BLOB_MAX = 100;

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

    /** Indexes of the problems of damaged blobs, by blob. */
    private final Map<Long, Integer> blobs = new HashMap<>();

    private final Set<Long> segmentsDamaged = new HashSet<>();
    private int listedUsers;
    private long moreProblems;
    private long records;
    private long blobsRead;
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
        problem(kind, where, what, Optional.empty());
    }

    void problem(CheckReport.Kind kind, String where, String what, Optional<Damage> damage) {
        if (problems.size() < CheckReport.PROBLEMS_MAX) {
            problems.add(new CheckReport.Problem(kind, where, what, damage));
            listedUsers += damage.map(each -> each.users().size()).orElse(0);
        } else {
            moreProblems++;
        }
    }

    /**
     * Adds the problem of a blob; a blob has one. Returns whether its users are wanted.
     *
     * @param where where the first damage was found
     */
    boolean damaged(long blob, String where, String what) {
        if (blobs.containsKey(blob)) {
            return true;
        }
        if (problems.size() >= CheckReport.PROBLEMS_MAX) {
            moreProblems++;
            return false;
        }
        blobs.put(blob, problems.size());
        problem(Kind.CHECKSUM, where, what, Optional.of(new Damage(blob, List.of(), 0)));
        return true;
    }

    /** Adds the problem of a segment whose damaged entries are not known yet. */
    void damagedSegment(long segment, String what) {
        segmentsDamaged.add(segment);
        problem(Kind.CHECKSUM, "segment " + segment, what);
    }

    /** Adds a segment whose live entries are read one by one. */
    void suspect(long segment) {
        segmentsDamaged.add(segment);
    }

    boolean hasDamage() {
        return !blobs.isEmpty() || !segmentsDamaged.isEmpty();
    }

    Set<Long> damagedBlobs() {
        return Set.copyOf(blobs.keySet());
    }

    Set<Long> damagedSegments() {
        return segmentsDamaged;
    }

    /** Adds a user of a damaged blob. */
    void user(long blob, Damage.User user) {
        int at = blobs.get(blob);
        CheckReport.Problem known = problems.get(at);
        Damage damage = known.damage().orElseThrow();
        List<Damage.User> users = new ArrayList<>(damage.users());
        boolean isListed = listedUsers < Damage.USERS_MAX && users.size() < USERS_OF_BLOB_MAX;
        if (isListed) {
            users.add(user);
            listedUsers++;
        }
        Damage more = new Damage(blob, users, damage.moreUsers() + (isListed ? 0 : 1));
        problems.set(
                at,
                new CheckReport.Problem(
                        known.kind(), known.where(), known.what(), Optional.of(more)));
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
        blobsRead++;
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
        return new CheckReport.Progress(records, blobsRead, segments, segmentsTotal, bytesRead);
    }

    CheckReport report(boolean complete) {
        return new CheckReport(complete, progress(), problems, moreProblems);
    }
}
