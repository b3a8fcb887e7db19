package io.volute.storage.log.segment;

import io.volute.storage.CubeMaintenance.LogSnapshot;
import io.volute.storage.CubeMaintenance.SegmentFile;
import io.volute.storage.io.StoredFile;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The segments of a log as of one moment, pinned. No page of a pinned segment is punched, so what a
 * batch of the snapshot refers to stays. Used by one thread.
 */
public final class SegmentSnapshot implements LogSnapshot {
    private record Held(Segment segment, int phase) {}

    /** The segments held, by file name, which has the segment id in a fixed width. */
    private final TreeMap<String, Held> held = new TreeMap<>();

    private final List<SegmentFile> files = new ArrayList<>();

    private SegmentSnapshot() {}

    /**
     * Pins all segments. Three orders matter, while no segment can be opened:
     *
     * <ol>
     *   <li>Pins before the length of the head. A segment that could not be pinned has left the
     *       log, so the head has the digest that omits it.
     *   <li>The length of the head before those of others. The blobs of its batches lie in space
     *       that was given out before.
     *   <li>The final bytes of a segment before its length, which is not less then.
     * </ol>
     */
    public static SegmentSnapshot of(SegmentTable table) {
        SegmentSnapshot snapshot = new SegmentSnapshot();
        table.changes().lock();
        try {
            for (Segment segment : table.inLog()) {
                OptionalInt phase = segment.pin();
                phase.ifPresent(
                        pinned ->
                                snapshot.held.put(
                                        segment.name().toString(), new Held(segment, pinned)));
            }
            Map<String, SegmentFile> lengths = new TreeMap<>();
            snapshot.measure(true, lengths);
            snapshot.measure(false, lengths);
            snapshot.files.addAll(lengths.values());
        } finally {
            table.changes().unlock();
        }
        return snapshot;
    }

    private void measure(boolean areHeads, Map<String, SegmentFile> lengths) {
        held.forEach(
                (name, each) -> {
                    Segment segment = each.segment();
                    if ((segment.kind() == Kind.HEAD) == areHeads) {
                        long finalBytes = segment.finalBytes();
                        lengths.put(
                                name,
                                new SegmentFile(
                                        name,
                                        segment.kind(),
                                        segment.writtenBytes(),
                                        finalBytes,
                                        segment.segmentBytes()));
                    }
                });
    }

    @Override
    public List<SegmentFile> files() {
        return List.copyOf(files);
    }

    @Override
    public int read(SegmentFile file, long offset, ByteBuffer target) throws IOException {
        Held from = held.get(file.name());
        if (from == null) {
            throw new IllegalStateException(file.name() + " was released");
        }
        StoredFile opened = from.segment().acquire();
        try {
            return opened.read(target, offset);
        } finally {
            from.segment().release();
        }
    }

    @Override
    public void release(SegmentFile file) {
        Held released = held.remove(file.name());
        if (released != null) {
            released.segment().unpin(released.phase());
        }
    }

    @Override
    public long heldBytes() {
        return held.values().stream()
                .map(Held::segment)
                .filter(segment -> !segment.isInLog())
                .mapToLong(Segment::takenBytes)
                .sum();
    }

    @Override
    public void close() {
        files.forEach(this::release);
    }
}
