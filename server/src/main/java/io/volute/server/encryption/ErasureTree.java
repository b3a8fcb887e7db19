package io.volute.server.encryption;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Secrets for 2^64 leaves, of which single ones can be destroyed for good: a puncturable
 * pseudorandom function (Goldreich, Goldwasser and Micali, "How to construct random functions",
 * 1986; Green and Miers, "Forward secure asynchronous messaging from puncturable encryption",
 * 2015).
 *
 * <p>Each node of a tree with four children has a seed, from which the seeds of its children follow
 * by SHA-256. At first only the seed of the root is kept. To destroy a leaf, the seeds on its path
 * are replaced by the seeds beside the path, at most 96 of 32 bytes. No secret that is left leads
 * to the leaf. Immutable.
 */
final class ErasureTree {
    static final int SEED_BYTES = 32;

    /** Levels below the root, each of two bits. */
    private static final int DEPTH = 32;

    /** Levels below the root whose seeds are kept in memory once they have been computed. */
    private static final int CACHED = 6;

    private static final int VERSION = 1;

    /** Bounds a damaged file; some hundred thousand destroyed leaves. */
    private static final int MOST_NODES = 16_000_000;

    /**
     * A node whose seed is kept.
     *
     * @param depth 0 for the root
     */
    private record Node(int depth, Bytes seed) {}

    /** The kept nodes by their first leaf, in unsigned order. */
    private final TreeMap<Long, Node> nodes;

    private final AtomicReferenceArray<byte[]> cache =
            new AtomicReferenceArray<>(1 << (2 * CACHED));

    private ErasureTree(TreeMap<Long, Node> nodes) {
        this.nodes = nodes;
    }

    /**
     * Returns a tree with all its leaves.
     *
     * @param root 32 random bytes
     */
    static ErasureTree of(Bytes root) {
        TreeMap<Long, Node> nodes = new TreeMap<>(Long::compareUnsigned);
        nodes.put(0L, new Node(0, root));
        return new ErasureTree(nodes);
    }

    /** Returns the secret of a leaf, 32 bytes; empty if it was destroyed. */
    Optional<byte[]> secret(long leaf) {
        Optional<Map.Entry<Long, Node>> cover = cover(leaf);
        if (cover.isEmpty()) {
            return Optional.empty();
        }
        int depth = cover.get().getValue().depth;
        byte[] seed = cover.get().getValue().seed.toArray();
        MessageDigest digest = Hash.sha256();
        if (depth < CACHED) {
            int index = (int) (leaf >>> (Long.SIZE - 2 * CACHED));
            byte[] known = cache.get(index);
            if (known == null) {
                known = descend(digest, seed, leaf, depth, CACHED);
                cache.set(index, known);
            }
            seed = known;
            depth = CACHED;
        }
        return Optional.of(descend(digest, seed, leaf, depth, DEPTH));
    }

    private Optional<Map.Entry<Long, Node>> cover(long leaf) {
        return Optional.ofNullable(nodes.floorEntry(leaf))
                .filter(each -> first(leaf, each.getValue().depth) == each.getKey());
    }

    private static byte[] descend(MessageDigest digest, byte[] seed, long leaf, int from, int to) {
        byte[] current = seed;
        for (int depth = from; depth < to; depth++) {
            current = child(digest, current, digit(leaf, depth));
        }
        return current;
    }

    static byte[] child(byte[] seed, int digit) {
        return child(Hash.sha256(), seed, digit);
    }

    private static byte[] child(MessageDigest digest, byte[] seed, int digit) {
        digest.update(seed);
        digest.update((byte) digit);
        return digest.digest();
    }

    /** Returns which child of a node at this depth leads to the leaf. */
    private static int digit(long leaf, int depth) {
        return (int) (leaf >>> (Long.SIZE - 2 - 2 * depth)) & 3;
    }

    /** Returns the first leaf of the node at this depth that holds the leaf. */
    private static long first(long leaf, int depth) {
        return depth == 0 ? 0 : leaf & (-1L << (Long.SIZE - 2 * depth));
    }

    /** Returns the tree without some leaves; those that were destroyed before may be among them. */
    ErasureTree without(Collection<Long> leaves) {
        ErasureTree left = new ErasureTree(new TreeMap<>(nodes));
        leaves.forEach(left::destroy);
        return left;
    }

    private void destroy(long leaf) {
        Optional<Map.Entry<Long, Node>> cover = cover(leaf);
        if (cover.isEmpty()) {
            return;
        }
        nodes.remove(cover.get().getKey());
        MessageDigest digest = Hash.sha256();
        byte[] seed = cover.get().getValue().seed.toArray();
        for (int depth = cover.get().getValue().depth; depth < DEPTH; depth++) {
            int kept = digit(leaf, depth);
            for (int digit = 0; digit < 4; digit++) {
                if (digit != kept) {
                    long first = first(leaf, depth) | (long) digit << (Long.SIZE - 2 - 2 * depth);
                    nodes.put(first, new Node(depth + 1, Bytes.of(child(digest, seed, digit))));
                }
            }
            seed = child(digest, seed, kept);
        }
    }

    void encode(ByteWriter out) {
        out.u8(VERSION).u32(nodes.size());
        nodes.forEach((first, node) -> out.raw(bits(first)).u8(node.depth).raw(node.seed));
    }

    private static byte[] bits(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    static ErasureTree decode(ByteReader in) throws RefusedException {
        in.only(VERSION, "version of the erasure tree");
        long count = in.u32("nodes");
        if (count > MOST_NODES) {
            throw in.refused(count + " nodes");
        }
        TreeMap<Long, Node> nodes = new TreeMap<>(Long::compareUnsigned);
        for (long left = count; left > 0; left--) {
            long first = ByteBuffer.wrap(in.raw(Long.BYTES, "leaf").toArray()).getLong();
            int depth = in.u8("depth");
            if (depth > DEPTH || first(first, depth) != first) {
                throw in.refused("a node out of place");
            }
            nodes.put(first, new Node(depth, in.raw(SEED_BYTES, "seed")));
        }
        return new ErasureTree(nodes);
    }
}
