package io.volute.storage.log.file;

import io.volute.storage.CubeMaintenance.LogSnapshot;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentHoles;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.SegmentReads;
import io.volute.storage.log.segment.BufferPool;
import io.volute.storage.log.segment.EntryReader;
import io.volute.storage.log.segment.OpenFiles;
import io.volute.storage.log.segment.ReadAhead;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.segment.SegmentSnapshot;
import io.volute.storage.log.segment.SegmentTable;
import io.volute.storage.log.segment.TableReads;
import io.volute.storage.log.space.LogHealth;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/** The segment log. Its {@link SegmentStore} keeps the segments, as files or as ledgers. */
final class FileSegmentLog implements SegmentLog {
    private final LogOptions options;
    private final DiscoveredLog discovery;
    private final LogFiles logFiles;
    private final StreamSegments streams;
    private final FileSegmentHoles holes;
    private final BufferPool buffers;
    private final BufferPool survivorBuffers;
    private final BufferPool windows = new BufferPool(ReadAhead.WINDOW_BYTES);
    private final EntryReader reading;
    private final SegmentReads reads;
    private final AtomicLong batches = new AtomicLong();
    private Optional<ReplayResult> replayed = Optional.empty();
    private volatile Optional<HeadWriter> writer = Optional.empty();
    private boolean closed;

    FileSegmentLog(LogOptions options, SegmentStore store, DiscoveredLog discovery) {
        this.options = options;
        this.discovery = discovery;
        OpenFiles openFiles = new OpenFiles();
        SegmentTable table = new SegmentTable(discovery.nextSegmentId());
        this.logFiles =
                new LogFiles(
                        options,
                        openFiles,
                        table,
                        store,
                        new LogHealth(options.directory(), store::remedy));
        store.measureUseBy(table::usedBytes);
        discovery.segments().forEach(found -> table.put(logFiles.segment(found)));
        this.streams = new StreamSegments(logFiles);
        this.holes = new FileSegmentHoles(logFiles);
        this.buffers = new BufferPool(ChunkAppender.bufferBytes(options.settings().chunkBytes()));
        this.survivorBuffers =
                new BufferPool(SurvivorWriter.batchBytesMax(options.settings().segmentBytes()));
        this.reading = new EntryReader(options.cubeId(), table);
        this.reads = new TableReads(table, reading);
    }

    /** Measures the holes of all segments that were found sealed. */
    void measureHoles() {
        logFiles.table().inLog().stream().filter(Segment::isSealed).forEach(holes::measure);
    }

    @Override
    public List<SegmentState> segments() {
        return logFiles.table().inLog().stream().map(Segment::state).toList();
    }

    @Override
    public void requireOwned() throws IOException {
        logFiles.store().requireOwned();
    }

    @Override
    public boolean isContinued() {
        return logFiles.store().isContinued();
    }

    @Override
    public int freeSegments() {
        return logFiles.store().ready();
    }

    @Override
    public long nextSegmentId() {
        logFiles.table().changes().lock();
        try {
            return logFiles.table().nextSegmentId();
        } finally {
            logFiles.table().changes().unlock();
        }
    }

    @Override
    public long clientBytes() {
        return logFiles.store().available(SpacePriority.CLIENT) * options.settings().segmentBytes();
    }

    @Override
    public long deleteBytes() {
        return logFiles.store().available(SpacePriority.DELETE) * options.settings().segmentBytes();
    }

    @Override
    public long cleanerBytes() {
        return logFiles.store().available(SpacePriority.CLEANER)
                * options.settings().segmentBytes();
    }

    @Override
    public void reserveForOthers(ToLongFunction<SpacePriority> bytes) {
        logFiles.store().reserveForOthers(bytes);
    }

    @Override
    public ReplayResult replay(LogPosition from, BatchVisitor visitor) throws IOException {
        return replay(Set.of(Kind.HEAD), from, visitor);
    }

    @Override
    public ReplayResult scanAll(BatchVisitor visitor) throws IOException {
        return replay(Set.of(Kind.HEAD, Kind.SURVIVOR), LogPosition.START, visitor);
    }

    @Override
    public void cutSurvivors(Map<Long, Long> ends) throws IOException {
        for (Segment survivor : logFiles.table().inLog(Set.of(Kind.SURVIVOR))) {
            long first = discovery.firstBatchEnds().getOrDefault(survivor.id(), 0L);
            long end = Math.max(first, ends.getOrDefault(survivor.id(), 0L));
            if (end > survivor.segmentBytes()) {
                throw new DamagedException(
                        survivor.name().toString(),
                        survivor.segmentBytes(),
                        "the index has applied it up to " + end);
            }
            survivor.seal(end);
            holes.measure(survivor);
        }
    }

    @Override
    public Scanner scanner(BatchVisitor visitor) {
        LogReplay replay = LogReplay.ofSealed(options.cubeId(), visitor);
        return segmentId -> {
            Segment segment = logFiles.table().get(segmentId);
            if (!segment.isSealed() || segment.kind() == Kind.STREAM) {
                throw new IllegalArgumentException(
                        segment.name() + " is not sealed, or holds no entries");
            }
            replay.visit(segment);
        };
    }

    @Override
    public Mover mover() {
        ReadAhead ahead = new ReadAhead(windows);
        EntryReader moved = reading.through(ahead);
        return new Mover() {
            @Override
            public LogEntry read(Place place) throws IOException {
                return moved.entry(place);
            }

            @Override
            public Survivor openSurvivor(List<Long> origins, long expectedBytes)
                    throws IOException {
                writer();
                return SurvivorWriter.open(
                        logFiles, moved, survivorBuffers, origins, expectedBytes);
            }

            @Override
            public void close() {
                ahead.close();
            }
        };
    }

