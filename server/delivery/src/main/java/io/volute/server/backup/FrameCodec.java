package io.volute.server.backup;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.secrecy.Aead;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;

/**
 * Compresses and encrypts frames, the units of a backup.
 *
 * <pre>
 *   plain:      u8 method (0 as it is, 1 zstd) | content
 *   encrypted:  12 bytes nonce | the same by AES-256-GCM | 16 bytes tag
 * </pre>
 *
 * The name of the object and the number of the frame are authenticated, so no frame can stand in
 * the place of another one. The nonce is random, so a key must not encrypt more than 2^32 frames.
 * Used by one thread.
 */
final class FrameCodec {
    /** The largest content of a frame. */
    static final int LONGEST_BYTES = 1 << 20;

    /** The number of the frame that is no part of the content: the index of a pack. */
    static final int INDEX = -1;

    private static final int AS_IT_IS = 0;
    private static final int ZSTD = 1;
    private static final int LEVEL = 3;
    private static final int STEP_BYTES = 4096;

    private final Optional<byte[]> key;
    private final SecureRandom random;

    /**
     * @param key empty for a backup that is not encrypted
     */
    FrameCodec(Optional<byte[]> key, SecureRandom random) {
        this.key = key.map(byte[]::clone);
        this.random = random;
    }

    byte[] encode(String object, int frame, byte[] content) {
        byte[] compressed = Zstd.compress(content, LEVEL);
        boolean isSmaller = compressed.length < content.length;
        byte[] stored = isSmaller ? compressed : content;
        byte[] plain = new byte[1 + stored.length];
        plain[0] = (byte) (isSmaller ? ZSTD : AS_IT_IS);
        System.arraycopy(stored, 0, plain, 1, stored.length);
        if (key.isEmpty()) {
            return plain;
        }
        byte[] nonce = new byte[Aead.NONCE_BYTES];
        random.nextBytes(nonce);
        Bytes encrypted =
                Aead.encrypt(key.get(), Bytes.of(nonce), place(object, frame), Bytes.of(plain));
        return ByteBuffer.allocate(nonce.length + encrypted.length())
                .put(nonce)
                .put(encrypted.toArray())
                .array();
    }

    /**
     * Returns the content of a frame.
     *
     * @param longest largest content to expect, so that a changed frame takes no more memory
     * @throws IOException when the frame is damaged, or belongs elsewhere
     */
    byte[] decode(String object, int frame, byte[] stored, int longest) throws IOException {
        byte[] plain = key.isEmpty() ? stored : decrypt(object, frame, stored);
        if (plain.length == 0) {
            throw damaged(object, frame, "it is empty");
        }
        byte[] content = Arrays.copyOfRange(plain, 1, plain.length);
        if (plain[0] == AS_IT_IS) {
            return content;
        }
        if (plain[0] != ZSTD) {
            throw damaged(object, frame, "method " + plain[0] + " is unknown");
        }
        long bytes = Zstd.getFrameContentSize(content);
        if (bytes < 0 || bytes > longest) {
            throw damaged(object, frame, "its length is " + bytes);
        }
        try {
            return Zstd.decompress(content, (int) bytes);
        } catch (ZstdException e) {
            throw damaged(object, frame, e.getMessage());
        }
    }

    /**
     * Reads as much as possible of a damaged frame. Bytes that are not the written ones may be
     * among them; the log has checksums of its own. Of an encrypted frame there is nothing.
     *
     * @param target zeros; keeps them where nothing could be read
     */
    void salvage(byte[] stored, byte[] target) {
        if (key.isPresent() || stored.length == 0) {
            return;
        }
        if (stored[0] == AS_IT_IS || stored.length == 1 + target.length) {
            System.arraycopy(stored, 1, target, 0, Math.min(stored.length - 1, target.length));
            return;
        }
        int filled = 0;
        try (InputStream content =
                new ZstdInputStreamNoFinalizer(
                        new ByteArrayInputStream(stored, 1, stored.length - 1))) {
            while (filled < target.length) {
                // In steps, as a failing read returns nothing.
                int step = Math.min(STEP_BYTES, target.length - filled);
                int read = content.read(target, filled, step);
                if (read < 0) {
                    return;
                }
                filled += read;
            }
        } catch (IOException e) {
            // The rest cannot be read.
        }
    }

    private byte[] decrypt(String object, int frame, byte[] stored) throws IOException {
        if (stored.length < Aead.NONCE_BYTES + Aead.TAG_BYTES) {
            throw damaged(object, frame, "it is too short");
        }
        Bytes nonce = Bytes.of(Arrays.copyOf(stored, Aead.NONCE_BYTES));
        Bytes encrypted = Bytes.of(Arrays.copyOfRange(stored, Aead.NONCE_BYTES, stored.length));
        return Aead.decrypt(key.orElseThrow(), nonce, place(object, frame), encrypted)
                .orElseThrow(() -> damaged(object, frame, "it was changed, or is of another place"))
                .toArray();
    }

    private static Bytes place(String object, int frame) {
        String place = "volute-backup\0" + object + "\0" + frame;
        return Bytes.of(place.getBytes(StandardCharsets.UTF_8));
    }

    private static IOException damaged(String object, int frame, String why) {
        String which = frame == INDEX ? "the index" : "frame " + frame;
        return new IOException(object + ": " + which + " is damaged: " + why);
    }
}
