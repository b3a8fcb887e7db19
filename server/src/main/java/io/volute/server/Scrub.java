package io.volute.server;

import io.volute.provenance.audit.AuditReport;
import io.volute.server.config.ScrubConfig;
import io.volute.storage.CheckReport;
import io.volute.storage.Cube;
import io.volute.storage.StoreDirectory;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads everything within a stated time, beside the service: checksums of all that is stored,
 * references, accounting; then all chains and checkpoints. What is wrong is logged. When the last
 * pass began is kept in a file, so that restarts do not put it off; a pass that was interrupted
 * begins anew.
 */
final class Scrub implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(Scrub.class);
    private static final String NAME = "scrub";
    static final Upkeep.Pauses PAUSES = Upkeep.Pauses.of(Duration.ofMinutes(1));

    /** Of the time that a pass may take; the rest is for what comes between. */
    private static final double SHARE = 0.5;

    private static final long SLOWEST = 1 << 20;

    /** Verifying an entry costs about as much as reading so many bytes. */
    private static final int ENTRY_BYTES = 16 << 10;

    private final Cube cube;
    private final Optional<Provenance> provenance;
    private final ScrubConfig config;
    private final StoreDirectory directory;
    private final InstantSource clock;
    private final CountDownLatch closing = new CountDownLatch(1);

    /** What a pass found. */
    record Found(long problems, long findings) {
        boolean isSound() {
            return problems + findings == 0;
        }
    }

    Scrub(
            Cube cube,
            Optional<Provenance> provenance,
            ScrubConfig config,
            StoreDirectory directory,
            InstantSource clock) {
        this.cube = cube;
        this.provenance = provenance;
        this.config = config;
        this.directory = directory;
        this.clock = clock;
    }

    @Override
    public void look() throws IOException {
        Optional<Found> found = pass();
        if (found.isPresent() && !found.get().isSound()) {
            LOG.error(
                    "scrub: {} problems of what is stored, {} findings in chains; the lines"
                            + " above name them",
                    found.get().problems(),
                    found.get().findings());
        }
    }

    /** Makes a pass when it is time for one; empty when it is not, or was interrupted. */
    Optional<Found> pass() throws IOException {
        Instant now = clock.instant();
        Optional<Instant> began = directory.remembered(NAME);
        if (began.isPresent() && now.isBefore(began.get().plus(config.interval()))) {
            return Optional.empty();
        }
        long rate = rate();
        LOG.info("scrub: everything is read at {} bytes/s at most", rate);
        CheckReport report = cube.check(rate, progress -> !isClosing());
        report.problems().forEach(each -> LOG.error("scrub: {}: {}", each.where(), each.what()));
        long findings = report.complete() && provenance.isPresent() ? chains(rate) : 0;
        if (isClosing()) {
            return Optional.empty();
        }
        directory.remember(NAME, now);
        Found found = new Found(report.problems().size() + report.moreProblems(), findings);
        LOG.info("scrub ended after {}", Duration.between(now, clock.instant()));
        return Optional.of(found);
    }

    /** So that a pass ends in time, and is not faster than it may. */
    private long rate() {
        double seconds = Math.max(1, config.interval().toSeconds() * SHARE);
        long needed = (long) (cube.space().totals().used() / seconds);
        return Math.clamp(needed, SLOWEST, Math.max(SLOWEST, config.rateMax()));
    }

    private long chains(long rate) throws IOException {
        Terms terms = new Terms(Terms.USUAL.scope(), Set.of(), true, false, 1);
        long[] findings = new long[1];
        long chains =
                provenance
                        .get()
                        .audit(
                                Range.ALL,
                                terms,
                                report -> {
                                    findings[0] += tell(report);
                                    return !waits(report.verified(), rate);
                                });
        LOG.debug("scrub: {} chains", chains);
        if (!isClosing()) {
            for (String wrong :
                    provenance.get().auditCheckpoints(OptionalLong.empty(), () -> !isClosing())) {
                LOG.error("scrub: {}", wrong);
                findings[0]++;
            }
        }
        return findings[0];
    }

    private static long tell(AuditReport report) {
        String chain = LogText.of(report.chain());
        report.findings().forEach(each -> LOG.error("scrub: {}: {}", chain, each));
        return report.findings().size() + report.omitted();
    }

    /** Waits for as long as so many entries may take; returns whether it is over. */
    private boolean waits(long entries, long rate) {
        long nanos = (long) (1e9 * entries * ENTRY_BYTES / rate);
        try {
            return closing.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    @Override
    public void stop() {
        closing.countDown();
    }
}
