package io.volute.server.encryption;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * The places of encrypted bodies that lie one behind the other. An object can have 10,000, and many
 * readers, so only the lengths of one block of bodies are kept. Not thread-safe.
 */
final class BodyTable {
    /** Bodies of a block. */
    static final int BLOCK = 64;

    private final Lengths lengths;
    private final int count;
    private final long contentBytes;

    /** Begin of the content of each block. */
    private final long[] begins;

    /** Begin of the stored bytes of each block. */
    private final long[] storedBegins;

    private int block;
    private long[] ofBlock;

    /** A body, with the places of its content and of its bytes among those of all. */
    record EncryptedBody(long begin, long bytes, long storedBegin) {}

    /** Reads the lengths of the contents of all bodies again. */
    @FunctionalInterface
    interface Lengths {
        List<Long> read() throws IOException;
    }

    /**
     * @param contentBytes lengths of the contents, in order, at least one; not kept
     */
    BodyTable(List<Long> contentBytes, Lengths lengths) {
        this.lengths = lengths;
        this.count = contentBytes.size();
        int blocks = (count + BLOCK - 1) / BLOCK;
        this.begins = new long[blocks];
        this.storedBegins = new long[blocks];
        long begin = 0;
        long storedBegin = 0;
        int number = 0;
        for (long bytes : contentBytes) {
            if (number % BLOCK == 0) {
                begins[number / BLOCK] = begin;
                storedBegins[number / BLOCK] = storedBegin;
            }
            begin += bytes;
            storedBegin += BodyShape.storedBytes(bytes);
            number++;
        }
        this.contentBytes = begin;
        this.ofBlock = block(contentBytes, 0);
    }

    private long[] block(List<Long> contentBytes, int number) {
        return contentBytes.subList(number * BLOCK, Math.min(count, (number + 1) * BLOCK)).stream()
                .mapToLong(each -> each)
                .toArray();
    }

    /** Returns the length of all contents. */
    long contentBytes() {
        return contentBytes;
    }

    /** Returns the body that has an offset of the content. */
    EncryptedBody at(long offset) throws IOException {
        int wanted = lastBegun(offset);
        if (wanted != block) {
            ofBlock = block(lengths.read(), wanted);
            block = wanted;
        }
        long begin = begins[block];
        long storedBegin = storedBegins[block];
        int number = 0;
        // Of bodies that begin at the same offset all but the last are empty.
        while (number < ofBlock.length - 1 && begin + ofBlock[number] <= offset) {
            begin += ofBlock[number];
            storedBegin += BodyShape.storedBytes(ofBlock[number]);
            number++;
        }
        return new EncryptedBody(begin, ofBlock[number], storedBegin);
    }

    /** Returns the last block that begins at an offset or before it. */
    private int lastBegun(long offset) {
        int found = Arrays.binarySearch(begins, offset);
        int number = found >= 0 ? found : -found - 2;
        while (number + 1 < begins.length && begins[number + 1] == offset) {
            number++;
        }
        return number;
    }
}
