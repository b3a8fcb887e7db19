package io.volute.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Content that follows from the blob id, so that any reader can tell right bytes from others. */
final class BlobContent {
    private BlobContent() {}

    static int bytes(long blobId, int max) {
        return 1 + (int) Math.floorMod(EntryIndex.mix(blobId * 31 + 7), (long) max);
    }

    static ByteBuffer of(long blobId, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(blobId).nextBytes(content);
        return ByteBuffer.wrap(content);
    }

    /** Reads; whatever is served must be the blob's own. */
    static boolean readsRight(MemoryImages images, long blobId, int bytes, ByteBuffer target) {
        if (!images.read(blobId, bytes, target)) {
            return false;
        }
        assertThat(target).as("blob %d", blobId).isEqualTo(of(blobId, bytes));
        return true;
    }
}
