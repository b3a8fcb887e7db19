package io.volute.versioning.provenance;

import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRecord;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.keys.SealedKey;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that sign for a store: the list of public keys and the sealed private ones. Both are
 * rows, so that a rotation is one commit. Thread-safe.
 */
public final class StoreKeys {
    private static final Logger LOG = LoggerFactory.getLogger(StoreKeys.class);

    /** Maximum wait of writers for a checkpoint that waits for another writer. */
    private static final Duration WRITERS_WAIT_MAX = Duration.ofSeconds(2);

    private final Cube cube;
    private final ProvenanceSettings settings;

    /**
     * Held shared from the making of an entry, which names its signers, to the end of its commit.
     * Fair, because with overlapping writers it would never be free.
     */
    private final ReentrantReadWriteLock rotation = new ReentrantReadWriteLock(true);

    private final KeyRows rows;
    private volatile KeyList list;
    private volatile List<SigningKey> own;
    private volatile BatchSigner signer;

    private StoreKeys(Cube cube, ProvenanceSettings settings, KeyList list, List<SigningKey> own) {
        this.cube = cube;
        this.settings = settings;
        this.rows = new KeyRows(cube, settings);
        this.list = list;
        sign(own);
    }

    private void sign(List<SigningKey> with) {
        own = List.copyOf(with);
        signer = new BatchSigner(with);
    }

