package io.volute.server.admin;

import io.volute.adminapi.CheckApi.Check;
import io.volute.adminapi.CheckApi.Found;
import io.volute.adminapi.CheckApi.Problem;
import io.volute.server.LogText;
import io.volute.server.damage.DamageList;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CheckReport.Progress;
import io.volute.versioning.StoreCubes;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The check of a cube. */
final class CheckRun extends LongRun {
    private static final Logger LOG = LoggerFactory.getLogger(CheckRun.class);

    private final String cubeName;
    private final DamageList damages;
    private Progress progress = new Progress(0, 0, 0, 0, 0);
    private List<Problem> problems = List.of();
    private long moreProblems;

    CheckRun(String cubeName, DamageList damages, InstantSource clock) {
        super("check of cube " + cubeName, clock);
        this.cubeName = cubeName;
        this.damages = damages;
    }

    /**
     * Begins a check.
     *
     * @throws AdminException when one is running
     */
    void start(StoreCubes.Opened cube, long bytesPerSecond) {
        begin(
                () -> {
                    long check = damages.beginCheck();
                    CheckReport report = cube.cube().check(bytesPerSecond, this::goesOn);
                    told(report, damages.checked(cube, report, check));
                    return report.complete();
                });
    }

    @Override
    AdminException inProgress() {
        return new AdminException(
                409,
                "CheckInProgress",
                "a check of cube "
                        + cubeName
                        + " is running: GET /_volute/v1/check shows its progress");
    }

    private synchronized boolean goesOn(Progress now) {
        progress = now;
        return !isStopped();
    }

    private synchronized void told(CheckReport report, List<Problem> named) {
        progress = report.progress();
        problems = named;
        moreProblems = report.moreProblems();
        problems.forEach(
                each ->
                        LOG.error(
                                "check of cube {}: {}",
                                cubeName,
                                LogText.of(DamageList.line(each))));
    }

    @Override
    synchronized void forget() {
        progress = new Progress(0, 0, 0, 0, 0);
        problems = List.of();
        moreProblems = 0;
    }

    @Override
    synchronized String found() {
        return problems.size() + moreProblems + " problems";
    }

    /** Returns the latest check. */
    synchronized Check check() {
        return new Check(cubeName, run(), hasBegun() ? foundSoFar() : null);
    }

    private Found foundSoFar() {
        return new Found(
                progress.records(),
                progress.blobs(),
                progress.segments(),
                progress.segmentsTotal(),
                progress.bytesRead(),
                problems,
                moreProblems);
    }
}
