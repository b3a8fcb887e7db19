package io.volute.server.encryption;

import io.volute.server.encryption.BodyTable.EncryptedBody;
import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.Transaction;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.SecretKey;

/** Reads the content of encrypted bodies that lie one behind the other: the parts of an object. */
final class DecryptingReader implements BlobReader {
    /** Chunks of one read, which becomes one write to a client. A chunk of the log has as many. */
    private static final int CHUNKS_AT_ONCE = 2;

    private final BlobReader stored;
    private final DataKey key;
    private final BodyTable bodies;

    /** Has stored bytes that the next read needs. */
    private Optional<ChunkDecryptor> held = Optional.empty();

    private Optional<SecretKey> streamKey = Optional.empty();
    private EncryptedBody current;

    DecryptingReader(BlobReader stored, DataKey key, List<Long> contentBytes) {
        this.stored = stored;
        this.key = key;
        this.bodies = new BodyTable(contentBytes, () -> lengths(stored));
        this.current = new EncryptedBody(0, contentBytes.getFirst(), 0);
    }

    private static List<Long> lengths(BlobReader stored) throws IOException {
        return ObjectStores.partsOf(stored).stream().map(PartInfo::bytes).toList();
    }

    @Override
    public long bytes() {
        return bodies.contentBytes();
    }

    @Override
    public List<Transaction.Part> parts() throws IOException {
        return stored.parts();
    }

    @Override
    public int bufferBytes(long offset) {
        EncryptedBody body;
        try {
            body = bodies.at(offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long number = BodyShape.chunkAt(offset - body.begin());
        long most = BodyShape.contentBegin(number + CHUNKS_AT_ONCE);
        int content = (int) (Math.min(most, body.bytes()) - BodyShape.contentBegin(number));
        return Math.max(
                content, stored.bufferBytes(body.storedBegin() + BodyShape.storedBegin(number)));
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
        if (offset < 0 || offset >= endOffset || endOffset > bytes()) {
            throw new IllegalArgumentException(
                    "no range " + offset + " to " + endOffset + " in " + bytes() + " bytes");
        }
        enter(bodies.at(offset));
        long number = BodyShape.chunkAt(offset - current.begin());
        long behind = number + CHUNKS_AT_ONCE;
        long first = current.begin() + BodyShape.contentBegin(number);
        long end = Math.min(endOffset, current.begin() + current.bytes());
        target.clear();
        // Nobody gets it back after a failure.
        ChunkDecryptor decryptor = held.orElseGet(ChunkDecryptor::take);
        held = Optional.empty();
        // The salt is before the first chunk.
        long storedBegin =
                number == 0
                        ? current.storedBegin()
                        : current.storedBegin() + BodyShape.storedBegin(number);
        if (target.isDirect()
                && current.bytes() > BodyShape.CHUNK_BYTES
                && !decryptor.holdsFrom(storedBegin)
                && target.capacity() >= stored.bufferBytes(storedBegin)) {
            decryptor.loadThrough(target, stored, storedBegin);
            target.clear();
        }
        do {
            decrypt(decryptor, number, target);
            number++;
        } while (number < behind && current.begin() + BodyShape.contentBegin(number) < end);
        release(decryptor, number, endOffset);
        target.flip().position((int) (offset - first));
        target.limit((int) Math.min(target.limit(), endOffset - first));
    }

    /** Keeps the decryptor for the next read of the range, if it has bytes for that. */
    private void release(ChunkDecryptor decryptor, long next, long endOffset) {
        boolean isBodyRead = next > BodyShape.lastChunk(current.bytes());
        long read = isBodyRead ? current.bytes() : BodyShape.contentBegin(next);
        long stored =
                isBodyRead ? BodyShape.storedBytes(current.bytes()) : BodyShape.storedBegin(next);
        if (current.begin() + read < endOffset
                && decryptor.holdsFrom(current.storedBegin() + stored)) {
            held = Optional.of(decryptor);
        } else {
            decryptor.giveBack();
        }
    }

    private void decrypt(ChunkDecryptor decryptor, long number, ByteBuffer target)
            throws IOException {
        boolean isLast = number == BodyShape.lastChunk(current.bytes());
        int length =
                (int)
                        Math.min(
                                BodyShape.capacity(number),
                                current.bytes() - BodyShape.contentBegin(number));
        long begin = current.storedBegin() + BodyShape.storedBegin(number);
        // First, so that the chunk stays in the buffer, which may have the next one as well.
        SecretKey ofBody = streamKey(decryptor);
        ByteBuffer encrypted = decryptor.load(stored, begin, length + BodyShape.TAG_BYTES);
        try {
            decryptor.decrypt(ofBody, BodyShape.nonce(number, isLast), encrypted, length, target);
        } catch (AEADBadTagException e) {
            throw new DamagedException(
                    "an encrypted body", begin, "the tag of chunk " + number + " does not fit");
        }
    }

    private void enter(EncryptedBody body) {
        if (!body.equals(current)) {
            current = body;
            streamKey = Optional.empty();
        }
    }

    private SecretKey streamKey(ChunkDecryptor decryptor) throws IOException {
        if (streamKey.isEmpty()) {
            byte[] salt = new byte[DataKey.SALT_BYTES];
            decryptor.load(stored, current.storedBegin(), salt.length).get(salt);
            streamKey = Optional.of(key.streamKey(salt));
        }
        return streamKey.get();
    }

    @Override
    public void close() {
        stored.close();
    }
}
