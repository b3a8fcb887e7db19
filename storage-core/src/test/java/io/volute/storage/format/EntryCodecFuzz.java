package io.volute.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.storage.Place;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Entries and batches of any bytes behind checksums that fit: what can be read is written the same
 * again, all else is a {@link FormatException}.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl storage-core test -Dtest=EntryCodecFuzz#entries} searches on.
 */
class EntryCodecFuzz {
    private static final UUID CUBE = new UUID(0x1122334455667788L, 0x99AABBCCDDEEFF00L);
    private static final long SEGMENT = 7;
    private static final long OFFSET = 8192;

    private final PlaceChecksum checksum = new PlaceChecksum(CUBE);

    static Stream<byte[]> entrySeeds() {
        SplittableRandom random = new SplittableRandom(11);
        PlaceChecksum checksum = new PlaceChecksum(CUBE);
        return Stream.concat(
                Stream.of(new byte[0], new byte[] {1}, new byte[40]),
                Stream.generate(
                                () -> {
                                    LogEntry entry = EntryCodecTest.randomEntry(random);
                                    byte[] bytes = encode(entry, checksum);
                                    byte[] seed = new byte[bytes.length - 11];
                                    seed[0] = bytes[1];
                                    System.arraycopy(bytes, 12, seed, 1, seed.length - 1);
                                    return seed;
                                })
                        .limit(40));
    }

    /** The first byte is the type, the rest the body. */
    @MethodSource("entrySeeds")
    @FuzzTest(maxDuration = "60s")
    void entries(byte[] data) {
        if (data.length < 2) {
            return;
        }
        byte[] encoded = sealed(data[0], data, 1, OFFSET);
        try {
            LogEntry entry = EntryCodec.decode(ByteBuffer.wrap(encoded), checksum, SEGMENT, OFFSET);
            byte[] once = encode(entry, checksum);
            LogEntry again = EntryCodec.decode(ByteBuffer.wrap(once), checksum, SEGMENT, OFFSET);
            assertThat(encode(again, checksum)).isEqualTo(once);
        } catch (FormatException e) {
            assertThat(e).hasMessageMatching(".+");
        }
    }

    /** An entry header whose length and checksum fit the body. */
    private byte[] sealed(byte type, byte[] data, int from, long offset) {
        ByteBuffer target = ByteBuffer.allocate(EntryCodec.HEADER_BYTES + data.length - from);
        target.put((byte) 0xE7).put(type).putShort((short) 0);
        LittleEndian.putInt(target, 4, data.length - from);
        target.position(EntryCodec.HEADER_BYTES).put(data, from, data.length - from);
        int sum =
                checksum.begin(SEGMENT, offset)
                        .update(target.flip(), 0, 8)
                        .update(target, EntryCodec.HEADER_BYTES, data.length - from)
                        .value();
        LittleEndian.putInt(target, 8, sum);
        return target.array();
    }

    private static byte[] encode(LogEntry entry, PlaceChecksum checksum) {
        ByteBuffer target = ByteBuffer.allocate(EntryCodec.encodedBytes(entry));
        EntryCodec.encode(entry, target, checksum, SEGMENT, OFFSET);
        return target.array();
    }

    static Stream<byte[]> batchSeeds() {
        SplittableRandom random = new SplittableRandom(12);
        PlaceChecksum checksum = new PlaceChecksum(CUBE);
        return Stream.generate(
                        () -> {
                            int count = random.nextInt(6);
                            List<LogEntry> entries = new ArrayList<>();
                            for (int i = 0; i < count; i++) {
                                entries.add(EntryCodecTest.randomEntry(random));
                            }
                            ByteBuffer target = ByteBuffer.allocate(1 << 17);
                            new BatchCodec(checksum)
                                    .encode(
                                            entries,
                                            new BatchCodec.Stamp(SEGMENT, OFFSET, 9, 10),
                                            target);
                            int bytes =
                                    BatchHeader.decode(target, 0, checksum, SEGMENT, OFFSET)
                                            .orElseThrow()
                                            .bytes();
                            byte[] seed = new byte[bytes - BatchHeader.BYTES + 1];
                            seed[0] = (byte) count;
                            target.get(BatchHeader.BYTES, seed, 1, seed.length - 1);
                            return seed;
                        })
                .limit(20);
    }

    /** The first byte is the number of entries, the rest the entries. */
    @MethodSource("batchSeeds")
    @FuzzTest(maxDuration = "60s")
    void batches(byte[] data) {
        if (data.length == 0) {
            return;
        }
        int bytes = BatchHeader.BYTES + data.length - 1;
        ByteBuffer source = ByteBuffer.allocate(bytes);
        source.put(BatchHeader.BYTES, data, 1, data.length - 1);
        new BatchHeader(0, bytes, data[0], BatchHeader.Spacing.SECTOR, 1, 2, 3)
                .encode(source, 0, checksum, SEGMENT, OFFSET);
        Optional<BatchHeader> header = BatchHeader.decode(source, 0, checksum, SEGMENT, OFFSET);
        List<Place> places = new ArrayList<>();
        try {
            BatchCodec.decode(
                    header.orElseThrow(),
                    source,
                    0,
                    new Place(SEGMENT, OFFSET, bytes),
                    (entry, place) -> places.add(place));
            long at = OFFSET + BatchHeader.BYTES;
            for (Place place : places) {
                assertThat(place.offset()).isEqualTo(at);
                at += place.bytes();
            }
            assertThat(at).isEqualTo(OFFSET + bytes);
        } catch (FormatException e) {
            assertThat(e).hasMessageMatching(".+");
        }
        assertThat(source.limit()).as("the buffer is left as it was").isEqualTo(bytes);
    }

    static Stream<byte[]> headerSeeds() {
        return Stream.of(new byte[SegmentFormat.PAGE_BYTES], new byte[] {1, 2, 3});
    }

    /** Segment headers and batch headers of any bytes. */
    @MethodSource("headerSeeds")
    @FuzzTest(maxDuration = "60s")
    void headers(byte[] data) {
        ByteBuffer page = ByteBuffer.allocate(SegmentFormat.PAGE_BYTES);
        page.put(0, data, 0, Math.min(data.length, page.capacity()));
        assertThat(BatchHeader.decode(page, 0, checksum, SEGMENT, OFFSET)).isEmpty();
        try {
            assertThat(SegmentHeader.decode(page)).isNotNull();
        } catch (FormatException e) {
            assertThat(e).hasMessageMatching(".+");
        } catch (UnknownVersionException e) {
            assertThat(e).hasMessageContaining("version");
        }
        assertThat(page.limit()).isEqualTo(SegmentFormat.PAGE_BYTES);
    }
}
