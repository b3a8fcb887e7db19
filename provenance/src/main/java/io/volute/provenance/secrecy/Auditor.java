package io.volute.provenance.secrecy;

import io.volute.provenance.format.Bytes;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Someone who may read what was wrapped for it. Holds the keys from its leaf to the root. */
public final class Auditor {
    private final AuditorTree tree;
    private final Map<Integer, NodeKey> keys;

    /** One share of a session key. */
    public record Share(int threshold, int number, Bytes value) {
        @Override
        public String toString() {
            return "share " + number;
        }
    }

    Auditor(AuditorTree tree, Map<Integer, NodeKey> keys) {
        this.tree = tree;
        this.keys = Map.copyOf(keys);
    }

    /** Returns whether this auditor has the private key of a node. */
    boolean has(int node) {
        return keys.containsKey(node);
    }

    /** The session key, if one of the slots is for this auditor alone. */
    public Optional<SessionKey> open(Collection<KeySlot> slots, Place place) {
        return slots.stream()
                .filter(slot -> slot.threshold() == 0)
                .flatMap(slot -> unwrap(slot, place).stream())
                .findFirst()
                .map(secret -> new SessionKey(secret, place));
    }

    /** The shares that this auditor can open. */
    public List<Share> shares(Collection<KeySlot> slots, Place place) {
        return slots.stream()
                .filter(slot -> slot.threshold() > 0)
                .flatMap(
                        slot ->
                                unwrap(slot, place).stream()
                                        .map(
                                                value ->
                                                        new Share(
                                                                slot.threshold(),
                                                                slot.share(),
                                                                value)))
                .toList();
    }

    /** The session key from the shares of several auditors; empty when they are too few. */
    public static Optional<SessionKey> join(Collection<Share> shares, Place place) {
        Map<Integer, Bytes> different = new HashMap<>();
        shares.forEach(share -> different.put(share.number(), share.value()));
        boolean areEnough =
                !shares.isEmpty()
                        && shares.stream().allMatch(each -> each.threshold() <= different.size());
        return areEnough
                ? Optional.of(new SessionKey(Shamir.join(different), place))
                : Optional.empty();
    }

    private Optional<Bytes> unwrap(KeySlot slot, Place place) {
        NodeKey own = keys.get(slot.node());
        if (own == null || !slot.treeId().equals(tree.id())) {
            return Optional.empty();
        }
        return own.agree(slot.ephemeral())
                .map(agreed -> slot.wrappingKey(agreed, own.open(), place))
                .flatMap(key -> Aead.decrypt(key, slot.wrapped()));
    }
}
