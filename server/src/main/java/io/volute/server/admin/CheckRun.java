package io.volute.server.admin;

import io.volute.storage.CubeMaintenance;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CheckReport.Progress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The check of a cube. */
final class CheckRun extends LongRun {
    private static final Logger LOG = LoggerFactory.getLogger(CheckRun.class);

    private final String cubeName;
    private final CubeMaintenance cube;
    private Progress progress = new Progress(0, 0, 0, 0, 0);
    private List<CheckReport.Problem> problems = List.of();
    private long moreProblems;

    CheckRun(String cubeName, CubeMaintenance cube, InstantSource clock) {
        super("check of cube " + cubeName, clock);
        this.cubeName = cubeName;
        this.cube = cube;
    }

    /**
     * Begins a check.
     *
     * @throws AdminException when one is running
     */
    void start(long bytesPerSecond) {
        begin(
                () -> {
                    CheckReport report = cube.check(bytesPerSecond, this::goesOn);
                    told(report);
                    return report.complete();
                });
    }

    @Override
    AdminException inProgress() {
        return new AdminException(
                409,
                "CheckInProgress",
                "a check of cube " + cubeName + " is running: GET /_volute/v1/check tells how far");
    }

    private synchronized boolean goesOn(Progress now) {
        progress = now;
        return !isStopped();
    }

    private synchronized void told(CheckReport report) {
        progress = report.progress();
        problems = report.problems();
        moreProblems = report.moreProblems();
        problems.forEach(
                each -> LOG.error("check of cube {}: {}: {}", cubeName, each.where(), each.what()));
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

    /** Returns the fields of {@link #document()}, preceded by the name of the cube. */
    Map<String, Object> cubeDocument() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("cube", cubeName);
        document.putAll(document());
        return document;
    }

    @Override
    synchronized void putFound(Map<String, Object> document) {
        document.put("records", progress.records());
        document.put("blobs", progress.blobs());
        document.put("segments", progress.segments());
        document.put("segmentsTotal", progress.segmentsTotal());
        document.put("bytesRead", progress.bytesRead());
        List<Object> found = new ArrayList<>();
        for (CheckReport.Problem problem : problems) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("kind", problem.kind().name().toLowerCase(Locale.ROOT));
            each.put("where", problem.where());
            each.put("what", problem.what());
            found.add(each);
        }
        document.put("problems", found);
        document.put("moreProblems", moreProblems);
    }
}
