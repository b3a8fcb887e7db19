package io.volute.provenance.secrecy;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The public keys of the auditors' broadcast-encryption tree (section 3.1.2 of the paper). Node 1
 * is the root, node n has the children 2n and 2n + 1, auditor i the leaf 2^height + i. Thread-safe.
 */
public final class AuditorTree {
    static final int HEIGHT_MAX = 16;

    private final int height;
    private final List<Bytes> keys;
    private final Hash keysId;
    private final Hash id;

    /**
     * @param keys of the nodes 1, 2, 3 ...
     * @throws IllegalArgumentException when there are not 2^(height + 1) - 1
     */
    AuditorTree(int height, List<Bytes> keys) {
        if (height < 0 || height > HEIGHT_MAX || keys.size() != (1 << height + 1) - 1) {
            throw new IllegalArgumentException(keys.size() + " keys for the height " + height);
        }
        this.height = height;
        this.keys = List.copyOf(keys);
        ByteWriter out = new ByteWriter().u8(height);
        keys.forEach(out::raw);
        keysId = Domain.AUDITORS.hash(out.toBytes());
        id = keysId;
    }

    private AuditorTree(AuditorTree other, Hash id) {
        height = other.height;
        keys = other.keys;
        keysId = other.keysId;
        this.id = id;
    }

    /** Returns this tree with another id, which covers more than its public keys. */
    AuditorTree withId(Hash other) {
        return new AuditorTree(this, other);
    }

    /** Returns the id by which slots name this tree. */
    public Hash id() {
        return id;
    }

    /** Returns the hash of the height and the public keys. */
    Hash keysId() {
        return keysId;
    }

    /** Returns the maximum number of auditors. */
    public int leaves() {
        return 1 << height;
    }

    int height() {
        return height;
    }

    Bytes key(int node) {
        return keys.get(node - 1);
    }

    int leaf(int auditor) {
        if (auditor < 0 || auditor >= leaves()) {
            throw new IllegalArgumentException("there is no auditor " + auditor);
        }
        return leaves() + auditor;
    }

    /** The nodes from a leaf to the root. */
    List<Integer> way(int auditor) {
        List<Integer> nodes = new ArrayList<>();
        for (int node = leaf(auditor); node >= 1; node /= 2) {
            nodes.add(node);
        }
        return nodes;
    }

    /** The fewest nodes whose leaves are exactly these auditors. */
    public List<Integer> cover(Set<Integer> auditors) {
        auditors.forEach(this::leaf);
        List<Integer> nodes = new ArrayList<>();
        cover(1, 0, leaves(), auditors, nodes);
        return nodes;
    }

    /** Returns whether the whole subtree is chosen and has not been added yet. */
    private boolean cover(
            int node, int from, int count, Set<Integer> auditors, List<Integer> nodes) {
        if (count == 1) {
            if (node == 1 && auditors.contains(from)) {
                nodes.add(node);
            }
            return auditors.contains(from);
        }
        int half = count / 2;
        boolean left = cover(2 * node, from, half, auditors, nodes);
        int before = nodes.size();
        boolean right = cover(2 * node + 1, from + half, half, auditors, nodes);
        if (left && right) {
            if (node == 1) {
                nodes.add(node);
            }
            return true;
        }
        if (left) {
            nodes.add(before, 2 * node);
        }
        if (right) {
            nodes.add(2 * node + 1);
        }
        return false;
    }
}
