package io.volute.testkit.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of a file in 4 KiB pages. A page is never changed once it is there, so copies share
 * their pages and cost one array of references. A missing page is a hole.
 */
final class FileContent {
    static final int PAGE_BYTES = 4096;
    static final int SECTOR_BYTES = 512;

    /** Written zeros: takes space on the simulated disk, none here. */
    private static final byte[] ZEROS = new byte[PAGE_BYTES];

    private byte[][] pages;
    private long size;
    private int allocatedPages;

    FileContent() {
        this(new byte[0][], 0, 0);
    }

    private FileContent(byte[][] pages, long size, int allocatedPages) {
        this.pages = pages;
        this.size = size;
        this.allocatedPages = allocatedPages;
    }

    FileContent copy() {
        return new FileContent(pages.clone(), size, allocatedPages);
    }

    long size() {
        return size;
    }

    long allocatedBytes() {
        return (long) allocatedPages * PAGE_BYTES;
    }

    /** Bytes of a range, as far as the file reaches, that are no holes. */
    long allocatedBytes(long offset, long bytes) {
        long end = Math.min(size, offset + bytes);
        long sum = 0;
        for (long at = offset; at < end; at = (at / PAGE_BYTES + 1) * PAGE_BYTES) {
            int number = (int) (at / PAGE_BYTES);
            long pageEnd = Math.min(end, (at / PAGE_BYTES + 1) * PAGE_BYTES);
            sum += number < pages.length && pages[number] != null ? pageEnd - at : 0;
        }
        return sum;
    }

    /** Bytes that writing this range would newly allocate. */
    long holeBytes(long offset, long bytes) {
        long holes = 0;
        for (long page = offset / PAGE_BYTES; page * PAGE_BYTES < offset + bytes; page++) {
            holes += page < pages.length && pages[(int) page] != null ? 0 : PAGE_BYTES;
        }
        return holes;
    }

    void growTo(long newSize) {
        size = Math.max(size, newSize);
    }

    void write(long offset, byte[] bytes, int from, int to) {
        int index = from;
        while (index < to) {
            long at = offset + index;
            int inPage = (int) (at % PAGE_BYTES);
            int count = Math.min(PAGE_BYTES - inPage, to - index);
            byte[] page = count == PAGE_BYTES ? new byte[PAGE_BYTES] : mutablePage(at);
            System.arraycopy(bytes, index, page, inPage, count);
            setPage(at, Arrays.equals(page, ZEROS) ? ZEROS : page);
            index += count;
        }
        growTo(offset + to);
    }

    /** Makes a range read as zeros; whole pages in it become holes. Keeps the length. */
    void punch(long offset, long bytes) {
        long end = Math.min(offset + bytes, size);
        long at = offset;
        while (at < end) {
            int inPage = (int) (at % PAGE_BYTES);
            int count = (int) Math.min(PAGE_BYTES - inPage, end - at);
            if (count == PAGE_BYTES) {
                setPage(at, null);
            } else {
                byte[] page = mutablePage(at);
                Arrays.fill(page, inPage, inPage + count, (byte) 0);
                setPage(at, page);
            }
            at += count;
        }
    }

    int read(ByteBuffer target, long offset) {
        int count = (int) Math.max(0, Math.min(target.remaining(), size - offset));
        int done = 0;
        while (done < count) {
            long at = offset + done;
            int inPage = (int) (at % PAGE_BYTES);
            int length = Math.min(PAGE_BYTES - inPage, count - done);
            target.put(page(at), inPage, length);
            done += length;
        }
        return count;
    }

    void flipBit(long offset, int bit) {
        byte[] page = mutablePage(offset);
        page[(int) (offset % PAGE_BYTES)] ^= (byte) (1 << bit);
        setPage(offset, page);
    }

    void truncate(long newSize) {
        long oldSize = size;
        if (newSize < oldSize) {
            long pageEnd = (newSize + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
            punch(newSize, pageEnd - newSize);
            for (long at = pageEnd; at < oldSize; at += PAGE_BYTES) {
                setPage(at, null);
            }
        }
        size = newSize;
    }

    private byte[] page(long offset) {
        int number = (int) (offset / PAGE_BYTES);
        return number < pages.length && pages[number] != null ? pages[number] : ZEROS;
    }

    private byte[] mutablePage(long offset) {
        return page(offset).clone();
    }

    private void setPage(long offset, byte[] page) {
        int number = Math.toIntExact(offset / PAGE_BYTES);
        if (number >= pages.length) {
            pages = Arrays.copyOf(pages, Math.max(number + 1, pages.length * 2));
        }
        allocatedPages += (page == null ? 0 : 1) - (pages[number] == null ? 0 : 1);
        pages[number] = page;
    }
}