    @Override
    public void passBegins(int planned) {
        logFiles.store().reserve().promise(planned);
    }

    @Override
    public int promisedSegments() {
        return logFiles.store().reserve().promised();
    }

    @Override
    public void passEnded(int planned, int survivors) {
        logFiles.store().reserve().giveBack(planned, survivors);
    }

    private ReplayResult replay(Set<Kind> kinds, LogPosition from, BatchVisitor visitor)
            throws IOException {
        if (writer.isPresent()) {
            throw new IllegalStateException("a log is replayed before it is appended to");
        }
        LogReplay replay =
                new LogReplay(
                        options.cubeId(),
                        options.settings().damage(),
                        discovery.damages(),
                        visitor);
        ReplayResult result = replay.run(logFiles.table().inLog(kinds), from, discovery.end());
        replayed = Optional.of(result);
        return result;
    }

    /**
     * Opens the head. The torn batch needs no erasure: it was the only one in flight, so nothing
     * behind its first sector can pass for a later batch. The digest that is written first takes
     * that sector.
     */
    @Override
    public void startAppending(LogPosition end, long nextSequence) throws IOException {
        if (writer.isPresent() || replayed.isEmpty() || !replayed.get().end().equals(end)) {
            throw new IllegalStateException("appending begins once, where the replay ended");
        }
        if (!replayed.get().damages().isEmpty()) {
            throw new CubeUnavailableException(
                    Reason.READ_ONLY,
                    "the log is damaged and can only be read: " + replayed.get().damages().get(0));
        }
        logFiles.store().startWriting();
        // A crash left them behind; the forced digest omits them.
        for (SegmentFileName stray : discovery.strays()) {
            logFiles.store().retire(stray);
        }
        if (!discovery.end().equals(LogPosition.START)) {
            Segment head = logFiles.table().get(end.segmentId());
            head.writtenBytes(end.offset());
            long idHighWater = discovery.idHighWater();
            HeadWriter resumed =
                    logFiles.store().resumesHeads()
                            ? HeadWriter.resume(logFiles, head, nextSequence - 1, idHighWater)
                            : HeadWriter.after(logFiles, head, nextSequence - 1, idHighWater);
            writer = Optional.of(resumed);
            if (resumed.hasDigest()) {
                holes.giveBackTails();
            }
        } else {
            writer = Optional.of(HeadWriter.begin(logFiles, nextSequence - 1));
        }
        logFiles.store().prepareSoon();
    }

    /** Returns the writer, when the log takes writes. */
    private HeadWriter writer() throws CubeUnavailableException {
        logFiles.health().requireWritable();
        return writer.orElseThrow(() -> new IllegalStateException("startAppending comes first"));
    }

    @Override
    public int batchBytesMax() {
        return HeadWriter.batchBytesMax(options.settings().segmentBytes());
    }

    @Override
    public int encodedBytes(LogEntry entry) {
        return EntryCodec.encodedBytes(entry);
    }

    /**
     * {@inheritDoc}
     *
     * <p>One failure leaves the log as it was: {@link Reason#FULL}, when the next segment finds no
     * space. Nothing has been written then, and the append may be tried again.
     */
    @Override
    public Appended append(List<LogEntry> entries, long idHighWater, SpacePriority priority)
            throws IOException {
        Appended appended = writer().append(entries, idHighWater, priority);
        batches.incrementAndGet();
        return appended;
    }

    @Override
    public void free(Collection<Long> segmentIds) throws IOException {
        Set<Long> ids = new TreeSet<>(segmentIds);
        List<Segment> leaving = new ArrayList<>(ids.size());
        for (long id : ids) {
            Segment segment = logFiles.table().get(id);
            if (!segment.isSealed() || !segment.isInLog()) {
                throw new IllegalArgumentException(
                        segment.name() + " is not sealed, or has left the log already");
            }
            leaving.add(segment);
        }
        if (leaving.isEmpty()) {
            return;
        }
        writer().appendDigest(ids);
        leaving.forEach(Segment::leaveLog);
    }

    @Override
    public StreamAppender openStream(long blobId, OptionalLong expectedBytes) throws IOException {
        writer();
        return new ChunkAppender(logFiles, streams, buffers, blobId, expectedBytes);
    }

    @Override
    public Pin pin(Collection<Long> segmentIds) throws SegmentGoneException {
        return reads.pin(segmentIds);
    }

    @Override
    public LogSnapshot snapshot() {
        return SegmentSnapshot.of(logFiles.table());
    }

    @Override
    public LogEntry readEntry(Place place) throws IOException {
        return reads.readEntry(place);
    }

    @Override
    public int inlineBufferBytes(Place place) {
        return reads.inlineBufferBytes(place);
    }

    @Override
    public void readInline(Place place, long blobId, ByteBuffer target) throws IOException {
        reads.readInline(place, blobId, target);
    }

    @Override
    public int chunkBufferBytes(int chunkBytes) {
        return reads.chunkBufferBytes(chunkBytes);
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
        reads.readChunk(blobId, extents, bytes, chunkBytes, chunkIndex, target);
    }

    @Override
    public SegmentHoles holes() {
        return holes;
    }

    @Override
    public Mending mending() {
        return new FileSegmentMending(logFiles);
    }

    @Override
    public LogCounters counters() {
        return new LogCounters(batches.get(), streams.forces(), reading.damages());
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (writer.isPresent()) {
                writer.get().close();
            }
        } finally {
            logFiles.health().close();
            try (SegmentStore store = logFiles.store()) {
                streams.close();
                logFiles.table().all().forEach(Segment::close);
            }
        }
    }
}
