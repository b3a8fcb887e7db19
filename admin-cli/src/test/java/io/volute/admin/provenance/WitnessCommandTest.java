package io.volute.admin.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.admin.audit.CheckpointFiles;
import io.volute.admin.audit.PublicKeyFile;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.CoSignature;
import io.volute.provenance.anchor.PrefixMap;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignatureAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A witness with nothing but exported checkpoints, the keys and its own files. */
class WitnessCommandTest {
    private static final int REFUSED = 3;
    private static final SigningKey STORE =
            SigningKey.ofSeed(SignatureAlgorithm.ED25519, Bytes.of(new byte[32]));
    private static final KeyList KEYS = KeyList.begin(Bytes.of(new byte[16]), List.of(STORE), 0);

    @TempDir private Path directory;
    @RegisterExtension private final FakeServer server = new FakeServer();
    private final List<Checkpoint> honest = new ArrayList<>();
    private Path exported;
    private Path key;

    @BeforeEach
    void write() throws IOException {
        exported = Files.createDirectory(directory.resolve("exported"));
        key = directory.resolve("witness.key");
        Files.write(exported.resolve("keys"), KEYS.encode().toArray());
        for (int i = 0; i < 6; i++) {
            next(10 + i);
        }
        assertThat(keygen().code()).isZero();
    }

    private void next(long commit) throws IOException {
        Optional<Checkpoint> before =
                honest.isEmpty() ? Optional.empty() : Optional.of(honest.getLast());
        honest.add(sign(before, commit));
        give(honest.getLast());
    }

    private static Checkpoint sign(Optional<Checkpoint> before, long commit) {
        return Checkpoint.sign(before, 0, commit, PrefixMap.EMPTY.mapRoot(), KEYS, List.of(STORE));
    }

    private Path file(long number) {
        return exported.resolve("checkpoint-" + number);
    }

    private void give(Checkpoint checkpoint) throws IOException {
        Files.write(file(checkpoint.body().number()), checkpoint.encode().toArray());
    }

    private Outcome keygen() {
        return server.run("provenance", "witness", "keygen", "--output", key.toString());
    }

