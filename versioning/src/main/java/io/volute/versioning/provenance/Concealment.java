package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.AUDITOR_TREES;

import io.volute.provenance.chain.Event;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Opening;
import io.volute.provenance.secrecy.KeySlot;
import io.volute.provenance.secrecy.Place;
import io.volute.provenance.secrecy.SessionKey;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.Transaction;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Hides fields of entries: encrypts them for the auditors in the key list, or commits to them. A
 * field to encrypt is never written in plain. It is omitted while there are fewer auditors than
 * must cooperate. Thread-safe.
 */
final class Concealment {
    /** Bytes that a hidden field adds to its text: a commitment's opening, or a tag. */
    private static final int FIELD_BYTES = 128;

    /** Bytes of a key slot and its hash. */
    private static final int SLOT_BYTES = 192;

    private static final byte[] NOTHING = {};

    private final Confidentiality policy;
    private final SecureRandom random;
    private final Map<Bytes, EntryField> names;

    /** The tree in use, made anew at each start, so that a tree on the disk is never trusted. */
    private volatile Planted planted = new Planted(Optional.empty(), Set.of(), Optional.empty());

    /** The last tree that is durable. */
    private volatile Optional<SharedTree> written = Optional.empty();

    /**
     * A tree of auditors and the key list that it was made from.
     *
     * @param keys key list with the auditors
     * @param tree empty when there are too few auditors
     */
    private record Planted(Optional<KeyList> keys, Set<Bytes> auditors, Optional<SharedTree> tree) {
        boolean isOf(KeyList list) {
            return keys.filter(own -> own == list).isPresent();
        }
    }

    /**
     * An event whose fields are hidden.
     *
     * @param tree the tree that its encrypted fields need
     */
    record Concealed(Event event, Optional<SharedTree> tree) {}

    Concealment(Confidentiality policy, SecureRandom random) {
        this.policy = policy;
        this.random = random;
        names =
                Arrays.stream(EntryField.values())
                        .collect(Collectors.toMap(each -> Bytes.of(each.text()), each -> each));
    }

    /** Returns the hidden fields of entries about keys of a bucket. */
    HiddenFields fields(BucketInfo bucket) {
        return bucket.hidden().orElse(policy.fields());
    }

    /** Returns an upper bound of the bytes that hidden fields add to an entry. */
    long bytesMax(HiddenFields fields) {
        if (fields.isEmpty()) {
            return 0;
        }
        long slots =
                fields.encrypted().isEmpty()
                        ? 0
                        : policy.needed() > 1 ? planted.auditors.size() : 1;
        return (long) names.size() * FIELD_BYTES + slots * SLOT_BYTES;
    }

    /**
     * Hides the fields of an event.
     *
     * @param keys the list as of the event; must not change before its commit has ended
     */
    Concealed conceal(Event event, HiddenFields fields, Place place, KeyList keys) {
        Optional<SharedTree> tree = fields.encrypted().isEmpty() ? Optional.empty() : tree(keys);
        Optional<SessionKey> key = tree.map(any -> SessionKey.generate(place, random));
        TreeMap<Integer, Opening> openings = new TreeMap<>();
        Field principal =
                conceal(EntryField.PRINCIPAL, event.principal(), fields, key, 0, openings);
        SortedMap<Bytes, Field> details = new TreeMap<>();
        int index = 0;
        for (Map.Entry<Bytes, Field> detail : event.details().entrySet()) {
            index++;
            EntryField name = names.get(detail.getKey());
            details.put(
                    detail.getKey(),
                    name == null
                            ? detail.getValue()
                            : conceal(name, detail.getValue(), fields, key, index, openings));
        }
        List<KeySlot> slots = key.isEmpty() ? List.of() : slots(tree.get(), key.get());
        TreeMap<Integer, Bytes> encoded = new TreeMap<>();
        slots.forEach(slot -> encoded.put(encoded.size(), slot.encode()));
        Event hidden =
                event.with(
                        principal,
                        details,
                        slots.stream().map(KeySlot::hash).toList(),
                        new Disclosure(openings, encoded));
        return new Concealed(hidden, tree);
    }

    private Field conceal(
            EntryField name,
            Field plain,
            HiddenFields fields,
            Optional<SessionKey> key,
            int index,
            Map<Integer, Opening> openings) {
        if (fields.encrypted().contains(name)) {
            return key.map(own -> own.encrypt(nameIn(name), plain.value())).orElse(Field.ABSENT);
        }
        if (!fields.committed().contains(name)) {
            return plain;
        }
        byte[] r = new byte[Opening.R_BYTES];
        random.nextBytes(r);
        Opening opening = new Opening(Bytes.of(r), plain.value());
        openings.put(index, opening);
        return opening.field();
    }

    private static String nameIn(EntryField name) {
        return name == EntryField.PRINCIPAL ? SessionKey.PRINCIPAL : SessionKey.detail(name.text());
    }

    private List<KeySlot> slots(SharedTree tree, SessionKey key) {
        return policy.needed() == 1
                ? tree.wrap(key, random)
                : tree.wrapShares(key, policy.needed(), random);
    }

    /** Returns the tree of the present auditors; empty when there are too few. */
    private Optional<SharedTree> tree(KeyList keys) {
        Planted last = planted;
        return last.isOf(keys) ? last.tree : plant(keys);
    }

    private synchronized Optional<SharedTree> plant(KeyList keys) {
        if (planted.isOf(keys)) {
            // Another writer has already made the tree.
            return planted.tree;
        }
        List<Bytes> auditors =
                keys.open(KeyRole.AUDITOR).stream().map(each -> each.key().bytes()).toList();
        Optional<SharedTree> tree = planted.tree;
        if (!planted.auditors.equals(Set.copyOf(auditors))) {
            tree =
                    auditors.size() < policy.needed()
                            ? Optional.empty()
                            : Optional.of(SharedTree.plant(auditors, random));
        }
        planted = new Planted(Optional.of(keys), Set.copyOf(auditors), tree);
        return tree;
    }

    /** Adds the tree to the commit of an entry that needs it, until such a commit is durable. */
    void addTo(Transaction transaction, SharedTree tree) {
        if (written.filter(each -> each == tree).isEmpty()) {
            transaction.put(
                    AUDITOR_TREES,
                    tree.tree().id().toArray(),
                    NOTHING,
                    tree.encode().toArray(),
                    List.of());
        }
    }

    /** Marks a tree as durable. */
    void committed(SharedTree tree) {
        if (written.filter(each -> each == tree).isEmpty()) {
            written = Optional.of(tree);
        }
    }
}
