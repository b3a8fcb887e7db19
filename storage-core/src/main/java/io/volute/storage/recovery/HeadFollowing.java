package io.volute.storage.recovery;

import io.volute.storage.format.LogEntry;
import io.volute.storage.index.IndexUnusableException;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Optional;

/**
 * A replay of the heads of another owner, which misses none. The first batch of a head is a digest
 * with the end of the head before; the index must have reached exactly that. Used by one thread.
 */
final class HeadFollowing implements SegmentLog.BatchVisitor {
    private final IndexReplay replay;
    private Optional<LogEntry.Digest> digest = Optional.empty();

    HeadFollowing(IndexReplay replay) {
        this.replay = replay;
    }

    /** Returns the last digest that was passed. */
    Optional<LogEntry.Digest> digest() {
        return digest;
    }

    /** Forgets the last digest, which needs nothing any more. */
    void settled() {
        digest = Optional.empty();
    }

    @Override
    public void batch(SegmentLog.LoggedBatch batch) throws IOException {
        long head = batch.end().segmentId();
        boolean isFirst = head != replay.state().position().segmentId();
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            if (logged.entry() instanceof LogEntry.Digest next) {
                if (isFirst) {
                    requireBehind(replay.state().position(), next, head);
                }
                digest = Optional.of(next);
                isFirst = false;
            }
        }
        if (isFirst) {
            throw new IndexUnusableException("head segment " + head + " begins without a digest");
        }
        try {
            replay.batch(batch);
        } catch (IndexUnusableException e) {
            throw e;
        } catch (IOException e) {
            throw halfApplied(e);
        }
    }

    /** Writes the entries that were passed to the index. */
    void apply() throws IndexUnusableException {
        try {
            replay.apply();
        } catch (IOException e) {
            throw halfApplied(e);
        }
    }

    /** A batch that failed half-way must not be passed again. */
    private static IndexUnusableException halfApplied(IOException cause) {
        return new IndexUnusableException("a batch was not applied: " + cause.getMessage(), cause);
    }

    /** Checks that a head begins where the index has come to. */
    private static void requireBehind(LogPosition position, LogEntry.Digest first, long head)
            throws IndexUnusableException {
        LogPosition before =
                first.segments().stream()
                        .filter(each -> each.kind() == SpaceReport.Kind.HEAD)
                        .filter(each -> each.segmentId() < head)
                        .reduce((one, other) -> one.segmentId() > other.segmentId() ? one : other)
                        .map(each -> new LogPosition(each.segmentId(), each.sealedBytes()))
                        .orElse(LogPosition.START);
        if (!before.equals(position)) {
            throw new IndexUnusableException(
                    "it has the log up to "
                            + position
                            + ", and head segment "
                            + head
                            + " begins after "
                            + before);
        }
    }
}
