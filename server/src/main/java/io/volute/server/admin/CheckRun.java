package io.volute.server.admin;

import io.volute.storage.CheckReport;
import io.volute.storage.CheckReport.Progress;
import io.volute.storage.Cube;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of a cube: one at a time, on a thread of its own; the last one's report is kept until
 * the next begins. Thread-safe.
 */
final class CheckRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckRun.class);

    /** Where the last check is. Schema: {@code Check} in docs/openapi.yaml. */
    private enum State {
        NONE,
        RUNNING,
        FINISHED,
        STOPPED,
        FAILED
    }

    private final String name;
    private final Cube cube;
    private final InstantSource clock;
    private State state = State.NONE;
    private String started = "";
    private String failure = "";
    private Progress progress = new Progress(0, 0, 0, 0, 0);
    private List<CheckReport.Problem> problems = List.of();
    private long moreProblems;
    private Thread thread = Thread.ofVirtual().unstarted(() -> {});
    private boolean isStopped;

    CheckRun(String name, Cube cube, InstantSource clock) {
        this.name = name;
        this.cube = cube;
        this.clock = clock;
    }

    /**
     * Begins a check.
     *
     * @throws AdminException when one is running
     */
    synchronized void start(long bytesPerSecond) {
        if (state == State.RUNNING || isStopped) {
            throw new AdminException(
                    409,
                    "CheckInProgress",
                    "a check of cube " + name + " is running: GET /_volute/v1/check tells how far");
        }
        state = State.RUNNING;
        started = clock.instant().toString();
        failure = "";
        progress = new Progress(0, 0, 0, 0, 0);
        problems = List.of();
        moreProblems = 0;
        thread = Thread.ofVirtual().name("check-" + name).start(() -> run(bytesPerSecond));
    }

    private void run(long bytesPerSecond) {
        try {
            CheckReport report = cube.check(bytesPerSecond, this::goesOn);
            end(report);
        } catch (IOException | RuntimeException e) {
            LOG.error("the check of cube {} failed", name, e);
            fail(e);
        }
    }

    private synchronized boolean goesOn(Progress now) {
        progress = now;
        return !isStopped;
    }

    private synchronized void end(CheckReport report) {
        state = report.complete() ? State.FINISHED : State.STOPPED;
        progress = report.progress();
        problems = report.problems();
        moreProblems = report.moreProblems();
        problems.forEach(
                each -> LOG.error("check of cube {}: {}: {}", name, each.where(), each.what()));
        LOG.info(
                "check of cube {} {}: {} problems",
                name,
                state.name().toLowerCase(Locale.ROOT),
                problems.size() + moreProblems);
    }

    private synchronized void fail(Exception e) {
        state = State.FAILED;
        failure = String.valueOf(e.getMessage());
    }

    synchronized Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("cube", name);
        document.put("state", state.name().toLowerCase(Locale.ROOT));
        if (state == State.NONE) {
            return document;
        }
        document.put("started", started);
        document.put("records", progress.records());
        document.put("blobs", progress.blobs());
        document.put("segments", progress.segments());
        document.put("segmentsTotal", progress.segmentsTotal());
        document.put("bytesRead", progress.bytesRead());
        if (state == State.FAILED) {
            document.put("failure", failure);
        }
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
        return document;
    }

    /** Stops a running check, and waits for its end. */
    @Override
    public void close() throws InterruptedException {
        Thread running;
        synchronized (this) {
            isStopped = true;
            running = thread;
        }
        if (running.isAlive()) {
            running.join();
        }
    }
}
