package io.volute.storage.recovery;

import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.DamagedException;
import io.volute.storage.Family;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.IndexUnusableException;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.RecoveryReport;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the index up to the end of the log. It replays from the position of the index, or rebuilds
 * the index when it is missing or unusable. It is idempotent, and may be killed at any point:
 *
 * <ol>
 *   <li>while replaying: the index holds a prefix of the log and its position, the next start goes
 *       on there;
 *   <li>while rebuilding: the index carries the rebuild mark, the next start begins again;
 *   <li>when damage is accepted, the session gets an index of its own: one that has stepped over
 *       damage is never continued by a later start.
 * </ol>
 */
public final class LogRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    /**
     * Gap of ids after a start that was not clean: ids are given out before the log records them.
     * The next id is greater than the greatest recorded one by this gap. So an id that only an
     * unfinished upload had used is not used again.
     */
    private static final long ID_GAP = 1 << 16;

    /**
     * A cube's index, up to date.
     *
     * @param isWritable false when damage was accepted
     */
    public record Recovered(
            CubeIndex index,
            SegmentAccounts accounts,
            IndexState state,
            RecoveryReport report,
            boolean isWritable) {}

    /**
     * The inputs of a recovery.
     *
     * @param holeBytesMin smallest hole that is punched
     */
    public record Source(
            SegmentLog log,
            IndexFactory indexes,
            IndexSettings settings,
            List<Family> families,
            UUID cube,
            OnDamage onDamage,
            int holeBytesMin) {}

    private final Source source;

    public LogRecovery(Source source) {
        this.source = source;
    }

    /** Recovers the index, and leaves the log ready for appends unless damage was accepted. */
    public Recovered run() throws IOException {
        IndexSettings settings = source.settings();
        if (source.onDamage() == OnDamage.ACCEPT_READ_ONLY) {
            List<String> damages = source.log().scanAll(batch -> {}).damages();
            if (!damages.isEmpty()) {
                return readOnly(damages);
            }
        }
        try {
            return replayed();
        } catch (IndexUnusableException | BrokenInvariant | UncheckedIOException e) {
            if (!source.log().segments().isEmpty()) {
                LOG.warn(
                        "rebuilding the index {} from the log: {}",
                        settings.directory(),
                        e.getMessage());
            }
            source.indexes().discard(settings.directory());
            return rebuilt(settings, List.of());
        }
    }

    /**
     * Builds an index for this session alone, beside the one of the cube, which keeps its state of
     * the undamaged log.
     */
    private Recovered readOnly(List<String> damages) throws IOException {
        IndexSettings settings = source.settings();
        Path directory = settings.directory();
        Path aside = directory.resolveSibling(directory.getFileName() + "-of-damaged-log");
        source.indexes().discard(aside);
        return rebuilt(
                new IndexSettings(
                        aside,
                        settings.tables(),
                        settings.blockCacheBytes(),
                        settings.writeBufferBytes()),
                damages);
    }

    private Recovered replayed() throws IOException {
        if (!source.indexes().exists(source.settings().directory())) {
            throw new IndexUnusableException("there is none");
        }
        CubeIndex index = open(source.settings());
        boolean done = false;
        try {
            index.checkUsable(source.cube());
            boolean isStandby = index.isStandby();
            if (!isStandby && !source.log().isContinued()) {
                throw new IndexUnusableException("another machine has had the log");
            }
            IndexState before = index.state();
            checkPosition(before.position());
            IndexReplay replay = new IndexReplay(index, before, source.holeBytesMin());
            SegmentLog.ReplayResult result =
                    source.log()
                            .replay(
                                    before.position(),
                                    isStandby ? new HeadFollowing(replay) : replay);
            if (!result.damages().isEmpty()) {
                index.close();
                return readOnly(result.damages());
            }
            replay.apply();
            replay.checkHoles();
            if (isStandby) {
                applySurvivors(index, replay.accounts());
            }
            cutSurvivors(index, replay.accounts());
            checkAccounts(replay.accounts());
            boolean isClean =
                    index.closedCleanlyAt(before.position())
                            && replay.entries() == 0
                            && result.tornBytes() == 0;
            Recovered recovered =
                    finish(
                            index,
                            replay.accounts(),
                            replay.state().at(result.end()),
                            new RecoveryReport(
                                    isClean,
                                    false,
                                    result.bytes(),
                                    replay.entries(),
                                    result.tornBytes(),
                                    result.damages()));
            done = true;
            return recovered;
        } finally {
            if (!done) {
                index.close();
            }
        }
    }

    /**
     * Rebuilds the index.
     *
     * @param damages damage accepted before this
     */
    private Recovered rebuilt(IndexSettings settings, List<String> damages) throws IOException {
        boolean isNew = source.log().segments().isEmpty();
        CubeIndex index = open(settings);
        boolean done = false;
        try {
            SegmentAccounts accounts = new SegmentAccounts(index, source.holeBytesMin());
            IndexRebuild.Result result =
                    new IndexRebuild(index, RebuildSource.of(source.log()), accounts)
                            .run(source.cube());
            if (!result.dangling().isEmpty() && source.onDamage() == OnDamage.REFUSE) {
                throw new DamagedException(
                        "the log", 0, String.join("; ", firstOf(result.dangling())));
            }
            Set<String> all = new LinkedHashSet<>(damages);
            all.addAll(result.scan().damages());
            all.addAll(result.dangling());
            Recovered recovered =
                    finish(
                            index,
                            accounts,
                            result.state(),
                            new RecoveryReport(
                                    isNew,
                                    !isNew,
                                    result.scan().bytes(),
                                    result.entries(),
                                    result.scan().tornBytes(),
                                    List.copyOf(all)));
            done = true;
            return recovered;
        } finally {
            if (!done) {
                index.close();
            }
        }
    }

    private static List<String> firstOf(List<String> lines) {
        int shown = Math.min(lines.size(), 10);
        List<String> first = new ArrayList<>(lines.subList(0, shown));
        if (shown < lines.size()) {
            first.add("and " + (lines.size() - shown) + " more");
        }
        return first;
    }

    private Recovered finish(
            CubeIndex index, SegmentAccounts accounts, IndexState found, RecoveryReport report)
            throws IOException {
        IndexState state =
                report.cleanStart()
                        ? found
                        : new IndexState(
                                found.position(),
                                found.nextSequence(),
                                found.idHighWater() + ID_GAP);
        SegmentAccounts.Changes changes =
                accounts.retaining(SegmentRelease.ids(source.log().segments()));
        IndexBatch batch = new IndexBatch();
        changes.addRows(batch);
        index.removeCleanMark(batch);
        index.removeStandbyMark(batch);
        boolean isWritable = report.damages().isEmpty();
        if (isWritable) {
            index.removeRebuildMark(batch);
        } else {
            index.putRebuildMark(batch);
        }
        index.write(batch);
        changes.publish();
        // The mark of the clean close must be gone before anything is written. A rebuilt index has
        // none, and can be rebuilt again: on a full disk it stays in memory.
        if (!report.indexRebuilt() || index.hasRoomToFlush()) {
            index.flush();
        }
        if (isWritable) {
            source.log().startAppending(state.position(), state.nextSequence());
        }
        return new Recovered(index, accounts, state, report, isWritable);
    }

    private CubeIndex open(IndexSettings settings) throws IOException {
        return new CubeIndex(source.indexes().open(settings), source.families());
    }

    /**
     * Checks that the position of the index is in the log. The replay reports a position behind the
     * end of the log.
     */
    private void checkPosition(LogPosition position) throws IndexUnusableException {
        boolean isPassed = false;
        for (SegmentLog.SegmentState segment : source.log().segments()) {
            if (segment.kind() == SpaceReport.Kind.HEAD) {
                if (segment.segmentId() == position.segmentId()) {
                    return;
                }
                isPassed |= segment.segmentId() > position.segmentId();
            }
        }
        if (isPassed && !position.equals(LogPosition.START)) {
            throw new IndexUnusableException(
                    "it goes on in head segment "
                            + position.segmentId()
                            + ", which has left the log");
        }
    }

    /**
     * Cuts each survivor at the end that the index has for it. A survivor without an end in the
     * index is kept for its origins: there may be tombstones that name it.
     */
    private void cutSurvivors(CubeIndex index, SegmentAccounts accounts) throws IOException {
        SegmentLog log = source.log();
        Map<Long, Long> ends = accounts.appliedEnds();
        log.cutSurvivors(ends);
        SegmentAccounts.Changes changes = accounts.begin();
        SegmentLog.Scanner scanner = log.scanner(batch -> noteOrigins(batch, changes));
        for (SegmentLog.SegmentState segment : log.segments()) {
            long id = segment.segmentId();
            if (segment.kind() == SpaceReport.Kind.SURVIVOR && !ends.containsKey(id)) {
                changes.applied(id, segment.writtenBytes());
                scanner.scan(id);
            }
        }
        IndexBatch rows = new IndexBatch();
        changes.addRows(rows);
        index.write(rows);
        changes.publish();
    }

    /** Applies the survivors that the index of a standby does not have yet. */
    private void applySurvivors(CubeIndex index, SegmentAccounts accounts) throws IOException {
        SegmentLog log = source.log();
        Set<Long> inLog = SegmentRelease.ids(log.segments());
        Map<Long, Long> ends = accounts.appliedEnds();
        for (Map.Entry<Long, Long> each : RebuildSource.of(log).survivorEnds().entrySet()) {
            long id = each.getKey();
            long applied = ends.getOrDefault(id, 0L);
            SurvivorReplay.requireWithin(id, applied, each.getValue());
            if (applied < each.getValue()) {
                log.scanner(new SurvivorReplay(index, accounts, id, applied, inLog::contains))
                        .scan(id);
            }
        }
    }

    private static void noteOrigins(SegmentLog.LoggedBatch batch, SegmentAccounts.Changes changes) {
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            if (logged.entry() instanceof LogEntry.Origins origins) {
                origins.segmentIds()
                        .forEach(origin -> changes.origin(logged.place().segmentId(), origin));
            }
        }
    }

    /**
     * Checks that the index refers to no segment that has left the log, as an outdated index does.
     */
    private void checkAccounts(SegmentAccounts accounts) throws IndexUnusableException {
        Optional<Long> gone = accounts.liveOutside(SegmentRelease.ids(source.log().segments()));
        if (gone.isPresent()) {
            throw new IndexUnusableException(
                    "it refers to segment " + gone.get() + ", which has left the log");
        }
    }

    static IOException unknownFamily(int family) {
        return new IOException(
                "the log holds records of family "
                        + family
                        + ", which this version does not know: start the release that wrote them,"
                        + " or a later one");
    }
}
