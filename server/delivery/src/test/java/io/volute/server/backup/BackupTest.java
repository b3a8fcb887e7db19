package io.volute.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.storage.CubeMaintenance.Cleaning;
import io.volute.storage.CubeMaintenance.LogSnapshot;
import io.volute.storage.CubeMaintenance.SegmentFile;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots are whole or absent, restore to what was there, and send only what is new. */
@Tag("slow")
class BackupTest {
    private static final Optional<char[]> OPEN = Optional.empty();
    private static final Verification.Watch UNWATCHED = (files, total, bytes) -> {};

    @TempDir private Path temporary;

    private final MemoryTarget target = new MemoryTarget();

    private BackedUpStore store(String name) throws IOException {
        return new BackedUpStore(temporary.resolve(name), name.hashCode());
    }

    private Repository repository() throws IOException {
        return Repository.open(target, OPEN);
    }

    private List<String> problems(String snapshot) throws IOException {
        return new Verification(repository(), UNWATCHED).run(repository().snapshot(snapshot));
    }

    private Path restored(Repository from, String snapshot) throws IOException {
        Path directory = temporary.resolve("restored-" + snapshot + "-" + counter++);
        new DataDirectoryRestore(from, new OsFileSystem(), UNWATCHED)
                .run(from.snapshot(snapshot), directory);
        return directory;
    }

    private int counter;

    /** Restores a snapshot and returns what a store finds there. */
    private Map<String, String> contents(String snapshot) throws IOException {
        try (BackedUpStore store = new BackedUpStore(restored(repository(), snapshot), 7)) {
            assertThat(store.cube.check(1L << 40, progress -> true).problems()).isEmpty();
            Map<String, String> contents = store.contents();
            store.write("more", 20_000);
            return contents;
        }
    }

