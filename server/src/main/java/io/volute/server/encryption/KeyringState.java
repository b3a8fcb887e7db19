package io.volute.server.encryption;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.secrecy.Aead;
import io.volute.versioning.Openings.Fit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One state of a keyring: the named keys by name, each with its versions from the first on; the
 * tree of erasure secrets; and the data keys that both opened. The keys do not change.
 */
record KeyringState(TreeMap<String, List<Bytes>> named, ErasureTree tree, OpenedKeys opened) {
    private static final int VERSION = 1;
    private static final int LONGEST_NAME_BYTES = 2048;
    private static final int MOST_VERSIONS = 10_000;

    KeyringState(TreeMap<String, List<Bytes>> named, ErasureTree tree) {
        this(named, tree, new OpenedKeys());
    }

    /** The leaf of a key that has not been destroyed. */
    record Leaf(int generation, byte[] secret) {}

    /** Returns a version of a named key; empty if there is none. */
    Optional<byte[]> key(String name, int version) {
        return Optional.ofNullable(named.get(name))
                .filter(keys -> version >= 1 && version <= keys.size())
                .map(keys -> keys.get(version - 1).toArray());
    }

    /** Returns the leaf that new data keys of an object have. */
    Leaf leaf(ObjectName object) {
        for (int generation = 0; ; generation++) {
            Optional<byte[]> secret = tree.secret(object.leaf(generation));
            if (secret.isPresent()) {
                return new Leaf(generation, secret.get());
            }
        }
    }

    /** Compares a data key with this state, as {@link Keyring#fit}. */
    Fit fit(WrappedKey wrapped, ObjectName object, boolean isOfStore) {
        Optional<byte[]> secret = tree.secret(object.leaf(wrapped));
        if (secret.isEmpty()) {
            return Fit.ERASED;
        }
        if (!isOfStore || !(wrapped.form() instanceof WrappedKey.ByKeyring form)) {
            return Fit.OPENS;
        }
        boolean opens =
                key(wrapped.name(), wrapped.version())
                        .flatMap(
                                named ->
                                        Aead.decrypt(
                                                DataKey.mac(named, Keyring.LABEL, secret.get()),
                                                form.nonce(),
                                                wrapped.context().associatedData(),
                                                form.encrypted()))
                        .isPresent();
        return opens ? Fit.OPENS : Fit.OTHER;
    }

    /** Returns this state with a new version of a named key. */
    KeyringState with(String name, Bytes key) {
        TreeMap<String, List<Bytes>> next = new TreeMap<>(named);
        List<Bytes> versions = new ArrayList<>(next.getOrDefault(name, List.of()));
        versions.add(key);
        next.put(name, List.copyOf(versions));
        return new KeyringState(next, tree);
    }

    /** Returns this state without leaves; empty if all of them were destroyed before. */
    Optional<KeyringState> without(Collection<Long> leaves) {
        return leaves.stream().allMatch(leaf -> tree.secret(leaf).isEmpty())
                ? Optional.empty()
                : Optional.of(new KeyringState(named, tree.without(leaves)));
    }

    Bytes encode() {
        ByteWriter out = new ByteWriter().u8(VERSION).u32(named.size());
        named.forEach(
                (name, keys) -> {
                    out.text(name).u32(keys.size());
                    keys.forEach(out::raw);
                });
        tree.encode(out);
        return out.toBytes();
    }

    static KeyringState decode(Bytes plain) throws RefusedException {
        ByteReader in = new ByteReader(plain, "keyring");
        in.only(VERSION, "version");
        TreeMap<String, List<Bytes>> named = new TreeMap<>();
        for (long left = in.u32("keys"); left > 0; left--) {
            String name = in.text(1, LONGEST_NAME_BYTES, "name");
            long versions = in.u32("versions");
            if (versions > MOST_VERSIONS) {
                throw in.refused(versions + " versions of a key");
            }
            List<Bytes> keys = new ArrayList<>();
            for (long version = 0; version < versions; version++) {
                keys.add(in.raw(Aead.KEY_BYTES, "key"));
            }
            named.put(name, List.copyOf(keys));
        }
        ErasureTree tree = ErasureTree.decode(in);
        in.end();
        return new KeyringState(named, tree);
    }
}
