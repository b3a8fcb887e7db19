package io.volute.system.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** A witness against an administrator who has the disk and the keys on it, and puts it back. */
class WitnessIT {
    private static final int FOUND_WRONG = 3;
    private static final String SCRIPT = "provenance_verify.py";

    @TempDir private Path work;

    private static void put(ServerProcess server, String body) {
        try (S3Client s3 = Clients.once(server.endpoint())) {
            s3.putObject(put -> put.bucket("bucket").key("k"), RequestBody.fromString(body));
        }
    }

    /** Makes a checkpoint, and takes it away; returns its number. */
    private static long checkpoint(ServerProcess server, Path target) throws Exception {
        Said said =
                VoluteCommand.run(
                        server,
                        "provenance",
                        "checkpoint",
                        "--output",
                        target.toString(),
                        "--json");
        assertThat(said.code()).as(said.text()).isZero();
        return ((Number) said.json().get("number")).longValue();
    }

    private static void entries(ServerProcess server, long since, Path target) throws Exception {
        Said said =
                VoluteCommand.run(
                        server,
                        "provenance",
                        "export",
                        "--all",
                        "--since-checkpoint",
                        Long.toString(since),
                        "--output",
                        target.toString());
        assertThat(said.code()).as(said.text()).isZero();
    }

    private Said sign(String root, Path checkpoint, String... more) throws Exception {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "provenance",
                                "witness",
                                "sign",
                                "--key",
                                work.resolve("w.key").toString(),
                                "--root-key",
                                root,
                                "--checkpoint",
                                checkpoint.toString()));
        arguments.addAll(List.of(more));
        return VoluteCommand.runAlone(arguments.toArray(String[]::new));
    }

    private Said audit(ServerProcess server, Path checkpoint) throws Exception {
        return VoluteCommand.run(
                server,
                "audit",
                "--all",
                "--checkpoint",
                checkpoint.toString(),
                "--witness-key",
                work.resolve("w.key.pub").toString());
    }

    private static void copy(Path from, Path to) throws Exception {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    @Test
    void aStoreThatWasPutBackFindsNoWitnessAndIsNamed() throws Exception {
        Path kept = work.resolve("kept");
        String key = work.resolve("w.key").toString();
        assertThat(
                        VoluteCommand.runAlone("provenance", "witness", "keygen", "--output", key)
                                .code())
                .isZero();
        try (TemporaryStore directory = TemporaryStore.create("witness");
                TemporaryStore older = TemporaryStore.create("witness-older")) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data());
            String root;
            long seen;
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client s3 = Clients.once(server.endpoint())) {
                s3.createBucket(create -> create.bucket("bucket"));
                put(server, "paid 100");
                Said keys = VoluteCommand.run(server, "provenance", "keys", "--json");
                root = ((Map<?, ?>) keys.json().get("rootKey")).get("keyId").toString();
                long first = checkpoint(server, kept);
                Said begun = sign(root, kept.resolve("checkpoint-" + first), "--first");
                assertThat(begun.code()).as(begun.text()).isZero();
                assertThat(server.stop()).as(server.log()).isZero();
            }
            Files.createDirectories(older.data().getParent());
            copy(directory.data(), older.data());
            try (ServerProcess server = ServerProcess.start(options)) {
                put(server, "paid 200");
                seen = checkpoint(server, kept);
                // Heads alone do not show that the new head descends from the old one.
                Said unproved = sign(root, kept);
                assertThat(unproved.code()).as(unproved.text()).isEqualTo(FOUND_WRONG);
                assertThat(unproved.text()).contains("--since-checkpoint " + (seen - 1));
                entries(server, seen - 1, kept.resolve("entries-" + (seen - 1) + "-" + seen));
                // The newest.
                Said signed = sign(root, kept);
                assertThat(signed.code()).as(signed.text()).isZero();
                Said clean = audit(server, kept.resolve("checkpoint-" + seen));
                assertThat(clean.code()).as(clean.text()).isZero();
                assertThat(server.stop()).isZero();
            }
            pythonAgrees(seen, kept);
            try (ServerProcess server =
                    ServerProcess.start(ServerProcess.Options.of(older.data()))) {
                Path checkpoint = kept.resolve("checkpoint-" + seen);
                assertThat(audit(server, checkpoint).text()).contains("put back to an older state");
                put(server, "paid nothing");
                Path fork = work.resolve("fork");
                long forked = checkpoint(server, fork);
                assertThat(forked).isEqualTo(seen);
                // The server's own history has no fault. Only the witness has seen the other
                // history.
                assertThat(VoluteCommand.run(server, "audit", "--all").code()).isZero();
                Said refused = sign(root, fork.resolve("checkpoint-" + forked));
                assertThat(refused.code()).as(refused.text()).isEqualTo(FOUND_WRONG);
                assertThat(refused.text()).contains("shows two histories");
                Said found = audit(server, checkpoint);
                assertThat(found.code()).as(found.text()).isEqualTo(FOUND_WRONG);
                assertThat(found.text()).contains("the history was forked");
            }
        }
    }

    private void pythonAgrees(long number, Path kept) throws Exception {
        Files.copy(Path.of(getClass().getResource("/" + SCRIPT).toURI()), work.resolve(SCRIPT));
        ExternalClient python =
                ExternalClient.orSkip(work, List.of("python3"), "-c", "import hashlib");
        Path of = kept.resolve("checkpoint-" + number);
        Path coSignature;
        try (Stream<Path> files = Files.list(kept)) {
            coSignature =
                    files.filter(
                                    each ->
                                            each.getFileName()
                                                    .toString()
                                                    .startsWith(of.getFileName() + ".witness-"))
                            .findFirst()
                            .orElseThrow();
        }
        String pem = work.resolve("w.key.pub").toString();
        ExternalClient.Result good =
                python.run(SCRIPT, "--co-signature", coSignature.toString(), of.toString(), pem);
        assertThat(good.output()).contains("co-signed checkpoint " + number);
        assertThat(good.code()).isZero();
        Path before = kept.resolve("checkpoint-" + (number - 1));
        ExternalClient.Result bad =
                python.run(
                        SCRIPT, "--co-signature", coSignature.toString(), before.toString(), pem);
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.output()).contains("not co-signed: of another checkpoint");
    }
}
