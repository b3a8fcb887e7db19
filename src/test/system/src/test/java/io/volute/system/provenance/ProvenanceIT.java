package io.volute.system.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.Tag;

/**
 * What clients do is signed, audited by the server, and by an auditor who has an export, the public
 * keys and one key id.
 */
class ProvenanceIT {
    private static final String SCRIPT = "provenance_verify.py";
    private static final String RULES = "applied rules of settings and checkpoints: ";
    private static final int PART_BYTES = 5 << 20;
    private static final int FOUND_WRONG = 3;
    private static final int NOT_AUDITED = 1;

    @TempDir private Path work;

    private static void put(S3Client s3, String key, String body) {
        s3.putObject(put -> put.bucket("bucket").key(key), RequestBody.fromString(body));
    }

    private static void multipart(S3Client s3, String key) {
        String id = s3.createMultipartUpload(create -> create.bucket("bucket").key(key)).uploadId();
        byte[] first = new byte[PART_BYTES];
        new Random(3).nextBytes(first);
        List<byte[]> bodies = List.of(first, new byte[] {1, 2, 3});
        CompletedPart[] parts = new CompletedPart[bodies.size()];
        for (int i = 0; i < parts.length; i++) {
            int number = i + 1;
            String etag =
                    s3.uploadPart(
                                    part ->
                                            part.bucket("bucket")
                                                    .key(key)
                                                    .uploadId(id)
                                                    .partNumber(number),
                                    RequestBody.fromBytes(bodies.get(i)))
                            .eTag();
            parts[i] = CompletedPart.builder().partNumber(number).eTag(etag).build();
        }
        s3.completeMultipartUpload(
                complete ->
                        complete.bucket("bucket")
                                .key(key)
                                .uploadId(id)
                                .multipartUpload(upload -> upload.parts(parts)));
    }

    private static void use(S3Client s3) {
        s3.createBucket(create -> create.bucket("bucket"));
        put(s3, "a", "one");
        s3.putBucketVersioning(
                versioning ->
                        versioning
                                .bucket("bucket")
                                .versioningConfiguration(
                                        to -> to.status(BucketVersioningStatus.ENABLED)));
        put(s3, "a", "two");
        s3.putObjectTagging(
                tags ->
                        tags.bucket("bucket")
                                .key("a")
                                .tagging(
                                        to ->
                                                to.tagSet(
                                                        Tag.builder()
                                                                .key("t")
                                                                .value("v")
                                                                .build())));
        s3.copyObject(
                copy ->
                        copy.sourceBucket("bucket")
                                .sourceKey("a")
                                .destinationBucket("bucket")
                                .destinationKey("dir/copy"));
        s3.deleteObject(delete -> delete.bucket("bucket").key("a"));
        multipart(s3, "dir/large");
    }

    /** The command as an auditor runs it: no server is there. */
    private Said offline(Path export, String root, String... more) throws Exception {
        String[] arguments = {
            "audit", "--export", export.toString(), "--keys", keys().toString(), "--root-key", root
        };
        return VoluteCommand.runAlone(
                Stream.of(arguments, more)
                        .flatMap(java.util.Arrays::stream)
                        .toArray(String[]::new));
    }

    private Path keys() {
        return work.resolve("keys");
    }

    private ExternalClient python() throws IOException {
        try (InputStream script = getClass().getResourceAsStream("/" + SCRIPT)) {
            Files.copy(script, work.resolve(SCRIPT));
        }
        return ExternalClient.orSkip(work, List.of("python3"), "-c", "import hashlib, json");
    }

    @Test
    void theServerAndAnAuditorWithoutItVerifyWhatClientsDid() throws Exception {
        Path export = work.resolve("export");
        String root;
        try (TemporaryStore directory = TemporaryStore.create("provenance");
                ServerProcess server = ServerProcess.start(directory);
                S3Client s3 = Clients.once(server.endpoint())) {
            use(s3);
            assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                    .contains("finished: 3 chains, 6 of 6 entries verified, 0 findings");
            assertThat(VoluteCommand.done(server, "provenance", "show", "s3://bucket/a"))
                    .contains("write", "tags", "delete");
            assertThat(VoluteCommand.done(server, "provenance", "show", "s3://bucket/dir/copy"))
                    .contains("copy");
            assertThat(VoluteCommand.done(server, "provenance", "rotate")).contains("root key");
            put(s3, "a", "three");
            assertThat(VoluteCommand.done(server, "audit", "s3://bucket/a", "--dimension", "1"))
                    .contains("finished: 1 chain, 3 of 5 entries verified, 0 findings");
            assertThat(VoluteCommand.run(server, "audit", "s3://bucket/none").code())
                    .isEqualTo(NOT_AUDITED);

            VoluteCommand.done(
                    server, "provenance", "export", "--all", "--output", export.toString());
            root = VoluteCommand.rootKey(server, keys());
            assertThat(server.stop()).as(server.log()).isZero();
        }
        anAuditorSeesEachByteThatWasChanged(export, root);
    }

