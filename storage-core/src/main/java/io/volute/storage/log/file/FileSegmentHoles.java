package io.volute.storage.log.file;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentHoles;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holes in segment files. A file is held while it is punched, so that it is not recycled meanwhile.
 */
final class FileSegmentHoles implements SegmentHoles {
    private static final Logger LOG = LoggerFactory.getLogger(FileSegmentHoles.class);

    private final LogFiles logFiles;

    FileSegmentHoles(LogFiles logFiles) {
        this.logFiles = logFiles;
    }

    @Override
    public Optional<SegmentLog.SegmentState> sealed(long segmentId) {
        return logFiles.table()
                .find(segmentId)
                .filter(segment -> segment.isSealed() && segment.isInLog())
                .map(Segment::state);
    }

    @Override
    public PhasedCount.Grace grace(long segmentId) throws SegmentGoneException {
        return logFiles.table().get(segmentId).readers().begin();
    }

    /**
     * Measures the holes of a segment. A damaged log may lack the file. It can be read all the
     * same, so this only warns.
     */
    void measure(Segment segment) {
        try {
            StoredFile file = segment.acquire();
            try {
                segment.measureHoles(file);
            } finally {
                segment.release();
            }
        } catch (IOException e) {
            LOG.warn(
                    "all of {} counts as taken: its holes are not known ({})",
                    segment.name(),
                    e.toString());
        }
    }

    /**
     * Gives the tails of survivors back that a crash has cut off. Call it only after a digest with
     * their ends is durable: with a digest of greater ends, a rebuild would find damage there.
     */
    void giveBackTails() {
        logFiles.table().inLog(Set.of(SpaceReport.Kind.SURVIVOR)).stream()
                .filter(Segment::hasTail)
                .forEach(Segment::giveBackTail);
    }

    private interface Use<T> {
        T of(Segment segment, StoredFile file) throws IOException;
    }

    private <T> T using(long segmentId, Use<T> use) throws IOException {
        Segment segment = logFiles.table().get(segmentId);
        if (!segment.isSealed()) {
            throw new IllegalArgumentException(segment.name() + " is not sealed");
        }
        StoredFile file = segment.acquire();
        try {
            return use.of(segment, file);
        } finally {
            segment.release();
        }
    }

    @Override
    public List<Range> deadBlobPages(long segmentId, Liveness liveness) throws IOException {
        return using(
                segmentId,
                (segment, file) ->
                        new DeadBlobSearch(
                                        logFiles.options().cubeId(),
                                        segment,
                                        file,
                                        logFiles.options().settings().cleaning().holeBytesMin(),
                                        liveness)
                                .run());
    }

    @Override
    public boolean punch(long segmentId, List<Range> ranges) throws IOException {
        logFiles.health().requireWritable();
        return using(
                segmentId,
                (segment, file) -> {
                    try {
                        return punch(segment, ranges);
                    } finally {
                        segment.measureHoles(file);
                    }
                });
    }

    private boolean punch(Segment segment, List<Range> ranges) throws IOException {
        try (StoredFile file = logFiles.store().open(segment.name(), Access.READ_WRITE)) {
            for (Range range : ranges) {
                requirePunchable(segment, range);
                if (!file.punch(range.begin(), range.bytes())) {
                    return false;
                }
            }
            return true;
        }
    }

    private static void requirePunchable(Segment segment, Range range) {
        boolean isAligned =
                range.begin() % SegmentFormat.PAGE_BYTES == 0
                        && range.end() % SegmentFormat.PAGE_BYTES == 0;
        if (!isAligned
                || range.begin() < SegmentFormat.PAGE_BYTES
                || range.end() > SegmentFormat.pageUp(segment.writtenBytes())) {
            throw new IllegalArgumentException("no hole for " + segment.name() + ": " + range);
        }
    }

    @Override
    public long holeBytes(long segmentId) {
        return logFiles.table().find(segmentId).map(Segment::holeBytes).orElse(0L);
    }
}
