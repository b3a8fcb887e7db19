package io.volute.storage.log.file;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.format.ChunkHeader;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.FormatException;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Predicate;

/**
 * Writes damaged bytes of segment files again. Segment ids are never used again, and the checksum
 * of a place covers cube, segment and offset: bytes that pass were written to this place once. The
 * bytes around them stay. A crash in between leaves damage where damage was.
 */
final class FileSegmentMending implements SegmentLog.Mending {
    private final LogFiles logFiles;

    FileSegmentMending(LogFiles logFiles) {
        this.logFiles = logFiles;
    }

    @Override
    public String fileOf(long segmentId) throws SegmentGoneException {
        return logFiles.table().get(segmentId).name().toString();
    }

    @Override
    public ByteBuffer entryEndingWith(Place place, ByteBuffer content) throws IOException {
        Segment segment = logFiles.table().get(place.segmentId());
        int bytes = Math.toIntExact(place.bytes());
        if (content.remaining() > bytes - EntryCodec.HEADER_BYTES) {
            throw damaged(segment, place, "the content is longer than the entry");
        }
        ByteBuffer entry = ByteBuffer.allocate(bytes);
        StoredFile file = segment.acquire();
        try {
            int unused = file.read(entry, place.offset());
        } finally {
            segment.release();
        }
        entry.clear();
        entry.put(bytes - content.remaining(), content, content.position(), content.remaining());
        verify(segment, place, entry, found -> true);
        return entry;
    }

    @Override
    public ByteBuffer chunkOf(ChunkHeader header, Place place, ByteBuffer content) {
        ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.BYTES + content.remaining());
        chunk.put(ChunkHeader.BYTES, content, content.position(), content.remaining());
        header.encode(chunk, 0, checksum(), place.segmentId(), place.offset());
        return chunk;
    }

    @Override
    public void verifyEntry(Place place, ByteBuffer bytes, Predicate<LogEntry> isWanted)
            throws IOException {
        Segment segment = logFiles.table().get(place.segmentId());
        if (bytes.remaining() != place.bytes()) {
            throw damaged(segment, place, "the entry has another length");
        }
        verify(segment, place, bytes, isWanted);
    }

    @Override
    public void verifyChunk(ChunkHeader expected, Place place, ByteBuffer bytes)
            throws IOException {
        Segment segment = logFiles.table().get(place.segmentId());
        try {
            expected.verify(bytes.slice(), checksum(), place.segmentId(), place.offset());
        } catch (FormatException e) {
            throw damaged(segment, place, e.getMessage());
        }
    }

    private void verify(
            Segment segment, Place place, ByteBuffer bytes, Predicate<LogEntry> isWanted)
            throws DamagedException {
        LogEntry entry;
        try {
            entry = EntryCodec.decode(bytes.slice(), checksum(), place.segmentId(), place.offset());
        } catch (FormatException e) {
            throw damaged(segment, place, e.getMessage());
        }
        if (!isWanted.test(entry)) {
            throw damaged(segment, place, "another entry belongs there");
        }
    }

    @Override
    public void write(Place place, ByteBuffer bytes) throws IOException {
        Segment segment = logFiles.table().get(place.segmentId());
        logFiles.health().requireWritable();
        if (place.offset() + bytes.remaining() > segment.writtenBytes()) {
            throw new IllegalArgumentException(
                    "the written part of " + segment.name() + " does not reach to " + place);
        }
        try (StoredFile file = logFiles.store().open(segment.name(), Access.READ_WRITE)) {
            file.write(bytes.duplicate(), place.offset(), WriteCause.CHECKPOINT);
            file.force();
        }
    }

    private PlaceChecksum checksum() {
        return new PlaceChecksum(logFiles.options().cubeId());
    }

    private static DamagedException damaged(Segment segment, Place place, String found) {
        return new DamagedException(segment.name().toString(), place.offset(), found);
    }
}
