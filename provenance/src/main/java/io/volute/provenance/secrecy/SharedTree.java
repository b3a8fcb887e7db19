package io.volute.provenance.secrecy;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.RefusedException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An auditors' tree whose leaves the auditors made themselves. The keys above are made when it is
 * planted; each is handed over to its two children, encrypted, and then forgotten, so that nobody
 * but the auditors has a private key. Leaves that nobody has are vacant: zeros in place of a key.
 * Bytes: docs/format/provenance.md. Thread-safe.
 */
public final class SharedTree {
    /** The maximum number of auditors: one share for each fits into the slots of an entry. */
    public static final int AUDITORS_MAX = 64;

    /** The version that is written: its id covers the handovers. That of version 1 does not. */
    private static final int VERSION = 2;

    private static final int POINT_BYTES = 32;
    private static final int WRAPPED_BYTES = POINT_BYTES + Aead.TAG_BYTES;
    private static final Bytes VACANT = Bytes.of(new byte[POINT_BYTES]);

    private final int version;
    private final AuditorTree tree;
    private final int auditors;

    /** The wrapped private key of the parent, by node; the root has none. */
    private final SortedMap<Integer, Handover> handovers;

    private record Handover(Bytes ephemeral, Bytes wrapped) {}

    private SharedTree(
            int version, AuditorTree keys, int auditors, SortedMap<Integer, Handover> handovers) {
        this.version = version;
        this.auditors = auditors;
        this.handovers = handovers;
        tree = version == 1 ? keys : keys.withId(Domain.SHARED_TREE.hash(encode(keys)));
    }

    /**
     * Makes a tree.
     *
     * @param leaves public keys of 1 to 64 auditors, none twice
     * @throws IllegalArgumentException when they are not, or a key is none
     */
    public static SharedTree plant(List<Bytes> leaves, SecureRandom random) {
        if (leaves.isEmpty()
                || leaves.size() > AUDITORS_MAX
                || Set.copyOf(leaves).size() < leaves.size()) {
            throw new IllegalArgumentException("1 to " + AUDITORS_MAX + " different auditors");
        }
        int height = height(leaves.size());
        Map<Integer, NodeKey> inner = new HashMap<>();
        List<Bytes> open = new ArrayList<>();
        for (int node = 1; node < 2 << height; node++) {
            if (isVacant(node, height, leaves.size())) {
                open.add(VACANT);
            } else if (node < 1 << height) {
                inner.put(node, new NodeKey(random));
                open.add(inner.get(node).open());
            } else {
                open.add(leaves.get(node - (1 << height)));
            }
        }
        AuditorTree tree = new AuditorTree(height, open);
        SortedMap<Integer, Handover> handovers = new TreeMap<>();
        for (int node = 2; node < 2 << height; node++) {
            if (!isVacant(node, height, leaves.size())) {
                handovers.put(node, handOver(tree, node, inner.get(node / 2), random));
            }
        }
        return new SharedTree(VERSION, tree, leaves.size(), handovers);
    }

