package io.volute.storage.log.file;

import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.DamagedException;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.segment.SegmentWalk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Walks segments in order and passes their batches to a visitor. Changes nothing on disk. */
final class LogReplay implements SegmentWalk.Sink {
    private final UUID cubeId;
    private final OnDamage onDamage;
    private final SegmentLog.BatchVisitor visitor;
    private final List<String> damages = new ArrayList<>();
    private Optional<SegmentWalk> walk = Optional.empty();
    private LogPosition end = LogPosition.START;
    private long bytes;
    private long tornBytes;

    LogReplay(
            UUID cubeId,
            OnDamage onDamage,
            List<DamagedException> discovered,
            SegmentLog.BatchVisitor visitor)
            throws DamagedException {
        this(cubeId, onDamage, visitor);
        for (DamagedException damage : discovered) {
            damage(damage);
        }
    }

    private LogReplay(UUID cubeId, OnDamage onDamage, SegmentLog.BatchVisitor visitor) {
        this.cubeId = cubeId;
        this.onDamage = onDamage;
        this.visitor = visitor;
    }

    /** Creates a replay of single segments, for {@link #visit}. */
    static LogReplay ofSealed(UUID cubeId, SegmentLog.BatchVisitor visitor) {
        return new LogReplay(cubeId, OnDamage.REFUSE, visitor);
    }

    /**
     * Replays segments.
     *
     * @param segments segments with batches, by id; the last head among them is open
     * @param reached end of the log as far as the discovery saw; names the open head
     */
    SegmentLog.ReplayResult run(List<Segment> segments, LogPosition from, LogPosition reached)
            throws IOException {
        for (Segment segment : segments) {
            if (segment.id() >= from.segmentId()) {
                boolean first = segment.id() == from.segmentId();
                long begin = Math.max(SegmentFormat.PAGE_BYTES, first ? from.offset() : 0);
                walk(segment, begin, segment.id() == reached.segmentId());
            }
        }
        if (reached.compareTo(from) < 0) {
            damage(
                    new DamagedException(
                            segments.isEmpty()
                                    ? "the log"
                                    : segments.get(segments.size() - 1).name().toString(),
                            reached.offset(),
                            "the index has applied the log up to "
                                    + from
                                    + ", but the log ends at "
                                    + reached
                                    + ": acknowledged entries are missing"));
        }
        return new SegmentLog.ReplayResult(end, bytes, tornBytes, List.copyOf(damages));
    }

    /** Visits one sealed segment. */
    void visit(Segment segment) throws IOException {
        walk(segment, SegmentFormat.PAGE_BYTES, false);
    }

    private void walk(Segment segment, long begin, boolean open) throws IOException {
        StoredFile file;
        try {
            file = segment.acquire();
        } catch (IOException e) {
            // The discovery has reported the missing file.
            damage(new DamagedException(segment.name().toString(), 0, "cannot be opened: " + e));
            return;
        }
        try {
            SegmentWalk.Target target =
                    new SegmentWalk.Target(
                            segment.id(),
                            segment.name().toString(),
                            file,
                            open ? segment.segmentBytes() : segment.writtenBytes(),
                            open ? SegmentWalk.Ending.OPEN : SegmentWalk.Ending.SEALED);
            if (walk.isEmpty()) {
                walk = Optional.of(new SegmentWalk(cubeId, file));
            }
            SegmentWalk.Walked walked = walk.get().walk(target, begin, this);
            if (open) {
                end = new LogPosition(segment.id(), walked.end());
                tornBytes = walked.tornBytes();
            }
        } finally {
            segment.release();
        }
    }

    @Override
    public void batch(SegmentLog.LoggedBatch batch) throws IOException {
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            if (!(logged.entry() instanceof LogEntry.Digest)) {
                bytes += logged.place().bytes();
            }
        }
        visitor.batch(batch);
    }

    @Override
    public void damage(DamagedException damage) throws DamagedException {
        switch (onDamage) {
            case REFUSE -> throw damage;
            case ACCEPT_READ_ONLY -> damages.add(damage.getMessage());
        }
    }
}