    /**
     * Opens the keys of a store. Makes them if there are none, and rotates them if the settings
     * name other algorithms. A read-only store, and one whose settings name no algorithm, keeps its
     * keys.
     *
     * @return empty when there are none and none can be made
     * @throws IOException when the master key does not open them; the message has the next step
     */
    static Optional<StoreKeys> open(Cube cube, ProvenanceSettings settings) throws IOException {
        boolean isWritable = cube.state() == CubeState.HEALTHY;
        KeyRows rows = new KeyRows(cube, settings);
        List<Bytes> records = rows.list();
        try {
            if (records.isEmpty()) {
                rows.requireNoHistory();
                return isWritable && settings.isOn()
                        ? Optional.of(begin(cube, settings))
                        : Optional.empty();
            }
            KeyList list = KeyList.of(records, KeyRecord.decode(records.getFirst()).root());
            List<SigningKey> own = new ArrayList<>();
            List<SignerId> ended = new ArrayList<>();
            for (Bytes each : rows.sealedKeys()) {
                SealedKey sealed = SealedKey.decode(each);
                Optional<KeyGrant> grant =
                        list.find(sealed.id()).filter(it -> it.role() == KeyRole.STORE);
                if (grant.filter(it -> it.validUntil() == KeyGrant.OPEN).isPresent()) {
                    own.add(sealed.open(settings.master(), list.storeId()));
                } else if (grant.isPresent()) {
                    ended.add(sealed.id());
                }
            }
            requireAll(list.open(KeyRole.STORE), own);
            StoreKeys keys = new StoreKeys(cube, settings, list, own);
            if (isWritable) {
                keys.destroy(ended);
            }
            boolean areOthers = !algorithms(own).equals(settings.algorithms());
            if (isWritable && areOthers && settings.isOn()) {
                keys.rotate();
            }
            return Optional.of(keys);
        } catch (RefusedException e) {
            throw new IOException(
                    "the signing keys of the store cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Reads the key list of a cube, also of the view of one.
     *
     * @return empty when it has none
     * @throws RefusedException when it is not what the keys of the store have signed
     */
    public static Optional<KeyList> list(Cube cube, ProvenanceSettings settings)
            throws IOException {
        List<Bytes> records = new KeyRows(cube, settings).list();
        return records.isEmpty()
                ? Optional.empty()
                : Optional.of(KeyList.of(records, KeyRecord.decode(records.getFirst()).root()));
    }

    /** Returns the number of records of the key list of a cube, which {@link #list} reads. */
    public static int records(Cube cube) {
        return KeyRows.count(cube);
    }

    /** Refuses a store that lost a signing key: it could not sign what every algorithm must. */
    private static void requireAll(List<KeyGrant> valid, List<SigningKey> own)
            throws RefusedException {
        Set<SignerId> held = own.stream().map(SigningKey::id).collect(Collectors.toSet());
        for (KeyGrant each : valid) {
            if (!held.contains(each.key().id())) {
                throw new RefusedException(
                        "the private key of "
                                + each.key().id()
                                + " is missing: the data directory was changed. Restore it from a"
                                + " copy");
            }
        }
        if (own.isEmpty()) {
            throw new RefusedException("the key list has no valid key of the store");
        }
    }

    private static Set<SignatureAlgorithm> algorithms(List<SigningKey> keys) {
        return keys.stream().map(each -> each.id().algorithm()).collect(Collectors.toSet());
    }

    private static StoreKeys begin(Cube cube, ProvenanceSettings settings)
            throws IOException, RefusedException {
        byte[] storeId = new byte[ChainIdentity.STORE_ID_BYTES];
        settings.random().nextBytes(storeId);
        List<SigningKey> own = newKeys(settings);
        long now = cube.lastSequence();
        KeyList list = KeyList.begin(Bytes.of(storeId), own, now);
        StoreKeys keys = new StoreKeys(cube, settings, list, own);
        if (keys.rows.haveBuckets()) {
            LOG.warn(
                    "this store has buckets and had no signing keys: its new identity is {}. If it"
                            + " had another one, the data directory was changed",
                    list.root());
        }
        keys.rows.write(list, 0, own, List.of());
        return keys;
    }

    private static List<SigningKey> newKeys(ProvenanceSettings settings) {
        return settings.algorithms().stream()
                .sorted()
                .map(each -> SigningKey.generate(each, settings.random()))
                .toList();
    }

    private static KeyGrant grant(SigningKey key, long from) {
        return new KeyGrant(key.publicKey(), KeyRole.STORE, "", from, KeyGrant.OPEN);
    }

    /**
     * Makes new signing keys and ends the old ones. Waits for all writers, and they wait for it.
     *
     * @throws IOException when the commit fails; then the old keys continue to sign
     */
    public void rotate() throws IOException {
        rotation.writeLock().lock();
        try {
            KeyList before = list;
            List<SigningKey> old = own;
            long now = cube.lastSequence();
            List<SigningKey> fresh = newKeys(settings);
            KeyList longer = before;
            for (SigningKey key : fresh) {
                List<SigningKey> signers = new ArrayList<>(old);
                signers.add(key);
                longer = longer.with(grant(key, now + 1), now, signers);
            }
            for (SigningKey key : old.reversed()) {
                KeyGrant ended = longer.find(key.id()).orElseThrow().until(now + 1);
                longer = longer.with(ended, now, old);
            }
            list = longer;
            try {
                rows.write(list, before.size(), fresh, old.stream().map(SigningKey::id).toList());
            } catch (IOException | RuntimeException e) {
                list = before;
                throw e;
            }
            sign(fresh);
        } catch (RefusedException e) {
            throw new IllegalStateException("keys that the own list refuses", e);
        } finally {
            rotation.writeLock().unlock();
        }
    }

    /**
     * Adds a principal's public key: from now on its signatures are accepted.
     *
     * @throws RefusedException when the key is there already, or unusable
     */
    public void addPrincipal(String principal, PublicKey key) throws IOException {
        if (!key.isUsable()) {
            throw new RefusedException(
                    "that key is no point of the prime order of its curve: make another key");
        }
        change(now -> new KeyGrant(key, KeyRole.PRINCIPAL, principal, now + 1, KeyGrant.OPEN));
    }

    /**
     * Ends a principal's key; its earlier signatures stay valid.
     *
     * @throws RefusedException when no principal has such a key
     */
    public void endPrincipal(SignerId id) throws IOException {
        KeyGrant known =
                list.find(id)
                        .filter(each -> each.role() == KeyRole.PRINCIPAL)
                        .orElseThrow(
                                () -> new RefusedException("no key " + id + " of a principal"));
        change(now -> known.until(now + 1));
    }

    /**
     * Adds an auditor's public key: later entries are encrypted for it, too.
     *
     * @throws RefusedException when the key was registered before, the name is taken, or there are
     *     64
     */
    public synchronized void addAuditor(String name, PublicKey key) throws IOException {
        List<KeyGrant> auditors = list.open(KeyRole.AUDITOR);
        if (auditors.stream().anyMatch(each -> each.owner().equals(name))) {
            throw new RefusedException("there is an auditor " + name + "; end that one first");
        }
        if (auditors.size() == SharedTree.AUDITORS_MAX) {
            throw new RefusedException(
                    "there are " + auditors.size() + " auditors, the maximum; end one first");
        }
        if (list.find(key.id()).isPresent()) {
            throw new RefusedException("that key was registered before: make a new one");
        }
        change(now -> new KeyGrant(key, KeyRole.AUDITOR, name, now + 1, KeyGrant.OPEN));
    }

    /**
     * Ends an auditor, who can read earlier encrypted fields and no later ones.
     *
     * @throws RefusedException when no auditor has that name
     */
    public synchronized void endAuditor(String name) throws IOException {
        KeyGrant known =
                list.open(KeyRole.AUDITOR).stream()
                        .filter(each -> each.owner().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new RefusedException("there is no auditor " + name));
        change(now -> known.until(now + 1));
    }

    private void change(LongFunction<KeyGrant> grant) throws IOException {
        rotation.writeLock().lock();
        try {
            KeyList before = list;
            long now = cube.lastSequence();
            list = before.with(grant.apply(now), now, own);
            try {
                rows.write(list, before.size(), List.of(), List.of());
            } catch (IOException | RuntimeException e) {
                list = before;
                throw e;
            }
        } finally {
            rotation.writeLock().unlock();
        }
    }

    /** Removes ended private keys that an older version of the program left. */
    private void destroy(List<SignerId> ended) throws IOException {
        if (!ended.isEmpty()) {
            rows.write(list, list.size(), List.of(), ended);
        }
    }

    public ProvenanceSettings settings() {
        return settings;
    }

    /** Returns the public keys, for auditors. */
    public KeyList list() {
        return list;
    }

    public Bytes storeId() {
        return list.storeId();
    }

    /**
     * Returns the present signer of batches. The maker of an entry calls {@link #share} and holds
     * it until the commit has ended.
     */
    BatchSigner signer() {
        return signer;
    }

    /**
     * The signing keys as of a commit.
     *
     * @param sequence sequence of the last commit then
     */
    public record Signing(long sequence, KeyList list, List<SigningKey> keys) {}

    /** Returns the present signing keys. */
    public Signing signing() {
        rotation.readLock().lock();
        try {
            return new Signing(cube.lastSequence(), list, own);
        } finally {
            rotation.readLock().unlock();
        }
    }

    /**
     * Returns the signing keys at an instant without a pending entry: later entries name this
     * commit or a later one. Waits for writers, and they wait for it. Needed for checkpoints, which
     * are signed later than they begin.
     *
     * @throws IOException when writers are blocked, for example by a full store, and must not also
     *     wait for a checkpoint
     */
    Signing signingAlone() throws IOException {
        try {
            if (!rotation.writeLock().tryLock(WRITERS_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("writes are held up: no checkpoint between them now");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        try {
            return new Signing(cube.lastSequence(), list, own);
        } finally {
            rotation.writeLock().unlock();
        }
    }

    /**
     * Locks the signing keys from the making of an entry to the end of its commit. Run the result
     * in the same thread to unlock them.
     */
    Runnable share() {
        rotation.readLock().lock();
        return rotation.readLock()::unlock;
    }
}
