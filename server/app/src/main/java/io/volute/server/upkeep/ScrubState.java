package io.volute.server.upkeep;

import io.volute.server.Limits;
import io.volute.server.LogText;
import io.volute.server.admin.Scrubber.Pass;
import io.volute.server.admin.Scrubber.Running;
import io.volute.server.admin.Scrubber.Status;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.report.CheckReport.Progress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the scrub stands. The last pass is in the data directory as well:
 *
 * <pre>
 *   instant, ended        of the pass
 *   problems, findings    how many
 *   found.NUMBER          the first of them, as many as there is room for
 * </pre>
 *
 * Thread-safe.
 */
public final class ScrubState {
    private static final Logger LOG = LoggerFactory.getLogger(ScrubState.class);
    private static final String NAME = "scrub";
    private static final String BEGAN = "instant";
    private static final String FOUND = "found.";

    private static final Progress NOTHING = new Progress(0, 0, 0, 0, 0);

    private final StoreDirectory directory;
    private Optional<Running> running = Optional.empty();
    private Optional<Pass> last;
    private String failure = "";
    private List<String> found = new ArrayList<>();
    private long problems;
    private long findings;

    public ScrubState(StoreDirectory directory) {
        this.directory = directory;
        last = remembered(directory);
    }

    StoreDirectory directory() {
        return directory;
    }

    /**
     * Returns the last pass. An unreadable file does not prevent the start, as the next pass
     * rewrites it.
     */
    private static Optional<Pass> remembered(StoreDirectory directory) {
        try {
            return directory.remembered(NAME).map(ScrubState::pass);
        } catch (IOException | DateTimeException | NumberFormatException e) {
            LOG.warn("cannot read the findings of the last scrub: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private static Pass pass(Map<String, String> lines) {
        List<String> found = new ArrayList<>();
        for (int i = 0; lines.containsKey(FOUND + i); i++) {
            found.add(lines.get(FOUND + i));
        }
        Instant began = Instant.parse(lines.getOrDefault(BEGAN, ""));
        return new Pass(
                began,
                Instant.parse(lines.getOrDefault("ended", began.toString())),
                Long.parseLong(lines.getOrDefault("problems", "0")),
                Long.parseLong(lines.getOrDefault("findings", "0")),
                found);
    }

    private static Map<String, String> lines(Pass pass) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(BEGAN, pass.began().toString());
        lines.put("ended", pass.ended().toString());
        lines.put("problems", Long.toString(pass.problems()));
        lines.put("findings", Long.toString(pass.findings()));
        int room = StoreDirectory.REMEMBERED_BYTES_MAX / 2;
        for (int i = 0; i < pass.found().size(); i++) {
            String text = pass.found().get(i);
            room -= text.getBytes(StandardCharsets.UTF_8).length + FOUND.length() + 8;
            if (room < 0) {
                break;
            }
            lines.put(FOUND + i, text);
        }
        return lines;
    }

    synchronized void begin(Instant now) {
        running = Optional.of(new Running(now, NOTHING, 0, 0));
        failure = "";
        found = new ArrayList<>();
        problems = 0;
        findings = 0;
    }

    synchronized void stored(Progress progress) {
        running = running.map(each -> new Running(each.began(), progress, 0, 0));
    }

    synchronized void chain() {
        running =
                running.map(
                        each ->
                                new Running(
                                        each.began(),
                                        each.stored(),
                                        each.chains() + 1,
                                        problems + findings));
    }

    /** Adds a problem of the stored data. */
    synchronized void problem(String text) {
        problems++;
        keep(text);
    }

    /** Adds a finding in chains or checkpoints. */
    synchronized void finding(String text) {
        findings++;
        keep(text);
    }

    /** Adds problems and findings without a description. */
    synchronized void more(long moreProblems, long moreFindings) {
        problems += moreProblems;
        findings += moreFindings;
    }

    private void keep(String text) {
        if (found.size() < Limits.SCRUB_FINDINGS_MAX) {
            found.add(LogText.of(text));
        }
    }

    /** The pass has come to its end; that is remembered first. */
    Pass end(Instant now) throws IOException {
        Pass pass;
        synchronized (this) {
            Instant began = running.orElseThrow().began();
            pass = new Pass(began, now, problems, findings, found);
        }
        directory.remember(NAME, lines(pass));
        synchronized (this) {
            last = Optional.of(pass);
        }
        return pass;
    }

    /** Ends the pass in progress, regardless of its outcome. */
    synchronized void leave() {
        running = Optional.empty();
    }

    synchronized void fail(Exception e) {
        failure = String.valueOf(e.getMessage());
    }

    synchronized Optional<Pass> last() {
        return last;
    }

    synchronized Status status(Duration interval) {
        return new Status(interval, running, last, failure);
    }
}
