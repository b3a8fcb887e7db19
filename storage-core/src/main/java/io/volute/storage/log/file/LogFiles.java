package io.volute.storage.log.file;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.format.SegmentHeader;
import io.volute.storage.io.NoSpaceException;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.segment.OpenFiles;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.segment.SegmentTable;
import io.volute.storage.log.space.LogHealth;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of one log: creates, names and recycles segments. The writers of the log share it. */
record LogFiles(
        LogOptions options,
        OpenFiles openFiles,
        SegmentTable table,
        SegmentStore store,
        LogHealth health) {
    private static final Logger LOG = LoggerFactory.getLogger(LogFiles.class);

    int segmentBytes() {
        return options.settings().segmentBytes();
    }

    /** Creates a segment of today's size, whose file exists already. */
    Segment newSegment(SegmentFileName name) {
        return new Segment(store, openFiles, name, segmentBytes(), this::inherit);
    }

    /** Creates a segment that was found at the start. */
    Segment segment(DiscoveredLog.FoundSegment found) {
        Segment segment =
                new Segment(store, openFiles, found.name(), found.segmentBytes(), this::inherit);
        if (found.sealed()) {
            segment.seal(found.writtenBytes());
        } else {
            segment.writtenBytes(found.writtenBytes());
        }
        return segment;
    }

    /** Recycles the file of a segment that has left the log. */
    void inherit(Segment segment) {
        table.forget(segment);
        try {
            store.retire(segment.name());
        } catch (IOException e) {
            LOG.warn(
                    "{} has left the log, but its file could not be recycled ({}); the next start"
                            + " tries again",
                    segment.name(),
                    e.getMessage());
        }
    }

    /** Reads the header of a segment file. */
    static SegmentHeader readHeader(StoredFile file) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(SegmentHeader.BYTES);
        file.read(page, 0);
        return SegmentHeader.decode(page.flip());
    }

    void writeHeader(StoredFile file, long segmentId, SpaceReport.Kind kind) throws IOException {
        SegmentHeader header =
                new SegmentHeader(
                        SegmentFormat.VERSION,
                        options.cubeId(),
                        segmentId,
                        kind,
                        segmentBytes(),
                        options.clock().millis());
        ByteBuffer page = ByteBuffer.allocateDirect(SegmentHeader.BYTES);
        header.encode(page);
        file.write(page, 0, WriteCause.DIGEST);
    }

    /** A new segment, and its file open for writing. */
    record NewSegment(Segment segment, StoredFile file) {}

    /** Makes a draft a segment of the log, open for writing behind its content. */
    NewSegment addSegment(SegmentStore.Draft draft, SegmentFileName name, long writtenBytes)
            throws CubeUnavailableException {
        StoredFile file;
        try {
            file = draft.publish(name);
        } catch (IOException e) {
            throw health.fail("opening the segment " + name, e);
        }
        Segment segment = newSegment(name);
        segment.writtenBytes(writtenBytes);
        table.add(segment);
        return new NewSegment(segment, file);
    }

    /**
     * Handles a failed preparation. For lack of space the file is given up, and other writes may go
     * on; any other failure makes the log read-only.
     */
    IOException prepareFailed(SegmentFileName name, SegmentStore.Draft draft, IOException cause) {
        if (store.concernsOneSegment(cause)) {
            return refused(name, draft.discard(cause));
        }
        return NoSpaceException.isNoSpace(cause)
                ? draft.discard(cause)
                : health.fail("preparing the segment " + name + " in " + draft, cause);
    }

    /** Returns the refusal of a write after which the log is as it was. */
    static CubeUnavailableException refused(SegmentFileName name, IOException cause) {
        CubeUnavailableException refused =
                new CubeUnavailableException(
                        NoSpaceException.isNoSpace(cause)
                                ? CubeUnavailableException.Reason.FULL
                                : CubeUnavailableException.Reason.BUSY,
                        "a write to " + name + " failed: " + cause.getMessage());
        refused.initCause(cause);
        return refused;
    }

    /**
     * Handles a failed write. For lack of space, or of bookies, only this writer fails, because its
     * bytes are not published yet; any other failure makes the log read-only.
     */
    CubeUnavailableException writeFailed(Segment segment, IOException cause) {
        if (NoSpaceException.isNoSpace(cause)) {
            return LogHealth.full(options.directory(), segmentBytes(), cause);
        }
        if (store.concernsOneSegment(cause)) {
            return refused(segment.name(), cause);
        }
        return health.fail("a write to " + segment.name(), cause);
    }
}
