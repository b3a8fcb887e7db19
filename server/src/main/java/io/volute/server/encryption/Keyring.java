package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedSecret;
import io.volute.provenance.secrecy.Aead;
import io.volute.server.encryption.KeyGoneException.Reason;
import io.volute.server.encryption.KeyringState.Leaf;
import io.volute.server.encryption.WrappedKey.ByKeyring;
import io.volute.versioning.Openings.Fit;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The keys that wrap data keys: named keys with versions, and the {@link ErasureTree}. A data key
 * is wrapped with a key that is derived from a named key (or the customer's) and from the secret of
 * its object's leaf, so that destroying the leaf destroys the data keys of all states of the
 * object.
 *
 * <p>The keyring lies in one sealed file that each change replaces. It is made when it is first
 * needed. Other servers may have the same file: a change begins again if another server was faster,
 * and a data key of an unknown named key is looked for in the newest file. Thread-safe.
 */
public final class Keyring {
    /** The named key of SSE-S3, and of SSE-KMS without a key id. */
    public static final String DEFAULT_KEY = "aws/s3";

    private static final String PURPOSE = "keyring";
    static final byte[] LABEL = Domain.prefix("data-key");

    /** Takes the place of a named key below the encryption of a key service. It is no secret. */
    private static final byte[] OF_SERVICE = Domain.prefix("data-key-of-service");

    /**
     * The keyring as it was read or written last.
     *
     * @param state empty before the first change
     */
    private record Known(Optional<KeyringState> state, int version) {}

    private final KeyringPlace place;
    private final MasterKey master;
    private final SecureRandom random;
    private volatile Known known;

    private Keyring(KeyringPlace place, MasterKey master, SecureRandom random) throws IOException {
        this.place = place;
        this.master = master;
        this.random = random;
        this.known = read();
    }

    /**
     * Reads the keyring.
     *
     * @param master seals it
     * @throws IOException if it cannot be read or was sealed with another master key
     */
    public static Keyring open(KeyringPlace place, MasterKey master, SecureRandom random)
            throws IOException {
        return new Keyring(place, master, random);
    }

    private Known read() throws IOException {
        Optional<KeyringPlace.Stored> stored = place.load();
        if (stored.isEmpty()) {
            return new Known(Optional.empty(), KeyringPlace.ABSENT);
        }
        try {
            Bytes plain = SealedSecret.open(PURPOSE, PURPOSE, stored.get().sealed(), master);
            return new Known(Optional.of(KeyringState.decode(plain)), stored.get().version());
        } catch (RefusedException e) {
            throw new IOException(
                    "the keyring "
                            + place
                            + " cannot be opened: it belongs to another master key, or is damaged;"
                            + " put back both files of the same store (every backup has the"
                            + " keyring). If it is lost, so are encrypted objects: move the file"
                            + " away, and start once with encryption.on-missing-keyring ="
                            + " begin-anew",
                    e);
        }
    }

    /** Returns whether a named key exists; the default key always does. */
    public boolean has(String name) {
        return name.equals(DEFAULT_KEY)
                || known.state.map(each -> each.named().containsKey(name)).orElse(false);
    }

    /** Returns the names of the named keys with their number of versions. */
    public TreeMap<String, Integer> names() {
        TreeMap<String, Integer> names = new TreeMap<>();
        known.state.ifPresent(
                each -> each.named().forEach((name, keys) -> names.put(name, keys.size())));
        return names;
    }

    /** Returns the sealed keyring as it is in its place; empty when there is none yet. */
    public Optional<Bytes> stored() throws IOException {
        return place.load().map(KeyringPlace.Stored::sealed);
    }

    /**
     * Reads the keyring again if another server has changed it. Keys that it does not have any more
     * are then gone from the memory of this server, and so are the data keys that they opened.
     *
     * @return the version that this server has now
     */
    public synchronized int refresh() throws IOException {
        if (!place.isNewest(known.version)) {
            reload();
        }
        return known.version;
    }

    private void reload() throws IOException {
        Known newest = read();
        if (newest.state.isEmpty() && known.state.isPresent()) {
            throw new IOException("the keyring of this store is gone: put its file back");
        }
        known = newest;
    }

    /** A change of a state; empty if there is nothing to change. Called again on a conflict. */
    private interface Change extends Function<KeyringState, Optional<KeyringState>> {}

    /** Changes the newest keyring, which is made if there is none. Returns it. */
    private synchronized Known change(Change change) throws IOException {
        while (true) {
            Optional<KeyringState> now = known.state;
            KeyringState before = now.orElseGet(this::made);
            Optional<KeyringState> changed = change.apply(before);
            if (changed.isEmpty() && now.isPresent()) {
                return known;
            }
            KeyringState next = changed.orElse(before);
            Bytes sealed = SealedSecret.seal(PURPOSE, PURPOSE, next.encode(), master, random);
            OptionalInt version = place.replace(sealed, known.version);
            if (version.isPresent()) {
                known = new Known(Optional.of(next), version.getAsInt());
                return known;
            }
            reload();
        }
    }

    private KeyringState made() {
        TreeMap<String, List<Bytes>> named = new TreeMap<>();
        named.put(DEFAULT_KEY, List.of(secret()));
        return new KeyringState(named, ErasureTree.of(secret()));
    }

    /** Makes the keyring if there is none. */
    public void make() throws IOException {
        KeyringState unused = current();
    }

    /** Makes the named keys that are missing. */
    public void require(Collection<String> names) throws IOException {
        if (!names.stream().allMatch(this::has)) {
            Known unused = change(now -> with(now, names));
        }
    }

    private Optional<KeyringState> with(KeyringState now, Collection<String> names) {
        Set<String> missing = new TreeSet<>(names);
        missing.removeAll(now.named().keySet());
        KeyringState next = now;
        for (String name : missing) {
            next = next.with(name, secret());
        }
        return missing.isEmpty() ? Optional.empty() : Optional.of(next);
    }

    /**
     * Adds a version to a named key, which new objects use. Older versions stay for the objects
     * that have them.
     *
     * @return the number of the new version
     */
    public int rotate(String name) throws IOException {
        Known changed = change(now -> Optional.of(now.with(name, secret())));
        return changed.state.orElseThrow().named().get(name).size();
    }

    /**
     * Destroys the data keys of the states of an object, whichever key wraps them, on this server
     * and on all others. A write that runs meanwhile may be among them. A repetition changes
     * nothing.
     *
     * @param keys data keys of the states
     * @return the destroyed leaves
     * @throws KeyringPlace.UnconfirmedException if the keys are destroyed, but another server may
     *     have them in memory
     */
    public SortedSet<Long> shred(ObjectName name, Collection<WrappedKey> keys) throws IOException {
        SortedSet<Long> leaves = new TreeSet<>();
        keys.forEach(each -> leaves.add(name.leaf(each)));
        Known changed = change(now -> now.without(leaves));
        place.awaitLoaded(changed.version);
        return leaves;
    }

    /**
     * Compares a data key with the keyring, without a customer or a key service.
     *
     * @param isOfStore whether a named key of the keyring wraps it
     */
    public Fit fit(WrappedKey wrapped, ObjectName object, boolean isOfStore) {
        return known.state.map(each -> each.fit(wrapped, object, isOfStore)).orElse(Fit.OTHER);
    }

    /** Returns a new data key. */
    DataKey newKey() {
        return new DataKey(secret().toArray(), random);
    }

    /** Wraps a data key of an object under a named key, which exists. */
    WrappedKey wrap(DataKey key, ObjectName object, String name, EncryptionContext context)
            throws IOException {
        KeyringState now = current();
        List<Bytes> versions = now.named().get(name);
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
            KeyringState now,
            DataKey key,
            ObjectName object,
            byte[] named,
            String name,
            int version,
            EncryptionContext context) {
        Leaf leaf = now.leaf(object);
        byte[] fresh = new byte[Aead.NONCE_BYTES];
        random.nextBytes(fresh);
        Bytes nonce = Bytes.of(fresh);
        Bytes encrypted =
                Aead.encrypt(
                        DataKey.mac(named, LABEL, leaf.secret()),
                        nonce,
                        context.associatedData(),
                        Bytes.of(key.secret()));
        return new WrappedKey(
                name,
                version,
                object.bucketId(),
                leaf.generation(),
                context,
                new ByKeyring(nonce, encrypted));
    }

    /** A use of one state of the keyring. */
    private interface Use<T> {
        T of(KeyringState now) throws IOException;
    }

    /** Uses the keyring, and once more if it lacks a key and another server has changed it. */
    private <T> T use(Use<T> use) throws IOException {
        Known now = known;
        try {
            return use.of(existing(now));
        } catch (KeyGoneException e) {
            if (e.reason() != Reason.UNKNOWN_KEY || refresh() == now.version) {
                throw e;
            }
            return use.of(existing(known));
        }
    }

    /**
     * Opens a data key that a named key or the customer's key wraps. Those of named keys are kept
     * until the next change of the keyring.
     */
    DataKey open(
            WrappedKey wrapped, ByKeyring form, ObjectName object, Optional<byte[]> customerKey)
            throws IOException {
        // A customer proves each time that it has the key.
        return use(
                now ->
                        customerKey.isPresent()
                                ? open(
                                        wrapped,
                                        form,
                                        customerKey.get(),
                                        secretOf(now, wrapped, object),
                                        Reason.OTHER_KEY)
                                : open(now, wrapped, form, object));
    }

    private DataKey open(KeyringState now, WrappedKey wrapped, ByKeyring form, ObjectName object)
            throws IOException {
        Optional<DataKey> opened = now.opened().find(wrapped, object);
        if (opened.isPresent()) {
            return opened.get();
        }
        byte[] leaf = secretOf(now, wrapped, object);
        byte[] named =
                now.key(wrapped.name(), wrapped.version())
                        .orElseThrow(
                                () ->
                                        new KeyGoneException(
                                                Reason.UNKNOWN_KEY,
                                                "the keyring has no version "
                                                        + wrapped.version()
                                                        + " of key "
                                                        + wrapped.name()));
        DataKey key = open(wrapped, form, named, leaf, Reason.UNKNOWN_KEY);
        now.opened().add(wrapped, object, key);
        return key;
    }

    /** Opens a data key that the key service has decrypted. */
    DataKey openOfService(WrappedKey wrapped, ByKeyring inner, ObjectName object)
            throws IOException {
        return use(
                now ->
                        open(
                                wrapped,
                                inner,
                                OF_SERVICE,
                                secretOf(now, wrapped, object),
                                Reason.UNKNOWN_KEY));
    }

    /**
     * Refuses a data key whose erasure secret is gone.
     *
     * @throws KeyGoneException with the reason SHREDDED
     */
    void requireSecret(WrappedKey wrapped, ObjectName object) throws IOException {
        byte[] unused = use(now -> secretOf(now, wrapped, object));
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

    private static byte[] secretOf(KeyringState now, WrappedKey wrapped, ObjectName object)
            throws IOException {
        return now.tree()
                .secret(object.leaf(wrapped))
                .orElseThrow(
                        () ->
                                new KeyGoneException(
                                        Reason.SHREDDED, "its data key was destroyed by a shred"));
    }

    private static KeyringState existing(Known now) throws IOException {
        return now.state.orElseThrow(
                () ->
                        new KeyGoneException(
                                Reason.UNKNOWN_KEY,
                                "the keyring of this store is missing: put its file back"));
    }

    private KeyringState current() throws IOException {
        Known now = known;
        return now.state.isPresent()
                ? now.state.get()
                : change(made -> Optional.empty()).state.orElseThrow();
    }

    private Bytes secret() {
        byte[] secret = new byte[Aead.KEY_BYTES];
        random.nextBytes(secret);
        return Bytes.of(secret);
    }
}
