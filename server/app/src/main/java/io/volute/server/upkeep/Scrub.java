package io.volute.server.upkeep;

import io.volute.adminapi.CheckApi.Problem;
import io.volute.provenance.audit.AuditReport;
import io.volute.server.Limits;
import io.volute.server.LogText;
import io.volute.server.Upkeep;
import io.volute.server.admin.Scrubber;
import io.volute.server.config.ServerConfig.ScrubConfig;
import io.volute.server.damage.DamageList;
import io.volute.server.metrics.UpkeepFigures;
import io.volute.storage.report.CheckReport;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads everything within a stated time, beside the service: checksums of all that is stored,
 * references, accounting; then all chains and checkpoints. Findings are logged and kept. The last
 * pass is kept in a file, so that restarts do not put the next one off; a pass that was interrupted
 * begins anew.
 */
public final class Scrub implements Scrubber, Upkeep.Task, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scrub.class);
    private static final Upkeep.Pauses PAUSES = Upkeep.Pauses.of(Duration.ofMinutes(1));

    /**
     * Share of the allowed time that a pass plans to use; the rest is a reserve for interruptions.
     */
    private static final double SHARE = 0.5;

    private static final long SLOWEST = 1 << 20;

    /** Verifying an entry costs about as much as reading so many bytes. */
    private static final int ENTRY_BYTES = 16 << 10;

    private final Supplier<List<Opened>> cubes;
    private final ScrubConfig config;
    private final ScrubState state;
    private final InstantSource clock;

    /** The audit log. */
    private final Consumer<String> damage;

    private final AtomicBoolean isAsked = new AtomicBoolean();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final DamageList damages;
    private final ScrubCounts counts = new ScrubCounts();
    private Optional<Upkeep> upkeep = Optional.empty();

    /** Problems of the present pass so far; used by the thread of the pass alone. */
    private long told;

    /**
     * @param cubes the open cubes, one of which is read after the other
     */
    public Scrub(
            Supplier<List<Opened>> cubes,
            ScrubConfig config,
            ScrubState state,
            InstantSource clock,
            Consumer<String> damage) {
        this.cubes = cubes;
        this.config = config;
        this.state = state;
        this.damages = new DamageList(cubes, DamageList.Notes.of(state.directory()));
        this.clock = clock;
        this.damage = damage;
    }

    /** Looks now and then from here on. */
    public Scrub start() {
        upkeep = Optional.of(Upkeep.start("scrub", PAUSES, this));
        return this;
    }

    /** Returns the work and the findings of scrubs since start. */
    public UpkeepFigures.Scrubbing figures() {
        return counts.figures(
                state.last().map(Pass::began),
                damages.count(),
                damages.unnamed().values().stream().mapToLong(each -> each).sum());
    }

    @Override
    public DamageList damages() {
        return damages;
    }

    @Override
    public Status status() {
        return state.status(config.interval());
    }

    @Override
    public boolean begin() {
        if (status().running().isPresent() || isAsked.getAndSet(true)) {
            return false;
        }
        upkeep.ifPresent(Upkeep::wake);
        return true;
    }

    /** Makes a pass when it is due or requested. */
    @Override
    public void look() throws IOException {
        Instant now = clock.instant();
        boolean isDue =
                !config.interval().isZero()
                        && state.last()
                                .map(last -> !now.isBefore(last.began().plus(config.interval())))
                                .orElse(true);
        if (!isDue && !isAsked.get()) {
            return;
        }
        state.begin(now);
        counts.begin();
        isAsked.set(false);
        told = 0;
        try {
            pass();
            if (told > Limits.AUDIT_LOG_DAMAGES_MAX) {
                damage.accept(
                        (told - Limits.AUDIT_LOG_DAMAGES_MAX)
                                + " more, named in the log of the server");
            }
        } catch (IOException | RuntimeException e) {
            state.fail(e);
            throw e;
        } finally {
            state.leave();
        }
    }

    private void pass() throws IOException {
        List<Opened> all = cubes.get();
        long rate = rate(all);
        LOG.info("scrub: everything is read at {} bytes/s at most", rate);
        for (Opened each : all) {
            try {
                pass(each, rate);
            } catch (IOException | RuntimeException e) {
                // The others are read all the same, and this one counts as damaged.
                if (all.size() == 1) {
                    throw e;
                }
                problem("cube " + each.name() + " cannot be read: " + e.getMessage());
            }
        }
        if (isClosing()) {
            return;
        }
        Pass pass = state.end(clock.instant());
        counts.ended();
        Duration taken = Duration.between(pass.began(), pass.ended());
        LOG.info("scrub finished in {} s", taken.toMillis() / 1e3);
        if (!pass.isSound()) {
            LOG.error(
                    "scrub: {} problems of stored data, {} findings in chains; the lines"
                            + " above name them",
                    pass.problems(),
                    pass.findings());
        }
    }

    private void pass(Opened each, long rate) throws IOException {
        long check = damages.beginCheck();
        CheckReport report =
                each.cube()
                        .check(
                                rate,
                                progress -> {
                                    state.stored(progress);
                                    counts.read(progress);
                                    return !isClosing();
                                });
        counts.stored(report);
        String where = each.name().equals(StoreCubes.SYSTEM) ? "" : "cube " + each.name() + ": ";
        for (Problem found : damages.checked(each, report, check)) {
            problem(where + DamageList.line(found));
        }
        state.more(report.moreProblems(), 0);
        Optional<Provenance> provenance = each.store().provenance();
        if (report.complete() && provenance.isPresent()) {
            chains(provenance.get(), rate);
        }
    }

    private void problem(String what) {
        LOG.error("scrub: {}", LogText.of(what));
        state.problem(what);
        tellDamage(what);
    }

    /** Returns the rate in bytes/s at which a pass ends in time, within the allowed bounds. */
    private long rate(List<Opened> all) {
        double seconds = Math.max(1, config.interval().toSeconds() * SHARE);
        long used = all.stream().mapToLong(each -> each.cube().space().totals().used()).sum();
        long needed = (long) (used / seconds);
        long most = Math.max(SLOWEST, config.rateMax());
        return config.interval().isZero() ? most : Math.clamp(needed, SLOWEST, most);
    }

    private void chains(Provenance all, long rate) throws IOException {
        Terms terms = new Terms(Terms.USUAL.scope(), Set.of(), true, false, 1);
        long chains =
                all.audit(
                        Range.ALL,
                        terms,
                        report -> {
                            tell(report);
                            return !waits(report.verified(), rate);
                        });
        LOG.debug("scrub: {} chains", chains);
        if (!isClosing()) {
            for (String wrong : all.auditCheckpoints(OptionalLong.empty(), () -> !isClosing())) {
                LOG.error("scrub: {}", wrong);
                state.finding(wrong);
                tellDamage(wrong);
                counts.inCheckpoints();
            }
        }
    }

    private void tellDamage(String what) {
        if (++told <= Limits.AUDIT_LOG_DAMAGES_MAX) {
            damage.accept(what);
        }
    }

    private void tell(AuditReport report) {
        state.chain();
        String chain = LogText.of(report.chain());
        report.findings()
                .forEach(
                        each -> {
                            LOG.error("scrub: {}: {}", chain, each);
                            state.finding(chain + ": " + each);
                            tellDamage(chain + ": " + each);
                        });
        state.more(0, report.omitted());
        counts.inChain(report.findings().size() + report.omitted());
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

    @Override
    public void close() {
        stop();
        upkeep.ifPresent(Upkeep::close);
    }
}
