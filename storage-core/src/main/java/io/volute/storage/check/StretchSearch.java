package io.volute.storage.check;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.format.ChunkHeader;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.RecordRepair;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Reads a record and all its blobs, and writes what is damaged of them. Used by one thread. */
public final class StretchSearch implements RecordRepair {
    /** Greatest number of stretches that one repair holds. */
    private static final int STRETCHES_MAX = 1 << 20;

    private static final int ATTEMPTS_MAX = 100;

    private final SegmentLog log;
    private final CubeIndex index;
    private final Map<Stretch, Writing> writings = new LinkedHashMap<>();
    private final List<SegmentLog.Pin> pins = new ArrayList<>();
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    /** Makes and writes the bytes of one stretch. */
    private interface Writing {
        ByteBuffer around(ByteBuffer content) throws IOException;

        void verify(ByteBuffer bytes) throws IOException;
    }

    private StretchSearch(SegmentLog log, CubeIndex index) {
        this.log = log;
        this.index = index;
    }

    /**
     * Finds the damaged stretches of a record.
     *
     * @param lookups lookups of places that are not pinned yet
     * @throws SegmentGoneException when the cleaner moves it again and again
     */
    public static StretchSearch of(CubeStorage storage, PhasedCount lookups, RecordKey key)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            StretchSearch search = new StretchSearch(storage.log(), storage.index());
            int phase = lookups.enter();
            try {
                search.record(key);
                return search;
            } catch (SegmentGoneException e) {
                search.close();
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            } catch (IOException | RuntimeException e) {
                search.close();
                throw e;
            } finally {
                lookups.leave(phase);
            }
        }
    }

    private void record(RecordKey key) throws IOException {
        Optional<RecordRow> found = index.record(key);
        if (found.isEmpty()) {
            return;
        }
        RecordRow row = found.get();
        look(row.place(), entry -> isRecord(entry, key, row), -1, 0);
        for (long blob : row.references()) {
            long unusedEnd = blob(blob, 0);
        }
    }

    private static boolean isRecord(LogEntry entry, RecordKey key, RecordRow row) {
        return entry instanceof LogEntry.RecordPut put
                && put.sequence() == row.sequence()
                && put.family() == key.family()
                && Arrays.equals(put.key(), key.key())
                && Arrays.equals(put.summary(), row.summary())
                && put.references().equals(row.references());
    }

    /** Looks at a blob whose content begins at an offset; returns the offset behind it. */
    private long blob(long id, long from) throws IOException {
        Optional<BlobRow> found = index.blob(id);
        if (found.isEmpty()) {
            return from;
        }
        BlobRow row = found.get();
        Predicate<LogEntry> isBlob =
                entry -> entry instanceof LogEntry.BlobEntry blob && blob.blobId() == id;
        switch (row.content()) {
            case BlobRow.Inline inline ->
                    look(row.entry(), isBlob, from, Math.toIntExact(row.bytes()));
            case BlobRow.Stream stream -> {
                look(row.entry(), isBlob, -1, 0);
                chunks(id, row, stream, from);
            }
            case BlobRow.Composed composed -> {
                if (isWhole(row.entry(), isBlob, -1, 0)
                        && log.readEntry(row.entry()) instanceof LogEntry.ComposedBlob whole) {
                    long at = from;
                    for (var part : whole.parts()) {
                        long end = blob(part.blob().value(), at);
                        assert end == at + part.bytes() : "blob " + part.blob();
                        at += part.bytes();
                    }
                } else {
                    // The order of the parts is not known: they are put back by their entries.
                    for (long child : composed.children()) {
                        long unusedEnd = blob(child, from);
                    }
                }
            }
        }
        return from + row.bytes();
    }

    private void look(
            Place place, Predicate<LogEntry> isWanted, long contentOffset, int contentBytes)
            throws IOException {
        boolean unused = isWhole(place, isWanted, contentOffset, contentBytes);
    }

    /** Looks at an entry; returns whether it is whole. */
    private boolean isWhole(
            Place place, Predicate<LogEntry> isWanted, long contentOffset, int contentBytes)
            throws IOException {
        pins.add(log.pin(Set.of(place.segmentId())));
        try {
            if (isWanted.test(log.readEntry(place))) {
                return true;
            }
        } catch (DamagedException e) {
            // It is a stretch.
        }
        SegmentLog.Mending mending = log.mending();
        add(
                place,
                contentOffset,
                contentBytes,
                new Writing() {
                    @Override
                    public ByteBuffer around(ByteBuffer content) throws IOException {
                        return mending.entryEndingWith(place, content);
                    }

                    @Override
                    public void verify(ByteBuffer bytes) throws IOException {
                        mending.verifyEntry(place, bytes, isWanted);
                    }
                });
        return false;
    }

    private void chunks(long id, BlobRow row, BlobRow.Stream stream, long from) throws IOException {
        pins.add(
                log.pin(
                        stream.extents().stream()
                                .map(Place::segmentId)
                                .collect(Collectors.toSet())));
        int needed = log.chunkBufferBytes(stream.chunkBytes());
        if (buffer.capacity() < needed) {
            buffer = ByteBuffer.allocate(needed);
        }
        long entry = ChunkHeader.BYTES + (long) stream.chunkBytes();
        int chunk = 0;
        for (Place extent : stream.extents()) {
            long end = extent.offset() + extent.bytes();
            for (long at = extent.offset(); at < end; at += entry) {
                Place place = new Place(extent.segmentId(), at, Math.min(entry, end - at));
                try {
                    log.readChunk(
                            id,
                            stream.extents(),
                            row.bytes(),
                            stream.chunkBytes(),
                            chunk,
                            buffer.clear());
                } catch (DamagedException e) {
                    int bytes = Math.toIntExact(place.bytes() - ChunkHeader.BYTES);
                    ChunkHeader header = new ChunkHeader(id, chunk, bytes);
                    add(
                            place,
                            from + (long) chunk * stream.chunkBytes(),
                            bytes,
                            chunkWriting(header, place));
                }
                chunk++;
            }
        }
    }

    private Writing chunkWriting(ChunkHeader header, Place place) {
        SegmentLog.Mending mending = log.mending();
        return new Writing() {
            @Override
            public ByteBuffer around(ByteBuffer content) {
                return mending.chunkOf(header, place, content);
            }

            @Override
            public void verify(ByteBuffer bytes) throws IOException {
                mending.verifyChunk(header, place, bytes);
            }
        };
    }

    private void add(Place place, long contentOffset, int contentBytes, Writing writing)
            throws IOException {
        if (writings.size() == STRETCHES_MAX) {
            throw new IOException(
                    "more than " + STRETCHES_MAX + " stretches are damaged: restore a backup");
        }
        Stretch stretch =
                new Stretch(
                        place.segmentId(),
                        log.mending().fileOf(place.segmentId()),
                        place.offset(),
                        Math.toIntExact(place.bytes()),
                        contentOffset,
                        contentBytes);
        writings.put(stretch, writing);
    }

    @Override
    public List<Stretch> stretches() {
        return List.copyOf(writings.keySet());
    }

    @Override
    public ByteBuffer around(Stretch stretch, ByteBuffer content) throws IOException {
        return writing(stretch).around(content);
    }

    @Override
    public boolean fits(Stretch stretch, ByteBuffer bytes) {
        try {
            writing(stretch).verify(bytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void write(Stretch stretch, ByteBuffer bytes) throws IOException {
        writing(stretch).verify(bytes);
        Place place = new Place(stretch.segmentId(), stretch.offset(), stretch.bytes());
        log.mending().write(place, bytes);
    }

    private Writing writing(Stretch stretch) {
        return Optional.ofNullable(writings.get(stretch))
                .orElseThrow(() -> new IllegalArgumentException("not of this repair: " + stretch));
    }

    @Override
    public void close() {
        pins.forEach(SegmentLog.Pin::close);
        pins.clear();
    }
}
