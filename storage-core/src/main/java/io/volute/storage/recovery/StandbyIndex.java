package io.volute.storage.recovery;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.Cubes;
import io.volute.storage.DamagedException;
import io.volute.storage.Family;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.blob.CubeImages;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.IndexUnusableException;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.ledger.LedgerFollower;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.State;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index of a cube on a node that does not own it. It follows the heads of the owner's log. When
 * a digest lists a survivor as sealed, it moves the rows of its entries. {@link LogRecovery}
 * continues this index at a take-over. Used by one thread.
 *
 * <p>The index is discarded and built anew when a step cannot be followed: a head left the log
 * before it was read, or a later owner has cut a survivor. While the last owner is this machine,
 * its own index stays as it is.
 */
public final class StandbyIndex implements Cubes.Standby {
    private static final Logger LOG = LoggerFactory.getLogger(StandbyIndex.class);

    /**
     * The inputs of a standby.
     *
     * @param holeBytesMin smallest hole that is punched
     * @param nanos clock of the reports, which only goes forward
     */
    public record Source(
            LedgerFollower log,
            IndexFactory indexes,
            IndexSettings settings,
            List<Family> families,
            int holeBytesMin,
            LongSupplier nanos) {}

    private final Source source;
    private Optional<Followed> followed = Optional.empty();
    private final FollowedLog log;
    private final FollowedSegments segments;
    private final CubeImages noImages = new CubeImages(MemorySettings.OFF, CubeThreads.platform());
    private boolean isLookedFor;
    private Progress progress = Progress.NONE;
    private volatile StandbyReport report = StandbyReport.without(State.IDLE, 0);

    /**
     * The end of the newest head at a time.
     *
     * <p>The committing thread begins a batch when all batches before it are acknowledged, and its
     * entries confirm those. So when the confirmed part grows, it has everything that was
     * acknowledged when its earlier end was read.
     */
    private record Progress(LogPosition end, long at) {
        static final Progress NONE = new Progress(LogPosition.START, 0);
    }

    /** An index that is usable, and its place in the log. */
    private record Followed(CubeIndex index, IndexReplay replay, HeadFollowing heads) {
        static Followed of(CubeIndex index, IndexState state, int holeBytesMin) {
            IndexReplay replay = new IndexReplay(index, state, holeBytesMin);
            return new Followed(index, replay, new HeadFollowing(replay));
        }

        LogPosition position() {
            return replay.state().position();
        }
    }

    public StandbyIndex(Source source) {
        this.source = source;
        this.log = new FollowedLog(source.log());
        this.segments = new FollowedSegments(source.log());
    }

    @Override
    public UUID cubeId() {
        return source.log().cubeId();
    }

    @Override
    public void stop() {
        log.stop();
    }

    @Override
    public StandbyReport report() {
        return report;
    }

    @Override
    public void step() throws IOException {
        long begun = source.nanos().getAsLong();
        if (!source.log().refresh() || source.log().isOfThisMachine()) {
            closeIndex();
            isLookedFor = false;
            report = StandbyReport.without(State.IDLE, report.builds());
            segments.follow(segment -> false);
            return;
        }
        try {
            if (!isLookedFor) {
                isLookedFor = true;
                followed = existing();
            }
            if (followed.isEmpty()) {
                followed = build();
            }
            if (followed.isPresent()) {
                follow(followed.get(), begun);
                settle(followed.get());
            }
            Optional<SegmentAccounts> accounts = followed.map(on -> on.replay().accounts());
            segments.follow(segment -> accounts.filter(of -> of.live(segment) > 0).isPresent());
        } catch (IndexUnusableException | BrokenInvariant | UncheckedIOException e) {
            LOG.warn(
                    "rebuilding the standby index {}: {}",
                    source.settings().directory(),
                    e.getMessage());
            closeIndex();
            report = StandbyReport.without(State.BUILDING, report.builds());
        }
    }

