package io.volute.provenance.golden;

import io.volute.provenance.Samples;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.CoSignature;
import io.volute.provenance.anchor.Heads;
import io.volute.provenance.anchor.HeadsFile;
import io.volute.provenance.anchor.MapScan;
import io.volute.provenance.anchor.PrefixMap;
import io.volute.provenance.audit.History;
import io.volute.provenance.chain.BatchTree;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyLists;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Opening;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.secrecy.AuditorKey;
import io.volute.provenance.secrecy.SharedTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Small values, so that a verifier can be built up piece by piece. */
final class Vectors {
    private static final int HEADS = 6;

    private Vectors() {}

    static Map<String, Object> all() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("hash", Domain.ENTRY.hash(Bytes.of("abc")));
        for (SigningKey key : List.of(History.STORE, History.POST_QUANTUM)) {
            String name = key.id().algorithm() == SignatureAlgorithm.ED25519 ? "ed25519" : "mldsa";
            all.put(name + "PublicKey", key.publicKey().bytes());
            all.put(name + "KeyId", key.id().keyId());
            all.put(name + "Signature", key.sign(Domain.BATCH_SIGNATURE, Bytes.of("abc")));
        }
        all.put("ed25519Refused", WeakSignatures.ALL);
        ChainIdentity identity = Samples.identity("a/é");
        all.put("identity", identity.encode());
        all.put("chainId", identity.chainId());
        links(all);
        batches(all);
        Opening opening = new Opening(Bytes.of("r".repeat(32)), Bytes.of("secret"));
        all.put("commitment", opening.commitment());
        all.put("slotHash", Domain.SLOT.hash(Bytes.of("slot")));
        keyLists(all);
        sharedTrees(all);
        checkpoint(all);
        headsFiles(all);
        return all;
    }

    private static Hash hash(int number) {
        return Hash.ofContent(new byte[] {(byte) number});
    }

    private static void links(Map<String, Object> all) {
        all.put("linkFirst", Spiral.link(hash(0), List.of()));
        all.put("linkOverTwo", Spiral.link(hash(0), List.of(hash(1), hash(2))));
        Hash absent = Spiral.dimension(2, hash(0), Optional.empty());
        Hash present = Spiral.dimension(2, hash(0), Optional.of(hash(1)));
        all.put("dimensionAbsent", absent);
        all.put("dimensionPresent", present);
        all.put("combined", Spiral.combined(List.of(absent, present)));
    }

    private static void batches(Map<String, Object> all) {
        List<Object> roots = new ArrayList<>();
        List<Hash> links = new ArrayList<>();
        for (int leaves = 1; leaves <= 9; leaves++) {
            links.add(hash(leaves));
            roots.add(new BatchTree(links).root());
        }
        all.put("batchRoots", roots);
    }

    private static void keyLists(Map<String, Object> all) {
        try {
            KeyList old = KeyLists.versionOne();
            all.put("keyListVersion1", old.encode());
            all.put("keyListVersion1Root", old.root().keyId());
        } catch (RefusedException e) {
            throw new IllegalStateException(e);
        }
        all.put("keyList", KeyLists.BOTH.encode());
        all.put("keyListRoot", KeyLists.BOTH.root().keyId());
        all.put("keyListRefused", KeyLists.forged());
    }

    private static void sharedTrees(Map<String, Object> all) {
        SecureRandom random = new SeededRandom(7);
        List<Bytes> auditors = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            auditors.add(AuditorKey.generate(random).publicKey());
        }
        SharedTree tree = SharedTree.plant(auditors, random);
        byte[] old = tree.encode().toArray();
        old[0] = 1;
        all.put("sharedTree", tree.encode());
        all.put("sharedTreeId", tree.tree().id());
        all.put("sharedTreeVersion1", Bytes.of(old));
        try {
            all.put("sharedTreeVersion1Id", SharedTree.decode(Bytes.of(old)).tree().id());
        } catch (RefusedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Gives the same bytes in every run. */
    private static final class SeededRandom extends SecureRandom {
        private static final long serialVersionUID = 1L;

        private final Random random;

        SeededRandom(long seed) {
            random = new Random(seed);
        }

        @Override
        public void nextBytes(byte[] bytes) {
            random.nextBytes(bytes);
        }
    }

    private static void checkpoint(Map<String, Object> all) {
        PrefixMap map = PrefixMap.EMPTY;
        for (int i = 1; i <= HEADS; i++) {
            map = map.with(hash(i), head(i));
        }
        all.put("mapRoot", map.root());
        List<Object> proofs = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            proofs.add(map.find(hash(i)).encode());
        }
        all.put("mapProofs", proofs);
        try {
            SigningKey notary = Samples.key(SignatureAlgorithm.ED25519, "notary");
            KeyGrant grant =
                    new KeyGrant(notary.publicKey(), KeyRole.WITNESS, "notary", 0, KeyGrant.OPEN);
            KeyList keys =
                    History.keys()
                            .with(grant, 5, List.of(History.STORE, History.POST_QUANTUM, notary));
            List<SigningKey> signers = List.of(History.STORE, History.POST_QUANTUM);
            Checkpoint first =
                    Checkpoint.sign(Optional.empty(), 1_000, 2_000, map.mapRoot(), keys, signers);
            Checkpoint second =
                    Checkpoint.sign(Optional.of(first), 3_000, 4_000, map.mapRoot(), keys, signers);
            all.put("checkpointKeys", keys.encode());
            all.put("checkpoint", first.encode());
            all.put("checkpointHash", first.hash());
            all.put("checkpointNext", second.witnessed(notary).encode());
            all.put("checkpointRefused", refusedCheckpoints(map, keys));
            Checkpoint fork =
                    Checkpoint.sign(Optional.of(first), 3_001, 4_000, map.mapRoot(), keys, signers);
            all.put("witnessKey", notary.publicKey().bytes());
            all.put("coSignature", CoSignature.of(second, notary).encode());
            all.put("coSignatureRefused", refused(first, second, fork, notary));
        } catch (RefusedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Checkpoints of a forger who has the keys of Ed25519, while ML-DSA-65 is in force. */
    private static Map<String, Object> refusedCheckpoints(PrefixMap map, KeyList keys)
            throws RefusedException {
        // The second record is of the key of Ed25519, the third of that of ML-DSA-65.
        List<Bytes> two = List.of(keys.record(0), keys.record(1));
        KeyList cut = KeyList.of(two, keys.root());
        List<SigningKey> alone = List.of(History.STORE);
        List<SigningKey> both = List.of(History.STORE, History.POST_QUANTUM);
        Map<String, Object> refused = new LinkedHashMap<>();
        refused.put("ed25519Alone", forged(map, keys, 2_000, alone));
        refused.put("keyListCutShort", forged(map, cut, 2_000, alone));
        refused.put("beforeTheKeyList", forged(map, cut, 0, alone));
        refused.put("laterKeys", forged(map, keys, 5, both));
        return refused;
    }

    private static Bytes forged(
            PrefixMap map, KeyList keys, long commit, List<SigningKey> signers) {
        return Checkpoint.sign(Optional.empty(), 1_000, commit, map.mapRoot(), keys, signers)
                .encode();
    }

    /** Returns encodings that are not a co-signature of the second checkpoint by the notary. */
    private static Map<String, Object> refused(
            Checkpoint first, Checkpoint second, Checkpoint fork, SigningKey notary) {
        CoSignature good = CoSignature.of(second, notary);
        Bytes another = CoSignature.of(fork, notary).signature();
        Bytes whole = good.encode();
        Map<String, Object> refused = new LinkedHashMap<>();
        refused.put("replayed", CoSignature.of(first, notary).encode());
        refused.put("forked", CoSignature.of(fork, notary).encode());
        refused.put("anotherKey", CoSignature.of(second, History.BOB).encode());
        refused.put("forged", with(good, good.signer(), another).encode());
        Bytes bobs = CoSignature.of(second, History.BOB).signature();
        refused.put("inTheNameOfAnother", with(good, good.signer(), bobs).encode());
        Bytes byStore = History.STORE.sign(Domain.CHECKPOINT_SIGNATURE, second.signedBytes());
        refused.put("byTheStore", with(good, History.STORE.id(), byStore).encode());
        refused.put("cut", Bytes.of(Arrays.copyOf(whole.toArray(), whole.length() - 1)));
        refused.put("leftOver", new ByteWriter().raw(whole).u8(0).toBytes());
        return refused;
    }

    private static CoSignature with(CoSignature of, SignerId signer, Bytes signature) {
        return new CoSignature(of.storeId(), of.number(), of.checkpoint(), signer, signature);
    }

    private static ChainHead head(int number) {
        return new ChainHead(number, hash(100 + number));
    }

    /** Adds the heads file of the map above and an empty one. */
    private static void headsFiles(Map<String, Object> all) {
        Heads heads =
                visitor -> {
                    for (int i = 1; i <= HEADS; i++) {
                        visitor.head(hash(i), head(i));
                    }
                };
        all.put("headsFile", headsFile(heads, HEADS));
        all.put("headsFileEmpty", headsFile(visitor -> {}, 0));
    }

    private static Bytes headsFile(Heads heads, int count) {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try {
            HeadsFile.write(new MapScan(heads), count, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Bytes.of(file.toByteArray());
    }
}
