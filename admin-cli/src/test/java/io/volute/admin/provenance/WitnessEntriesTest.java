package io.volute.admin.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.HeadsFile;
import io.volute.provenance.anchor.MapRoot;
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
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A witness with exports of the entries between checkpoints, beside them. */
class WitnessEntriesTest {
    private static final int REFUSED = 3;
    private static final SigningKey STORE =
            SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of(new byte[32]));
    private static final Bytes STORE_ID = Bytes.of(new byte[16]);
    private static final KeyList KEYS = KeyList.begin(STORE_ID, List.of(STORE), 0);
    private static final ChainIdentity CHAIN =
            new ChainIdentity(STORE_ID, 1, "bucket", Bytes.of("key"));

    @TempDir private Path directory;
    @RegisterExtension private final FakeServer server = new FakeServer();
    private Optional<Checkpoint> newest = Optional.empty();

    @BeforeEach
    void begin() throws IOException {
        Files.write(path("keys"), KEYS.encode().toArray());
        checkpoint(export("none", 5, -1));
        assertThat(
                        server.run(
                                        "provenance",
                                        "witness",
                                        "keygen",
                                        "--output",
                                        path("w.key").toString())
                                .code())
                .isZero();
        Outcome first = sign("--first");
        assertThat(first.code()).as(first.toString()).isZero();
    }

    private Path path(String name) {
        return directory.resolve(name);
    }

    /**
     * Writes an export of the chain.
     *
     * @param rewritten sequence of an entry that is another one; -1: none
     * @return its head
     */
    private ChainHead export(String name, int entries, int rewritten) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ExportWriter writer = new ExportWriter(out);
        SpiralShape shape = new SpiralShape(SpiralShape.Construction.ONE_LINK, 3);
        ChainBuilder builder = new ChainBuilder(CHAIN, shape);
        BatchSigner signer = new BatchSigner(List.of(STORE));
        writer.chain(CHAIN);
        for (int i = 0; i < entries; i++) {
            byte[] bytes = {(byte) (i == rewritten ? 99 : i)};
            Optional<Hash> content = Optional.of(Hash.ofContent(bytes));
            Event event = Event.of(EventKind.WRITE, i, i, Bytes.of("v" + i), content, "alice");
            BatchSigner.Signed signed = signer.sign(List.of(builder.append(event, signer.ids())));
            writer.batch(signed.batch());
            writer.entry(signed.records().getFirst());
        }
        writer.end();
        Files.write(path(name), out.toByteArray());
        return builder.head().orElseThrow();
    }

    private void checkpoint(ChainHead head) throws IOException {
        ByteArrayOutputStream heads = new ByteArrayOutputStream();
        MapRoot map = HeadsFile.write(visitor -> visitor.head(CHAIN.chainId(), head), 1, heads);
        newest =
                Optional.of(
                        Checkpoint.sign(newest, 0, head.sequence() + 1, map, KEYS, List.of(STORE)));
        long number = newest.get().body().number();
        Files.write(path("heads-" + number), heads.toByteArray());
        Files.write(path("checkpoint-" + number), newest.get().encode().toArray());
    }

    private Outcome sign(String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "provenance",
                                "witness",
                                "sign",
                                "--key",
                                path("w.key").toString(),
                                "--checkpoint",
                                directory.toString(),
                                "--root-key",
                                STORE.id().keyId().hex()));
        arguments.addAll(List.of(more));
        return server.run(arguments.toArray(String[]::new));
    }

    private void refuses(String... texts) {
        Outcome outcome = sign();
        assertThat(outcome.code()).as(outcome.toString()).isEqualTo(REFUSED);
        assertThat(outcome.err()).contains(texts);
    }

    private void signs(long number) {
        Outcome outcome = sign();
        assertThat(outcome.code()).as(outcome.toString()).isZero();
        assertThat(outcome.out()).contains("co-signed checkpoint " + number + " ");
    }

    @Test
    void oneExportOrOneForEachStepLeadsToTheNewCheckpoint() throws IOException {
        checkpoint(export("entries-0-1", 8, -1));
        checkpoint(export("entries-1-2", 12, -1));
        checkpoint(export("later", 15, -1));
        refuses("entries-2-N is missing", "--since-checkpoint 2 --output entries-2-3");
        Files.move(path("later"), path("entries-2-3"));
        // It belongs to a later checkpoint than there is.
        Files.write(path("entries-0-4"), new byte[3]);
        signs(3);
        checkpoint(export("entries-3-4", 16, -1));
        checkpoint(export("entries-3-5", 17, -1));
        // The one that reaches farther is enough.
        Files.delete(path("entries-3-4"));
        signs(5);
    }

    @Test
    void aLongerHistoryThatWasRewrittenIsNamed() throws IOException {
        for (int rewritten = 0; rewritten < 5; rewritten++) {
            ChainHead head = export("entries-0-" + (rewritten + 1), 9, rewritten);
            checkpoint(head);
            refuses("not co-signed", "chain bucket/key, entry 4: I4 broken", "rewrote the history");
        }
        assertThat(sign("--first").code()).isEqualTo(1);
    }

    @Test
    void aRewriteInAStepBetweenIsNamed() throws IOException {
        checkpoint(export("entries-0-1", 9, 2));
        checkpoint(export("entries-1-2", 12, -1));
        refuses("chain bucket/key, entry 4: I4 broken");
        // Nobody co-signs the checkpoint between. The last one does descend from the first.
        Files.delete(path("entries-0-1"));
        export("entries-0-2", 12, -1);
        signs(2);
    }
}
