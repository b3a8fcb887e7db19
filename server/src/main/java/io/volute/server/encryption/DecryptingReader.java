package io.volute.server.encryption;

import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Reads the content of encrypted bodies that lie one behind the other: the parts of an object. */
final class DecryptingReader implements BlobReader {
    /** Chunks of one read, which becomes one write to a client. A chunk of the log has as many. */
    private static final int CHUNKS_AT_ONCE = 2;

    private final BlobReader stored;
    private final DataKey key;
    private final List<EncryptedBody> bodies = new ArrayList<>();
    private final long contentBytes;
    private final Cipher cipher;

    /** A chunk that lies in two chunks of the log. */
    private byte[] split = new byte[0];

    private byte[] plain = new byte[0];

    /** The stored bytes from {@link #bufferBegin} on, between its position and its limit. */
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    private long bufferBegin;
    private Optional<SecretKey> streamKey = Optional.empty();
    private EncryptedBody current;

    /** A body, with the places of its content and of its bytes among those of all. */
    private record EncryptedBody(long begin, long bytes, long storedBegin) {}

    DecryptingReader(BlobReader stored, DataKey key, List<Long> contentBytes) {
        this.stored = stored;
        this.key = key;
        long begin = 0;
        long storedBegin = 0;
        for (long bytes : contentBytes) {
            bodies.add(new EncryptedBody(begin, bytes, storedBegin));
            begin += bytes;
            storedBegin += BodyShape.storedBytes(bytes);
        }
        this.contentBytes = begin;
        this.current = bodies.getFirst();
        try {
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    @Override
    public long bytes() {
        return contentBytes;
    }

    @Override
    public List<Transaction.Part> parts() {
        return stored.parts();
    }

    @Override
    public int bufferBytes(long offset) {
        EncryptedBody body = body(offset);
        long number = BodyShape.chunkAt(offset - body.begin);
        long most = BodyShape.contentBegin(number + CHUNKS_AT_ONCE);
        return (int) (Math.min(most, body.bytes) - BodyShape.contentBegin(number));
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
        if (offset < 0 || offset >= endOffset || endOffset > contentBytes) {
            throw new IllegalArgumentException(
                    "no range " + offset + " to " + endOffset + " in " + contentBytes + " bytes");
        }
        enter(body(offset));
        long number = BodyShape.chunkAt(offset - current.begin);
        long behind = number + CHUNKS_AT_ONCE;
        long first = current.begin + BodyShape.contentBegin(number);
        long end = Math.min(endOffset, current.begin + current.bytes);
        target.clear();
        do {
            decrypt(number, target);
            number++;
        } while (number < behind && current.begin + BodyShape.contentBegin(number) < end);
        target.flip().position((int) (offset - first));
        target.limit((int) Math.min(target.limit(), endOffset - first));
    }

    private void decrypt(long number, ByteBuffer target) throws IOException {
        boolean isLast = number == BodyShape.lastChunk(current.bytes);
        int length =
                (int)
                        Math.min(
                                BodyShape.capacity(number),
                                current.bytes - BodyShape.contentBegin(number));
        long begin = current.storedBegin + BodyShape.storedBegin(number);
        // First, so that the chunk stays in the buffer, which may have the next one as well.
        SecretKey ofBody = streamKey();
        ByteBuffer encrypted = load(begin, length + BodyShape.TAG_BYTES);
        try {
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    ofBody,
                    new GCMParameterSpec(
                            BodyShape.TAG_BYTES * Byte.SIZE, BodyShape.nonce(number, isLast)));
            decrypt(encrypted, length, target);
        } catch (AEADBadTagException e) {
            throw new DamagedException(
                    "an encrypted body", begin, "the tag of chunk " + number + " does not fit");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM decrypts", e);
        }
    }

    /** Decrypts between arrays: direct buffers take the JDK's cipher twice the time. */
    private void decrypt(ByteBuffer encrypted, int length, ByteBuffer target)
            throws GeneralSecurityException {
        if (target.hasArray()) {
            int unused = cipher.doFinal(encrypted, target);
            return;
        }
        if (plain.length < length) {
            plain = new byte[length];
        }
        int unused = cipher.doFinal(encrypted, ByteBuffer.wrap(plain));
        target.put(plain, 0, length);
    }

    private EncryptedBody body(long offset) {
        int low = 0;
        int high = bodies.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (bodies.get(middle).begin <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        // Of bodies that begin at the same offset all but the last are empty.
        return bodies.get(low);
    }

    private void enter(EncryptedBody body) {
        if (!body.equals(current)) {
            current = body;
            streamKey = Optional.empty();
        }
    }

    private SecretKey streamKey() throws IOException {
        if (streamKey.isEmpty()) {
            byte[] salt = new byte[DataKey.SALT_BYTES];
            load(current.storedBegin, salt.length).get(salt);
            streamKey = Optional.of(key.streamKey(salt));
        }
        return streamKey.get();
    }

    /** Returns stored bytes, which stay as they are until the next call. */
    private ByteBuffer load(long begin, int length) throws IOException {
        long end = begin + length;
        if (end > stored.bytes()) {
            throw new DamagedException(
                    "an encrypted body",
                    stored.bytes(),
                    "it ends there, and " + (end - stored.bytes()) + " bytes are missing");
        }
        ByteBuffer found = buffered(begin, length);
        if (found.remaining() == length) {
            return found;
        }
        if (split.length < length) {
            split = new byte[length];
        }
        int filled = 0;
        while (filled < length) {
            ByteBuffer some = buffered(begin + filled, length - filled);
            int count = some.remaining();
            some.get(split, filled, count);
            filled += count;
        }
        return ByteBuffer.wrap(split, 0, length);
    }

    /** Returns at least one stored byte, and at most so many. */
    private ByteBuffer buffered(long begin, int length) throws IOException {
        if (begin < bufferBegin || begin >= bufferBegin + buffer.remaining()) {
            fill(begin);
        }
        int from = buffer.position() + (int) (begin - bufferBegin);
        return buffer.duplicate().position(from).limit(Math.min(from + length, buffer.limit()));
    }

    /** Reads the rest of a chunk of the log: it is verified whole, and has several of ours. */
    private void fill(long at) throws IOException {
        int capacity = stored.bufferBytes(at);
        if (buffer.capacity() < capacity) {
            buffer = ByteBuffer.allocate(capacity);
        }
        buffer.clear();
        stored.read(at, stored.bytes(), buffer);
        bufferBegin = at;
    }

    @Override
    public void close() {
        stored.close();
    }
}
