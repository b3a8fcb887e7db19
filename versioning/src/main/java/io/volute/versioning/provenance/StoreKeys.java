package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.BATCHES;
import static io.volute.versioning.rows.Families.CHECKPOINTS;
import static io.volute.versioning.rows.Families.ENTRIES;
import static io.volute.versioning.rows.Families.KEY_LIST;
import static io.volute.versioning.rows.Families.SEALED_KEYS;

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
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
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

/**
 * The keys that sign for a store: the list of public keys and the sealed private ones. Both are
 * rows, so that a rotation is one commit. Thread-safe.
 */
public final class StoreKeys {
    private static final byte[] NOTHING = {};

    /** Maximum wait of writers for a checkpoint that waits for another writer. */
    private static final Duration WRITERS_WAIT_MAX = Duration.ofSeconds(2);

    private final Cube cube;
    private final ProvenanceSettings settings;

    /**
     * Held shared from the making of an entry, which names its signers, to the end of its commit.
     * Fair, because with overlapping writers it would never be free.
     */
    private final ReentrantReadWriteLock rotation = new ReentrantReadWriteLock(true);

    private volatile KeyList list;
    private volatile List<SigningKey> own;
    private volatile BatchSigner signer;

    private StoreKeys(Cube cube, ProvenanceSettings settings, KeyList list, List<SigningKey> own) {
        this.cube = cube;
        this.settings = settings;
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
        List<Bytes> records = details(cube, KEY_LIST);
        try {
            if (records.isEmpty()) {
                requireNoHistory(cube);
                return isWritable && settings.isOn()
                        ? Optional.of(begin(cube, settings))
                        : Optional.empty();
            }
            KeyList list =
                    KeyList.of(records, KeyRecord.decode(records.getFirst()).grant().key().id());
            List<SigningKey> own = new ArrayList<>();
            List<SignerId> ended = new ArrayList<>();
            for (Bytes each : details(cube, SEALED_KEYS)) {
                SealedKey sealed = SealedKey.decode(each);
                Optional<KeyGrant> grant =
                        list.find(sealed.id()).filter(it -> it.role() == KeyRole.STORE);
                if (grant.filter(it -> it.validUntil() == KeyGrant.OPEN).isPresent()) {
                    own.add(sealed.open(settings.master(), list.storeId()));
                } else if (grant.isPresent()) {
                    ended.add(sealed.id());
                }
            }
            if (own.isEmpty()) {
                throw new RefusedException("all signing keys are missing");
            }
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
     * Refuses a store whose key list was removed: otherwise it would silently sign as another
     * store.
     */
    private static void requireNoHistory(Cube cube) throws IOException {
        for (Family family : List.of(SEALED_KEYS, ENTRIES, BATCHES, CHECKPOINTS)) {
            try (RecordCursor cursor = cube.scan(family, NOTHING, NOTHING)) {
                if (cursor.next()) {
                    throw new IOException(
                            "the key list of this store is missing, but its signed history ("
                                    + family.name()
                                    + ") exists: the data directory was changed. Restore it"
                                    + " from a copy; an auditor has the list as the file keys");
                }
            }
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
        KeyList list = KeyList.begin(Bytes.of(storeId), own.getFirst(), now);
        for (SigningKey key : own.subList(1, own.size())) {
            list = list.with(grant(key, now), now, List.of(own.getFirst(), key));
        }
        StoreKeys keys = new StoreKeys(cube, settings, list, own);
        keys.write(0, own, List.of());
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
                longer = longer.with(grant(key, now + 1), now, List.of(old.getFirst(), key));
            }
            for (SigningKey key : old.reversed()) {
                KeyGrant ended = longer.find(key.id()).orElseThrow().until(now + 1);
                longer = longer.with(ended, now, List.of(old.getFirst()));
            }
            list = longer;
            try {
                write(before.size(), fresh, old.stream().map(SigningKey::id).toList());
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
            list = before.with(grant.apply(now), now, List.of(own.getFirst()));
            try {
                write(before.size(), List.of(), List.of());
            } catch (IOException | RuntimeException e) {
                list = before;
                throw e;
            }
        } finally {
            rotation.writeLock().unlock();
        }
    }

    /**
     * Writes records of the list from one on and new private keys, and destroys old ones, in one
     * commit.
     */
    private void write(int from, List<SigningKey> fresh, List<SignerId> ended) throws IOException {
        // Also on a full store, which must open before anything can be deleted from it.
        Transaction transaction = new Transaction().makingRoom();
        for (int number = from; number < list.size(); number++) {
            byte[] record = list.record(number).toArray();
            transaction.put(KEY_LIST, RowKeys.number(number), NOTHING, record, List.of());
        }
        for (SigningKey key : fresh) {
            byte[] sealed =
                    SealedKey.seal(key, list.storeId(), settings.master(), settings.random())
                            .encode()
                            .toArray();
            transaction.put(SEALED_KEYS, key.id().keyId().toArray(), NOTHING, sealed, List.of());
        }
        ended.forEach(each -> transaction.delete(SEALED_KEYS, each.keyId().toArray()));
        Commits.join(cube, transaction);
    }

    /** Removes ended private keys that an older version of the program left. */
    private void destroy(List<SignerId> ended) throws IOException {
        if (!ended.isEmpty()) {
            write(list.size(), List.of(), ended);
        }
    }

    private static List<Bytes> details(Cube cube, Family family) throws IOException {
        List<Bytes> all = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(family, NOTHING, NOTHING)) {
            while (cursor.next()) {
                all.add(Bytes.of(cube.readDetail(family, cursor.key(), cursor.record())));
            }
        }
        return all;
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