    private Outcome sign(Path checkpoint, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "provenance",
                                "witness",
                                "sign",
                                "--key",
                                key.toString(),
                                "--checkpoint",
                                checkpoint.toString(),
                                "--root-key",
                                STORE.id().keyId().hex()));
        arguments.addAll(List.of(more));
        Outcome outcome = server.run(arguments.toArray(String[]::new));
        assertThat(server.asked()).isEmpty();
        return outcome;
    }

    private PublicKey publicKey() throws IOException {
        return PublicKeyFile.read(
                directory.resolve("witness.key.pub"), List.of(SignatureAlgorithm.ED25519));
    }

    private Path coSignature(long number) throws IOException {
        return CheckpointFiles.coSignature(file(number), publicKey().id());
    }

    private Optional<String> wrong(long number) throws IOException {
        return CoSignature.decode(Bytes.of(Files.readAllBytes(coSignature(number))))
                .wrong(CheckpointFiles.read(file(number)), publicKey());
    }

    @Test
    void coSignsEachBehindTheLast() throws IOException {
        Outcome first = sign(file(1), "--first");
        assertThat(first.code()).as(first.toString()).isZero();
        assertThat(first.out())
                .isEqualTo(
                        "co-signed checkpoint 1 of 1970-01-01T00:00:00Z in "
                                + coSignature(1)
                                + "\n");
        assertThat(wrong(1)).isEmpty();
        // The newest of a directory, and all between are followed.
        Outcome newest = sign(exported, "--json");
        assertThat(newest.json()).containsEntry("number", 5);
        assertThat(wrong(5)).isEmpty();
        assertThat(sign(file(5)).code()).isZero();
        for (String secret : List.of("witness.key", "witness.key.last")) {
            assertThat(Files.getPosixFilePermissions(directory.resolve(secret)))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
        assertThat(keygen().err()).contains("exists and is not replaced");
    }

    @Test
    void beginsOnlyWhenToldTo() throws IOException {
        Outcome unasked = sign(file(1));
        assertThat(unasked.code()).isEqualTo(1);
        assertThat(unasked.err()).contains("witness.key.last is missing", "--first");
        assertThat(sign(file(1), "--first").code()).isZero();
        assertThat(sign(file(2), "--first").err()).contains("this is not the first");
        byte[] last = Files.readAllBytes(directory.resolve("witness.key.last"));
        Files.write(directory.resolve("witness.key.last"), honest.getFirst().encode().toArray());
        assertThat(sign(file(2)).err()).contains("is not as this witness wrote it");
        Files.write(directory.resolve("witness.key.last"), Arrays.copyOf(last, 40));
        assertThat(sign(file(2)).err()).contains("is cut off or damaged");
    }

    private void refuses(Path checkpoint, String text) {
        Outcome outcome = sign(checkpoint);
        assertThat(outcome.code()).as(outcome.toString()).isEqualTo(REFUSED);
        assertThat(outcome.err()).contains("not co-signed", text);
    }

    @Test
    void refusesWhatIsForgedForkedReplayedOrCut() throws IOException {
        assertThat(sign(file(3), "--first").code()).isZero();
        refuses(file(2), "older than checkpoint 3");
        Checkpoint fork = sign(Optional.of(honest.get(2)), 90);
        give(fork);
        refuses(file(3), "is another one than the checkpoint of that number");
        Checkpoint onFork = sign(Optional.of(fork), 91);
        give(onFork);
        refuses(file(4), "follows another checkpoint, where checkpoint 3 was co-signed");
        give(honest.get(4));
        byte[] bytes = honest.get(5).encode().toArray();
        Files.write(file(5), Arrays.copyOf(bytes, bytes.length - 7));
        refuses(file(5), "cut off or damaged");
        bytes[60] ^= 1;
        Files.write(file(5), bytes);
        refuses(file(5), "is not signed by");
        give(honest.get(5));
        Files.delete(file(4));
        refuses(file(5), "checkpoint 4 is missing in its directory");
        assertThat(coSignature(5)).doesNotExist();
        give(honest.get(4));
        assertThat(sign(file(5)).code()).isZero();
    }

    private Outcome audit(String... more) {
        List<String> arguments = new ArrayList<>(List.of("audit", "--all"));
        arguments.addAll(List.of(more));
        return server.run(arguments.toArray(String[]::new));
    }

    private String[] witnessed(long number) {
        return new String[] {
            "--checkpoint", file(number).toString(), "--witness-key", key + ".pub"
        };
    }

    @Test
    void anAuditByTheServerNeedsTheCheckpointThatWasCoSigned() throws IOException {
        String audit = "provenance/audit";
        server.answer(
                "POST " + audit,
                """
                {"state": "finished", "id": 7, "chains": 2, "entries": 5, "verified": 5,
                 "findings": [], "moreFindings": 0}""");
        Outcome unseen = audit(witnessed(2));
        assertThat(unseen.code()).isEqualTo(1);
        assertThat(unseen.err()).contains("is not co-signed by");
        assertThat(server.asked()).isEmpty();
        assertThat(sign(file(2), "--first").code()).isZero();
        String question = "GET provenance/checkpoint";
        server.answer(question, honest.get(2).encode().toArray());
        assertThat(audit(witnessed(2)).code()).isZero();
        assertThat(server.asked().getLast()).isEqualTo(question + "?number=2");
    }

    @Test
    void aServerThatWasPutBackOrForkedIsNamed() throws IOException {
        assertThat(sign(file(2), "--first").code()).isZero();
        server.answer(
                "POST provenance/audit",
                """
                {"state": "finished", "id": 7, "chains": 2, "entries": 5, "verified": 5,
                 "findings": [], "moreFindings": 0}""");
        server.answer(
                "GET provenance/checkpoint",
                404,
                "{\"code\": \"NoSuchCheckpoint\", \"message\": \"none\"}");
        Outcome putBack = audit(witnessed(2));
        assertThat(putBack.code()).isEqualTo(REFUSED);
        assertThat(putBack.out()).contains("I1 broken", "put back to an older state");
        Checkpoint fork = sign(Optional.of(honest.get(1)), 90);
        server.answer("GET provenance/checkpoint", fork.encode().toArray());
        assertThat(audit(witnessed(2)).code()).isEqualTo(REFUSED);
        assertThat(audit(witnessed(2)).out()).contains("the history was forked");
    }

    @Test
    void refusesWhatDoesNotGoTogether() {
        String[] wrong = {"--witness-key", key + ".pub"};
        assertThat(audit(wrong).code()).isEqualTo(2);
        assertThat(audit("--checkpoint", file(1).toString()).code()).isEqualTo(2);
        List<String> ofOneKey = new ArrayList<>(List.of("audit", "s3://b/k"));
        ofOneKey.addAll(List.of(witnessed(1)));
        assertThat(server.run(ofOneKey.toArray(String[]::new)).code()).isEqualTo(2);
        assertThat(server.run("provenance", "witness").code()).isEqualTo(2);
        assertThat(sign(file(1), "--root-key", "12").code()).isEqualTo(2);
    }

    @Test
    void theWitnessKeyIsPrivate() throws IOException {
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(sign(file(1), "--first").err()).contains("chmod 600");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Files.move(directory.resolve("witness.key.pub"), key, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertThat(sign(file(1), "--first").err())
                .contains("is no private key of Ed25519", "witness keygen");
    }
}
