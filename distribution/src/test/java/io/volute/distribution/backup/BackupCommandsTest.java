package io.volute.distribution.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.BackupApi.Backup;
import io.volute.adminapi.DamageApi.Damaged;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Output, errors and exit codes of the commands of backups, with a target of an early release. */
class BackupCommandsTest {
    private static final Path GOLDEN = Path.of("../server/delivery/src/test/resources/backup");
    private static final String NAME = "20261126T100000Z-000001";
    private static final String OLDER = "20261125T100000Z-000001";

    @RegisterExtension private final FakeServer server = new FakeServer(BackupCommand.class);
    @TempDir private Path directory;
    private Path target;

    @BeforeEach
    void copy() throws IOException {
        target = copied("v1-plain");
    }

    private Path copied(String kind) throws IOException {
        Path copy = directory.resolve(kind);
        try (Stream<Path> all = Files.walk(GOLDEN.resolve(kind))) {
            for (Path each : all.toList()) {
                Files.copy(each, copy.resolve(GOLDEN.resolve(kind).relativize(each)));
            }
        }
        return copy;
    }

    private Outcome run(String command, String... more) {
        return runOn(target, command, more);
    }

    private Outcome runOn(Path place, String command, String... more) {
        List<String> words = new ArrayList<>(List.of("backup", command));
        words.addAll(List.of("--from", place.toString()));
        words.addAll(List.of(more));
        return server.runExactly("", words.toArray(String[]::new));
    }

    private static Outcome ended(int code, Outcome outcome) {
        assertThat(outcome.code()).as(outcome.out() + outcome.err()).isEqualTo(code);
        assertThat(outcome.err()).doesNotContain("Exception", "\tat ");
        return outcome;
    }

    private Path pack() {
        return target.resolve("packs/" + NAME + "-1");
    }

    private Path manifest() {
        return target.resolve("snapshots/" + NAME);
    }

