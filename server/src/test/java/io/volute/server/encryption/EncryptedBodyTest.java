package io.volute.server.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.DamagedException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.testkit.model.MemoryBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are encrypted in chunks: what is read back, and what is never served. */
final class EncryptedBodyTest {
    private static final int FIRST = BodyShape.FIRST_CHUNK_BYTES;
    private static final int CHUNK = BodyShape.CHUNK_BYTES;
    private static final int STORED = BodyShape.STORED_CHUNK_BYTES;

    private final Random random = new Random(20_261_125);
    private final DataKey key = new DataKey(new byte[32], new SecureRandom());

    private byte[] content(int length) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        return content;
    }

    /** Encrypts in pieces of random lengths. */
    private byte[] encrypt(byte[] content, OptionalLong expected) {
        MemoryBody.Writer body = new MemoryBody.Writer(new BlobId(1));
        try (BlobWriter writer = key.over(body, expected)) {
            for (int at = 0; at < content.length; ) {
                int count = Math.min(content.length - at, 1 + random.nextInt(40_000));
                writer.write(ByteBuffer.wrap(content, at, count));
                at += count;
            }
            try (PendingBlob finished = writer.finish()) {
                byte[] stored = finished.inMemory().orElseThrow().array();
                assertThat(finished.bytes()).isEqualTo(stored.length);
                return stored;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] read(byte[] stored, List<Long> lengths, long from, long end) throws IOException {
        byte[] found = new byte[(int) (end - from)];
        try (BlobReader reader =
                key.over(new MemoryBody.Reader(stored, 10_000 + random.nextInt(90_000)), lengths)) {
            for (long at = from; at < end; ) {
                ByteBuffer target = ByteBuffer.allocateDirect(reader.bufferBytes(at));
                reader.read(at, end, target);
                int count = target.remaining();
                assertThat(count).isPositive();
                target.get(found, (int) (at - from), count);
                at += count;
            }
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                1,
                15,
                16,
                4096,
                FIRST - 1,
                FIRST,
                FIRST + 1,
                FIRST + CHUNK - 1,
                FIRST + CHUNK,
                FIRST + CHUNK + 1,
                3 * STORED,
                1_000_000
            })
    @Tag("slow")
    void anyLengthIsReadBackWholeAndInRanges(int length) throws IOException {
        byte[] content = content(length);
        for (OptionalLong expected : List.of(OptionalLong.empty(), OptionalLong.of(length))) {
            byte[] stored = encrypt(content, expected);
            assertThat((long) stored.length).isEqualTo(BodyShape.storedBytes(length));
            assertThat(read(stored, List.of((long) length), 0, length)).isEqualTo(content);
            for (int i = 0; i < 20; i++) {
                int from = random.nextInt(length);
                int end = from + 1 + random.nextInt(length - from);
                assertThat(read(stored, List.of((long) length), from, end))
                        .isEqualTo(Arrays.copyOfRange(content, from, end));
            }
        }
    }

    @Test
    void anEmptyBodyHasASaltAndATag() {
        assertThat(encrypt(new byte[0], OptionalLong.of(0))).hasSize(32);
    }

    @Test
    void bodiesBehindEachOtherAreOneContent() throws IOException {
        List<Long> lengths = List.of(5L, 0L, (long) STORED, 0L, 0L, (long) FIRST, 70_000L);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteArrayOutputStream encrypted = new ByteArrayOutputStream();
        for (long length : lengths) {
            byte[] part = content((int) length);
            all.writeBytes(part);
            encrypted.writeBytes(encrypt(part, OptionalLong.of(length)));
        }
        byte[] content = all.toByteArray();
        byte[] stored = encrypted.toByteArray();
        assertThat(read(stored, lengths, 0, content.length)).isEqualTo(content);
        for (int i = 0; i < 50; i++) {
            int from = random.nextInt(content.length);
            int end = from + 1 + random.nextInt(content.length - from);
            assertThat(read(stored, lengths, from, end))
                    .isEqualTo(Arrays.copyOfRange(content, from, end));
        }
    }

    /** The same content twice gives bytes that have nothing in common. */
    @Test
    void twoBodiesOfOneKeyHaveDifferentStreams() {
        byte[] content = content(1000);
        byte[] one = encrypt(content, OptionalLong.of(1000));
        byte[] other = encrypt(content, OptionalLong.of(1000));
        assertThat(Arrays.copyOf(one, 40)).isNotEqualTo(Arrays.copyOf(other, 40));
        int same = 0;
        for (int i = 0; i < one.length; i++) {
            same += one[i] == other[i] ? 1 : 0;
        }
        assertThat(same).isLessThan(30);
    }

    @Test
    void aFlippedBitIsNeverServed() {
        int length = 2 * STORED;
        byte[] stored = encrypt(content(length), OptionalLong.of(length));
        List<Integer> places = new ArrayList<>(List.of(0, 15, 16, stored.length - 1));
        for (int i = 0; i < 60; i++) {
            places.add(random.nextInt(stored.length));
        }
        for (int place : places) {
            byte[] changed = stored.clone();
            changed[place] ^= (byte) (1 << random.nextInt(8));
            assertThatThrownBy(() -> read(changed, List.of((long) length), 0, length))
                    .isInstanceOf(DamagedException.class);
        }
    }

    /** Readers share ciphers and buffers: each still gets its own content, also after a failure. */
    @Test
    @Tag("slow")
    void readersTakeTurns() throws IOException {
        List<byte[]> contents = new ArrayList<>();
        List<BlobReader> readers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            byte[] content = content(1_000_000);
            byte[] stored = encrypt(content, OptionalLong.empty());
            if (i % 5 == 4) {
                stored[3 * STORED + 7] ^= 1;
            }
            contents.add(content);
            readers.add(
                    key.over(
                            new MemoryBody.Reader(stored, 10_000 << i % 6),
                            List.of((long) content.length)));
        }
        long[] places = new long[readers.size()];
        int damaged = 0;
        for (int left = readers.size(); left > 0; ) {
            int i = random.nextInt(readers.size());
            if (places[i] == 1_000_000) {
                continue;
            }
            ByteBuffer target = ByteBuffer.allocateDirect(readers.get(i).bufferBytes(places[i]));
            try {
                readers.get(i).read(places[i], 1_000_000, target);
                byte[] found = new byte[target.remaining()];
                target.get(found);
                int begin = (int) places[i];
                assertThat(found)
                        .isEqualTo(
                                Arrays.copyOfRange(contents.get(i), begin, begin + found.length));
                places[i] += found.length;
            } catch (DamagedException e) {
                damaged++;
                places[i] = 1_000_000;
            }
            left -= places[i] == 1_000_000 ? 1 : 0;
        }
        assertThat(damaged).isEqualTo(4);
        readers.forEach(BlobReader::close);
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 128 << 10, 64 << 10, 4096})
    @Tag("slow")
    void aChunkOfTheLogIsReadOnce(int chunkBytes) throws IOException {
        byte[] content = content(5_000_000);
        byte[] stored = encrypt(content, OptionalLong.empty());
        CountingReader counting = new CountingReader(new MemoryBody.Reader(stored, chunkBytes));
        try (BlobReader reader = key.over(counting, List.of((long) content.length))) {
            for (long at = 0; at < content.length; ) {
                ByteBuffer target = ByteBuffer.allocate(reader.bufferBytes(at));
                reader.read(at, content.length, target);
                at += target.remaining();
            }
        }
        assertThat(counting.reads).isEqualTo((stored.length + chunkBytes - 1) / chunkBytes);
    }

    private static final class CountingReader implements BlobReader {
        private final BlobReader reader;
        private int reads;

        CountingReader(BlobReader reader) {
            this.reader = reader;
        }

        @Override
        public long bytes() {
            return reader.bytes();
        }

        @Override
        public List<Transaction.Part> parts() throws IOException {
            return reader.parts();
        }

        @Override
        public int bufferBytes(long offset) {
            return reader.bufferBytes(offset);
        }

        @Override
        public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
            reads++;
            reader.read(offset, endOffset, target);
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    @Test
    void chunksCannotBeMovedOrCutOff() {
        int length = FIRST + 3 * CHUNK;
        byte[] stored = encrypt(content(length), OptionalLong.of(length));
        byte[] swapped = stored.clone();
        System.arraycopy(stored, STORED, swapped, 2 * STORED, STORED);
        System.arraycopy(stored, 2 * STORED, swapped, STORED, STORED);
        assertThatThrownBy(() -> read(swapped, List.of((long) length), FIRST, FIRST + 1))
                .isInstanceOf(DamagedException.class);
        byte[] cut = Arrays.copyOf(stored, 3 * STORED);
        long shorter = FIRST + 2L * CHUNK;
        assertThatThrownBy(() -> read(cut, List.of(shorter), 0, shorter))
                .isInstanceOf(DamagedException.class);
        assertThatThrownBy(() -> read(cut, List.of((long) length), shorter, length))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("missing");
    }
}
