package io.volute.provenance.anchor;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * The heads of a file that a checkpoint vouches for, found by bisection; remembers with one bit a
 * chain which were asked for. Not thread-safe.
 */
public final class TrustedHeads implements AutoCloseable {
    private final Path path;
    private final SeekableByteChannel file;
    private final long count;
    private final BitSet found = new BitSet();

    private TrustedHeads(Path path, SeekableByteChannel file, long count) {
        this.path = path;
        this.file = file;
        this.count = count;
    }

    /**
     * Reads the file to its end and compares it.
     *
     * @param checkpoint that was verified
     * @throws RefusedException when it is not the file of the checkpoint's heads
     */
    public static TrustedHeads open(Path path, Checkpoint checkpoint) throws IOException {
        MapRoot root = read(path, (chainId, head) -> {});
        List<String> wrong = CheckpointAudit.heads(checkpoint, root);
        if (!wrong.isEmpty()) {
            throw new RefusedException("the heads are not the checkpoint's: " + wrong.getFirst());
        }
        if (root.heads() > Integer.MAX_VALUE) {
            throw new RefusedException(root.heads() + " heads: more than can be looked up");
        }
        return new TrustedHeads(path, Files.newByteChannel(path), root.heads());
    }

    private static MapRoot read(Path path, Heads.Visitor visitor) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            return HeadsFile.read(in, visitor);
        }
    }

    /** The last entry of a chain at the checkpoint; empty when there was no such chain. */
    public Optional<ChainHead> find(Hash chainId) throws IOException {
        long low = 0;
        long high = count;
        while (low < high) {
            long middle = (low + high) >>> 1;
            ByteReader record = record(middle);
            int order = record.hash("chain id").compareTo(chainId);
            if (order == 0) {
                found.set((int) middle);
                return Optional.of(ChainHead.decode(record));
            }
            low = order < 0 ? middle + 1 : low;
            high = order < 0 ? high : middle;
        }
        return Optional.empty();
    }

    private ByteReader record(long index) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(HeadsFile.RECORD_BYTES);
        file.position(HeadsFile.RECORDS_AT + index * HeadsFile.RECORD_BYTES);
        while (record.hasRemaining()) {
            if (file.read(record) < 0) {
                throw new EOFException(path + " became shorter");
            }
        }
        return new ByteReader(Bytes.of(record.array()), "head " + index);
    }

    /** Hands on those that {@link #find} never found. */
    public void forEachMissing(Heads.Visitor visitor) throws IOException {
        int[] index = new int[1];
        MapRoot ignored =
                read(
                        path,
                        (chainId, head) -> {
                            if (!found.get(index[0]++)) {
                                visitor.head(chainId, head);
                            }
                        });
        assert ignored.heads() == count;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
