package io.volute.server.encryption;

import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.versioning.ObjectStores;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.OptionalLong;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Encrypts a body chunk by chunk. Holds one chunk, because the last one is encrypted otherwise. */
final class EncryptingWriter implements BlobWriter {
    private static final int FIRST_CAPACITY = 8 << 10;

    private final BlobWriter target;
    private final SecretKey key;
    private final byte[] salt;
    private final Cipher cipher;
    private byte[] plain;
    private int filled;
    private long chunk;
    private long contentBytes;

    EncryptingWriter(BlobWriter target, SecretKey key, byte[] salt, OptionalLong expectedBytes) {
        this.target = target;
        this.key = key;
        this.salt = salt;
        this.plain =
                new byte
                        [(int)
                                Math.min(
                                        BodyShape.CHUNK_BYTES,
                                        expectedBytes.orElse(FIRST_CAPACITY))];
        try {
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
        contentBytes += source.remaining();
        while (source.hasRemaining()) {
            if (filled == BodyShape.capacity(chunk)) {
                seal(false);
            }
            int count = Math.min(BodyShape.capacity(chunk) - filled, source.remaining());
            if (filled + count > plain.length) {
                int doubled = Math.max(filled + count, 2 * plain.length);
                plain = Arrays.copyOf(plain, Math.min(BodyShape.CHUNK_BYTES, doubled));
            }
            source.get(plain, filled, count);
            filled += count;
        }
    }

    private void seal(boolean isLast) throws IOException {
        int before = chunk == 0 ? salt.length : 0;
        byte[] stored = new byte[before + filled + BodyShape.TAG_BYTES];
        System.arraycopy(salt, 0, stored, 0, before);
        try {
            cipher.init(
                    Cipher.ENCRYPT_MODE,
                    key,
                    new GCMParameterSpec(
                            BodyShape.TAG_BYTES * Byte.SIZE, BodyShape.nonce(chunk, isLast)));
            int unused = cipher.doFinal(plain, 0, filled, stored, before);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM encrypts", e);
        }
        target.write(ByteBuffer.wrap(stored));
        chunk++;
        filled = 0;
    }

    @Override
    public PendingBlob finish() throws IOException {
        seal(true);
        return ObjectStores.encoded(target.finish(), contentBytes);
    }

    @Override
    public void close() {
        target.close();
    }
}