    @Test
    void restoresEachSnapshotAndSendsOnlyNewBytes() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.fill(200);
            Map<String, String> before = store.contents();
            Manifest first = store.backUp(target, "1");
            store.write("key-7", 3_000);
            store.write("key-8", 3_000);
            Map<String, String> after = store.contents();
            Manifest second = store.backUp(target, "2");
            assertThat(first.sentBytes()).isGreaterThan(2_000_000);
            assertThat(second.sentBytes()).isLessThan(first.sentBytes() / 20);
            assertThat(BackedUpStore.sequence(second)).isGreaterThan(BackedUpStore.sequence(first));
            assertThat(problems("1")).isEmpty();
            assertThat(problems("2")).isEmpty();
            assertThat(contents("1")).isEqualTo(before);
            assertThat(contents("2")).isEqualTo(after);
        }
    }

    /** A restored log is in files, wherever the log of the source is. */
    @Test
    void leavesOutThePlaceOfTheLogAndMirrors() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.fill(3);
            Path cube = store.path.resolve("cubes/default");
            Files.createDirectories(cube.resolve("mirrors"));
            Files.writeString(cube.resolve("mirrors/7.whole"), "bytes of a ledger");
            Files.writeString(cube.resolve("log.mark"), "store bookkeeper");
            assertThat(store.backUp(target, "1").files())
                    .extracting(Manifest.Item::path)
                    .contains("cubes/default/cube.mark")
                    .noneMatch(path -> path.contains("mirrors") || path.endsWith("log.mark"));
            assertThat(contents("1")).isEqualTo(store.contents());
        }
    }

    /** In a cluster the keyring is in ZooKeeper, and an old one may be left in a file. */
    @Test
    void hasTheCubesOfOtherNodesAndTheKeyring() throws IOException {
        try (BackedUpStore store = store("a");
                BackedUpStore other = store("b")) {
            store.fill(3);
            other.fill(100);
            Path elsewhere = other.path.resolve("cubes/default");
            Path standby = Files.createDirectories(store.path.resolve("cubes/hot"));
            Files.copy(elsewhere.resolve("cube.mark"), standby.resolve("cube.mark"));
            Path keys = Files.createDirectories(store.path.resolve("keys"));
            Files.writeString(keys.resolve("encryption.keyring"), "old");
            long sequence = other.cube.lastSequence();
            StoreBackup backup =
                    store.backup(
                            List.of("hot"),
                            cube -> new OtherCubes.Taken(sequence, held(other.cube.snapshot())),
                            () -> Optional.of(Bytes.of("new")));
            Manifest made = BackedUpStore.backUp(backup, target, "1", Optional.empty());
            assertThat(made.cubes()).contains(new Manifest.CutOfCube("hot", sequence));
            assertThat(problems("1")).isEmpty();
            Path restored = restored(repository(), "1");
            assertThat(restored.resolve("keys/encryption.keyring")).hasContent("new");
            assertThat(restored.resolve("cubes/hot/cube.mark")).exists();
            try (LogSnapshot snapshot = other.cube.snapshot()) {
                assertThat(snapshot.files()).hasSizeGreaterThan(2);
                for (SegmentFile each : snapshot.files()) {
                    ByteBuffer bytes = ByteBuffer.allocate((int) each.bytes());
                    assertThat(snapshot.read(each, 0, bytes)).isEqualTo(bytes.capacity());
                    byte[] found =
                            Files.readAllBytes(
                                    restored.resolve("cubes/hot/segments").resolve(each.name()));
                    assertThat(Arrays.copyOf(found, bytes.capacity())).isEqualTo(bytes.array());
                }
            }
        }
    }

    /** Returns a snapshot as of another node. */
    private static OtherCubes.Snapshot held(LogSnapshot snapshot) {
        return (OtherCubes.Snapshot)
                Proxy.newProxyInstance(
                        OtherCubes.class.getClassLoader(),
                        new Class<?>[] {OtherCubes.Snapshot.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("hold")
                                        ? null
                                        : method.invoke(snapshot, arguments));
    }

    @Test
    void survivesCleaningAndARestartBetweenSnapshots() throws IOException {
        Map<String, String> before;
        try (BackedUpStore store = store("a")) {
            store.fill(100);
            store.backUp(target, "1");
            for (int i = 0; i < 100; i += 2) {
                store.write("key-" + i, 3_000);
            }
            store.cube.clean(Cleaning.COMBINED);
            store.cube.clean(Cleaning.COMPACT);
            before = store.contents();
            store.backUp(target, "2");
        }
        try (BackedUpStore store = store("a")) {
            store.write("key-0", 60_000);
            Map<String, String> after = store.contents();
            store.backUp(target, "3");
            assertThat(contents("2")).isEqualTo(before);
            assertThat(contents("3")).isEqualTo(after);
        }
    }

    /** A backup that is ended at any put leaves no snapshot, and the next one is whole. */
    @Test
    void aBackupThatEndsEarlyLeavesNoSnapshot() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.fill(40);
            Map<String, String> contents = store.contents();
            List<String> ends = new ArrayList<>();
            for (int last = 0; ; last++) {
                MemoryTarget killed = new MemoryTarget();
                int allowed = last;
                AtomicInteger puts = new AtomicInteger();
                killed.fails =
                        name -> {
                            boolean isOver = puts.getAndIncrement() >= allowed;
                            if (isOver) {
                                ends.add(name);
                            }
                            return isOver;
                        };
                try {
                    store.backUp(killed, "1");
                    break;
                } catch (IOException e) {
                    boolean isThere = killed.objects.containsKey("snapshots/1");
                    killed.fails = name -> false;
                    target.objects.clear();
                    target.objects.putAll(killed.objects);
                    if (isThere) {
                        // Ended between the snapshot and the deletion of the note.
                        assertThat(contents("1")).isEqualTo(contents);
                    } else if (killed.objects.containsKey("backup.volute")) {
                        assertThat(repository().snapshots()).isEmpty();
                    }
                    store.backUp(target, "2");
                    assertThat(problems("2")).isEmpty();
                    assertThat(target.list("unfinished/")).isEmpty();
                }
            }
            assertThat(contents("2")).isEqualTo(contents);
            assertThat(ends).contains("backup.volute", "unfinished/1", "packs/1-1", "snapshots/1");
        }
    }

    @Test
    void findsEachChangedByteAndEachMissingPack() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.fill(20);
            store.backUp(target, "1");
        }
        TreeMap<String, byte[]> whole = new TreeMap<>(target.objects);
        for (String name : whole.navigableKeySet()) {
            for (double place : new double[] {0, 0.3, 0.7, 0.99}) {
                byte[] bytes = whole.get(name).clone();
                bytes[(int) (place * bytes.length)] ^= 1;
                target.objects.put(name, bytes);
                if (!name.equals(Repository.HEADER)) {
                    assertThat(isFound(name)).as("%s at %s", name, place).isTrue();
                }
            }
            target.objects.remove(name);
            assertThat(isFound(name)).as("%s is missing", name).isTrue();
            target.objects.put(name, whole.get(name));
        }
        assertThat(problems("1")).isEmpty();
    }

    private boolean isFound(String name) {
        try {
            return !problems("1").isEmpty();
        } catch (IOException e) {
            assertThat(e.getMessage()).containsAnyOf(name, "snapshot", Repository.HEADER);
            return true;
        }
    }

    /** The two lives have segments of one name with other bytes. */
    @Test
    void aRestoredStoreDoesNotTakeTheBytesOfTheLifeThatWasLost() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.fill(50);
            store.backUp(target, "1");
            for (int i = 0; i < 60; i++) {
                store.write("lost-" + i, i % 2 == 0 ? 40_000 : 5_000);
            }
            store.backUp(target, "2");
        }
        Path again = restored(repository(), "1");
        try (BackedUpStore store = new BackedUpStore(again, 99)) {
            for (int i = 0; i < 60; i++) {
                store.write("other-" + i, i % 2 == 0 ? 40_000 : 5_000);
            }
            store.backUp(target, "3");
            assertThat(contents("3")).isEqualTo(store.contents());
        }
    }

    @Test
    void theOtherFilesAreThereButTheKeysThatOpenThem() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.write("key", 10);
            Files.createDirectories(store.path.resolve("keys"));
            Files.createDirectories(store.path.resolve("audit"));
            Files.writeString(store.path.resolve("keys/provenance.key"), "secret of the store");
            Files.writeString(store.path.resolve("keys/root.credential"), "secret of the root");
            Files.writeString(store.path.resolve("keys/encryption.keyring"), "sealed");
            Files.writeString(store.path.resolve("audit/audit-1.log"), "line 1\n");
            Manifest open = store.backUp(target, "1");
            assertThat(open.leftOut())
                    .containsExactly("keys/provenance.key", "keys/root.credential");
            Path directory = restored(repository(), "1");
            assertThat(directory.resolve("keys/encryption.keyring")).hasContent("sealed");
            assertThat(directory.resolve("audit/audit-1.log")).hasContent("line 1\n");
            assertThat(directory.resolve("keys/provenance.key")).doesNotExist();
            assertThat(directory.resolve("LOCK")).doesNotExist();
            assertThat(directory.resolve("cubes/default/index")).doesNotExist();
        }
    }

    @Test
    void anEncryptedBackupHasAllKeysAndShowsNothing() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.write("plain-key-name", 10);
            Files.createDirectories(store.path.resolve("keys"));
            Files.writeString(store.path.resolve("keys/provenance.key"), "secret of the store");
            Manifest made = store.backUp(target, "1", Optional.of("correct horse"));
            assertThat(made.leftOut()).isEmpty();
            assertThatThrownBy(() -> store.backUp(target, "2"))
                    .hasMessageContaining("are encrypted");
            assertThatThrownBy(() -> store.backUp(target, "2", Optional.of("wrong")))
                    .hasMessageContaining("another passphrase");
        }
        target.objects.forEach(
                (name, bytes) ->
                        assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                                .doesNotContain("plain-key-name", "secret of", "cubes/default"));
        assertThatThrownBy(this::repository).hasMessageContaining("with --passphrase-file");
        Repository opened = Repository.open(target, Optional.of("correct horse".toCharArray()));
        Path directory = restored(opened, "1");
        assertThat(directory.resolve("keys/provenance.key")).hasContent("secret of the store");
        // A frame cannot stand in for another one.
        byte[] first = target.objects.get("packs/1-1");
        target.objects.put("packs/1-2", first);
        assertThatThrownBy(() -> new PackReader("packs/1-2", first, opened.codec()))
                .hasMessageContaining("of another place");
    }

    @Test
    void refusesTheTargetOfAnotherStoreAndLaterFormats() throws IOException {
        try (BackedUpStore store = store("a");
                BackedUpStore other = store("b")) {
            store.backUp(target, "1");
            assertThatThrownBy(() -> other.backUp(target, "2"))
                    .hasMessageContaining("backups of another store");
        }
        String header = new String(target.objects.get("backup.volute"), StandardCharsets.UTF_8);
        target.objects.put(
                "backup.volute",
                header.replace("\"format\":1", "\"format\":2").getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(this::repository).hasMessageContaining("format 2");
    }

    @Test
    void aRestoreThatEndsEarlyIsNoDataDirectory() throws IOException {
        try (BackedUpStore store = store("a")) {
            store.fill(20);
            store.backUp(target, "1");
        }
        Repository from = repository();
        Path directory = temporary.resolve("ended");
        Verification.Watch ends =
                (files, total, bytes) -> {
                    if (files == total - 1) {
                        throw new IllegalStateException("killed");
                    }
                };
        assertThatThrownBy(
                        () ->
                                new DataDirectoryRestore(from, new OsFileSystem(), ends)
                                        .run(from.snapshot("1"), directory))
                .hasMessage("killed");
        assertThatThrownBy(() -> new BackedUpStore(directory, 1))
                .hasMessageContaining("no volute.mark");
        assertThatThrownBy(
                        () ->
                                new DataDirectoryRestore(from, new OsFileSystem(), UNWATCHED)
                                        .run(from.snapshot("1"), directory))
                .hasMessageContaining("is not empty");
    }
}
