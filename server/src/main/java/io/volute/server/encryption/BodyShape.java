package io.volute.server.encryption;

import java.nio.ByteBuffer;

/**
 * The places of the chunks in an encrypted body:
 *
 * <pre>
 *   salt of 16 bytes
 *   chunk 0   at most 65,504 bytes of content, encrypted, and a tag of 16
 *   chunk 1.. at most 65,520 bytes of content, encrypted, and a tag of 16
 * </pre>
 *
 * All chunks but the last are full, so that salt and chunk 0, and each later chunk, take 64 KiB,
 * which divides a chunk of the log. An empty body has one empty chunk. The nonce of a chunk is its
 * number and whether it is the last, so that chunks cannot be moved, removed or cut off (Hoang,
 * Reyhanitabar, Rogaway and Vizár, "Online authenticated-encryption and its nonce-reuse
 * misuse-resistance", 2015: the construction STREAM).
 */
final class BodyShape {
    static final int TAG_BYTES = 16;
    static final int STORED_CHUNK_BYTES = 64 << 10;
    static final int CHUNK_BYTES = STORED_CHUNK_BYTES - TAG_BYTES;
    static final int FIRST_CHUNK_BYTES = CHUNK_BYTES - DataKey.SALT_BYTES;
    private static final int NONCE_BYTES = 12;

    private BodyShape() {}

    /** Returns the number of the last chunk. */
    static long lastChunk(long contentBytes) {
        return contentBytes <= FIRST_CHUNK_BYTES
                ? 0
                : (contentBytes - FIRST_CHUNK_BYTES + CHUNK_BYTES - 1) / CHUNK_BYTES;
    }

    /** Returns the length of a body with this content. */
    static long storedBytes(long contentBytes) {
        return DataKey.SALT_BYTES + contentBytes + (lastChunk(contentBytes) + 1) * TAG_BYTES;
    }

    /** Returns the chunk with the byte at this offset of the content. */
    static long chunkAt(long offset) {
        return offset < FIRST_CHUNK_BYTES ? 0 : 1 + (offset - FIRST_CHUNK_BYTES) / CHUNK_BYTES;
    }

    /** Returns the offset of a chunk's first byte in the content. */
    static long contentBegin(long chunk) {
        return chunk == 0 ? 0 : FIRST_CHUNK_BYTES + (chunk - 1) * CHUNK_BYTES;
    }

    /** Returns the offset of a chunk in the body. */
    static long storedBegin(long chunk) {
        return chunk == 0 ? DataKey.SALT_BYTES : chunk * STORED_CHUNK_BYTES;
    }

    /** Returns the most content that a chunk has. */
    static int capacity(long chunk) {
        return chunk == 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
    }

    static byte[] nonce(long chunk, boolean isLast) {
        return ByteBuffer.allocate(NONCE_BYTES).putLong(chunk).putInt(isLast ? 1 : 0).array();
    }
}
