package io.volute.system.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** Entries that auditors alone can read, and texts that are withheld: server, command and files. */
class ConfidentialityIT {
    private static final String SCRIPT = "provenance_verify.py";

    /** The output of the other verifier for a clean export. */
    private static final String RULES =
            "applied rules of settings and checkpoints: removals-follow-settings\n";

    private static final String CANARY = "canary-7f31c2";
    private static final int FOUND_WRONG = 3;

    @TempDir private Path work;

    private static ServerProcess start(TemporaryStore directory, Map<String, String> settings)
            throws IOException {
        return ServerProcess.start(
                ServerProcess.Options.of(directory.data()).withEnvironment(settings));
    }

    private static String alone(String... arguments) throws Exception {
        Said said = VoluteCommand.runAlone(arguments);
        assertThat(said.code()).as(said.text()).isZero();
        return said.text();
    }

    private String path(String name) {
        return work.resolve(name).toString();
    }

    private String newAuditor(ServerProcess server, String name) throws Exception {
        assertThat(alone("provenance", "auditors", "keygen", "--output", path(name)))
                .contains("key id");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(work.resolve(name))))
                .isEqualTo("rw-------");
        String file = path(name + ".pub");
        return VoluteCommand.done(
                server, "provenance", "auditors", "add", name, "--public-key", file);
    }

    private static void put(S3Client s3, String key, String actor) {
        Store.put(s3, key, "content", "x-volute-actor", actor);
    }

    private String export(ServerProcess server, String name, String... more) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("provenance", "export", "--all", "--output", path(name)));
        arguments.addAll(List.of(more));
        return VoluteCommand.done(server, arguments.toArray(new String[0]));
    }

    private String rootKey(ServerProcess server) throws Exception {
        return VoluteCommand.rootKey(server, work.resolve("keys"));
    }

    private Said audit(String export, String root, String... more) throws Exception {
        String[] arguments = {
            "audit", "--all", "--export", path(export), "--keys", path("keys"), "--root-key", root
        };
        return VoluteCommand.runAlone(
                Stream.of(arguments, more).flatMap(Stream::of).toArray(String[]::new));
    }

    private String show(String export, String... more) throws Exception {
        String[] arguments = {"provenance", "show", "--all", "--export", path(export)};
        return alone(Stream.of(arguments, more).flatMap(Stream::of).toArray(String[]::new));
    }

    private ExternalClient python() throws IOException {
        try (InputStream script = getClass().getResourceAsStream("/" + SCRIPT)) {
            Files.copy(script, work.resolve(SCRIPT));
        }
        return ExternalClient.orSkip(work, List.of("python3"), "-c", "import hashlib, json");
    }

    private static List<Path> holders(Path directory, String text) throws IOException {
        List<Path> holders = new ArrayList<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                if (content.contains(text)) {
                    holders.add(file);
                }
            }
        }
        return holders;
    }

    @Test
    void auditorsAloneReadWhoActedAndEverybodyVerifiesIt() throws Exception {
        Map<String, String> settings =
                Map.of(
                        "VOLUTE_PROVENANCE_ENCRYPT", "principal,actor",
                        "VOLUTE_HISTORY_POLICY", "none");
        String root;
        try (TemporaryStore directory = TemporaryStore.create("auditors");
                ServerProcess server = start(directory, settings);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            assertThat(VoluteCommand.done(server, "provenance", "auditors", "list"))
                    .contains(
                            "no auditors",
                            "encrypted  actor, principal",
                            "entries omit the fields");
            put(s3, "a", CANARY + "-0");
            assertThat(newAuditor(server, "ann")).contains("ann", "needed     1");
            assertThat(newAuditor(server, "ben")).contains("ann", "ben");
            put(s3, "a", CANARY + "-1");
            VoluteCommand.done(server, "provenance", "auditors", "remove", "ben", "--yes");
            put(s3, "a", CANARY + "-2");
            assertThat(VoluteCommand.done(server, "provenance", "show", "s3://bucket/a"))
                    .contains("encrypted", "absent")
                    .doesNotContain(CANARY);
            assertThat(VoluteCommand.done(server, "audit", "--all"))
                    .contains("3 of 3 entries verified, 4 fields encrypted, 0 findings");
            export(server, "export");
            root = rootKey(server);
            assertThat(server.stop()).as(server.log()).isZero();
            assertThat(holders(directory.data(), CANARY)).isEmpty();
        }
        assertThat(holders(work, CANARY)).isEmpty();
        assertThat(audit("export", root).text())
                .contains("3 of 3 entries verified, 4 fields encrypted, 0 findings");
        assertThat(audit("export", root, "--auditor-key", path("ann")).text())
                .contains("4 fields encrypted, 4 of them read, 0 findings");
        assertThat(show("export", "--auditor-key", path("ann")))
                .contains(CANARY + "-1", CANARY + "-2")
                .doesNotContain(CANARY + "-0");
        assertThat(show("export", "--auditor-key", path("ben")))
                .contains(CANARY + "-1")
                .doesNotContain(CANARY + "-2");
        assertThat(show("export")).doesNotContain(CANARY);
        assertThat(python().run(SCRIPT, "export", "keys", root).orFail()).isEqualTo(RULES);
        noBitOfTheTreeOrTheSlotsCanBeChanged(root);
    }

    private void noBitOfTheTreeOrTheSlotsCanBeChanged(String root) throws Exception {
        byte[] honest = Files.readAllBytes(work.resolve("export"));
        byte[] forged = honest.clone();
        // The last byte of the last record is the end of its slot.
        forged[honest.length - 14] ^= 1;
        Files.write(work.resolve("export"), forged);
        Said found = audit("export", root);
        assertThat(found.code()).as(found.text()).isEqualTo(FOUND_WRONG);
        assertThat(found.text()).contains("C1 broken");
        assertThat(work.resolve("ann").toFile().setReadable(true, false)).isTrue();
        Said open = audit("export", root, "--auditor-key", path("ann"));
        assertThat(open.code()).isEqualTo(1);
        assertThat(open.text()).contains("chmod 600");
    }

    @Test
    void twoOfThreeReadTogether() throws Exception {
        Map<String, String> settings =
                Map.of(
                        "VOLUTE_PROVENANCE_ENCRYPT", "actor",
                        "VOLUTE_PROVENANCE_AUDITORS_NEEDED", "2");
        try (TemporaryStore directory = TemporaryStore.create("together");
                ServerProcess server = start(directory, settings);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            for (String name : List.of("ann", "ben", "cid")) {
                String ignored = newAuditor(server, name);
            }
            put(s3, "a", CANARY);
            export(server, "export");
            assertThat(server.stop()).as(server.log()).isZero();
        }
        assertThat(show("export", "--auditor-key", path("ann"))).doesNotContain(CANARY);
        for (String name : List.of("ben", "cid")) {
            assertThat(
                            alone(
                                    "provenance",
                                    "share",
                                    "--all",
                                    "--export",
                                    path("export"),
                                    "--auditor-key",
                                    path(name),
                                    "--output",
                                    path(name + ".shares")))
                    .contains("wrote 1 share");
        }
        String ben = path("ben.shares");
        String cid = path("cid.shares");
        assertThat(Files.getPosixFilePermissions(Path.of(ben)))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(show("export", "--shares", ben)).doesNotContain(CANARY);
        assertThat(show("export", "--shares", ben, "--shares", cid)).contains(CANARY);
        assertThat(show("export", "--auditor-key", path("ann"), "--shares", ben)).contains(CANARY);
    }

    /** The choice of a bucket is in the log, so it survives when the index is made again. */
    @Test
    void aBucketChoosesItself() throws Exception {
        Map<String, String> settings = Map.of("VOLUTE_HISTORY_POLICY", "none");
        try (TemporaryStore directory = TemporaryStore.create("chosen")) {
            try (ServerProcess server = start(directory, settings);
                    S3Client s3 = Clients.once(server.endpoint())) {
                s3.createBucket(create -> create.bucket("bucket"));
                String[] encrypt = {"provenance", "hidden", "bucket", "--encrypt", "actor"};
                assertThat(VoluteCommand.done(server, encrypt))
                        .contains("encrypted  actor", "for this bucket", "entries omit the fields");
                newAuditor(server, "ann");
                put(s3, "a", CANARY + "-0");
                server.kill();
            }
            TemporaryStore.deleteTree(directory.data().resolve("cubes/default/index"));
            try (ServerProcess server = start(directory, settings);
                    S3Client s3 = Clients.once(server.endpoint())) {
                put(s3, "a", CANARY + "-1");
                assertThat(VoluteCommand.done(server, "provenance", "hidden", "bucket"))
                        .contains("encrypted  actor", "for this bucket");
                export(server, "export");
                assertThat(holders(directory.data(), CANARY)).isEmpty();
                VoluteCommand.done(server, "provenance", "hidden", "bucket", "--inherit");
                put(s3, "a", CANARY + "-2");
                assertThat(VoluteCommand.done(server, "provenance", "show", "s3://bucket/a"))
                        .contains(CANARY + "-2")
                        .doesNotContain(CANARY + "-1");
                assertThat(server.stop()).as(server.log()).isZero();
            }
            Path log = directory.data().resolve("audit");
            assertThat(holders(log, "\"operation\":\"AdminSetHidden\"")).isNotEmpty();
            assertThat(holders(log, "\"encrypt\":[\"actor\"]")).isNotEmpty();
        }
        assertThat(show("export")).doesNotContain(CANARY);
        assertThat(show("export", "--auditor-key", path("ann")))
                .contains(CANARY + "-0", CANARY + "-1");
    }

    @Test
    void whatIsWithheldIsPutBack() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("withheld");
                ServerProcess server =
                        start(directory, Map.of("VOLUTE_PROVENANCE_COMMIT", "actor"));
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            put(s3, "a", CANARY);
            assertThat(VoluteCommand.done(server, "provenance", "show", "s3://bucket/a"))
                    .contains(CANARY);
            export(server, "full");
            export(server, "withheld", "--withhold", "actor", "--openings", path("openings"));
            Said plain =
                    VoluteCommand.run(
                            server,
                            "provenance",
                            "export",
                            "--all",
                            "--withhold",
                            "principal",
                            "--output",
                            path("none"));
            assertThat(plain.code()).isEqualTo(1);
            assertThat(plain.text()).contains("cannot be withheld");
            assertThat(work.resolve("none")).doesNotExist();
            String root = rootKey(server);
            assertThat(audit("withheld", root).text())
                    .contains("1 of 1 entry verified, 1 field withheld, 0 findings");
            assertThat(python().run(SCRIPT, "withheld", "keys", root).orFail()).isEqualTo(RULES);
            assertThat(server.stop()).as(server.log()).isZero();
        }
        assertThat(new String(Files.readAllBytes(work.resolve("withheld")), StandardCharsets.UTF_8))
                .doesNotContain(CANARY);
        String[] reinstate = {
            "provenance",
            "reinstate",
            "--export",
            path("withheld"),
            "--openings",
            path("openings"),
            "--output",
            path("again")
        };
        assertThat(alone(reinstate)).contains("reinstated 1 text");
        assertThat(work.resolve("again")).hasSameBinaryContentAs(work.resolve("full"));
        byte[] openings = Files.readAllBytes(work.resolve("openings"));
        openings[openings.length - 1] ^= 1;
        Files.write(work.resolve("openings"), openings);
        Said altered = VoluteCommand.runAlone(reinstate);
        assertThat(altered.code()).as(altered.text()).isEqualTo(FOUND_WRONG);
        assertThat(altered.text()).contains("does not match its commitment");
    }
}