    private static int height(int auditors) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(auditors - 1);
    }

    /** Returns whether no leaf below a node has an auditor; auditors occupy the first leaves. */
    private static boolean isVacant(int node, int height, int auditors) {
        int depth = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(node);
        int firstLeaf = node << height - depth;
        return firstLeaf - (1 << height) >= auditors;
    }

    private static Handover handOver(
            AuditorTree tree, int node, NodeKey parent, SecureRandom random) {
        NodeKey ephemeral = new NodeKey(random);
        byte[] agreed =
                ephemeral
                        .agree(tree.key(node))
                        .orElseThrow(() -> new IllegalArgumentException("a key that is none"));
        byte[] key = handoverKey(tree, node, ephemeral.open(), agreed);
        return new Handover(ephemeral.open(), Aead.encrypt(key, parent.secret()));
    }

    private static byte[] handoverKey(AuditorTree tree, int node, Bytes ephemeral, byte[] agreed) {
        Bytes salt = new ByteWriter().raw(ephemeral).raw(tree.key(node)).toBytes();
        ByteWriter info =
                new ByteWriter().raw(Domain.prefix("handover")).hash(tree.keysId()).u32(node);
        return Aead.derive(agreed, salt.toArray(), info.toBytes());
    }

    public AuditorTree tree() {
        return tree;
    }

    /** Returns the number of auditors. */
    public int auditors() {
        return auditors;
    }

    /** Slots with which each auditor can read alone: one, for nobody has a vacant leaf. */
    public List<KeySlot> wrap(SessionKey key, SecureRandom random) {
        Set<Integer> all =
                IntStream.range(0, tree.leaves())
                        .boxed()
                        .collect(Collectors.toCollection(LinkedHashSet::new));
        return KeySlot.wrap(key, tree, all, random);
    }

    /**
     * Slots with which k auditors can read together.
     *
     * @throws IllegalArgumentException unless 1 <= k <= the number of auditors
     */
    public List<KeySlot> wrapShares(SessionKey key, int k, SecureRandom random) {
        List<Set<Integer>> groups = IntStream.range(0, auditors).mapToObj(Set::of).toList();
        return KeySlot.wrapShares(key, tree, groups, k, random);
    }

    /** Returns the auditor of a key, with all keys towards the root; empty if the tree lacks it. */
    public Optional<Auditor> auditor(AuditorKey own) {
        for (int number = 0; number < auditors; number++) {
            if (tree.key(tree.leaf(number)).equals(own.publicKey())) {
                return climb(tree.leaf(number), own.leaf());
            }
        }
        return Optional.empty();
    }

    private Optional<Auditor> climb(int leaf, NodeKey own) {
        Map<Integer, NodeKey> keys = new HashMap<>(Map.of(leaf, own));
        NodeKey below = own;
        for (int node = leaf; node > 1; node /= 2) {
            Optional<NodeKey> parent = parent(node, below);
            if (parent.isEmpty()) {
                // The auditor keeps the keys below this node.
                break;
            }
            below = parent.get();
            keys.put(node / 2, below);
        }
        return Optional.of(new Auditor(tree, keys));
    }

    /** The key above a node, if what was handed over is the one that the tree has there. */
    private Optional<NodeKey> parent(int node, NodeKey key) {
        Handover handover = handovers.get(node);
        return key.agree(handover.ephemeral)
                .map(agreed -> handoverKey(tree, node, handover.ephemeral, agreed))
                .flatMap(wrapping -> Aead.decrypt(wrapping, handover.wrapped))
                .map(NodeKey::new)
                .filter(parent -> parent.open().equals(tree.key(node / 2)));
    }

    public Bytes encode() {
        return encode(tree);
    }

    private Bytes encode(AuditorTree keys) {
        ByteWriter out = new ByteWriter().u8(version).u8(keys.height()).u8(auditors);
        for (int node = 1; node < 2 * keys.leaves(); node++) {
            out.raw(keys.key(node));
        }
        handovers.values().forEach(each -> out.raw(each.ephemeral).raw(each.wrapped));
        return out.toBytes();
    }

    public static SharedTree decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "auditors' tree");
        int version = in.u8("version");
        if (version < 1 || version > VERSION) {
            throw in.refused("version " + version + " is unknown");
        }
        int height = in.u8("height");
        int auditors = in.u8("auditors");
        if (auditors < 1 || auditors > AUDITORS_MAX || height != height(auditors)) {
            throw in.refused(auditors + " auditors in a tree of height " + height);
        }
        List<Bytes> keys = new ArrayList<>();
        for (int node = 1; node < 2 << height; node++) {
            keys.add(in.raw(POINT_BYTES, "public key"));
            if (isVacant(node, height, auditors) != keys.getLast().equals(VACANT)) {
                throw in.refused("node " + node + " is vacant, or should be");
            }
        }
        SortedMap<Integer, Handover> handovers = new TreeMap<>();
        for (int node = 2; node < 2 << height; node++) {
            if (!isVacant(node, height, auditors)) {
                Bytes ephemeral = in.raw(POINT_BYTES, "ephemeral key");
                handovers.put(node, new Handover(ephemeral, in.raw(WRAPPED_BYTES, "wrapped key")));
            }
        }
        in.end();
        return new SharedTree(version, new AuditorTree(height, keys), auditors, handovers);
    }
}
