package io.volute.storage.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.DamagedException;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreDirectoryTest {
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.parse("2026-11-20T12:00:00Z"));

    @TempDir Path parent;

    private StoreDirectory open() throws IOException {
        return StoreDirectory.open(parent.resolve("data"), new OsFileSystem(), CLOCK);
    }

    private Path mark() {
        return parent.resolve("data").resolve("volute.mark");
    }

    @Test
    void newDirectoryGetsAMarkAndIsFoundAgain() throws IOException {
        try (StoreDirectory store = open()) {
            assertThat(store.cubes()).isEmpty();
            assertThat(store.cube("default")).isDirectory();
            assertThat(store.cubes()).containsExactly("default");
        }
        assertThat(mark()).content().contains("format 1").contains("created 2026-11-20T12:00:00Z");
        try (StoreDirectory store = open()) {
            assertThat(store.cubes()).containsExactly("default");
        }
    }

    private Path copy() {
        return mark().resolveSibling("volute.mark.copy");
    }

    @Test
    void aLostOrDamagedMarkIsMadeAnewFromItsCopy() throws IOException {
        open().close();
        byte[] good = Files.readAllBytes(mark());
        Files.write(mark(), new byte[7]);
        open().close();
        assertThat(mark()).hasBinaryContent(good);
        Files.delete(mark());
        open().close();
        assertThat(mark()).hasBinaryContent(good);
        // A store of a release without copies.
        Files.delete(copy());
        open().close();
        assertThat(copy()).hasBinaryContent(good);
    }

    @Test
    void aCopyOfALaterFormatIsRefusedWhereTheMarkIsLost() throws IOException {
        open().close();
        MarkFile mark = new MarkFile(new OsFileSystem(), mark());
        mark.write(Map.of("what", "volute-store", "format", "3"));
        Files.delete(mark());
        assertThatThrownBy(this::open).hasMessageContaining("has format 3");
        assertThat(mark()).doesNotExist();
    }

    @Test
    void secondServerIsToldWhatToDo() throws IOException {
        try (StoreDirectory store = open()) {
            assertThat(store.directory()).isDirectory();
            assertThatThrownBy(this::open)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another server uses this directory")
                    .hasMessageContaining(parent.toString())
                    .hasMessageContaining("choose another directory");
        }
        open().close();
    }

    @Test
    void theSecondCubeRaisesTheFormatForOlderReleases() throws IOException {
        try (StoreDirectory store = open()) {
            assertThat(mark()).content().contains("format 1");
            store.allowSeveralCubes();
            store.allowSeveralCubes();
            assertThat(mark()).content().contains("format 2").contains("created 2026-11-20");
        }
        open().close();
    }

    @Test
    void whatADirectoryHasForGoodStaysInItsMark() throws IOException {
        OsFileSystem files = new OsFileSystem();
        try (StoreDirectory store = open()) {
            Path data = store.directory();
            assertThat(StoreDirectory.hasForGood(files, data, "audit")).isFalse();
            store.keepForGood("audit");
            store.keepForGood("keyring");
            store.keepForGood("audit");
            store.allowSeveralCubes();
            assertThat(mark()).content().contains("has audit keyring\n", "format 2");
            assertThat(StoreDirectory.hasForGood(files, data, "audit")).isTrue();
            assertThat(StoreDirectory.hasForGood(files, data, "keyring")).isTrue();
            Files.delete(mark());
            Files.delete(copy());
            assertThat(StoreDirectory.hasForGood(files, data, "audit")).isFalse();
            assertThatThrownBy(() -> store.keepForGood("audit"))
                    .hasMessageContaining("were removed while a server uses the directory");
        }
    }

    @Test
    void aRetiredCubeKeepsItsFilesAndIsNoCube() throws IOException {
        try (StoreDirectory store = open()) {
            Files.writeString(store.cube("photos").resolve("file"), "content");
            Path aside = store.retire("photos", 3);
            assertThat(store.cubes()).isEmpty();
            assertThat(aside.resolve("file")).content().isEqualTo("content");
        }
    }

    @Test
    void laterFormatIsRefusedAndNothingChanges() throws IOException {
        open().close();
        MarkFile mark = new MarkFile(new OsFileSystem(), mark());
        Map<String, String> lines = mark.read().orElseThrow();
        lines.put("format", "3");
        mark.write(lines);
        byte[] before = Files.readAllBytes(mark());
        assertThatThrownBy(this::open)
                .hasMessageContaining("has format 3")
                .hasMessageContaining("start the release that wrote it");
        assertThat(Files.readAllBytes(mark())).isEqualTo(before);
    }

    @Test
    void everyChangedByteOfTheMarkIsNoticed() throws IOException {
        open().close();
        Files.delete(copy());
        byte[] good = Files.readAllBytes(mark());
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            // One flipped bit is put right: MarkFileBitsTest.
            bad[i] ^= 5;
            Files.write(mark(), bad);
            assertThatThrownBy(this::open)
                    .as("byte " + i)
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining("volute.mark");
        }
        Files.write(mark(), good);
        open().close();
    }

    @Test
    void cubesWithoutAMarkAreRefused() throws IOException {
        try (StoreDirectory store = open()) {
            assertThat(store.cube("default")).isDirectory();
        }
        Files.delete(mark());
        Files.delete(copy());
        assertThatThrownBy(this::open).hasMessageContaining("restore that file from a backup");
    }

    @Test
    void unwritableDirectoryIsSaid() throws IOException {
        Files.writeString(parent.resolve("data"), "a file where the directory should be");
        assertThatThrownBy(this::open).isInstanceOf(IOException.class);
        assertThatThrownBy(
                        () ->
                                StoreDirectory.open(
                                        Path.of("/proc/volute"), new OsFileSystem(), CLOCK))
                .isInstanceOf(IOException.class);
    }

    @Test
    void badNamesOfCubesAreRefused() throws IOException {
        try (StoreDirectory store = open()) {
            for (String name : new String[] {"", "..", "a/b", "A", "-a", "a".repeat(64)}) {
                assertThatThrownBy(() -> store.cube(name))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }
}
