package io.volute.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.report.SpaceReport.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class EntryCodecTest {
    private static final UUID CUBE = new UUID(0x1122334455667788L, 0x99AABBCCDDEEFF00L);

    private final PlaceChecksum checksum = new PlaceChecksum(CUBE);

    static LogEntry randomEntry(SplittableRandom random) {
        long sequence = random.nextLong() >>> random.nextInt(1, 64);
        long id = 1 + (random.nextLong() >>> random.nextInt(1, 64)) / 2;
        return switch (random.nextInt(8)) {
            case 0 ->
                    new LogEntry.RecordPut(
                            sequence,
                            1 + random.nextInt(99),
                            bytes(random, 1025),
                            bytes(random, 200),
                            bytes(random, 3000),
                            List.of(id, 1L),
                            new LogEntry.Victim(sequence / 2, id));
            case 1 ->
                    new LogEntry.Tombstone(
                            sequence,
                            random.nextInt(100),
                            bytes(random, 300),
                            LogEntry.Victim.NONE);
            case 2 -> new LogEntry.InlineBlob(sequence, id, ByteBuffer.wrap(bytes(random, 9000)));
            case 3 ->
                    new LogEntry.StreamBlob(
                            sequence,
                            id,
                            random.nextLong() >>> 20,
                            1 + random.nextInt(1 << 20),
                            List.of(new Place(id, 0, 4096), new Place(3, 1L << 40, 1)));
            case 4 -> new LogEntry.ComposedBlob(sequence, id, parts(random));
            case 5 ->
                    LogEntry.KeptTombstone.of(
                            random.nextInt(100),
                            bytes(random, 300),
                            new LogEntry.Victim(sequence, id));
            case 6 -> new LogEntry.Origins(0, List.of(id, 1L, 2L));
            default ->
                    new LogEntry.Digest(
                            sequence,
                            id,
                            List.of(
                                    new LogEntry.DigestSegment(1, Kind.HEAD, 65536),
                                    new LogEntry.DigestSegment(2, Kind.STREAM, -1),
                                    new LogEntry.DigestSegment(id, Kind.SURVIVOR, 0)));
        };
    }

    private static List<Transaction.Part> parts(SplittableRandom random) {
        List<Transaction.Part> parts = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
            parts.add(
                    new Transaction.Part(
                            new BlobId(1 + random.nextInt(1 << 30)),
                            random.nextInt(),
                            bytes(random, 40)));
        }
        return parts;
    }

    private static byte[] bytes(SplittableRandom random, int limit) {
        byte[] bytes = new byte[random.nextInt(limit)];
        random.nextBytes(bytes);
        return bytes;
    }

    private ByteBuffer encode(LogEntry entry, long segmentId, long offset) {
        ByteBuffer target = ByteBuffer.allocate(EntryCodec.encodedBytes(entry) + 7);
        target.position(3);
        EntryCodec.encode(entry, target, checksum, segmentId, offset);
        assertThat(target.position()).isEqualTo(3 + EntryCodec.encodedBytes(entry));
        return target.flip().position(3);
    }

    @Test
    void everyEntryComesBackAsItWas() throws FormatException {
        long seed = 21;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 5_000; i++) {
            LogEntry entry = randomEntry(random);
            LogEntry back = EntryCodec.decode(encode(entry, 7, 8192), checksum, 7, 8192);
            assertThat(encode(back, 7, 8192))
                    .as("seed %s, entry %s", seed, i)
                    .isEqualTo(encode(entry, 7, 8192));
            if (i < 20) {
                assertThat(back).usingRecursiveComparison().isEqualTo(entry);
            }
        }
    }

    @Test
    void anEntryIsReadOnlyWhereItWasWritten() throws FormatException {
        LogEntry entry = randomEntry(new SplittableRandom(2));
        PlaceChecksum other = new PlaceChecksum(new UUID(1, 2));
        assertThat(EntryCodec.decode(encode(entry, 7, 100), checksum, 7, 100)).isNotNull();
        assertThatThrownBy(() -> EntryCodec.decode(encode(entry, 7, 100), checksum, 8, 100))
                .isInstanceOf(FormatException.class);
        assertThatThrownBy(() -> EntryCodec.decode(encode(entry, 7, 100), checksum, 7, 101))
                .isInstanceOf(FormatException.class);
        assertThatThrownBy(() -> EntryCodec.decode(encode(entry, 7, 100), other, 7, 100))
                .isInstanceOf(FormatException.class);
    }

    @Test
    void anyFlippedBitIsFound() {
        long seed = 5;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 12; i++) {
            ByteBuffer encoded = encode(randomEntry(random), 1, 0);
            // All bits of the begin; further on only some, for the sake of time.
            for (int bit = 24; bit < encoded.limit() * 8; bit += bit < 800 ? 1 : 61) {
                byte flip = (byte) (1 << (bit % 8));
                encoded.put(bit / 8, (byte) (encoded.get(bit / 8) ^ flip));
                assertThatThrownBy(() -> EntryCodec.decode(encoded.position(3), checksum, 1, 0))
                        .as("seed %s, entry %s, bit %s", seed, i, bit)
                        .isInstanceOf(FormatException.class);
                encoded.put(bit / 8, (byte) (encoded.get(bit / 8) ^ flip));
            }
        }
    }

    /** Behind a checksum that fits, nonsense still ends in a clear error and bounded memory. */
    @Test
    void nonsenseIsRefusedAndNothingElseIsThrown() {
        long seed = 9;
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            ByteBuffer encoded = encode(randomEntry(random), 1, 0);
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                int at = 3 + random.nextInt(Math.min(40, encoded.limit() - 3));
                encoded.put(at, (byte) random.nextInt());
            }
            encoded.limit(Math.max(15, encoded.limit() - random.nextInt(3)));
            try {
                assertThat(EntryCodec.decodeVerified(encoded)).isNotNull();
            } catch (FormatException e) {
                refused++;
            }
        }
        assertThat(refused).as("seed %s", seed).isGreaterThan(5_000);
    }

    @Test
    void unknownTypesAndFlagsPointToALaterRelease() {
        ByteBuffer encoded = encode(randomEntry(new SplittableRandom(1)), 1, 0);
        encoded.put(4, (byte) 99);
        assertThatThrownBy(() -> EntryCodec.decodeVerified(encoded.position(3)))
                .hasMessageContaining("type 99")
                .hasMessageContaining("later release");
        encoded.put(5, (byte) 1);
        assertThatThrownBy(() -> EntryCodec.decodeVerified(encoded.position(3)))
                .hasMessageContaining("flags");
    }

    @Test
    void numbersTakeTheBytesTheyClaim() throws FormatException {
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 10_000; i++) {
            long value = random.nextLong() >>> random.nextInt(64);
            ByteBuffer buffer = ByteBuffer.allocate(10);
            Varint.put(buffer, value);
            assertThat(buffer.position()).isEqualTo((int) Varint.bytes(value));
            assertThat(Varint.get(buffer.flip())).isEqualTo(value);
        }
        ByteBuffer endless = ByteBuffer.wrap(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1});
        assertThatThrownBy(() -> Varint.get(endless)).isInstanceOf(FormatException.class);
    }

    /** Equal to an entry that was encoded at the new place, without its bytes being read again. */
    @Test
    void movedEntryIsAsIfWrittenThere() throws FormatException {
        SplittableRandom random = new SplittableRandom(31);
        for (int i = 0; i < 2000; i++) {
            LogEntry entry = randomEntry(random);
            long toSegment = random.nextLong() >>> 1;
            long toOffset = random.nextLong() >>> 1;
            ByteBuffer bytes = encode(entry, 5, 8192);
            int start = bytes.position();
            LogEntry moved =
                    EntryCodec.move(
                            bytes,
                            checksum,
                            new Place(5, 8192, bytes.remaining()),
                            toSegment,
                            toOffset);
            assertThat(moved).usingRecursiveComparison().isEqualTo(entry);
            bytes.position(start);
            assertThat(bytes).isEqualTo(encode(entry, toSegment, toOffset));
        }
    }

    /** The checksum travels: what changes on the way is found at the new place. */
    @Test
    void entryThatChangesWhileItMovesDoesNotFit() throws FormatException {
        ByteBuffer bytes = encode(new LogEntry.InlineBlob(9, 7, ByteBuffer.allocate(300)), 5, 0);
        int start = bytes.position();
        Place from = new Place(5, 0, bytes.remaining());
        EntryCodec.move(bytes, checksum, from, 6, 4096);
        bytes.position(start);
        bytes.put(100, (byte) (bytes.get(100) ^ 4));
        assertThatThrownBy(() -> EntryCodec.decode(bytes, checksum, 6, 4096))
                .isInstanceOf(FormatException.class);
    }

    @Test
    void damagedEntryIsNotMoved() {
        ByteBuffer bytes = encode(new LogEntry.InlineBlob(9, 7, ByteBuffer.allocate(300)), 5, 0);
        Place from = new Place(5, 0, bytes.remaining());
        bytes.put(100, (byte) 1);
        assertThatThrownBy(() -> EntryCodec.move(bytes, checksum, from, 6, 4096))
                .isInstanceOf(FormatException.class);
    }
}
