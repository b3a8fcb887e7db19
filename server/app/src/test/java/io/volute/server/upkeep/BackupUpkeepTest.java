package io.volute.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.DamageApi.Damages;
import io.volute.server.backup.OtherCubes;
import io.volute.server.backup.Repository;
import io.volute.server.backup.StoreBackup;
import io.volute.server.config.BackupConfig;
import io.volute.server.deposit.BackupPlaces;
import io.volute.server.deposit.DirectoryTarget;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.Transaction;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups are made when they are due or requested, and old ones are pruned. */
class BackupUpkeepTest {
    private static final Instant BEGIN = Instant.parse("2026-11-26T10:00:00Z");
    private static final Family FAMILY = new Family(1, "names");

    @TempDir private Path temporary;

    private final FileSystem files = new OsFileSystem();
    private Instant now = BEGIN;
    private StoreDirectory directory;
    private Cube cube;

    @BeforeEach
    void open() throws IOException {
        directory = StoreDirectory.open(temporary.resolve("data"), files, () -> now);
        cube =
                Cubes.open(
                                new CubeOptions(
                                        directory.cube("default"),
                                        files,
                                        () -> now,
                                        new SecureRandom(),
                                        List.of(FAMILY),
                                        new LogSettings(
                                                1 << 20,
                                                16 << 10,
                                                16 << 10,
                                                16 << 20,
                                                4 << 20,
                                                4 << 20,
                                                OnDamage.REFUSE,
                                                CleaningSettings.onlyWhenAsked())))
                        .cube();
        cube.commit(
                        new Transaction()
                                .put(FAMILY, new byte[] {1}, new byte[0], new byte[0], List.of()))
                .join();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
        directory.close();
    }

    private Path target() {
        return temporary.resolve("backups");
    }

    private BackupUpkeep upkeep(Optional<String> target, Duration interval, int keep) {
        StoreBackup.Store store =
                new StoreBackup.Store(
                        directory.directory(),
                        files,
                        () -> new StoreBackup.AllCubes(Map.of("default", cube), List.of()),
                        OtherCubes.NONE,
                        Optional::empty,
                        Optional.empty());
        return new BackupUpkeep(
                new StoreBackup(store, () -> now, new SecureRandom()),
                new BackupPlaces(files, () -> now, Optional.empty()),
                (made, goesOn) -> new Damages(List.of(), 0, Map.of()),
                directory.directory(),
                new BackupConfig(
                        target,
                        Optional.empty(),
                        "us-east-1",
                        Optional.empty(),
                        Optional.empty(),
                        1L << 40,
                        interval,
                        keep),
                () -> now);
    }

    private BackupUpkeep daily(int keep) {
        return upkeep(Optional.of(target().toString()), Duration.ofDays(1), keep);
    }

    private List<String> snapshots() throws IOException {
        return Repository.snapshots(new DirectoryTarget(files, target()));
    }

    @Test
    void makesOneWhenItIsDueAndKeepsTheNewest() throws IOException {
        BackupUpkeep daily = daily(2);
        daily.look();
        daily.look();
        assertThat(snapshots()).hasSize(1);
        assertThat(daily.figures().lastGood()).contains(BEGIN);
        for (int day = 1; day < 4; day++) {
            now = BEGIN.plus(Duration.ofDays(day));
            daily.look();
            daily.look();
        }
        assertThat(snapshots()).hasSize(2).last().asString().startsWith("20261129T100000Z-");
        assertThat(daily.figures().finished()).isEqualTo(4);
        assertThat(daily.status().state()).isEqualTo("finished");
    }

    @Test
    void aRestartDoesNotPutTheNextOneForwardOrOff() throws IOException {
        daily(0).look();
        now = BEGIN.plus(Duration.ofHours(23));
        BackupUpkeep again = daily(0);
        again.look();
        assertThat(snapshots()).hasSize(1);
        assertThat(again.figures().lastGood()).contains(BEGIN);
        now = BEGIN.plus(Duration.ofHours(24));
        again.look();
        assertThat(snapshots()).hasSize(2);
    }

    @Test
    void aFailureIsCountedAndRepeated() throws IOException {
        Files.writeString(target(), "a file, not a directory");
        BackupUpkeep daily = daily(0);
        assertThatThrownBy(daily::look).isInstanceOf(IOException.class);
        assertThat(daily.status().state()).isEqualTo("failed");
        assertThat(daily.status().failure()).isPresent();
        assertThat(daily.figures().failed()).isEqualTo(1);
        assertThat(daily.figures().lastGood()).isEmpty();
        Files.delete(target());
        daily.look();
        assertThat(daily.status().state()).isEqualTo("finished");
    }

    @Test
    void refusesTargetsThatCannotBeOne() {
        BackupUpkeep unset = upkeep(Optional.empty(), Duration.ZERO, 0);
        String data = directory.directory().toString();
        assertThatThrownBy(() -> unset.begin(Optional.empty())).hasMessageContaining("configure");
        assertThatThrownBy(() -> unset.begin(Optional.of("relative")))
                .hasMessageContaining("absolute path");
        assertThatThrownBy(() -> unset.begin(Optional.of(data + "/x")))
                .hasMessageContaining("inside the other");
        assertThatThrownBy(() -> unset.begin(Optional.of(temporary.toString())))
                .hasMessageContaining("inside the other");
        assertThatThrownBy(() -> unset.begin(Optional.of("https://host/bucket")))
                .hasMessageContaining("set backup.credentials");
        assertThat(unset.status().state()).isEqualTo("none");
    }

    @Test
    void explainsADirectoryThatCannotBeWritten() {
        assertThat(BackupUpkeep.reason(new AccessDeniedException("/mnt/backup")))
                .isEqualTo("permission denied: /mnt/backup: let the server's user write there");
        assertThat(BackupUpkeep.reason(new IOException("full"))).isEqualTo("full");
    }

    @Test
    void oneRunsAtATime() throws IOException {
        BackupUpkeep upkeep = daily(0);
        assertThat(upkeep.begin(Optional.empty())).isTrue();
        assertThat(upkeep.begin(Optional.empty())).isFalse();
        upkeep.look();
        assertThat(upkeep.status().snapshot()).contains(snapshots().getFirst());
        assertThat(upkeep.begin(Optional.empty())).isTrue();
        upkeep.stop();
        assertThatThrownBy(upkeep::look).hasMessageContaining("the server stops");
        assertThat(snapshots()).hasSize(1);
    }
}
