package io.volute.versioning.event;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.Transaction;
import io.volute.versioning.ClockState;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.ClockRow;
import io.volute.versioning.rows.ClockRow.Stretch;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records where the commits of a cube depart from the clock, and refuses the past of there. When
 * the clock shows a time before a commit or an earlier look at it, all from the last known time
 * before up to the time at which the clock has caught up is unknown. Afterwards, what the clock had
 * gone through evenly before it went back is known again, as it was at first; what it had jumped
 * over stays unknown.
 *
 * <p>Each write looks at the clock before it is acknowledged, as do each read of the past, each
 * start, and a task every two seconds. So a look costs two comparisons while the clock goes on. The
 * owner of a cube alone records; a view reads the rows of the owner. Thread-safe.
 */
public final class ClockWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);
    private static final byte[] NO_DETAIL = {};

    /** A smaller step back is within the precision of commit times: a batch may run ahead. */
    private static final long TOLERANCE_MILLIS = 100;

    /** Minimum time between two looks that are remembered. */
    private static final long MEMORY_MILLIS = 1000;

    /** Between looks that are closer, the clock went on evenly. */
    private static final long EVEN_MILLIS = 10_000;

    /** Number of stretches without a jump that are remembered. */
    private static final int WALKS = 64;

    /** A stretch of looks at the clock without a jump; both ends were seen. */
    private record Walk(long from, long until) {}

    /**
     * A clock that was set back within the last walk. The past of the walk is what it was when the
     * clock first went through it, but for the end: there later commits have their times.
     *
     * @param before the stretches before it went back
     * @param from last millisecond of the walk before which no later commit can be
     */
    private record SetBack(ClockRow before, long from) {}

    private final Cube cube;
    private final InstantSource clock;
    private final boolean isOwner;

    /** The newest last. Guarded by this. */
    private final Deque<Walk> walks = new ArrayDeque<>();

    /** Stretches as of the last look. Those of another owner are read each time. */
    private volatile ClockRow row;

    /** The step of a clock that was set back; empty after other steps. Guarded by this. */
    private Optional<SetBack> setBack = Optional.empty();

    /** True while the row in the cube is older than {@link #row}. Guarded by this. */
    private boolean isUnwritten;

    /** The greatest time that the clock has shown; precise to {@link #MEMORY_MILLIS}. */
    private volatile long seen;

    /** Creates the watch over the commits of a cube; the row of an earlier owner counts. */
    public ClockWatch(Cube cube, InstantSource clock) {
        this.cube = cube;
        this.clock = clock;
        this.isOwner = !(cube instanceof Cube.ReadOnly);
        this.row = ClockRow.of(cube);
        this.seen = CommitTime.of(cube.lastSequence()).toEpochMilli();
        walks.add(new Walk(seen, seen));
    }

    /**
     * Looks at the clock; records when it is behind the commits, and when it has caught up.
     *
     * @throws IOException if that cannot be recorded; until the next look it is kept in memory
     */
    public void look() throws IOException {
        // The clock last: what was there before is not later, unless the clock goes back.
        long then = then();
        long now = clock.instant().toEpochMilli();
        if (isOwner
                && (then - now > TOLERANCE_MILLIS
                        || now - seen >= MEMORY_MILLIS
                        || row.open().isPresent())) {
            lookClosely();
        }
    }

    /** Looks at the clock. A failure to record what it shows is logged. */
    public void lookOrWarn() {
        try {
            look();
        } catch (IOException e) {
            LOG.warn("The state of the clock cannot be recorded yet: {}", e.getMessage());
        }
    }

    /** Returns the latest time before now that a commit or a look at the clock has. */
    private long then() {
        return Math.max(seen, CommitTime.of(cube.lastSequence()).toEpochMilli());
    }

    private synchronized void lookClosely() throws IOException {
        long then = then();
        long now = clock.instant().toEpochMilli();
        if (then - now > TOLERANCE_MILLIS) {
            if (row.at(Instant.ofEpochMilli(now)).filter(Stretch::isOpen).isEmpty()) {
                setBack = setBack(now);
                row = row.with(Stretch.since(lastKnown(now)));
                isUnwritten = true;
                LOG.warn(
                        "The clock went back to {}, and the store has commits or looks of up to"
                                + " {}. Until the clock has caught up, writes have the time of the"
                                + " last one, and the past from {} on is refused. Check the time"
                                + " service of this machine.",
                        Instant.ofEpochMilli(now),
                        Instant.ofEpochMilli(then),
                        Instant.ofEpochMilli(row.open().orElseThrow().from() + 1));
            }
        } else {
            if (row.open().isPresent()) {
                row = closed(Math.max(then, now));
                setBack = Optional.empty();
                isUnwritten = true;
                LOG.info(
                        "The clock has caught up with the last commit: the past from {} on is"
                                + " exact again.",
                        Instant.ofEpochMilli(Math.max(then, now) + 1));
            }
            remember(now);
        }
        if (isUnwritten) {
            write();
        }
    }

    /** Returns what is known again once the clock has caught up; empty if nothing is. */
    private Optional<SetBack> setBack(long now) {
        long last = CommitTime.of(cube.lastSequence()).toEpochMilli();
        Walk walk = walks.getLast();
        boolean isWithin =
                walk.from <= now && last <= walk.until + MEMORY_MILLIS + TOLERANCE_MILLIS;
        if (!isWithin || row.open().isPresent() && setBack.isEmpty()) {
            return Optional.empty();
        }
        // Behind a later commit, all further ones have its time. Others are no older than a look.
        long from = last > now ? last - TOLERANCE_MILLIS : now - EVEN_MILLIS;
        return Optional.of(
                setBack.map(first -> new SetBack(first.before, Math.min(first.from, from)))
                        .orElseGet(() -> new SetBack(row, from)));
    }

    private ClockRow closed(long until) {
        return setBack.map(back -> back.before.with(new Stretch(Math.max(0, back.from), until)))
                .orElseGet(() -> row.closed(until));
    }

    private void remember(long now) {
        Walk last = walks.getLast();
        if (now >= last.until && now - last.until <= EVEN_MILLIS) {
            walks.removeLast();
            walks.add(new Walk(last.from, now));
        } else if (now > last.until) {
            walks.add(new Walk(now, now));
        }
        if (walks.size() > WALKS) {
            walks.removeFirst();
        }
        seen = Math.max(seen, now);
    }

    /**
     * Returns a time, not after one that the clock shows for a second time, up to which the past is
     * known: of a look at the clock or of an event; 0 if there is none.
     */
    private long lastKnown(long now) {
        long sequence = new EventScan(cube).lastUpTo(CommitTime.lastAt(Instant.ofEpochMilli(now)));
        long known = CommitTime.of(sequence).toEpochMilli();
        for (Walk walk : walks) {
            if (walk.until <= now) {
                known = Math.max(known, walk.until);
            } else if (walk.from <= now) {
                known = Math.max(known, Math.max(walk.from, now - EVEN_MILLIS));
            }
        }
        return Math.max(0, Math.min(known, now - 1));
    }

    private void write() throws IOException {
        Commits.join(
                cube,
                new Transaction()
                        .makingRoom()
                        .put(
                                Families.REMOVED,
                                RowKeys.clock(),
                                row.encode(),
                                NO_DETAIL,
                                List.of()));
        isUnwritten = false;
    }

    /** Returns the stretches whose past is not known. */
    private ClockRow stretches() {
        return isOwner ? row : ClockRow.of(cube);
    }

    /** Takes over the stretches of the cube from which states come to this one. */
    public void adopt(ClockWatch other) throws IOException {
        other.look();
        synchronized (this) {
            ClockRow all = row.with(other.stretches());
            if (!all.equals(row)) {
                row = all;
                setBack = Optional.empty();
                isUnwritten = true;
                write();
            }
        }
        look();
    }

    /** Returns the present state of the clock beside the commits. */
    public ClockState state() {
        long behind = isOwner ? Math.max(0, then() - clock.instant().toEpochMilli()) : 0;
        return new ClockState(
                Duration.ofMillis(behind > TOLERANCE_MILLIS ? behind : 0),
                stretches().stretches().stream()
                        .map(
                                each ->
                                        new ClockState.Unknown(
                                                Instant.ofEpochMilli(each.from() + 1),
                                                each.isOpen()
                                                        ? Optional.empty()
                                                        : Optional.of(
                                                                Instant.ofEpochMilli(
                                                                        each.until()))))
                        .toList());
    }

    /**
     * Refuses an instant whose past is not known because the clock went back.
     *
     * @throws StoreException INVALID_ARGUMENT with the nearest instants whose past is known
     */
    public void requireKnown(Instant instant) throws StoreException {
        Optional<Stretch> unknown = stretches().at(instant);
        if (unknown.isPresent()) {
            Stretch stretch = unknown.get();
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "the clock of the server went back, so the state at "
                            + instant
                            + " is not known: name a time up to "
                            + Instant.ofEpochMilli(stretch.from())
                            + (stretch.isOpen()
                                    ? ", or wait until the clock has caught up with the last write"
                                    : " or from " + Instant.ofEpochMilli(stretch.until() + 1)));
        }
    }
}
