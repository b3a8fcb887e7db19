package io.volute.benchmarks.micro;

import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.chain.Event;
import io.volute.provenance.chain.PendingEntry;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.SpiralShape;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The cost of a provenance entry, excluding its signature. */
public class SpiralEntries extends Suite {
    private static final Bytes STORE = Bytes.ofHex("000102030405060708090a0b0c0d0e0f");

    /** The construction of the paper. */
    @Param({"ONE_LINK", "LINK_PER_DIMENSION"})
    private SpiralShape.Construction construction;

    /** R: links to entries 1, 2, 4 ... 2^R before. */
    @Param({"0", "3", "10"})
    private int exponent;

    private ChainBuilder chain;
    private List<SignerId> signers;
    private Hash content;
    private long commit;

    /** Makes a chain that is as long as the spiral reaches. */
    @Setup(Level.Iteration)
    public void make() throws IOException {
        signers = List.of(new SignerId(SignatureAlgorithm.ED25519, Hash.ofContent(new byte[1])));
        content = Hash.ofContent(new byte[] {2});
        chain =
                new ChainBuilder(
                        new ChainIdentity(STORE, 7, "bucket", Bytes.of("folder/object")),
                        new SpiralShape(construction, exponent));
        for (int i = 0; i <= 1 << exponent; i++) {
            append();
        }
    }

    /** One entry, hashed and linked. */
    @Benchmark
    public PendingEntry append() throws IOException {
        commit++;
        return chain.append(
                Event.of(
                        EventKind.WRITE,
                        commit,
                        1_767_225_600_000L + commit,
                        Bytes.of("version-id"),
                        Optional.of(content),
                        "principal"),
                signers);
    }
}
