package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * {@code volute backup verify --contents} reads every version, and names those that are damaged.
 */
class BackupContentsIT {
    private static final String BUCKET = "kept";
    private static final int SAMPLE_BYTES = 24;

    private static Said verify(Path backups, Path scratch, String... more) throws Exception {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "backup",
                                "verify",
                                "--contents",
                                "--from=" + backups,
                                "--scratch=" + scratch));
        all.addAll(List.of(more));
        return VoluteCommand.runAlone(all.toArray(String[]::new));
    }

    private static List<Path> packs(Path backups) throws IOException {
        try (Stream<Path> files = Files.list(backups.resolve("packs"))) {
            return files.sorted().toList();
        }
    }

    /** Flips a bit in the middle of a content, in the pack that has it as it is. */
    private static void flip(Path backups, byte[] content) throws IOException {
        int middle = content.length / 2;
        byte[] sample = Arrays.copyOfRange(content, middle, middle + SAMPLE_BYTES);
        for (Path pack : packs(backups)) {
            byte[] bytes = Files.readAllBytes(pack);
            for (int at = 0; at <= bytes.length - sample.length; at++) {
                if (Arrays.equals(bytes, at, at + sample.length, sample, 0, sample.length)) {
                    bytes[at] ^= 4;
                    Files.write(pack, bytes);
                    return;
                }
            }
        }
        throw new AssertionError("the content is in no pack");
    }

    private static Path folder(TemporaryStore work, String name) throws IOException {
        return Files.createDirectories(work.path().resolve(name));
    }

    @Test
    void namesWhatIsDamagedInTheSourceAndInTheTarget() throws Exception {
        byte[] large = Bytes.random(1, 3 << 20);
        byte[] medium = Bytes.random(2, 40_000);
        byte[] small = Bytes.random(3, 200);
        byte[] overwritten = Bytes.random(4, 70_000);
        byte[] elsewhere = Bytes.random(5, 2 << 20);
        byte[] intact = Bytes.random(6, 1 << 20);
        byte[] part = Bytes.random(8, 300_000);
        try (TemporaryStore work = TemporaryStore.create("contents")) {
            Path good = work.path().resolve("good");
            Path bad = work.path().resolve("bad");
            Path scratch = folder(work, "scratch");
            String first;
            try (ServerProcess server = ServerProcess.start(work);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                Store store = new Store(server.endpoint(), s3);
                store.createVersioned(BUCKET);
                first = store.put(BUCKET, "large", large).versionId();
                store.put(BUCKET, "large", "newer");
                store.put(BUCKET, "medium", medium);
                store.put(BUCKET, "small", small);
                store.put(BUCKET, "gone", "x");
                s3.deleteObject(delete -> delete.bucket(BUCKET).key("gone"));
                String upload =
                        s3.createMultipartUpload(to -> to.bucket(BUCKET).key("parts")).uploadId();
                s3.uploadPart(
                        to -> to.bucket(BUCKET).key("parts").uploadId(upload).partNumber(7),
                        RequestBody.fromBytes(part));
                VoluteCommand.done(server, "cube", "create", "photos");
                VoluteCommand.done(server, "bucket", "create", "pictures", "--cube=photos");
                store.put("pictures", "elsewhere", elsewhere);
                store.put("pictures", "intact", intact);
                store.create("plain");
                VoluteCommand.done(server, "history", "policy", "plain", "every-write");
                store.put("plain", "key", overwritten);
                store.put("plain", "key", "other");
                VoluteCommand.done(server, "backup", "create", "--to", good.toString());
                Said whole = verify(good, scratch);
                assertThat(whole.code()).as(whole.text()).isZero();
                assertThat(whole.text())
                        .contains("all verified", "0 damaged", "which is deleted at the end");
                assertThat(scratch).isEmptyDirectory();

                // The damage was in the store when the backup was made.
                for (byte[] each : List.of(large, overwritten, elsewhere, part)) {
                    DamageIT.damage(work.data(), each);
                }
                Said create = VoluteCommand.run(server, "backup", "create", "--to", bad.toString());
                assertThat(create.code()).isEqualTo(3);
                assertThat(server.stop()).as(server.log()).isZero();
            }
            Said source = verify(bad, scratch);
            assertThat(source.code()).as(source.text()).isEqualTo(3);
            assertThat(source.text())
                    .contains(
                            "damaged: s3://kept/large (noncurrent version " + first,
                            "damaged: s3://plain/key (state in the history null",
                            "damaged: s3://pictures/elsewhere (current version null",
                            "damaged: s3://kept/parts (part 7 of a multipart upload)",
                            "4 damaged, 0 not verified")
                    .doesNotContain("kept/medium", "kept/small", "pictures/intact");

            // The damage is in the target. Its rows are in the same frame as small contents.
            flip(good, elsewhere);
            flip(good, medium);
            Said target = verify(good, scratch, "--json");
            assertThat(target.code()).as(target.text()).isEqualTo(3);
            assertThat(target.text())
                    .contains("\"elsewhere\"", "\"medium\"", "pictures")
                    .doesNotContain("\"intact\"", "\"small\"");

            // A missing pack is not the same as damage that nobody names.
            Files.delete(packs(good).getFirst());
            Said missing = verify(good, scratch);
            assertThat(missing.code()).as(missing.text()).isEqualTo(3);
            assertThat(missing.text()).contains("is missing");
            assertThat(scratch).isEmptyDirectory();
        }
    }

    private static Path secret(TemporaryStore work, String name, String text) throws IOException {
        Path file = work.path().resolve(name);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text + "\n");
    }

    /** A store without content hashes: only the keys prove an encrypted content. */
    @Test
    void encryptedContentsAreProvenAsFarAsKeysAllow() throws Exception {
        byte[] large = Bytes.random(1, 3 << 20);
        try (TemporaryStore work = TemporaryStore.create("contents-sealed")) {
            Path open = work.path().resolve("open");
            Path closed = work.path().resolve("closed");
            Path scratch = folder(work, "scratch");
            Path passphrase = secret(work, "passphrase", "correct horse battery");
            ServerProcess.Options options =
                    ServerProcess.Options.of(work.data())
                            .withEnvironment(
                                    Map.of(
                                            "VOLUTE_PROVENANCE_SIGNATURES",
                                            "none",
                                            "VOLUTE_BACKUP_TARGET",
                                            closed.toString(),
                                            "VOLUTE_BACKUP_PASSPHRASE_FILE",
                                            passphrase.toString()));
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                Store store = new Store(server.endpoint(), s3);
                store.createVersioned(BUCKET);
                for (String key : List.of("secret", "shredded")) {
                    s3.putObject(
                            put ->
                                    put.bucket(BUCKET)
                                            .key(key)
                                            .serverSideEncryption(ServerSideEncryption.AES256),
                            RequestBody.fromBytes(large));
                }
                store.put(BUCKET, "plain", Bytes.random(7, 1000));
                VoluteCommand.done(server, "shred", "s3://kept/shredded", "--yes");
                VoluteCommand.done(server, "backup", "create");
                assertThat(server.stop()).as(server.log()).isZero();
            }
            try (ServerProcess server =
                    ServerProcess.start(
                            ServerProcess.Options.of(work.data())
                                    .withEnvironment(
                                            Map.of("VOLUTE_PROVENANCE_SIGNATURES", "none")))) {
                VoluteCommand.done(server, "backup", "create", "--to", open.toString());
                assertThat(server.stop()).as(server.log()).isZero();
            }
            // The snapshot has the keys.
            String[] sealed = {"--passphrase-file=" + passphrase};
            Said all = verify(closed, scratch, sealed);
            assertThat(all.code()).as(all.text()).isZero();
            assertThat(all.text()).contains("all verified");

            // It has none here.
            Said none = verify(open, scratch);
            assertThat(none.code()).as(none.text()).isEqualTo(5);
            assertThat(none.text())
                    .contains(
                            "not verified: s3://kept/secret (current version",
                            "keys/provenance.key is not in the snapshot",
                            "0 damaged, 2 not verified");
            Said keys = verify(open, scratch, "--keys=" + work.data().resolve("keys"));
            assertThat(keys.code()).as(keys.text()).isZero();

            Path pack =
                    packs(closed).stream()
                            .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
                            .orElseThrow();
            byte[] bytes = Files.readAllBytes(pack);
            bytes[bytes.length / 2] ^= 4;
            Files.write(pack, bytes);
            Said damaged = verify(closed, scratch, sealed);
            assertThat(damaged.code()).as(damaged.text()).isEqualTo(3);
            assertThat(damaged.text()).contains("damaged: s3://kept/");
        }
    }

    @Test
    void theNextRunDeletesWhatAKilledOneLeft() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("contents-left")) {
            Path backups = work.path().resolve("backups");
            Path scratch = folder(work, "scratch");
            Path left = folder(work, "scratch/volute-verify-1");
            Files.createDirectories(left.resolve("data/cubes"));
            Files.writeString(left.resolve("data/cubes/file"), "left");
            Files.writeString(left.resolve("LOCK"), "1");
            Path other = folder(work, "scratch/volute-verify-not");
            try (ServerProcess server = ServerProcess.start(work)) {
                VoluteCommand.done(server, "backup", "create", "--to", backups.toString());
                assertThat(server.stop()).as(server.log()).isZero();
            }
            assertThat(verify(backups, scratch).code()).isZero();
            assertThat(left).doesNotExist();
            assertThat(other).exists();
            Said wrong = VoluteCommand.runAlone("backup", "verify", "--from=x", "--keys=y");
            assertThat(wrong.code()).isEqualTo(2);
        }
    }
}
