package io.volute.provenance.secrecy;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/**
 * A session key, or a share of it, wrapped for one node of the auditors' tree.
 *
 * @param node of the tree
 * @param threshold shares that are needed; 0: it is the key itself
 * @param share number of the share; 0: it is the key itself
 * @param ephemeral X25519 public key made for this slot
 */
public record KeySlot(
        Hash treeId, int node, int threshold, int share, Bytes ephemeral, Bytes wrapped) {
    private static final int KIND = 1;
    private static final int WRAPPED_BYTES = Aead.KEY_BYTES + 16;
    private static final int POINT_BYTES = 32;

    /** Slots with which exactly these auditors can each read alone. */
    public static List<KeySlot> wrap(
            SessionKey key, AuditorTree tree, Set<Integer> auditors, SecureRandom random) {
        return tree.cover(auditors).stream()
                .map(node -> wrap(key.secret(), key.place(), tree, node, 0, 0, random))
                .toList();
    }

    /**
     * Slots with which k of these groups together can read; each group has one share, and one of
     * its auditors is enough to open it.
     *
     * @throws IllegalArgumentException unless 1 <= k <= the number of groups
     */
    public static List<KeySlot> wrapShares(
            SessionKey key,
            AuditorTree tree,
            List<Set<Integer>> groups,
            int k,
            SecureRandom random) {
        SortedMap<Integer, Bytes> shares = Shamir.split(key.secret(), k, groups.size(), random);
        List<KeySlot> slots = new ArrayList<>();
        shares.forEach(
                (x, share) -> {
                    for (int node : tree.cover(groups.get(x - 1))) {
                        slots.add(wrap(share, key.place(), tree, node, k, x, random));
                    }
                });
        return slots;
    }

    private static KeySlot wrap(
            Bytes secret,
            Place place,
            AuditorTree tree,
            int node,
            int k,
            int x,
            SecureRandom random) {
        NodeKey ephemeral = new NodeKey(random);
        byte[] agreed =
                ephemeral
                        .agree(tree.key(node))
                        .orElseThrow(() -> new IllegalArgumentException("node " + node));
        KeySlot empty = new KeySlot(tree.id(), node, k, x, ephemeral.open(), Bytes.EMPTY);
        byte[] key = empty.wrappingKey(agreed, tree.key(node), place);
        return new KeySlot(tree.id(), node, k, x, ephemeral.open(), Aead.encrypt(key, secret));
    }

    byte[] wrappingKey(byte[] agreed, Bytes nodeKey, Place place) {
        ByteWriter info =
                new ByteWriter()
                        .raw(Domain.prefix("wrap"))
                        .hash(treeId)
                        .u32(node)
                        .u8(threshold)
                        .u8(share);
        place.encode(info);
        Bytes salt = new ByteWriter().raw(ephemeral).raw(nodeKey).toBytes();
        return Aead.derive(agreed, salt.toArray(), info.toBytes());
    }

    /** Returns the hash of this slot that the entry contains. */
    public Hash hash() {
        return Domain.SLOT.hash(encode());
    }

    public Bytes encode() {
        return new ByteWriter()
                .u8(KIND)
                .hash(treeId)
                .u32(node)
                .u8(threshold)
                .u8(share)
                .raw(ephemeral)
                .bytes16(wrapped)
                .toBytes();
    }

    public static KeySlot decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "key slot");
        in.only(KIND, "kind of slot");
        Hash treeId = in.hash("tree id");
        long node = in.u32("node");
        if (node < 1 || node >= 2L << AuditorTree.HEIGHT_MAX) {
            throw in.refused("node " + node);
        }
        int threshold = in.u8("threshold");
        int share = in.u8("share");
        if (threshold == 0 != (share == 0)) {
            throw in.refused("a share without a threshold, or the reverse");
        }
        Bytes ephemeral = in.raw(POINT_BYTES, "ephemeral key");
        Bytes wrapped = in.bytes16(WRAPPED_BYTES, WRAPPED_BYTES, "wrapped key");
        in.end();
        return new KeySlot(treeId, (int) node, threshold, share, ephemeral, wrapped);
    }
}
