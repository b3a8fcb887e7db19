package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.SignatureAlgorithm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A witness that is shown checkpoints of which chains were cut off, hidden or replaced. */
class ContinuationTest {
    private static final SigningKey STORE =
            SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of(new byte[32]));
    private static final SigningKey WITNESS =
            SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of(hash(1).toArray()));
    private static final KeyList KEYS = KeyList.begin(Bytes.of(new byte[16]), List.of(STORE), 0);

    @TempDir private Path directory;
    private final Map<Long, byte[]> files = new HashMap<>();
    private final TreeMap<Hash, ChainHead> heads = new TreeMap<>();
    private Optional<Checkpoint> newest = Optional.empty();

    private static Hash hash(int number) {
        return Hash.ofContent(new byte[] {(byte) number, (byte) (number >> 8)});
    }

    @BeforeEach
    void begin() throws IOException {
        for (int i = 0; i < 500; i++) {
            heads.put(hash(i), new ChainHead(5, hash(1000 + i)));
        }
        Checkpoint first = checkpoint();
        assertThat(first.body().number()).isZero();
    }

    private Checkpoint checkpoint() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        MapRoot root =
                HeadsFile.write(
                        visitor -> {
                            for (Map.Entry<Hash, ChainHead> each : heads.entrySet()) {
                                visitor.head(each.getKey(), each.getValue());
                            }
                        },
                        heads.size(),
                        file);
        Checkpoint made = Checkpoint.sign(newest, 0, 10, root, KEYS, List.of(STORE));
        files.put(made.body().number(), file.toByteArray());
        newest = Optional.of(made);
        return made;
    }

    private Witness.Outcome look(Checkpoint last, Checkpoint next) throws IOException {
        return new Witness(KEYS, WITNESS, Optional.of(last))
                .look(
                        next,
                        new Witness.Between() {
                            @Override
                            public Optional<Checkpoint> checkpoint(long number) {
                                return Optional.empty();
                            }

                            @Override
                            public Optional<Path> heads(long number) throws IOException {
                                Path file = directory.resolve("heads-" + number);
                                if (files.containsKey(number)) {
                                    Files.write(file, files.get(number));
                                }
                                return Optional.of(file).filter(Files::exists);
                            }
                        });
    }

    private void refused(Witness.Reason reason, String text) throws IOException {
        Checkpoint last = newest.orElseThrow();
        Witness.Outcome outcome = look(last, checkpoint());
        assertThat(outcome).isInstanceOf(Witness.Outcome.Refused.class);
        Witness.Outcome.Refused refused = (Witness.Outcome.Refused) outcome;
        assertThat(refused.reason()).isEqualTo(reason);
        assertThat(refused.text()).contains(text);
    }

    @Test
    void headsAloneAreNotEnough() throws IOException {
        // Also of a longer chain: WitnessAncestryTest has the entries between.
        heads.put(hash(7), new ChainHead(9, hash(2000)));
        heads.put(hash(600), new ChainHead(0, hash(2001)));
        refused(Witness.Reason.INCOMPLETE, "entries-0-N is missing");
    }

    @Test
    void hiddenChainIsRefused() throws IOException {
        assertThat(heads.remove(hash(77))).isNotNull();
        refused(Witness.Reason.CUT, "chain " + hash(77) + " is missing");
    }

    @Test
    void firstAndLastChainAreLookedAtToo() throws IOException {
        Hash lowest = heads.firstKey();
        assertThat(heads.remove(lowest)).isNotNull();
        Hash highest = heads.lastKey();
        assertThat(heads.remove(highest)).isNotNull();
        refused(Witness.Reason.CUT, "chain " + highest + " is missing");
    }

    @Test
    void chainThatWasCutOffIsRefused() throws IOException {
        heads.put(hash(77), new ChainHead(4, hash(3)));
        refused(Witness.Reason.CUT, "ends with entry 4, before entry 5");
    }

    @Test
    void chainWithAnotherEntryIsRefused() throws IOException {
        heads.put(hash(77), new ChainHead(5, hash(3)));
        refused(Witness.Reason.CUT, "has another entry 5");
    }

    @Test
    void headsOfAnotherCheckpointAreRefused() throws IOException {
        heads.put(hash(7), new ChainHead(9, hash(2000)));
        Checkpoint last = newest.orElseThrow();
        Checkpoint next = checkpoint();
        files.put(0L, files.get(1L));
        assertThat(((Witness.Outcome.Refused) look(last, next)).reason())
                .isEqualTo(Witness.Reason.FORGED);
    }

    @Test
    void withoutHeadsNothingIsCoSigned() throws IOException {
        heads.put(hash(7), new ChainHead(9, hash(2000)));
        files.remove(0L);
        refused(Witness.Reason.INCOMPLETE, "heads-0 is missing");
    }

    @Test
    void twoMapsComeFromTheSamePasses() throws IOException {
        int[] passes = new int[1];
        TwinMapScan.Chains chains =
                visitor -> {
                    passes[0]++;
                    for (Map.Entry<Hash, ChainHead> each : heads.entrySet()) {
                        boolean isOld = each.getKey().bit(3);
                        visitor.chain(
                                each.getKey(),
                                isOld ? Optional.of(new ChainHead(1, hash(9))) : Optional.empty(),
                                each.getValue());
                    }
                };
        TwinMapScan.Roots whole = new TwinMapScan(chains).roots();
        assertThat(passes[0]).isEqualTo(1);
        assertThat(whole.now()).isEqualTo(newest.orElseThrow().map());
        TwinMapScan.Roots little = new TwinMapScan(chains, 80L * 100).roots();
        assertThat(passes[0]).isEqualTo(1 + 5);
        assertThat(little).isEqualTo(whole);
        assertThat(whole.then().heads()).isBetween(1L, 499L);
    }
}
