package io.volute.benchmarks.micro;

import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.chain.BatchTree;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.SignatureAlgorithm;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The cost of signing one group commit: the Merkle tree and the signature. */
public class BatchSignatures extends Suite {
    private static final Bytes STORE = Bytes.ofHex("000102030405060708090a0b0c0d0e0f");
    private static final int ENTRIES = 32;

    /** The signature algorithm. */
    @Param({"ED25519", "ML_DSA_65"})
    private SignatureAlgorithm algorithm;

    private SigningKey key;
    private BatchSigner signer;
    private List<Hash> links;
    private Bytes message;
    private Bytes signature;

    /** Creates the key and the signed message. */
    @Setup
    public void make() {
        links =
                IntStream.range(0, ENTRIES)
                        .mapToObj(i -> Hash.ofContent(new byte[] {(byte) i}))
                        .toList();
        message = Bytes.of(links.getFirst().toArray());
        key = SigningKey.ofSeed(algorithm, message);
        signer = new BatchSigner(List.of(key));
        signature = key.sign(Domain.BATCH_SIGNATURE, message);
    }

    /** The Merkle tree over 32 entries, and the signature of its root. */
    @Benchmark
    public BatchRecord batch() {
        return signer.sign(STORE, new BatchTree(links));
    }

    /** One signature. */
    @Benchmark
    public Bytes sign() {
        return key.sign(Domain.BATCH_SIGNATURE, message);
    }

    /** One signature verified. */
    @Benchmark
    public boolean verify() {
        return key.publicKey().verifies(Domain.BATCH_SIGNATURE, message, signature);
    }
}
