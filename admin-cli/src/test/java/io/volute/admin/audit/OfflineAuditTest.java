package io.volute.admin.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.CoSignature;
import io.volute.provenance.anchor.HeadsFile;
import io.volute.provenance.anchor.MapRoot;
import io.volute.provenance.anchor.PrefixMap;
import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.chain.Event;
import io.volute.provenance.chain.ExportWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An auditor who has files and a key id sees what was changed, taken away or rolled back. */
class OfflineAuditTest {
    private static final SigningKey KEY =
            SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of(new byte[32]));
    private static final Bytes STORE = Bytes.of(new byte[16]);
    private static final KeyList KEYS = KeyList.begin(STORE, List.of(KEY), 0);
    private static final int LAST = 9;

    @TempDir private Path directory;
    @RegisterExtension private final FakeServer server = new FakeServer();
    private final Map<Hash, ChainHead> heads = new TreeMap<>();

    @BeforeEach
    void write() throws IOException {
        Files.write(path("keys"), KEYS.encode().toArray());
        export("export", LAST, "a", "b/1", "b/2");
        export("older", LAST - 2, "a", "b/1", "b/2");
        export("fewer", LAST, "a", "b/1");
        trust(heads);
    }

    private Path path(String name) {
        return directory.resolve(name);
    }

    /** Chains of this many entries and one more; those of the longest are the heads. */
    private void export(String name, int last, String... keys) throws IOException {
        try (OutputStream out = Files.newOutputStream(path(name))) {
            ExportWriter writer = new ExportWriter(out);
            for (String key : keys) {
                ChainIdentity chain = new ChainIdentity(STORE, 1, "bucket", Bytes.of(key));
                chain(writer, chain, last).ifPresent(head -> keep(chain, head));
            }
        }
    }

    private void keep(ChainIdentity chain, ChainHead head) {
        if (head.sequence() == LAST) {
            heads.put(chain.chainId(), head);
        }
    }

    private static Optional<ChainHead> chain(ExportWriter writer, ChainIdentity chain, int last)
            throws IOException {
        SpiralShape shape = new SpiralShape(SpiralShape.Construction.ONE_LINK, 3);
        ChainBuilder builder = new ChainBuilder(chain, shape);
        BatchSigner signer = new BatchSigner(List.of(KEY));
        writer.chain(chain);
        for (int i = 0; i <= last; i++) {
            Optional<Hash> content = Optional.of(Hash.ofContent(new byte[] {(byte) i}));
            Event event = Event.of(EventKind.WRITE, i, i, Bytes.of("v" + i), content, "alice");
            BatchSigner.Signed signed = signer.sign(List.of(builder.append(event, signer.ids())));
            writer.batch(signed.batch());
            writer.entry(signed.records().getFirst());
        }
        writer.end();
        return builder.head();
    }

    private void trust(Map<Hash, ChainHead> all) throws IOException {
        PrefixMap map = PrefixMap.EMPTY;
        for (Map.Entry<Hash, ChainHead> each : all.entrySet()) {
            map = map.with(each.getKey(), each.getValue());
        }
        Checkpoint checkpoint =
                Checkpoint.sign(Optional.empty(), 0, LAST, map.mapRoot(), KEYS, List.of(KEY));
        Files.write(path("checkpoint"), checkpoint.encode().toArray());
        try (OutputStream out = Files.newOutputStream(path("heads"))) {
            MapRoot written =
                    HeadsFile.write(
                            visitor -> {
                                for (Map.Entry<Hash, ChainHead> each : all.entrySet()) {
                                    visitor.head(each.getKey(), each.getValue());
                                }
                            },
                            all.size(),
                            out);
            assertThat(written).isEqualTo(map.mapRoot());
        }
    }

    private Outcome audit(String export, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "audit",
                                "--export",
                                path(export).toString(),
                                "--keys",
                                path("keys").toString(),
                                "--root-key",
                                KEY.id().keyId().hex()));
        arguments.addAll(List.of(more));
        Outcome outcome = server.run(arguments.toArray(String[]::new));
        assertThat(server.asked()).isEmpty();
        return outcome;
    }

    private Outcome compared(String export, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--heads",
                                path("heads").toString(),
                                "--checkpoint",
                                path("checkpoint").toString()));
        arguments.addAll(List.of(more));
        return audit(export, arguments.toArray(String[]::new));
    }

    @Test
    void verifiesWhatIsAskedFor() {
        assertThat(audit("export", "--all").out())
                .isEqualTo(
                        "applied rules of settings and checkpoints: none\n"
                                + "finished: 3 chains, 30 of 30 entries verified, 0 findings\n");
        assertThat(audit("export", "bucket").out()).contains("3 chains");
        assertThat(audit("export", "s3://bucket/b/2").out()).contains("1 chain, 10 of 10");
        assertThat(audit("export", "bucket", "--prefix", "b/").out()).contains("2 chains");
        // Entries 9, 5, 1.
        assertThat(audit("export", "--all", "--dimension", "2").out()).contains("9 of 30");
        assertThat(audit("export", "--all", "--kind", "delete").out()).contains("0 of 30");
        for (String[] clean : new String[][] {{"--all"}, {"--all", "--dimension", "2"}}) {
            assertThat(audit("export", clean).code()).isZero();
        }
        assertThat(audit("export", "other").code()).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void namesEachByteThatWasChanged() throws IOException {
        byte[] honest = Files.readAllBytes(path("export"));
        for (int at = 0; at < honest.length; at += 211) {
            byte[] forged = honest.clone();
            forged[at] ^= 0x10;
            Files.write(path("export"), forged);
            Outcome outcome = audit("export", "--all");
            assertThat(outcome.code()).as("byte %s: %s", at, outcome).isEqualTo(3);
            assertThat(outcome.out()).contains(" broken, ");
        }
    }

    @Test
    void demandsTheSignaturesAskedFor() {
        assertThat(audit("export", "--all", "--require", "ed25519").code()).isZero();
        assertThat(audit("export", "--all", "--require", "both").out()).contains("I5 broken");
    }

    @Test
    void comparesWithACheckpoint() {
        Outcome clean = compared("export", "--all", "--complete");
        assertThat(clean.code()).as(clean.toString()).isZero();
        assertThat(clean.out())
                .contains("compared with checkpoint 0 of 1970-01-01T00:00:00Z, 3 chains");
        assertThat(audit("older", "--all").code()).isZero();
        Outcome older = compared("older", "--all");
        assertThat(older.code()).isEqualTo(3);
        assertThat(older.out()).contains("bucket/b/2 entry 8: I1 broken, an older state");
        assertThat(compared("older", "s3://bucket/a", "--dimension", "1").code()).isEqualTo(3);
        assertThat(compared("export", "--all", "--json").out()).contains("\"checkpoint\":{");
    }

    @Test
    void goesOnFromACheckpoint() throws IOException {
        export("longer", LAST + 3, "a", "b/1", "b/2", "new");
        Outcome outcome = compared("longer", "--all", "--since-checkpoint", "0");
        assertThat(outcome.code()).as(outcome.toString()).isZero();
        // Of three chains the entries 9 to 12, of the new one all.
        assertThat(outcome.out()).contains("4 chains, 25 of 52 entries verified, 0 findings");
        assertThat(compared("older", "--all", "--since-checkpoint", "0").code()).isEqualTo(3);
        assertThat(compared("longer", "--all", "--since-checkpoint", "1").code()).isEqualTo(1);
        assertThat(audit("longer", "--all", "--since-checkpoint", "0").code()).isEqualTo(2);
        assertThat(compared("longer", "--all", "--since-checkpoint", "0", "--kind", "write").code())
                .isEqualTo(2);
    }

    @Test
    void acceptsWhatCameBehindTheCheckpoint() throws IOException {
        export("longer", LAST + 3, "a", "b/1", "b/2", "new");
        for (String[] how :
                new String[][] {
                    {"--all", "--complete"},
                    {"--all", "--dimension", "2"},
                    {"s3://bucket/new", "--dimension", "3"}
                }) {
            Outcome outcome = compared("longer", how);
            assertThat(outcome.code()).as(outcome.toString()).isZero();
        }
    }

    @Test
    void namesChainsThatAreMissing() {
        assertThat(compared("fewer", "--all").code()).isZero();
        Outcome fewer = compared("fewer", "--all", "--complete");
        assertThat(fewer.code()).isEqualTo(3);
        Hash missing = new ChainIdentity(STORE, 1, "bucket", Bytes.of("b/2")).chainId();
        assertThat(fewer.out())
                .contains("chain " + missing + " entry 0: I1 broken")
                .contains("up to entry 9", " 1 finding");
    }

    @Test
    void believesOnlyWhatIsVouchedFor() throws IOException {
        byte[] file = Files.readAllBytes(path("heads"));
        file[file.length - 1] ^= 1;
        Files.write(path("heads"), file);
        Outcome forged = compared("export", "--all");
        assertThat(forged.code()).isEqualTo(1);
        assertThat(forged.err()).contains("the heads are not the checkpoint's");
        byte[] checkpoint = Files.readAllBytes(path("checkpoint"));
        checkpoint[checkpoint.length - 10] ^= 1;
        Files.write(path("checkpoint"), checkpoint);
        assertThat(compared("export", "--all").err()).contains("is not signed by");
        byte[] keys = Files.readAllBytes(path("keys"));
        keys[keys.length - 1] ^= 1;
        Files.write(path("keys"), keys);
        Outcome key = audit("export", "--all");
        assertThat(key.code()).isEqualTo(1);
        assertThat(key.err()).contains("the key list is not to be trusted");
        assertThat(audit("nothing", "--all").code()).isEqualTo(1);
    }

    @Test
    void demandsCoSignatures() throws IOException {
        SigningKey key = SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of("w".repeat(32)));
        SigningKey other = SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of("o".repeat(32)));
        Path pem = Files.writeString(path("w.pub"), PublicKeyFile.pem(key.publicKey()));
        String[] demanded = {"--all", "--witness-key", pem.toString()};
        assertThat(compared("export", demanded).err()).contains("is not co-signed by " + pem);
        Checkpoint seen = CheckpointFiles.read(path("checkpoint"));
        Path beside = CheckpointFiles.coSignature(path("checkpoint"), key.id());
        byte[] good = CoSignature.of(seen, key).encode().toArray();
        Files.write(beside, good);
        Outcome clean = compared("export", demanded);
        assertThat(clean.code()).as(clean.toString()).isZero();
        assertThat(clean.out()).contains("co-signed by [" + pem + "]", "algorithms-of-checkpoint");
        Files.write(beside, CoSignature.of(seen, other).encode().toArray());
        assertThat(compared("export", demanded).err()).contains("is by another key");
        Files.write(beside, Arrays.copyOf(good, good.length - 1));
        assertThat(compared("export", demanded).err()).contains("cut off or damaged");
        good[good.length - 1] ^= 1;
        Files.write(beside, good);
        assertThat(compared("export", demanded).err()).contains("forged or changed");
        Checkpoint fork = Checkpoint.sign(Optional.empty(), 1, 3, seen.map(), KEYS, List.of(KEY));
        Files.write(beside, CoSignature.of(fork, key).encode().toArray());
        Outcome forked = compared("export", demanded);
        assertThat(forked.code()).isEqualTo(1);
        assertThat(forked.err()).contains("not to be trusted", "the history was forked");
        Files.delete(beside);
        Files.write(path("checkpoint"), seen.witnessed(key).encode().toArray());
        assertThat(compared("export", demanded).code()).isZero();
        assertThat(audit("export", demanded).code()).isEqualTo(2);
    }

    @Test
    void refusesWhatDoesNotGoTogether() {
        assertThat(audit("export", "--all", "--contents").code()).isEqualTo(2);
        assertThat(audit("export", "--all", "--complete").code()).isEqualTo(2);
        assertThat(audit("export", "--all", "--heads", "f").code()).isEqualTo(2);
        assertThat(compared("export", "bucket", "--complete").code()).isEqualTo(2);
        assertThat(compared("export", "--all", "--kind", "write").code()).isEqualTo(2);
    }
}
