package io.volute.server.encryption;

import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingDeque;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * A cipher with its buffers: stored bytes of one body, and the content of one chunk. Readers share
 * them, because to create a cipher takes as long as to decrypt a small body, and because buffers in
 * use stay in the processor's cache. Not thread-safe: a reader has it for one read.
 */
final class ChunkDecryptor {
    /** The idle ones. Not more threads than processors decrypt at a time. */
    private static final LinkedBlockingDeque<ChunkDecryptor> IDLE =
            new LinkedBlockingDeque<>(2 * Runtime.getRuntime().availableProcessors());

    /** Two chunks of the log by default. Longer buffers go to the garbage collector. */
    private static final int LONGEST_IDLE_BUFFER = 256 << 10;

    private final Cipher cipher;

    /** A chunk that lies in two chunks of the log. */
    private byte[] split = new byte[0];

    private byte[] plain = new byte[0];

    /** The stored bytes from {@link #bufferBegin} on, between its position and its limit. */
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    private long bufferBegin;

    private ChunkDecryptor() {
        try {
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    /** Returns an idle one without stored bytes. The last one that became idle comes first. */
    static ChunkDecryptor take() {
        return Optional.ofNullable(IDLE.pollFirst()).orElseGet(ChunkDecryptor::new);
    }

    /** Makes this one idle. The caller must not use it again. */
    void giveBack() {
        if (buffer.capacity() <= LONGEST_IDLE_BUFFER) {
            forget();
            boolean unused = IDLE.offerFirst(this);
        }
    }

    /** Returns whether it has stored bytes from this place on, or from one behind it. */
    boolean holdsFrom(long at) {
        return at < bufferBegin + buffer.remaining();
    }

    private void forget() {
        bufferBegin = 0;
        buffer.clear().limit(0);
    }

    /**
     * Decrypts one chunk.
     *
     * @param encrypted the chunk, from {@link #load}
     * @param length bytes of its content
     */
    void decrypt(SecretKey key, byte[] nonce, ByteBuffer encrypted, int length, ByteBuffer target)
            throws AEADBadTagException {
        try {
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    key,
                    new GCMParameterSpec(BodyShape.TAG_BYTES * Byte.SIZE, nonce));
            if (target.hasArray()) {
                int unused = cipher.doFinal(encrypted, target);
                return;
            }
            // Between arrays: direct buffers take the JDK's cipher twice the time.
            if (plain.length < length) {
                plain = new byte[length];
            }
            int unused = cipher.doFinal(encrypted, ByteBuffer.wrap(plain));
            target.put(plain, 0, length);
        } catch (AEADBadTagException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM decrypts", e);
        }
    }

    /** Returns stored bytes, which stay as they are until the next call. */
    ByteBuffer load(BlobReader stored, long begin, int length) throws IOException {
        long end = begin + length;
        if (end > stored.bytes()) {
            throw new DamagedException(
                    "an encrypted body",
                    stored.bytes(),
                    "it ends there, and " + (end - stored.bytes()) + " bytes are missing");
        }
        ByteBuffer found = buffered(stored, begin, length);
        if (found.remaining() == length) {
            return found;
        }
        if (split.length < length) {
            split = new byte[length];
        }
        int filled = 0;
        while (filled < length) {
            ByteBuffer some = buffered(stored, begin + filled, length - filled);
            int count = some.remaining();
            some.get(split, filled, count);
            filled += count;
        }
        return ByteBuffer.wrap(split, 0, length);
    }

    /** Returns at least one stored byte, and at most so many. */
    private ByteBuffer buffered(BlobReader stored, long begin, int length) throws IOException {
        if (begin < bufferBegin || begin >= bufferBegin + buffer.remaining()) {
            fill(stored, begin);
        }
        int from = buffer.position() + (int) (begin - bufferBegin);
        return buffer.duplicate().position(from).limit(Math.min(from + length, buffer.limit()));
    }

    /**
     * Loads stored bytes by way of the target of their content. A read into a heap buffer would
     * copy them, too, and this brings the target into the processor's cache.
     *
     * @param target a direct buffer, which gets content after that
     */
    void loadThrough(ByteBuffer target, BlobReader stored, long at) throws IOException {
        reserve(stored.bufferBytes(at));
        stored.read(at, stored.bytes(), target);
        buffer.put(target).flip();
        bufferBegin = at;
    }

    /** Reads the rest of a chunk of the log: it is verified whole, and has several of ours. */
    private void fill(BlobReader stored, long at) throws IOException {
        reserve(stored.bufferBytes(at));
        stored.read(at, stored.bytes(), buffer);
        bufferBegin = at;
    }

    private void reserve(int capacity) {
        if (buffer.capacity() < capacity) {
            buffer = ByteBuffer.allocate(capacity);
        }
        forget();
        buffer.clear();
    }
}
