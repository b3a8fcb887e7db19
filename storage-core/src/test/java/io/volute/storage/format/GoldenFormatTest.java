package io.volute.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobId;
import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The versions of the format as they were when they were fixed. When one of these fails, data of
 * earlier releases would not open: raise the version instead. The files were written by this test
 * with {@code -Dgolden.write=DIRECTORY}; those of earlier versions by their releases.
 */
class GoldenFormatTest {
    private static final UUID CUBE = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final long SEGMENT = 42;
    private static final long OFFSET = 8192;

    /** The bytes that this release writes. */
    private static byte[] golden(String name, ByteBuffer written) throws IOException {
        String directory = System.getProperty("golden.write", "");
        if (!directory.isEmpty()) {
            byte[] bytes = new byte[written.remaining()];
            written.duplicate().get(bytes);
            Path file = Path.of(directory, name);
            Files.createDirectories(file.getParent());
            Files.write(file, bytes);
        }
        return golden(name);
    }

    private static byte[] golden(String name) throws IOException {
        try (InputStream file = GoldenFormatTest.class.getResourceAsStream("/format/" + name)) {
            assertThat(file).as(name).isNotNull();
            return file.readAllBytes();
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static List<LogEntry> entries() {
        return List.of(
                new LogEntry.Digest(
                        299,
                        44,
                        List.of(
                                new LogEntry.DigestSegment(7, Kind.HEAD, 65_536),
                                new LogEntry.DigestSegment(41, Kind.STREAM, -1),
                                new LogEntry.DigestSegment(42, Kind.HEAD, -1),
                                new LogEntry.DigestSegment(43, Kind.SURVIVOR, 4096))),
                new LogEntry.InlineBlob(300, 1000, ByteBuffer.wrap(ascii("hello, log"))),
                new LogEntry.RecordPut(
                        301,
                        2,
                        ascii("key"),
                        ascii("summary"),
                        ascii("detail"),
                        List.of(1000L, 1001L),
                        new LogEntry.Victim(17, 7)),
                new LogEntry.Tombstone(302, 2, ascii("gone"), new LogEntry.Victim(18, 7)),
                new LogEntry.StreamBlob(
                        303, 1001, 300_000, 131_072, List.of(new Place(41, 4096, 300_072))),
                new LogEntry.ComposedBlob(
                        304,
                        1002,
                        List.of(
                                new Transaction.Part(new BlobId(1000), 10, ascii("a")),
                                new Transaction.Part(new BlobId(1001), 300_000, new byte[0]))));
    }

    @Test
    void segmentHeader() throws IOException {
        SegmentHeader header = segmentHeader(2);
        ByteBuffer page = ByteBuffer.allocate(SegmentHeader.BYTES);
        header.encode(page);
        byte[] golden = golden("v2/segment-header.bin", page);
        assertThat(page.array()).isEqualTo(golden);
        assertThat(SegmentHeader.decode(ByteBuffer.wrap(golden))).isEqualTo(header);
        assertThat(SegmentHeader.decode(ByteBuffer.wrap(golden("v1/segment-header.bin"))))
                .isEqualTo(segmentHeader(1));
    }

    private static SegmentHeader segmentHeader(int version) {
        return new SegmentHeader(version, CUBE, SEGMENT, Kind.HEAD, 64 << 20, 1_700_000_000_123L);
    }

    @Test
    void batch() throws IOException {
        PlaceChecksum checksum = new PlaceChecksum(CUBE);
        BatchCodec codec = new BatchCodec(checksum);
        ByteBuffer target = ByteBuffer.allocate(8192);
        List<Place> places =
                codec.encode(
                        entries(),
                        new BatchCodec.Stamp(SEGMENT, OFFSET, 1002, 1_700_000_000_456L),
                        target);
        byte[] golden = golden("v2/batch.bin", target);
        assertThat(target.remaining()).isEqualTo(512);
        assertThat(java.util.Arrays.copyOf(target.array(), 512)).isEqualTo(golden);
        assertThat(requireBatch(golden, places).paddedBytes()).isEqualTo(512);
        assertThat(requireBatch(golden("v1/batch.bin"), places).paddedBytes()).isEqualTo(4096);
    }

    /** Reads the entries from a batch of any version. */
    private static BatchHeader requireBatch(byte[] golden, List<Place> places) throws IOException {
        PlaceChecksum checksum = new PlaceChecksum(CUBE);
        BatchCodec codec = new BatchCodec(checksum);
        ByteBuffer source = ByteBuffer.wrap(golden);
        BatchHeader header = BatchHeader.decode(source, 0, checksum, SEGMENT, OFFSET).orElseThrow();
        assertThat(header.firstSequence()).isEqualTo(299);
        assertThat(header.idHighWater()).isEqualTo(1002);
        assertThat(header.commitMillis()).isEqualTo(1_700_000_000_456L);
        assertThat(codec.isWhole(header, source, 0, SEGMENT, OFFSET)).isTrue();
        List<LogEntry> found = new ArrayList<>();
        List<Place> foundAt = new ArrayList<>();
        BatchCodec.decode(
                header,
                source,
                0,
                new Place(SEGMENT, OFFSET, header.bytes()),
                (entry, place) -> {
                    found.add(entry);
                    foundAt.add(place);
                });
        assertThat(found).usingRecursiveComparison().isEqualTo(entries());
        assertThat(foundAt).isEqualTo(places);
        Place third = places.get(2);
        int begin = (int) (third.offset() - OFFSET);
        ByteBuffer alone = source.slice(begin, (int) third.bytes());
        assertThat(EntryCodec.decode(alone, checksum, SEGMENT, third.offset()))
                .usingRecursiveComparison()
                .isEqualTo(entries().get(2));
        return header;
    }

    /** The entries that only a cleaner writes. */
    @Test
    void survivor() throws IOException {
        List<LogEntry> entries =
                List.of(
                        new LogEntry.Origins(0, List.of(7L, 300L)),
                        LogEntry.KeptTombstone.of(2, ascii("gone"), new LogEntry.Victim(18, 43)));
        PlaceChecksum checksum = new PlaceChecksum(CUBE);
        BatchCodec codec = new BatchCodec(checksum);
        ByteBuffer target = ByteBuffer.allocate(512);
        codec.encode(entries, new BatchCodec.Stamp(43, 4096, 0, 1_700_000_000_789L), target);
        byte[] golden = golden("v2/survivor-batch.bin", target);
        assertThat(target.array()).isEqualTo(golden);
        requireSurvivor(golden, entries);
        requireSurvivor(golden("v1/survivor-batch.bin"), entries);
    }

    private static void requireSurvivor(byte[] golden, List<LogEntry> entries) throws IOException {
        PlaceChecksum checksum = new PlaceChecksum(CUBE);
        ByteBuffer source = ByteBuffer.wrap(golden);
        BatchHeader header = BatchHeader.decode(source, 0, checksum, 43, 4096).orElseThrow();
        List<LogEntry> found = new ArrayList<>();
        BatchCodec.decode(
                header,
                source,
                0,
                new Place(43, 4096, header.bytes()),
                (entry, place) -> found.add(entry));
        assertThat(found).usingRecursiveComparison().isEqualTo(entries);
    }

    @Test
    void chunk() throws IOException {
        PlaceChecksum checksum = new PlaceChecksum(CUBE);
        byte[] content = ascii("the last chunk of a blob");
        ChunkHeader header = new ChunkHeader(1001, 2, content.length);
        ByteBuffer target = ByteBuffer.allocate(ChunkHeader.BYTES + content.length);
        target.put(ChunkHeader.BYTES, content);
        header.encode(target, 0, checksum, 41, 266_288);
        byte[] golden = golden("v1/chunk.bin", target);
        assertThat(target.array()).isEqualTo(golden);
        header.verify(ByteBuffer.wrap(golden), checksum, 41, 266_288);
    }
}