    @Override
    public Optional<Cube> view(Instant complete) {
        return followed.map(
                on ->
                        new StandbyCube(
                                on.index().snapshot(),
                                segments.reads(),
                                noImages,
                                Math.max(
                                        on.replay().state().nextSequence() - 1,
                                        CommitTime.lastAt(complete)),
                                segments.hold()));
    }

    /** Opens an index that was a standby before. */
    private Optional<Followed> existing() throws IOException {
        if (!source.indexes().exists(source.settings().directory())) {
            return Optional.empty();
        }
        CubeIndex index = open();
        boolean isUsable = false;
        try {
            index.checkUsable(source.log().cubeId());
            Optional<Followed> found =
                    index.isStandby()
                            ? Optional.of(Followed.of(index, index.state(), source.holeBytesMin()))
                            : Optional.empty();
            isUsable = found.isPresent();
            return found;
        } finally {
            if (!isUsable) {
                index.close();
            }
        }
    }

    private CubeIndex open() throws IOException {
        return new CubeIndex(source.indexes().open(source.settings()), source.families());
    }

    /** Builds the index; empty while no head has a confirmed digest. */
    private Optional<Followed> build() throws IOException {
        report = StandbyReport.without(State.BUILDING, report.builds());
        for (long head : source.log().newestHeads()) {
            LedgerFollower.Part part = source.log().read(head);
            Optional<LogEntry.Digest> digest = log.digestIn(part);
            if (digest.isPresent()) {
                return Optional.of(build(part, digest.get()));
            }
        }
        return Optional.empty();
    }

    /** Builds the index from the sealed segments of a digest, and the head that has it. */
    private Followed build(LedgerFollower.Part head, LogEntry.Digest digest) throws IOException {
        source.indexes().discard(source.settings().directory());
        CubeIndex index = open();
        boolean isBuilt = false;
        try {
            SegmentAccounts accounts = new SegmentAccounts(index, source.holeBytesMin());
            IndexRebuild.Result result =
                    new IndexRebuild(index, log.source(digest, head), accounts)
                            .run(source.log().cubeId());
            if (!result.dangling().isEmpty()) {
                throw new DamagedException("the log", 0, result.dangling().getFirst());
            }
            IndexBatch marks = new IndexBatch();
            index.putStandbyMark(marks);
            index.removeRebuildMark(marks);
            index.write(marks);
            if (index.hasRoomToFlush()) {
                index.flush();
            }
            report = StandbyReport.without(State.FOLLOWING, report.builds() + 1);
            LOG.info(
                    "built the standby index {} from {} bytes of log",
                    source.settings().directory(),
                    result.scan().bytes());
            Followed built = Followed.of(index, result.state(), source.holeBytesMin());
            isBuilt = true;
            return built;
        } finally {
            if (!isBuilt) {
                index.close();
            }
        }
    }

    /** Applies the heads as far as they are confirmed. */
    private void follow(Followed on, long begun) throws IOException {
        LogPosition begin = on.position();
        Reached reached = new Reached(0, true);
        boolean isMoving = true;
        while (isMoving) {
            LogPosition from = on.position();
            long head = from.segmentId();
            boolean isClosed = true;
            if (source.log().isListed(head)) {
                LedgerFollower.Part part = source.log().read(head);
                reached = apply(on, part);
                isClosed = part.isClosed();
            }
            OptionalLong next = source.log().headBehind(head);
            isMoving = isClosed && next.isPresent();
            if (isMoving) {
                reached = apply(on, source.log().read(next.getAsLong()));
                isMoving = !on.position().equals(from);
            }
        }
        if (!on.position().equals(begin)) {
            on.heads().apply();
        }
        boolean isNewest = source.log().headBehind(on.position().segmentId()).isEmpty();
        report =
                new StandbyReport(
                        State.FOLLOWING,
                        new StandbyReport.Position(
                                on.position().segmentId(), on.position().offset()),
                        reached.behindBytes(),
                        completeAt(on.position(), isNewest, reached, begun),
                        report.builds());
    }

