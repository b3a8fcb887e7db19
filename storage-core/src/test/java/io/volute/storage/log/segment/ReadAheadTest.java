package io.volute.storage.log.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Read-ahead delivers the bytes of the files, in fewer calls, and neither hides nor makes a
 * failure.
 */
class ReadAheadTest {
    private static final int FILE_BYTES = 1 << 20;
    private static final int ENTRY_BYTES = 1000;

    private final BufferPool buffers = new BufferPool(ReadAhead.WINDOW_BYTES);
    private final ReadAhead ahead = new ReadAhead(buffers);

    @AfterEach
    void close() {
        ahead.close();
    }

    /** Content that encodes its place; a bad byte fails every read that touches it. */
    private static final class CountedFile implements StoredFile {
        private final byte[] content = new byte[FILE_BYTES];
        private final List<Integer> reads = new ArrayList<>();
        private long bad = Long.MAX_VALUE;

        CountedFile(long seed) {
            new Random(seed).nextBytes(content);
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            int bytes = (int) Math.min(target.remaining(), content.length - offset);
            if (offset <= bad && bad < offset + bytes) {
                throw new IOException("Input/output error");
            }
            reads.add(bytes);
            target.put(content, (int) offset, bytes);
            return bytes;
        }

        @Override
        public void write(ByteBuffer source, long offset, WriteCause cause) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force() {}

        @Override
        public boolean punch(long offset, long bytes) {
            return false;
        }

        @Override
        public long size() {
            return content.length;
        }

        @Override
        public void close() {}
    }

    private void assertReads(long segment, CountedFile file, long offset, int bytes)
            throws IOException {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        assertThat(ahead.read(segment, file, offset, target)).isEqualTo(bytes);
        assertThat(target.array())
                .isEqualTo(Arrays.copyOfRange(file.content, (int) offset, (int) offset + bytes));
    }

    @Test
    void entriesBehindEachOtherAreReadTogether() throws IOException {
        CountedFile file = new CountedFile(1);
        for (long offset = 0; offset + ENTRY_BYTES <= FILE_BYTES; offset += ENTRY_BYTES) {
            assertReads(1, file, offset, ENTRY_BYTES);
        }
        int windows = FILE_BYTES / (ReadAhead.WINDOW_BYTES - ENTRY_BYTES) + 1;
        assertThat(file.reads).hasSizeLessThanOrEqualTo(windows);
        assertThat(file.reads.stream().mapToInt(Integer::intValue).sum())
                .isLessThan(FILE_BYTES + windows * ENTRY_BYTES);
    }

    @Test
    void aLargeEntryIsReadAlone() throws IOException {
        CountedFile file = new CountedFile(1);
        assertReads(1, file, 100, 10_000);
        assertReads(1, file, 20_000, 200_000);
        assertThat(file.reads).containsExactly(10_000, 200_000);
    }

    @Test
    void anyOrderOverMoreSegmentsThanWindows() throws IOException {
        Random random = new Random(7);
        TreeMap<Long, CountedFile> files = new TreeMap<>();
        for (long segment = 0; segment < 100; segment++) {
            files.put(segment, new CountedFile(segment));
        }
        for (int i = 0; i < 5000; i++) {
            long segment = random.nextInt(files.size());
            int bytes = 1 + random.nextInt(9000);
            long offset = random.nextInt(FILE_BYTES - bytes + 1);
            assertReads(segment, files.get(segment), offset, bytes);
        }
    }

    @Test
    void whatCannotBeReadBehindAnEntryDoesNotHideIt() throws IOException {
        CountedFile file = new CountedFile(1);
        file.bad = 30_000;
        assertReads(1, file, 10_000, ENTRY_BYTES);
        assertReads(1, file, 29_000, ENTRY_BYTES);
        assertThatThrownBy(() -> assertReads(1, file, 29_500, ENTRY_BYTES))
                .isInstanceOf(IOException.class)
                .hasMessage("Input/output error");
        assertReads(1, file, 30_001, ENTRY_BYTES);
    }

    @Test
    void theEndOfAFileIsTold() throws IOException {
        CountedFile file = new CountedFile(1);
        assertReads(1, file, FILE_BYTES - ENTRY_BYTES, ENTRY_BYTES);
        ByteBuffer beyond = ByteBuffer.allocate(ENTRY_BYTES);
        assertThat(ahead.read(1, file, FILE_BYTES - 10, beyond)).isEqualTo(10);
    }

    @Test
    void buffersAreUsedAgain() throws IOException {
        assertReads(1, new CountedFile(1), 0, ENTRY_BYTES);
        ahead.close();
        ByteBuffer kept = buffers.take();
        assertThat(kept.capacity()).isEqualTo(ReadAhead.WINDOW_BYTES);
        assertThat(kept.getLong(0))
                .isEqualTo(ByteBuffer.wrap(new CountedFile(1).content).getLong());
    }
}
