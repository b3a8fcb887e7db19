package io.volute.server.encryption;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedSecret;
import io.volute.provenance.secrecy.Aead;
import io.volute.server.encryption.KeyGoneException.Reason;
import io.volute.server.encryption.WrappedKey.ByKeyring;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The keys that wrap data keys: named keys with versions, and the {@link ErasureTree}. A data key
 * is wrapped with a key that is derived from a named key (or the customer's) and from the secret of
 * its object's leaf, so that destroying the leaf destroys the data keys of all states of the
 * object.
 *
 * <p>The keyring lies in one sealed file that each change replaces. It is made when it is first
 * needed. Thread-safe.
 */
public final class Keyring {
    /** The named key of SSE-S3, and of SSE-KMS without a key id. */
    public static final String DEFAULT_KEY = "aws/s3";

    private static final String PURPOSE = "keyring";
    private static final byte[] LABEL = Domain.prefix("data-key");

    /** Takes the place of a named key below the encryption of a key service. It is no secret. */
    private static final byte[] OF_SERVICE = Domain.prefix("data-key-of-service");

    private static final int VERSION = 1;
    private static final int LONGEST_NAME_BYTES = 2048;
    private static final int MOST_VERSIONS = 10_000;

    /** The place of the sealed keyring. */
    public interface Place {
        /** Returns the sealed keyring; empty when there is none yet. */
        Optional<Bytes> load() throws IOException;

        /**
         * Replaces the sealed keyring. When it returns, the new one survives a crash, and the old
         * one is overwritten.
         */
        void replace(Bytes sealed) throws IOException;
    }

    /**
     * The named keys by name, each with its versions from the first on; the tree; and the data keys
     * that both opened.
     */
    private record State(TreeMap<String, List<Bytes>> named, ErasureTree tree, OpenedKeys opened) {
        State(TreeMap<String, List<Bytes>> named, ErasureTree tree) {
            this(named, tree, new OpenedKeys());
        }
    }

    private final Place place;
    private final MasterKey master;
    private final SecureRandom random;
    private volatile Optional<State> state;

    private Keyring(Place place, MasterKey master, SecureRandom random, Optional<State> state) {
        this.place = place;
        this.master = master;
        this.random = random;
        this.state = state;
    }

    /**
     * Reads the keyring.
     *
     * @param master seals it
     * @throws IOException if it cannot be read or was sealed with another master key
     */
    public static Keyring open(Place place, MasterKey master, SecureRandom random)
            throws IOException {
        Optional<Bytes> sealed = place.load();
        if (sealed.isEmpty()) {
            return new Keyring(place, master, random, Optional.empty());
        }
        try {
            Bytes plain = SealedSecret.open(PURPOSE, PURPOSE, sealed.get(), master);
            return new Keyring(place, master, random, Optional.of(decode(plain)));
        } catch (RefusedException e) {
            throw new IOException(
                    "the keyring cannot be opened: it belongs to another master key, or is damaged;"
                            + " put back both files of the same store",
                    e);
        }
    }

    /** Returns whether a named key exists; the default key always does. */
    public boolean has(String name) {
        return name.equals(DEFAULT_KEY)
                || state.map(each -> each.named.containsKey(name)).orElse(false);
    }

    /** Returns the names of the named keys with their number of versions. */
    public TreeMap<String, Integer> names() {
        TreeMap<String, Integer> names = new TreeMap<>();
        state.ifPresent(each -> each.named.forEach((name, keys) -> names.put(name, keys.size())));
        return names;
    }

    /** Makes the named keys that are missing. */
    public synchronized void require(Collection<String> names) throws IOException {
        List<String> missing = names.stream().filter(name -> !has(name)).distinct().toList();
        if (!missing.isEmpty()) {
            State now = made();
            TreeMap<String, List<Bytes>> named = new TreeMap<>(now.named);
            missing.forEach(name -> named.put(name, List.of(secret())));
            save(new State(named, now.tree));
        }
    }

    /**
     * Adds a version to a named key, which new objects use. Older versions stay for the objects
     * that have them.
     *
     * @return the number of the new version
     */
    public synchronized int rotate(String name) throws IOException {
        State now = made();
        TreeMap<String, List<Bytes>> named = new TreeMap<>(now.named);
        List<Bytes> versions = new ArrayList<>(named.getOrDefault(name, List.of()));
        versions.add(secret());
        named.put(name, List.copyOf(versions));
        save(new State(named, now.tree));
        return versions.size();
    }

    /**
     * Destroys the data keys of all states of these keys, whichever key wraps them. A write that
     * runs meanwhile may be among them.
     */
    public synchronized void shred(Collection<ObjectName> names) throws IOException {
        State now = made();
        List<Long> leaves =
                names.stream().map(name -> name.leaf(leaf(now.tree, name).generation)).toList();
        save(new State(now.named, now.tree.without(leaves)));
    }

    /** Returns a new data key. */
    DataKey newKey() {
        return new DataKey(secret().toArray(), random);
    }

    /** Wraps a data key of an object under a named key, which exists. */
    WrappedKey wrap(DataKey key, ObjectName object, String name, EncryptionContext context)
            throws IOException {
        State now = current();
        List<Bytes> versions = now.named.get(name);
        byte[] named = versions.getLast().toArray();
        return wrap(now, key, object, named, name, versions.size(), context);
    }

    /** Wraps a data key of an object under a customer's key of 32 bytes. */
    WrappedKey wrap(DataKey key, ObjectName object, byte[] customerKey) throws IOException {
        return wrap(current(), key, object, customerKey, "", 0, EncryptionContext.NONE);
    }

    /** Wraps a data key of an object under its erasure secret alone, for a key service. */
    WrappedKey wrapForService(DataKey key, ObjectName object, EncryptionContext context)
            throws IOException {
        return wrap(current(), key, object, OF_SERVICE, "", 0, context);
    }

    private WrappedKey wrap(
            State now,
            DataKey key,
            ObjectName object,
            byte[] named,
            String name,
            int version,
            EncryptionContext context) {
        Leaf leaf = leaf(now.tree, object);
        byte[] fresh = new byte[Aead.NONCE_BYTES];
        random.nextBytes(fresh);
        Bytes nonce = Bytes.of(fresh);
        Bytes encrypted =
                Aead.encrypt(
                        DataKey.mac(named, LABEL, leaf.secret),
                        nonce,
                        context.associatedData(),
                        Bytes.of(key.secret()));
        return new WrappedKey(
                name, version, leaf.generation, context, new ByKeyring(nonce, encrypted));
    }

    /**
     * Opens a data key that a named key or the customer's key wraps. Those of named keys are kept
     * until the next change of the keyring.
     */
    DataKey open(
            WrappedKey wrapped, ByKeyring form, ObjectName object, Optional<byte[]> customerKey)
            throws IOException {
        State now = existing();
        if (customerKey.isPresent()) {
            // It proves each time that the caller has the key.
            byte[] leaf = secretOf(now, wrapped, object);
            return open(wrapped, form, customerKey.get(), leaf, Reason.OTHER_KEY);
        }
        Optional<DataKey> known = now.opened.find(wrapped, object);
        if (known.isPresent()) {
            return known.get();
        }
        byte[] leaf = secretOf(now, wrapped, object);
        byte[] named =
                named(now, wrapped.name(), wrapped.version())
                        .orElseThrow(
                                () ->
                                        new KeyGoneException(
                                                Reason.UNKNOWN_KEY,
                                                "the keyring has no version "
                                                        + wrapped.version()
                                                        + " of key "
                                                        + wrapped.name()));
        DataKey opened = open(wrapped, form, named, leaf, Reason.UNKNOWN_KEY);
        now.opened.add(wrapped, object, opened);
        return opened;
    }

    /** Opens a data key that the key service has decrypted. */
    DataKey openOfService(WrappedKey wrapped, ByKeyring inner, ObjectName object)
            throws IOException {
        byte[] leaf = secretOf(existing(), wrapped, object);
        return open(wrapped, inner, OF_SERVICE, leaf, Reason.UNKNOWN_KEY);
    }

    /**
     * Refuses a data key whose erasure secret is gone.
     *
     * @throws KeyGoneException with the reason SHREDDED
     */
    void requireSecret(WrappedKey wrapped, ObjectName object) throws IOException {
        byte[] unused = secretOf(existing(), wrapped, object);
    }

    private DataKey open(
            WrappedKey wrapped, ByKeyring form, byte[] named, byte[] leaf, Reason reason)
            throws IOException {
        Bytes secret =
                Aead.decrypt(
                                DataKey.mac(named, LABEL, leaf),
                                form.nonce(),
                                wrapped.context().associatedData(),
                                form.encrypted())
                        .orElseThrow(
                                () -> new KeyGoneException(reason, "another key encrypted it"));
        return new DataKey(secret.toArray(), random);
    }

    private static byte[] secretOf(State now, WrappedKey wrapped, ObjectName object)
            throws IOException {
        return now.tree
                .secret(object.leaf(wrapped.generation()))
                .orElseThrow(
                        () ->
                                new KeyGoneException(
                                        Reason.SHREDDED, "its data key was destroyed by a shred"));
    }

    private static Optional<byte[]> named(State now, String name, int version) {
        return Optional.ofNullable(now.named.get(name))
                .filter(keys -> version >= 1 && version <= keys.size())
                .map(keys -> keys.get(version - 1).toArray());
    }

    private State existing() throws IOException {
        return state.orElseThrow(
                () ->
                        new KeyGoneException(
                                Reason.UNKNOWN_KEY,
                                "the keyring of this store is missing: put its file back"));
    }

    private State current() throws IOException {
        return state.isPresent() ? state.get() : beginning();
    }

    /** The leaf of a key that has not been destroyed. */
    private record Leaf(int generation, byte[] secret) {}

    private static Leaf leaf(ErasureTree tree, ObjectName object) {
        for (int generation = 0; ; generation++) {
            Optional<byte[]> secret = tree.secret(object.leaf(generation));
            if (secret.isPresent()) {
                return new Leaf(generation, secret.get());
            }
        }
    }

    private synchronized State beginning() throws IOException {
        State now = made();
        if (state.isEmpty()) {
            save(now);
        }
        return now;
    }

    private State made() {
        return state.orElseGet(
                () -> {
                    TreeMap<String, List<Bytes>> named = new TreeMap<>();
                    named.put(DEFAULT_KEY, List.of(secret()));
                    return new State(named, ErasureTree.of(secret()));
                });
    }

    private Bytes secret() {
        byte[] secret = new byte[Aead.KEY_BYTES];
        random.nextBytes(secret);
        return Bytes.of(secret);
    }

    private void save(State next) throws IOException {
        place.replace(SealedSecret.seal(PURPOSE, PURPOSE, encode(next), master, random));
        state = Optional.of(next);
    }

    private static Bytes encode(State state) {
        ByteWriter out = new ByteWriter().u8(VERSION).u32(state.named.size());
        state.named.forEach(
                (name, keys) -> {
                    out.text(name).u32(keys.size());
                    keys.forEach(out::raw);
                });
        state.tree.encode(out);
        return out.toBytes();
    }

    private static State decode(Bytes plain) throws RefusedException {
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
        return new State(named, tree);
    }
}
