package io.volute.server.http;

import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A blob in memory that delivers chunk by chunk, counts, and can be damaged. */
final class FakeBlob implements BlobReader {
    private static final int HEADER = 32;

    private final byte[] content;
    private final long bytes;
    private final int chunk;
    private final AtomicInteger reads = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile long damagedFrom = Long.MAX_VALUE;

    FakeBlob(byte[] content, int chunk) {
        this(content, content.length, chunk);
    }

    private FakeBlob(byte[] content, long bytes, int chunk) {
        this.content = content;
        this.bytes = bytes;
        this.chunk = chunk;
    }

    /** Creates a blob that repeats the same chunk for ever. */
    static FakeBlob endless(int chunk) {
        return new FakeBlob(new byte[chunk], Long.MAX_VALUE, chunk);
    }

    void damageAt(long offset) {
        damagedFrom = offset;
    }

    int reads() {
        return reads.get();
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    void awaitClosed() throws InterruptedException {
        if (!closed.await(20, TimeUnit.SECONDS)) {
            throw new AssertionError("the blob was not closed");
        }
    }

    /** The count of reads, a little later: waits for the close that does not come. */
    boolean staysOpenWithoutReads() throws InterruptedException {
        int before = reads();
        return !closed.await(200, TimeUnit.MILLISECONDS) && reads() == before;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public List<Transaction.Part> parts() {
        return List.of();
    }

    @Override
    public int bufferBytes(long offset) {
        return chunk + HEADER;
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
        reads.incrementAndGet();
        if (isClosed()) {
            throw new IOException("read after close");
        }
        long chunkEnd = Math.min(bytes, (offset / chunk + 1) * chunk);
        if (chunkEnd > damagedFrom) {
            throw new DamagedException("000000000001.log", damagedFrom, "checksum");
        }
        int begin = (int) (offset % chunk);
        int base = (int) (offset - begin) % content.length;
        int end = (int) (Math.min(chunkEnd, endOffset) - (offset - begin));
        target.clear();
        for (int i = 0; i < HEADER; i++) {
            target.put(i, (byte) 0xEE);
        }
        target.put(HEADER + begin, content, base + begin, end - begin);
        target.limit(HEADER + end).position(HEADER + begin);
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
