package io.volute.storage.cube;

import io.volute.storage.CubeMaintenance;
import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentHoles;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** A log that lets a test step in before and after what is written. */
public class HookedLog implements SegmentLog {
    private final SegmentLog log;

    /** Steps in; may block, record or throw. */
    public static class Hooks {
        public void beforeAppend(List<LogEntry> entries) throws IOException {}

        public void afterAppend(List<LogEntry> entries) throws IOException {}

        public void beforeFree(Collection<Long> segments) throws IOException {}

        public void afterFree(Collection<Long> segments) throws IOException {}

        public void beforeScan() throws IOException {}

        /** Called before the cleaner reads the free space. */
        public void beforeFigures() {}

        /** Between the look at the index and the pin. */
        public void beforePin() {}

        public void afterPin() {}

        public List<LoggedBatch> scanOrder(List<LoggedBatch> batches) {
            return batches;
        }
    }

    private final Hooks hooks;

    public HookedLog(SegmentLog log, Hooks hooks) {
        this.log = log;
        this.hooks = hooks;
    }

    @Override
    public boolean isContinued() {
        return log.isContinued();
    }

    @Override
    public List<SegmentState> segments() {
        return log.segments();
    }

    @Override
    public int freeSegments() {
        return log.freeSegments();
    }

    @Override
    public long nextSegmentId() {
        return log.nextSegmentId();
    }

    @Override
    public long clientBytes() {
        return log.clientBytes();
    }

    @Override
    public void passBegins(int planned) {
        log.passBegins(planned);
    }

    @Override
    public int promisedSegments() {
        return log.promisedSegments();
    }

    @Override
    public void passEnded(int planned, int survivors) {
        log.passEnded(planned, survivors);
    }

    @Override
    public long deleteBytes() {
        return log.deleteBytes();
    }

    @Override
    public long cleanerBytes() {
        hooks.beforeFigures();
        return log.cleanerBytes();
    }

    @Override
    public void cutSurvivors(Map<Long, Long> ends) throws IOException {
        log.cutSurvivors(ends);
    }

    @Override
    public Scanner scanner(BatchVisitor visitor) {
        return log.scanner(visitor);
    }

    @Override
    public Mover mover() {
        return log.mover();
    }

    @Override
    public void reserveForOthers(ToLongFunction<SpacePriority> bytes) {
        log.reserveForOthers(bytes);
    }

    @Override
    public ReplayResult replay(LogPosition from, BatchVisitor visitor) throws IOException {
        return log.replay(from, visitor);
    }

    @Override
    public ReplayResult scanAll(BatchVisitor visitor) throws IOException {
        List<LoggedBatch> batches = new ArrayList<>();
        ReplayResult result = log.scanAll(batches::add);
        for (LoggedBatch batch : hooks.scanOrder(batches)) {
            hooks.beforeScan();
            visitor.batch(batch);
        }
        return result;
    }

    @Override
    public void startAppending(LogPosition end, long nextSequence) throws IOException {
        log.startAppending(end, nextSequence);
    }

    @Override
    public int batchBytesMax() {
        return log.batchBytesMax();
    }

    @Override
    public int encodedBytes(LogEntry entry) {
        return log.encodedBytes(entry);
    }

    @Override
    public Appended append(List<LogEntry> entries, long idHighWater, SpacePriority priority)
            throws IOException {
        hooks.beforeAppend(entries);
        Appended appended = log.append(entries, idHighWater, priority);
        hooks.afterAppend(entries);
        return appended;
    }

    @Override
    public void free(Collection<Long> segmentIds) throws IOException {
        hooks.beforeFree(segmentIds);
        log.free(segmentIds);
        hooks.afterFree(segmentIds);
    }

    @Override
    public StreamAppender openStream(long blobId, OptionalLong expectedBytes) throws IOException {
        return log.openStream(blobId, expectedBytes);
    }

    @Override
    public void requireOwned() throws IOException {
        log.requireOwned();
    }

    @Override
    public Pin pin(Collection<Long> segmentIds) throws SegmentGoneException {
        hooks.beforePin();
        Pin pin = log.pin(segmentIds);
        hooks.afterPin();
        return pin;
    }

    @Override
    public CubeMaintenance.LogSnapshot snapshot() {
        return log.snapshot();
    }

    @Override
    public LogEntry readEntry(Place place) throws IOException {
        return log.readEntry(place);
    }

    @Override
    public int inlineBufferBytes(Place place) {
        return log.inlineBufferBytes(place);
    }

    @Override
    public void readInline(Place place, long blobId, ByteBuffer target) throws IOException {
        log.readInline(place, blobId, target);
    }

    @Override
    public int chunkBufferBytes(int chunkBytes) {
        return log.chunkBufferBytes(chunkBytes);
    }

    @Override
    public void readChunk(
            long blobId,
            List<Place> extents,
            long bytes,
            int chunkBytes,
            long chunkIndex,
            ByteBuffer target)
            throws IOException {
        log.readChunk(blobId, extents, bytes, chunkBytes, chunkIndex, target);
    }

    @Override
    public SegmentHoles holes() {
        return log.holes();
    }

    @Override
    public Mending mending() {
        return log.mending();
    }

    @Override
    public LogCounters counters() {
        return log.counters();
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
