package io.volute.provenance.anchor;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * An authenticated map from chain id to head: a trie over the bits of the id in which a subtree
 * with one leaf is that leaf. The root depends on what is in it, not on the order in which it came.
 * In memory; {@link MapScan} is the same map of more chains than that has room for. Immutable; a
 * change shares all but one path. Thread-safe.
 */
public final class PrefixMap {
    /** The map without chains. */
    public static final PrefixMap EMPTY = new PrefixMap(new Node.None(), 0);

    private final Node root;
    private final long size;

    private sealed interface Node {
        record None() implements Node {}

        record Leaf(Hash chainId, ChainHead head, Hash hash) implements Node {}

        record Branch(Node left, Node right, Hash hash) implements Node {}

        default Hash value() {
            return switch (this) {
                case None() -> Hash.ZERO;
                case Leaf leaf -> leaf.hash;
                case Branch branch -> branch.hash;
            };
        }
    }

    private PrefixMap(Node root, long size) {
        this.root = root;
        this.size = size;
    }

    static Hash leafHash(Hash chainId, ChainHead head) {
        ByteWriter out = new ByteWriter().hash(chainId);
        head.encode(out);
        return Domain.MAP_LEAF.hash(out.toBytes());
    }

    static Hash branchHash(Hash left, Hash right) {
        return Domain.MAP_BRANCH.hash(left, right);
    }

    public Hash root() {
        return root.value();
    }

    public long size() {
        return size;
    }

    public MapRoot mapRoot() {
        return new MapRoot(root(), size);
    }

    /** Returns a map with this head, which replaces an existing head of the same chain. */
    public PrefixMap with(Hash chainId, ChainHead head) {
        Node.Leaf leaf = new Node.Leaf(chainId, head, leafHash(chainId, head));
        long grown = find(chainId) instanceof MapProof.Present ? size : size + 1;
        return new PrefixMap(put(root, leaf, 0), grown);
    }

    private static Node put(Node node, Node.Leaf leaf, int depth) {
        return switch (node) {
            case Node.None() -> leaf;
            case Node.Leaf old when old.chainId.equals(leaf.chainId) -> leaf;
            case Node.Leaf old -> split(old, leaf, depth);
            case Node.Branch branch ->
                    leaf.chainId.bit(depth)
                            ? branch(branch.left, put(branch.right, leaf, depth + 1))
                            : branch(put(branch.left, leaf, depth + 1), branch.right);
        };
    }

    /** Two leaves in place of one: branches as deep as their ids agree. */
    private static Node split(Node.Leaf old, Node.Leaf leaf, int depth) {
        boolean isRight = leaf.chainId.bit(depth);
        if (old.chainId.bit(depth) != isRight) {
            return isRight ? branch(old, leaf) : branch(leaf, old);
        }
        Node below = split(old, leaf, depth + 1);
        Node none = new Node.None();
        return isRight ? branch(none, below) : branch(below, none);
    }

    private static Node branch(Node left, Node right) {
        return new Node.Branch(left, right, branchHash(left.value(), right.value()));
    }

    /** Returns the proof that the map contains a chain or does not contain it. */
    public MapProof find(Hash chainId) {
        Deque<Hash> siblings = new ArrayDeque<>();
        Node node = root;
        while (node instanceof Node.Branch branch) {
            boolean isRight = chainId.bit(siblings.size());
            siblings.push((isRight ? branch.left : branch.right).value());
            node = isRight ? branch.right : branch.left;
        }
        List<Hash> upwards = Collections.unmodifiableList(new ArrayList<>(siblings));
        return switch (node) {
            case Node.None() -> new MapProof.Nothing(upwards);
            case Node.Leaf leaf when leaf.chainId.equals(chainId) ->
                    new MapProof.Present(upwards, leaf.head);
            case Node.Leaf leaf -> new MapProof.Other(upwards, leaf.chainId, leaf.head);
            case Node.Branch ignored -> throw new IllegalStateException("was descended");
        };
    }
}