    private void anAuditorSeesEachByteThatWasChanged(Path export, String root) throws Exception {
        Said clean = offline(export, root, "--all");
        assertThat(clean.code()).as(clean.text()).isZero();
        assertThat(clean.text())
                .contains("finished: 3 chains, 7 of 7 entries verified, 0 findings");
        Said one = offline(export, root, "bucket", "--prefix", "dir/", "--dimension", "0");
        assertThat(one.code()).as(one.text()).isZero();
        assertThat(one.text()).contains("2 chains, 2 of 2 entries");
        assertThat(offline(export, "0".repeat(64), "--all").code()).isEqualTo(NOT_AUDITED);

        ExternalClient python = python();
        assertThat(python.run(SCRIPT, "export", "keys", root).orFail())
                .isEqualTo(RULES + "removals-follow-settings\n");
        byte[] honest = Files.readAllBytes(export);
        for (int at : List.of(3, honest.length / 3, honest.length / 2, honest.length - 1)) {
            byte[] forged = honest.clone();
            forged[at] ^= 1;
            Files.write(export, forged);
            Said found = offline(export, root, "--all");
            assertThat(found.code()).as("byte %s: %s", at, found.text()).isEqualTo(FOUND_WRONG);
            assertThat(found.text()).contains(" broken, ");
            assertThat(python.run(SCRIPT, "export", "keys", root).code()).as("byte " + at).isOne();
        }
    }

    /** The chain of one key, of which one entry in eight is handed on. */
    @Test
    void aSummaryIsAuditedWithoutTheServer() throws Exception {
        Map<String, String> settings =
                Map.of(
                        "VOLUTE_PROVENANCE_CONSTRUCTION", "link-per-dimension",
                        "VOLUTE_PROVENANCE_CHECKPOINT_INTERVAL", "0s");
        Path export = work.resolve("export");
        String root;
        try (TemporaryStore directory = TemporaryStore.create("summary");
                ServerProcess server =
                        ServerProcess.start(
                                ServerProcess.Options.of(directory.data())
                                        .withEnvironment(settings));
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            for (int i = 0; i < 100; i++) {
                put(s3, "a", "content " + i);
                if (i == 41) {
                    VoluteCommand.done(
                            server,
                            "provenance",
                            "checkpoint",
                            "--output",
                            work.resolve("fixed").toString());
                }
            }
            VoluteCommand.done(
                    server, "provenance", "export", "--all", "--summary", "--output", "" + export);
            root = VoluteCommand.rootKey(server, keys());
            assertThat(server.stop()).as(server.log()).isZero();
        }
        Said strict = offline(export, root, "--all");
        assertThat(strict.code()).isEqualTo(FOUND_WRONG);
        assertThat(strict.text()).contains("I1 broken, entries were taken out");
        String fixed = work.resolve("fixed").toString();
        Said accepted =
                offline(
                        export,
                        root,
                        "--all",
                        "--accept-summaries",
                        "--heads",
                        fixed + "/heads-0",
                        "--checkpoint",
                        fixed + "/checkpoint-0");
        assertThat(accepted.code()).as(accepted.text()).isZero();
        // 0, 8, 16, 24, 32, 40, 41 (which the checkpoint has), 49, 57, ... 97, 99.
        assertThat(accepted.text())
                .contains("1 chain, 15 of 15 entries verified, 85 removed, 0 findings");
        ExternalClient python = python();
        assertThat(python.run(SCRIPT, "export", "keys", root).code()).isOne();
        assertThat(python.run(SCRIPT, "--accept-summaries", "export", "keys", root).orFail())
                .isEqualTo(RULES + "removals-follow-settings\n" + "85 entries summarised away\n");
        String[] compared = {
            SCRIPT,
            "--accept-summaries",
            "export",
            "keys",
            root,
            "fixed/checkpoint-0",
            "fixed/heads-0"
        };
        assertThat(python.run(compared).orFail())
                .contains("trusted-heads-stay, keys-of-checkpoint, nothing-before-checkpoint");
        assertThat(accepted.text())
                .contains("trusted-heads-stay, keys-of-checkpoint, nothing-before-checkpoint");
    }

    @Test
    void whatCannotBeSummarisedIsRefused() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("no-summary");
                ServerProcess server = ServerProcess.start(directory);
                S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            put(s3, "a", "one");
            Path export = work.resolve("export");
            Said said =
                    VoluteCommand.run(
                            server,
                            "provenance",
                            "export",
                            "--all",
                            "--summary",
                            "--output",
                            export.toString());
            assertThat(said.code()).isEqualTo(NOT_AUDITED);
            assertThat(said.text())
                    .contains("NotSummarisable", "provenance.construction = link-per-dimension");
            assertThat(export).doesNotExist();
        }
    }

    @Test
    void aServerThatSignsNothingSaysSo() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("unsigned")) {
            ServerProcess.Options options =
                    ServerProcess.Options.of(directory.data())
                            .withEnvironment(Map.of("VOLUTE_PROVENANCE_SIGNATURES", "none"));
            try (ServerProcess server = ServerProcess.start(options)) {
                Said said = VoluteCommand.run(server, "audit", "--all");
                assertThat(said.code()).isEqualTo(NOT_AUDITED);
                assertThat(said.text()).contains("provenance.signatures");
            }
        }
    }
}
