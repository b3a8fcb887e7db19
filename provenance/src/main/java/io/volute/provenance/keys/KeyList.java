package io.volute.provenance.keys;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SignerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * All public keys of a store, each signed in by one before it. Only what has been verified can be
 * in it. Thread-safe; {@link #with} makes another one.
 */
public final class KeyList {
    private static final Bytes MAGIC = new ByteWriter().raw(Bytes.of("VOLKEYS")).u8(1).toBytes();
    private static final int RECORD_BYTES_MAX = 1 << 17;
    private static final int RECORDS_MAX = 100_000;
    private static final String NO_RECORDS = "a key list without records";

    private final List<KeyRecord> records;
    private final Map<SignerId, KeyGrant> grants;

    private KeyList(List<KeyRecord> records, Map<SignerId, KeyGrant> grants) {
        this.records = records;
        this.grants = grants;
    }

    /**
     * Returns the list of a new store.
     *
     * @param first its keys, one of each algorithm in force
     */
    public static KeyList begin(Bytes storeId, List<SigningKey> first, long commitSequence) {
        List<SignerId> ids = first.stream().map(SigningKey::id).sorted().toList();
        KeyList list = new KeyList(List.of(), Map.of());
        try {
            for (int i = 0; i < first.size(); i++) {
                PublicKey key = first.get(i).publicKey();
                KeyRecord record =
                        new KeyRecord(
                                KeyRecord.VERSION,
                                i,
                                i == 0 ? Hash.ZERO : list.last().hash(),
                                storeId,
                                commitSequence,
                                new KeyGrant(key, KeyRole.STORE, "", commitSequence, KeyGrant.OPEN),
                                i == 0 ? ids : List.of(),
                                Signatures.NONE);
                list = list.with(record, first.subList(0, i + 1));
            }
        } catch (RefusedException e) {
            throw new IllegalArgumentException("two keys of a new store are the same", e);
        }
        return list;
    }

    /**
     * Adds a key, or ends one sooner.
     *
     * @param signers a key of each of the store's algorithms that is valid now; and the new key, if
     *     it is one of a store or witness
     * @throws RefusedException when that is not as the rules of the list are
     */
    public KeyList with(KeyGrant grant, long commitSequence, List<SigningKey> signers)
            throws RefusedException {
        KeyRecord record =
                new KeyRecord(
                        KeyRecord.VERSION,
                        records.size(),
                        last().hash(),
                        storeId(),
                        commitSequence,
                        grant,
                        List.of(),
                        Signatures.NONE);
        return with(record, signers);
    }

    private KeyList with(KeyRecord unsigned, List<SigningKey> signers) throws RefusedException {
        KeyRecord record = unsigned;
        for (SigningKey signer : signers) {
            record = record.signedBy(signer);
        }
        List<KeyRecord> longer = new ArrayList<>(records);
        Map<SignerId, KeyGrant> more = new HashMap<>(grants);
        append(record, record.root(), longer, more);
        return new KeyList(List.copyOf(longer), Map.copyOf(more));
    }

    /**
     * Reads a key list and verifies it from its first key on.
     *
     * @param root the identity of the list, known from elsewhere
     * @throws RefusedException if a record is invalid; the message names the record and the reason
     */
    public static KeyList read(Bytes bytes, SignerId root) throws RefusedException {
        return of(split(bytes), root);
    }

    /**
     * Reads a key list like {@link #read(Bytes, SignerId)}, given only the hash in its identity.
     */
    public static KeyList read(Bytes bytes, Hash rootKeyId) throws RefusedException {
        List<Bytes> encoded = split(bytes);
        if (encoded.isEmpty()) {
            throw new RefusedException(NO_RECORDS);
        }
        // The hash covers the algorithm.
        SignerId first = KeyRecord.decode(encoded.getFirst()).root();
        return of(encoded, new SignerId(first.algorithm(), rootKeyId));
    }

    private static List<Bytes> split(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "key list");
        if (!in.raw(MAGIC.length(), "magic").equals(MAGIC)) {
            throw in.refused("no key list");
        }
        List<Bytes> encoded = new ArrayList<>();
        while (in.hasMore()) {
            if (encoded.size() == RECORDS_MAX) {
                throw in.refused("more than " + RECORDS_MAX + " records");
            }
            encoded.add(in.bytes32(1, RECORD_BYTES_MAX, "key record"));
        }
        return encoded;
    }

    /**
     * As {@link #read(Bytes, SignerId)}, of records that were kept one by one.
     *
     * @param encoded as {@link #record} gives them, in their order
     */
    public static KeyList of(List<Bytes> encoded, SignerId root) throws RefusedException {
        List<KeyRecord> records = new ArrayList<>();
        Map<SignerId, KeyGrant> grants = new HashMap<>();
        for (Bytes each : encoded) {
            append(KeyRecord.decode(each), root, records, grants);
        }
        if (records.isEmpty()) {
            throw new RefusedException(NO_RECORDS);
        }
        if (!grants.keySet().containsAll(records.getFirst().firstKeys())) {
            throw new RefusedException("a key list without all of its first keys");
        }
        return new KeyList(List.copyOf(records), Map.copyOf(grants));
    }

    private static void append(
            KeyRecord next, SignerId root, List<KeyRecord> records, Map<SignerId, KeyGrant> grants)
            throws RefusedException {
        if (records.isEmpty()) {
            begin(next, root, grants);
        } else {
            List<SignerId> firstKeys = records.getFirst().firstKeys();
            require(
                    next,
                    next.number() >= firstKeys.size()
                            || firstKeys.contains(next.grant().key().id()),
                    "is none of the first keys");
            admit(next, records.getLast(), grants);
        }
        records.add(next);
    }

    private static void begin(KeyRecord first, SignerId root, Map<SignerId, KeyGrant> grants)
            throws RefusedException {
        KeyGrant grant = first.grant();
        require(
                first,
                first.number() == 0 && first.previous().equals(Hash.ZERO),
                "is no first one");
        require(first, grant.role() == KeyRole.STORE, "is no key of a store");
        require(first, first.root().equals(root), "is not the requested key");
        require(
                first,
                first.version() == 1 || first.firstKeys().contains(grant.key().id()),
                "is none of the first keys");
        require(first, first.isSignedBy(grant.key()), "is not signed by its own key");
        grants.put(grant.key().id(), grant);
    }

    private static void admit(KeyRecord next, KeyRecord before, Map<SignerId, KeyGrant> grants)
            throws RefusedException {
        KeyGrant grant = next.grant();
        require(next, next.number() == before.number() + 1, "does not follow its predecessor");
        require(next, next.previous().equals(before.hash()), "names another predecessor");
        require(next, next.storeId().equals(before.storeId()), "is of another store");
        require(next, next.commitSequence() >= before.commitSequence(), "goes back in time");
        require(next, next.version() >= before.version(), "is of an older version");
        Set<SignatureAlgorithm> signed = algorithmsOfSigners(next, grants);
        require(next, !signed.isEmpty(), "is signed by no valid key of the store");
        require(
                next,
                next.version() == 1
                        || signed.containsAll(inForce(grants.values(), next.commitSequence())),
                "is not signed by every algorithm in force");
        KeyGrant known = grants.get(grant.key().id());
        if (known == null) {
            boolean needsOwn = grant.role() == KeyRole.STORE || grant.role() == KeyRole.WITNESS;
            require(next, !needsOwn || next.isSignedBy(grant.key()), "lacks its own signature");
        } else {
            require(next, grant.shortens(known), "changes more of a key than its end");
        }
        grants.put(grant.key().id(), grant);
    }

    private static Set<SignatureAlgorithm> algorithmsOfSigners(
            KeyRecord next, Map<SignerId, KeyGrant> grants) {
        return inForce(
                next.signatures().bySigner().keySet().stream()
                        .map(grants::get)
                        .filter(each -> each != null && next.isSignedBy(each.key()))
                        .toList(),
                next.commitSequence());
    }

    /** Returns the algorithms of those that are the store's keys and valid at a commit. */
    private static Set<SignatureAlgorithm> inForce(Collection<KeyGrant> grants, long commit) {
        return grants.stream()
                .filter(each -> each.role() == KeyRole.STORE && each.isValidAt(commit))
                .map(each -> each.key().algorithm())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void require(KeyRecord record, boolean is, String otherwise)
            throws RefusedException {
        if (!is) {
            throw new RefusedException("key record " + record.number() + " " + otherwise);
        }
    }

    public Optional<KeyGrant> find(SignerId signer) {
        return Optional.ofNullable(grants.get(signer));
    }

    /**
     * Returns the algorithms of the store's keys that are valid at a commit.
     *
     * @param count number of records that are taken into account, from the first one on
     */
    public Set<SignatureAlgorithm> algorithms(int count, long commit) {
        Map<SignerId, KeyGrant> known = new HashMap<>();
        for (KeyRecord each : records.subList(0, count)) {
            known.put(each.grant().key().id(), each.grant());
        }
        return inForce(known.values(), commit);
    }

    /** Returns the number of records that were made before a commit. */
    public int sizeBefore(long commit) {
        return (int) records.stream().filter(each -> each.commitSequence() < commit).count();
    }

    /** The keys of a role that have no end, in the order in which they came. */
    public List<KeyGrant> open(KeyRole role) {
        return records.stream()
                .map(each -> each.grant().key().id())
                .distinct()
                .map(grants::get)
                .filter(each -> each.role() == role && each.validUntil() == KeyGrant.OPEN)
                .toList();
    }

    public Bytes storeId() {
        return records.getFirst().storeId();
    }

    public int size() {
        return records.size();
    }

    /** Returns the {@linkplain KeyRecord#root identity} of the list. */
    public SignerId root() {
        return records.getFirst().root();
    }

    /** The bytes of a record. */
    public Bytes record(int number) {
        return records.get(number).encode();
    }

    /** Returns the hash by which a checkpoint identifies the first {@code count} records. */
    public Hash hash(int count) {
        return records.get(count - 1).hash();
    }

    private KeyRecord last() {
        return records.getLast();
    }

    public Bytes encode() {
        ByteWriter out = new ByteWriter().raw(MAGIC);
        records.forEach(each -> out.bytes32(each.encode()));
        return out.toBytes();
    }
}