    /** The rest of a head behind the batches that were applied. */
    private record Reached(long behindBytes, boolean hasMore) {}

    /** Applies the new batches of a head. */
    private Reached apply(Followed on, LedgerFollower.Part part) throws IOException {
        LogPosition before = on.position();
        long from =
                before.segmentId() == part.name().number()
                        ? before.offset()
                        : SegmentFormat.PAGE_BYTES;
        long end =
                from < part.end() ? log.scanConfirmed(part, from, on.heads()).offset() : part.end();
        return new Reached(Math.max(0, part.end() - end), part.hasMore());
    }

    /** Returns the time up to which the index has everything that was acknowledged. */
    private OptionalLong completeAt(
            LogPosition position, boolean isNewest, Reached reached, long begun) {
        boolean isWhole = isNewest && reached.behindBytes() == 0;
        OptionalLong complete = report.completeAt();
        if (isWhole && !reached.hasMore()) {
            complete = OptionalLong.of(begun);
        } else if (!progress.equals(Progress.NONE) && position.compareTo(progress.end()) > 0) {
            complete = OptionalLong.of(progress.at());
        }
        if (isWhole) {
            progress = new Progress(position, begun);
        }
        return complete;
    }

    /** Applies the survivors that the last digest lists as sealed, and forgets freed segments. */
    private void settle(Followed on) throws IOException {
        Optional<LogEntry.Digest> last = on.heads().digest();
        if (last.isEmpty() || !appliesSurvivors(on, last.get())) {
            return;
        }
        Set<Long> inLog = new HashSet<>();
        last.get().segments().forEach(each -> inLog.add(each.segmentId()));
        SegmentAccounts accounts = on.replay().accounts();
        for (long id = last.get().nextSegmentId(); id <= accounts.lastSegment(); id++) {
            inLog.add(id);
        }
        Optional<Long> gone = accounts.liveOutside(inLog);
        if (gone.isPresent()) {
            throw new IndexUnusableException(
                    "it refers to segment " + gone.get() + ", which has left the log");
        }
        SegmentAccounts.Changes changes = accounts.retaining(inLog);
        IndexBatch rows = new IndexBatch();
        changes.addRows(rows);
        on.index().write(rows);
        changes.publish();
        on.heads().settled();
    }

    /**
     * Applies sealed survivors.
     *
     * @return false when one of them is not readable as a whole yet, or has left the log in front
     *     of a later digest
     */
    private boolean appliesSurvivors(Followed on, LogEntry.Digest digest) throws IOException {
        SegmentAccounts accounts = on.replay().accounts();
        Set<Long> inDigest = new HashSet<>();
        digest.segments().forEach(each -> inDigest.add(each.segmentId()));
        Map<Long, Long> ends = accounts.appliedEnds();
        for (Map.Entry<Long, Long> each : FollowedLog.sealedSurvivors(digest).entrySet()) {
            long id = each.getKey();
            long applied = ends.getOrDefault(id, 0L);
            SurvivorReplay.requireWithin(id, applied, each.getValue());
            if (applied < each.getValue()) {
                if (!source.log().isListed(id) || !log.isConfirmed(id, each.getValue())) {
                    return false;
                }
                log.scan(
                        id,
                        each.getValue(),
                        new SurvivorReplay(
                                on.index(),
                                accounts,
                                id,
                                applied,
                                segment ->
                                        inDigest.contains(segment)
                                                || segment >= digest.nextSegmentId()));
            }
        }
        return true;
    }

    private void closeIndex() {
        followed.ifPresent(each -> each.index().close());
        followed = Optional.empty();
        progress = Progress.NONE;
    }

    /** Flushes the index, so that a take-over continues it here. */
    @Override
    public void close() throws IOException {
        try (LedgerFollower log = source.log()) {
            if (followed.isPresent() && followed.get().index().hasRoomToFlush()) {
                followed.get().index().flush();
            }
        } finally {
            closeIndex();
        }
    }
}