    /** Changes a byte in the middle. */
    private static void damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }

    private Path passphrase(String text, String permissions) throws IOException {
        Path file = Files.writeString(directory.resolve("passphrase"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    // ---- targets

    @ParameterizedTest
    @ValueSource(strings = {"list", "verify", "restore", "prune"})
    void aTargetWithoutBackupsIsNamed(String command) throws IOException {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        String[] more =
                switch (command) {
                    case "restore" -> new String[] {"--data", directory.resolve("new").toString()};
                    case "prune" -> new String[] {"--keep", "1", "--yes"};
                    default -> new String[0];
                };
        assertThat(ended(1, runOn(empty, command, more)).err())
                .contains("there are no backups in " + empty);
        assertThat(empty).isEmptyDirectory();
        assertThat(directory.resolve("new")).doesNotExist();
    }

    @Test
    void anEncryptedTargetNeedsItsPassphrase() throws IOException {
        Path encrypted = copied("v1-encrypted");
        assertThat(ended(1, runOn(encrypted, "list")).err())
                .contains("are encrypted", "--passphrase-file");
        String file = passphrase("correct horse\n", "rw-------").toString();
        assertThat(ended(0, runOn(encrypted, "verify", "--passphrase-file", file)).out())
                .contains(NAME + ": whole, 3 files");
        assertThat(ended(1, run("list", "--passphrase-file", file)).err())
                .contains("are not encrypted: leave the passphrase out");
    }

    @Test
    void aWrongPassphraseIsRefused() throws IOException {
        Path encrypted = copied("v1-encrypted");
        String file = passphrase("battery staple\n", "rw-------").toString();
        assertThat(ended(1, runOn(encrypted, "list", "--passphrase-file", file)).err())
                .contains("have another passphrase");
    }

    @Test
    void aPassphraseThatOthersCanReadIsRefused() throws IOException {
        String file = passphrase("correct horse\n", "rw-r--r--").toString();
        Outcome outcome =
                ended(1, runOn(copied("v1-encrypted"), "list", "--passphrase-file", file));
        assertThat(outcome.err()).contains(file).doesNotContain("correct horse");
    }

    @Test
    void aTargetOfALaterReleaseIsRefused() throws IOException {
        Path header = target.resolve("backup.volute");
        Files.writeString(
                header, Files.readString(header).replaceFirst("\"format\":\\s*1", "\"format\":9"));
        assertThat(ended(1, run("list")).err()).contains("backups of format 9", "use the release");
    }

    @ParameterizedTest
    @CsvSource({
        "https://host,not a target: https://host; write https://HOST/BUCKET or a directory",
        "https://host/bucket,set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    })
    void aBucketNeedsAPlaceAndKeys(String place, String said) {
        Outcome outcome = server.runExactly("", "backup", "list", "--from", place);
        assertThat(ended(1, outcome).err()).contains(said);
    }

    // ---- list

    @Test
    void snapshotsAreListed() throws IOException {
        assertThat(ended(0, run("list")).out())
                .contains("SNAPSHOT", "TAKEN", "FILES", NAME, "2026-11-26T10:00:00Z");
        Map<?, ?> line =
                (Map<?, ?>) ((List<?>) run("list", "--json").json().get("snapshots")).getFirst();
        assertThat(line.get("snapshot")).isEqualTo(NAME);
        assertThat(line.get("files")).isEqualTo(3);
        assertThat(line.get("taken")).isEqualTo("2026-11-26T10:00:00Z");
    }

    @Test
    void theListFitsATerminal() {
        server.atTerminal();
        assertThat(ended(0, run("list")).out().lines()).allMatch(line -> line.length() <= 80);
    }

    @Test
    void aTargetWhoseFirstBackupIsUnfinishedHasNoSnapshot() throws IOException {
        Files.delete(manifest());
        assertThat(ended(0, run("list")).out()).isEqualTo("no complete snapshot yet\n");
        assertThat(ended(1, run("verify")).err()).contains("no complete snapshot yet");
    }

    // ---- verify

    @Test
    void aWholeSnapshotIsWhole() throws IOException {
        assertThat(ended(0, run("verify")).out()).contains(NAME + ": whole, 3 files");
        Outcome outcome = ended(0, run("verify", "--json"));
        assertThat(outcome.json().get("snapshots"))
                .isEqualTo(List.of(Map.of("snapshot", NAME, "problems", List.of())));
    }

    @Test
    void aDamagedPackIsNamed() throws IOException {
        damage(pack());
        assertThat(ended(3, run("verify")).out())
                .contains("packs/" + NAME + "-1", "is damaged", NAME + ": not whole");
    }

    @Test
    void aMissingPackIsNamed() throws IOException {
        Files.delete(pack());
        assertThat(ended(3, run("verify")).out())
                .contains("packs/" + NAME + "-1 is missing", "not whole");
    }

    /** A target can have any number of bytes in place of a pack. */
    @Test
    void aPackLongerThanAnyPackIsNotReadToItsEnd() throws IOException {
        Files.write(pack(), new byte[40 << 20]);
        assertThat(ended(3, run("verify")).out()).contains("is longer than", "not whole");
    }

    /** The other snapshots are verified nevertheless. */
    @Test
    void aDamagedManifestIsNamedBesideTheOthers() throws IOException {
        Files.copy(manifest(), target.resolve("snapshots/" + OLDER));
        Outcome outcome = ended(3, run("verify", "--all"));
        assertThat(outcome.out())
                .contains(OLDER + ": ", "is the manifest of another snapshot")
                .contains(NAME + ": whole, 3 files");
        assertThat(ended(0, run("verify")).out()).doesNotContain(OLDER);
    }

    @Test
    void anUnknownSnapshotIsNamed() {
        assertThat(ended(1, run("verify", "--snapshot", "yesterday")).err())
                .contains("there is no snapshot yesterday", "'volute backup list' shows those");
    }

    @Test
    void optionsOfContentsNeedContents() {
        assertThat(ended(2, run("verify", "--scratch", "/tmp")).err())
                .contains("--scratch and --keys go with --contents");
    }

    /** The golden files are no real segments: what is restored of them is deleted again. */
    @Test
    void theTemporaryDirectoryIsDeletedAfterAFailure() throws IOException {
        Path scratch = Files.createDirectory(directory.resolve("scratch"));
        Outcome outcome = run("verify", "--contents", "--scratch", scratch.toString());
        assertThat(outcome.code()).as(outcome.out() + outcome.err()).isNotZero();
        assertThat(outcome.out()).contains("which is deleted at the end");
        assertThat(scratch).isEmptyDirectory();
    }

    // ---- restore

    @Test
    void aSnapshotIsRestoredToANewDirectory() throws IOException {
        Path data = directory.resolve("new/data");
        Outcome outcome = ended(0, run("restore", "--data", data.toString()));
        assertThat(outcome.out())
                .contains("restored " + NAME + " to " + data + ": 3 files")
                .contains("Put these back from your copy", "keys/provenance.key");
        assertThat(data.resolve("volute.mark")).content().contains("what volute-store");
    }

    @Test
    void scriptsGetWhatIsMissing() throws IOException {
        Path data = directory.resolve("new");
        assertThat(ended(0, run("restore", "--data", data.toString(), "--json")).json())
                .containsEntry("snapshot", NAME)
                .containsEntry("directory", data.toString())
                .containsEntry("missing", List.of("keys/provenance.key"));
    }

    @Test
    void aDirectoryWithFilesIsLeftAsItIs() throws IOException {
        Path data = Files.createDirectory(directory.resolve("used"));
        Path own = Files.writeString(data.resolve("mine"), "mine");
        assertThat(ended(1, run("restore", "--data", data.toString())).err())
                .contains(data + " is not empty: it has mine; choose another one");
        assertThat(data).isDirectoryContaining(own::equals);
        assertThat(own).hasContent("mine");
    }

    /** The mark is written last: no server starts on a part of a store. */
    @Test
    void aSnapshotThatIsNotWholeMakesNoStore() throws IOException {
        damage(pack());
        Path data = directory.resolve("new");
        assertThat(ended(1, run("restore", "--data", data.toString())).err())
                .contains("is damaged");
        assertThat(data.resolve("volute.mark")).doesNotExist();
    }

    @Test
    void aBucketNeedsThePrivateFiles() {
        Path data = directory.resolve("new");
        Outcome outcome =
                server.run(
                        "backup",
                        "restore",
                        "photos",
                        "--from",
                        target.toString(),
                        "--data",
                        data.toString());
        assertThat(ended(1, outcome).err())
                .contains("keys/provenance.key is not in the snapshot", "with --keys");
        assertThat(data).doesNotExist();
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void aBucketNeedsAServer() {
        Outcome outcome = run("restore", "photos", "--data", directory.resolve("new").toString());
        assertThat(ended(2, outcome).err()).contains("--endpoint");
    }

    // ---- prune

    @Test
    void theNewestSnapshotsStay() throws IOException {
        Files.copy(manifest(), target.resolve("snapshots/" + OLDER));
        Path orphan = Files.writeString(target.resolve("packs/" + OLDER + "-1"), "of the old one");
        Outcome outcome = ended(0, run("prune", "--keep", "1", "--yes"));
        assertThat(outcome.out()).isEqualTo("deleted " + OLDER + "\n1 packs deleted\n");
        assertThat(orphan).doesNotExist();
        assertThat(ended(0, run("verify", "--all")).out()).contains("whole").doesNotContain(OLDER);
        assertThat(ended(0, run("prune", "--keep", "1", "--yes")).out())
                .isEqualTo("0 packs deleted\n");
    }

    @Test
    void aPersonIsAskedAndMayRefuse() throws IOException {
        Path older = Files.copy(manifest(), target.resolve("snapshots/" + OLDER));
        server.atTerminal();
        Outcome outcome =
                server.runExactly(
                        "n\n", "backup", "prune", "--from", target.toString(), "--keep", "1");
        assertThat(outcome.code()).isNotZero();
        assertThat((outcome.out() + outcome.err()).replaceAll("\\s+", " "))
                .contains("1 of 2 snapshots in " + target + " goes: " + OLDER, "Delete it?");
        assertThat(older).exists();
    }

    /** Its packs may be among those that no snapshot needs. */
    @Test
    void packsStayBesideAnUnfinishedBackup() throws IOException {
        Files.createDirectories(target.resolve("unfinished"));
        Files.writeString(target.resolve("unfinished/later"), "x");
        Path pack = Files.writeString(target.resolve("packs/later-1"), "x");
        assertThat(ended(0, run("prune", "--keep", "1", "--yes")).out())
                .contains("A backup is unfinished, so no pack was deleted", "Prune again");
        assertThat(pack).exists();
    }

    /** Nobody knows the packs that it needs, so nothing may go. */
    @Test
    void aDamagedManifestEndsThePruneBeforeItDeletes() throws IOException {
        Path older = Files.copy(manifest(), target.resolve("snapshots/" + OLDER));
        damage(manifest());
        assertThat(ended(1, run("prune", "--keep", "1", "--yes")).err()).contains("is damaged");
        assertThat(older).exists();
        assertThat(pack()).exists();
    }

    @Test
    void oneSnapshotStaysAtLeast() {
        assertThat(ended(2, run("prune", "--keep", "0", "--yes")).err())
                .contains("--keep is at least 1");
        assertThat(manifest()).exists();
    }

    /** Backups that the server makes, as create shows them. */
    @Nested
    class Created {
        private static Backup backup(String state, long files, Damaged... damaged) {
            return new Backup(
                    state,
                    Optional.of("/mnt/backup"),
                    Optional.of(NAME),
                    Optional.of(Instant.EPOCH),
                    Optional.empty(),
                    files,
                    4,
                    2048,
                    1024,
                    List.of("keys/provenance.key"),
                    List.of(damaged),
                    0,
                    state.equals("failed") ? Optional.of("disk full") : Optional.empty());
        }

        private static String text(Backup backup) {
            return new String(AdminJson.write(backup), StandardCharsets.UTF_8);
        }

        private void answers(Backup... later) {
            server.answer("POST backup", text(backup("running", 0)));
            for (Backup each : later) {
                server.answer("GET backup", text(each));
            }
        }

        @Test
        void aBackupIsFollowedToItsEnd() {
            answers(backup("running", 1), backup("running", 3), backup("finished", 4));
            Outcome outcome = ended(0, server.run("backup", "create", "--to", "/mnt/../mnt/b"));
            assertThat(outcome.out())
                    .contains("snapshot " + NAME, "4 of 4 files", "1.0 KiB sent")
                    .contains("Missing in it: keys/provenance.key. Keep a copy");
            assertThat(server.asked().getFirst()).isEqualTo("POST backup{\"to\":\"/mnt/b\"}");
            assertThat(server.pauses()).isEqualTo(3);
        }

        @Test
        void aFailedBackupIsAFailure() {
            answers(backup("failed", 1));
            assertThat(ended(1, server.run("backup", "create")).err())
                    .contains("the backup failed: disk full");
        }

        @Test
        void damagedVersionsAreNamed() throws IOException {
            Damaged damaged =
                    new Damaged(
                            "default",
                            "current",
                            Optional.of("photos"),
                            Optional.of("a\u001bb"),
                            Optional.of("v1"),
                            7,
                            Optional.empty(),
                            Optional.empty());
            answers(backup("finished", 4, damaged));
            assertThat(ended(3, server.run("backup", "create")).out())
                    .contains("The store is damaged", "s3://photos/a")
                    .doesNotContain("\u001b");
            assertThat(ended(3, server.run("backup", "create", "--json")).json().get("damaged"))
                    .asString()
                    .contains("photos");
        }

        @Test
        void aServerThatWasStartedAgainHasAnotherBackup() {
            answers(
                    new Backup(
                            "none",
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            0,
                            0,
                            0,
                            0,
                            List.of(),
                            List.of(),
                            0,
                            Optional.empty()));
            assertThat(ended(1, server.run("backup", "create")).err())
                    .contains("the server was started again: run the command again");
        }

        @Test
        void nobodyWaitsWhoDoesNotWantTo() {
            answers();
            assertThat(ended(0, server.run("backup", "create", "--no-wait")).out())
                    .contains("a backup has begun", "volute backup create --status");
            assertThat(server.asked()).hasSize(1);
            assertThat(server.pauses()).isZero();
        }

        @Test
        void aTimeoutEndsTheWaitAndNotTheBackup() {
            answers(backup("running", 1));
            server.eachTimeLater(40);
            assertThat(ended(1, server.run("backup", "create", "--timeout", "1m")).err())
                    .contains("not finished after", "goes on in the server", "create --status");
        }

        @ParameterizedTest
        @CsvSource({
            "running,0,running: 1 of 4 files",
            "finished,0,snapshot " + NAME,
            "failed,1,the backup failed: disk full"
        })
        void theStatusIsThatOfTheServer(String state, int code, String said) {
            server.answer("GET backup", text(backup(state, 1)));
            Outcome outcome = ended(code, server.run("backup", "create", "--status"));
            assertThat(outcome.out() + outcome.err()).contains(said);
            assertThat(server.asked()).containsExactly("GET backup");
        }

        @Test
        void aRefusalIsShown() {
            server.answer(
                    "POST backup",
                    403,
                    "{\"code\": \"AccessDenied\", \"message\": \"only the root names targets\"}");
            assertThat(ended(1, server.run("backup", "create", "--to", "/mnt/b")).err())
                    .contains("only the root names targets");
        }
    }
}
