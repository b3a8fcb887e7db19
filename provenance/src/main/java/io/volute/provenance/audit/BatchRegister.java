package io.volute.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.SignerId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The last batches that an audit has been given. A signature is verified once, when needed. */
final class BatchRegister {
    static final int COUNT_MAX = 1_024;

    private final LinkedHashMap<Key, Batch> batches = new LinkedHashMap<>();

    private record Key(Bytes storeId, Hash root, int leaves) {}

    private record Batch(BatchRecord record, Set<SignerId> good, Set<SignerId> bad) {}

    void add(BatchRecord record) {
        Key key = new Key(record.storeId(), record.root(), record.leaves());
        batches.remove(key);
        batches.put(key, new Batch(record, new HashSet<>(), new HashSet<>()));
        if (batches.size() > COUNT_MAX) {
            Map.Entry<Key, Batch> oldest = batches.entrySet().iterator().next();
            batches.remove(oldest.getKey());
        }
    }

    boolean has(Bytes storeId, Hash root, int leaves) {
        return batches.containsKey(new Key(storeId, root, leaves));
    }

    /** Returns whether a registered batch has a valid signature of this key. */
    boolean isSigned(Bytes storeId, Hash root, int leaves, PublicKey key, SignerId signer) {
        Batch batch = batches.get(new Key(storeId, root, leaves));
        if (batch == null || batch.bad.contains(signer)) {
            return false;
        }
        if (batch.good.contains(signer)) {
            return true;
        }
        boolean isGood =
                batch.record
                        .signatures()
                        .of(signer)
                        .filter(
                                each ->
                                        key.verifies(
                                                Domain.BATCH_SIGNATURE,
                                                batch.record.signedBytes(),
                                                each))
                        .isPresent();
        (isGood ? batch.good : batch.bad).add(signer);
        return isGood;
    }
}
