package io.volute.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.testkit.sim.Fault.Effect;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimFileSystemTest {
    private static final Path ROOT = Path.of("/cube");
    private static final Path A = ROOT.resolve("a");
    private static final Path B = ROOT.resolve("b");

    private final SimFileSystem files = new SimFileSystem(1);

    @BeforeEach
    void makeRoot() throws IOException {
        files.createDirectories(ROOT);
        files.forceDirectory(Path.of("/"));
    }

    @ParameterizedTest
    @EnumSource
    void forcedContentUnderAForcedNameSurvives(PersistencePolicy policy) throws IOException {
        try (StoredFile file = files.create(A)) {
            write(file, 0, filled(20_000, 1));
            file.force();
        }
        files.forceDirectory(ROOT);
        for (long seed = 0; seed < 20; seed++) {
            assertThat(content(files.crashImage(policy, seed), A)).isEqualTo(filled(20_000, 1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anImageIsTheSameForTheSameSeed(PersistencePolicy policy) throws IOException {
        StoredFile file = files.create(A);
        files.forceDirectory(ROOT);
        for (int i = 0; i < 10; i++) {
            write(file, i * 5_000L, filled(9_000, i));
        }
        byte[] once = content(files.crashImage(policy, 7), A);
        assertThat(content(files.crashImage(policy, 7), A)).isEqualTo(once);
    }

    @Test
    void anUnforcedNameIsLost() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(100, 1));
        file.force();
        assertThat(files.crashImage(PersistencePolicy.ALL_LOST, 1).list(ROOT)).isEmpty();
        assertThat(files.crashImage(PersistencePolicy.ENTRIES_LOST, 1).list(ROOT)).isEmpty();
        assertThat(content(files.crashImage(PersistencePolicy.ENTRIES_ONLY, 1), A))
                .isEqualTo(filled(100, 1));
    }

    @Test
    void aDirectoryIsLostWithItsContentUnlessItsParentIsForced() throws IOException {
        Path inner = ROOT.resolve("inner");
        files.createDirectories(inner);
        files.create(inner.resolve("x")).close();
        files.forceDirectory(inner);
        assertThat(files.crashImage(PersistencePolicy.ALL_LOST, 1).exists(inner)).isFalse();
        files.forceDirectory(ROOT);
        assertThat(files.crashImage(PersistencePolicy.ALL_LOST, 1).list(inner))
                .containsExactly("x");
    }

    @Test
    void policiesTreatUnforcedContentAsTheySay() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(4_096, 1));
        file.force();
        files.forceDirectory(ROOT);
        write(file, 0, filled(8_192, 2));
        byte[] old = filled(4_096, 1);
        assertThat(content(files.crashImage(PersistencePolicy.ALL_LOST, 1), A)).isEqualTo(old);
        assertThat(content(files.crashImage(PersistencePolicy.ENTRIES_ONLY, 1), A)).isEqualTo(old);
        assertThat(content(files.crashImage(PersistencePolicy.ALL_KEPT, 1), A))
                .isEqualTo(filled(8_192, 2));
        assertThat(content(files.crashImage(PersistencePolicy.ENTRIES_LOST, 1), A))
                .isEqualTo(filled(8_192, 2));
        assertThat(content(files.crashImage(PersistencePolicy.GROWN_ZEROS, 1), A))
                .isEqualTo(Arrays.copyOf(old, 8_192));
    }

    @Test
    void randomBlocksTearAtPagesAndSectors() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(16_384, 1));
        file.force();
        files.forceDirectory(ROOT);
        write(file, 0, filled(16_384, 2));
        Set<String> shapes = new HashSet<>();
        for (long seed = 0; seed < 500; seed++) {
            byte[] found = content(files.crashImage(PersistencePolicy.RANDOM_BLOCKS, seed), A);
            StringBuilder shape = new StringBuilder();
            for (int sector = 0; sector < found.length; sector += 512) {
                byte first = found[sector];
                shape.append(first);
                byte[] rest = Arrays.copyOfRange(found, sector, sector + 512);
                assertThat(rest).containsOnly(first);
            }
            shapes.add(shape.toString());
        }
        assertThat(shapes).hasSizeGreaterThan(50);
        assertThat(shapes).contains("2".repeat(8) + "1".repeat(24));
    }

    @Test
    void prefixAndLaterKeepOneSideOfAnEvent() throws IOException {
        StoredFile file = files.create(A);
        files.forceDirectory(ROOT);
        for (int i = 0; i < 4; i++) {
            write(file, i * 4_096L, filled(4_096, i + 1));
        }
        for (long seed = 0; seed < 100; seed++) {
            byte[] prefix = content(files.crashImage(PersistencePolicy.PREFIX_KEPT, seed), A);
            assertThat(prefix).isEqualTo(Arrays.copyOf(allFour(), prefix.length));
            byte[] later = content(files.crashImage(PersistencePolicy.LATER_KEPT, seed), A);
            int from = 0;
            while (later[from] == 0) {
                from += 4_096;
            }
            assertThat(Arrays.copyOfRange(later, from, 16_384))
                    .isEqualTo(Arrays.copyOfRange(allFour(), from, 16_384));
        }
    }

    private static byte[] allFour() {
        byte[] all = new byte[16_384];
        for (int i = 0; i < 4; i++) {
            Arrays.fill(all, i * 4_096, (i + 1) * 4_096, (byte) (i + 1));
        }
        return all;
    }

    @Test
    void aRenameIsWhollyThereOrNot() throws IOException {
        files.create(A).close();
        files.forceDirectory(ROOT);
        files.rename(A, B);
        Set<String> seen = new HashSet<>();
        for (PersistencePolicy policy : PersistencePolicy.values()) {
            for (long seed = 0; seed < 20; seed++) {
                seen.add(files.crashImage(policy, seed).list(ROOT).toString());
            }
        }
        assertThat(seen).containsExactlyInAnyOrder("[a]", "[b]");
    }

    @Test
    void aForceBetweenDirectoriesTakesBothEndsOfARename() throws IOException {
        Path other = ROOT.resolve("other");
        files.createDirectories(other);
        files.forceDirectory(ROOT);
        files.create(A).close();
        files.rename(A, other.resolve("x"));
        files.forceDirectory(other);
        SimFileSystem image = files.crashImage(PersistencePolicy.ALL_LOST, 1);
        assertThat(image.list(ROOT)).containsExactly("other");
        assertThat(image.list(other)).containsExactly("x");
    }

    @Test
    void theImageIsIndependent() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(4_096, 1));
        file.force();
        files.forceDirectory(ROOT);
        SimFileSystem image = files.crashImage(PersistencePolicy.ALL_LOST, 1);
        try (StoredFile copy = image.open(A, Access.READ_WRITE)) {
            write(copy, 0, filled(10, 9));
        }
        assertThat(content(files, A)).isEqualTo(filled(4_096, 1));
        write(file, 0, filled(4_096, 5));
        assertThat(content(image, A)).startsWith(filled(10, 9)).endsWith(filled(4_086, 1));
    }

    @Test
    void eventsFailOnceOrForEver() throws IOException {
        StoredFile file = files.create(A);
        files.plan(Fault.once(Effect.IO_ERROR, files.events() + 2));
        write(file, 0, filled(10, 1));
        assertThatThrownBy(() -> write(file, 0, filled(10, 2)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Input/output error");
        write(file, 0, filled(10, 3));
        files.plan(Fault.sticky(Effect.NO_SPACE, files.events() + 1).on(Operation.WRITE));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> write(file, 0, filled(10, 4)))
                    .hasMessageContaining("No space left on device");
        }
        file.force();
        files.clearFaults();
        assertThat(content(files, A)).isEqualTo(filled(10, 3));
        assertThat(files.faultsHit()).isEqualTo(4);
    }

    @Test
    void theForceTrapLosesWhatALaterForceSeemsToSave() throws IOException {
        StoredFile file = files.create(A);
        files.forceDirectory(ROOT);
        write(file, 0, filled(4_096, 1));
        files.plan(Fault.once(Effect.FORCE_TRAP, files.events() + 1));
        assertThatThrownBy(file::force).isInstanceOf(IOException.class);
        file.force();
        assertThat(content(files, A)).isEqualTo(filled(4_096, 1));
        assertThat(content(files.crashImage(PersistencePolicy.ALL_KEPT, 1), A)).isEmpty();
    }

    @Test
    void lyingWritesReportSuccess() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(16_384, 1));
        files.plan(Fault.once(Effect.DROPPED_WRITE, 1));
        write(file, 0, filled(4_096, 2));
        assertThat(content(files, A)).isEqualTo(filled(16_384, 1));
        files.plan(Fault.once(Effect.MISDIRECTED_WRITE, 1));
        write(file, 0, filled(4_096, 3));
        byte[] found = content(files, A);
        assertThat(found).startsWith(filled(4_096, 1)).contains(3).hasSize(16_384);
    }

    @Test
    void failedWritesLeaveAPart() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(16_384, 1));
        files.plan(Fault.once(Effect.TORN_WRITE, 1));
        assertThatThrownBy(() -> write(file, 0, filled(16_384, 2))).isInstanceOf(IOException.class);
        assertThat(content(files, A)).contains(1, 2);
        files.plan(Fault.once(Effect.SHORT_WRITE, 1));
        assertThatThrownBy(() -> write(file, 0, filled(16_384, 3))).isInstanceOf(IOException.class);
        assertThat(content(files, A)).startsWith(3).contains(1, 2);
    }

    @Test
    void readsCanBeSpoiledOnTheWay() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(4_096, 1));
        files.plan(Fault.once(Effect.READ_BIT_FLIP, 1));
        assertThat(content(files, A)).isNotEqualTo(filled(4_096, 1));
        files.plan(Fault.once(Effect.READ_ZERO_SECTOR, 1));
        assertThat(content(files, A)).contains(0, 1);
        assertThat(content(files, A)).isEqualTo(filled(4_096, 1));
    }

    @Test
    void aCrashStopsEverythingAtOnce() throws IOException {
        StoredFile file = files.create(A);
        files.forceDirectory(ROOT);
        write(file, 0, filled(10, 1));
        files.plan(Fault.once(Effect.CRASH_BEFORE, files.events() + 1));
        assertThatThrownBy(file::force).isInstanceOf(SimulatedCrash.class);
        assertThatThrownBy(() -> files.list(ROOT)).isInstanceOf(SimulatedCrash.class);
        file.close();
        assertThat(files.openFiles()).isZero();
        assertThat(content(files.crashImage(PersistencePolicy.ALL_LOST, 1), A)).isEmpty();
    }

    @Test
    void aCrashAfterAForceKeepsWhatItForced() throws IOException {
        StoredFile file = files.create(A);
        files.forceDirectory(ROOT);
        write(file, 0, filled(10, 1));
        files.plan(Fault.once(Effect.CRASH_AFTER, files.events() + 1));
        assertThatThrownBy(file::force).isInstanceOf(SimulatedCrash.class);
        assertThat(content(files.crashImage(PersistencePolicy.ALL_LOST, 1), A))
                .isEqualTo(filled(10, 1));
    }

    @Test
    void spaceEndsAndHolesGiveItBack() throws IOException {
        files.limitCapacity(16_384);
        StoredFile file = files.create(A);
        write(file, 0, new byte[16_384]);
        assertThat(files.usableBytes(ROOT)).isZero();
        assertThatThrownBy(() -> write(file, 16_384, filled(1, 1)))
                .hasMessageContaining("No space left on device");
        write(file, 0, filled(16_384, 2));
        file.punch(4_096, 4_096);
        assertThat(files.usableBytes(ROOT)).isEqualTo(4_096);
        write(file, 16_384, filled(1, 1));
        assertThat(files.usableBytes(ROOT)).isZero();
    }

    @Test
    void freeSpaceIsLimitedBesideWhatIsThere() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(100, 1));
        files.limitFree(4_096);
        assertThat(files.usableBytes(ROOT)).isEqualTo(4_096);
        write(file, 4_096, filled(1, 1));
        assertThatThrownBy(() -> write(file, 8_192, filled(1, 1)))
                .hasMessageContaining("No space left on device");
    }

    @Test
    void eventsThatChangeTheDiskAreRecorded() throws IOException {
        List<SimEvent> events = files.record();
        StoredFile file = files.create(A);
        write(file, 5, filled(10, 1));
        assertThat(content(files, A)).hasSize(15);
        file.force();
        files.rename(A, B);
        assertThat(events)
                .extracting(SimEvent::operation)
                .containsExactly(
                        Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME);
        assertThat(events.get(1).isWriteFor(WriteCause.CLIENT_DATA)).isTrue();
        assertThat(events.get(1)).asString().endsWith("WRITE /cube/a 5+10 CLIENT_DATA");
        assertThat(events.get(3)).asString().endsWith("RENAME /cube/a to /cube/b");
        assertThat(events.get(3).name()).isEqualTo("b");
    }

    @Test
    void faultsHitOnlyTheEventsThatAreMeant() throws IOException {
        files.plan(Fault.sticky(Effect.IO_ERROR, 1).where(event -> event.name().equals("b")));
        files.create(A).close();
        assertThatThrownBy(() -> files.create(B)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> files.rename(A, B)).isInstanceOf(IOException.class);
        assertThat(files.paths()).containsExactly(A);
    }

    @Test
    void aKillLeavesWhatReadersSeeAndAPowerCutWhatWasForced() throws IOException {
        StoredFile file = files.create(A);
        files.forceDirectory(ROOT);
        write(file, 0, filled(10, 1));
        file.force();
        write(file, 0, filled(10, 2));
        files.create(B).close();
        SimFileSystem killed = files.afterKill();
        assertThat(killed.bytes(A)).isEqualTo(filled(10, 2));
        assertThat(killed.paths()).containsExactly(A, B);
        assertThat(files.afterPowerCut().bytes(A)).isEqualTo(filled(10, 1));
        assertThat(files.afterPowerCut().paths()).containsExactly(A);
    }

    @Test
    void anOverwriteWithinAllocatedPagesNeedsNoSpace() throws IOException {
        files.limitCapacity(4_096);
        StoredFile file = files.create(A);
        write(file, 0, filled(100, 1));
        write(file, 100, filled(100, 2));
        assertThat(files.usableBytes(ROOT)).isZero();
    }

    @Test
    void editsChangeWhatIsOnDisk() throws IOException {
        StoredFile file = files.create(A);
        write(file, 0, filled(5_000, 1));
        files.forceDirectory(ROOT);
        files.flipBit(A, 4_500, 3);
        files.overwrite(A, 10, new byte[] {42});
        byte[] found = content(files.crashImage(PersistencePolicy.ALL_LOST, 1), A);
        assertThat(found[4_500]).isEqualTo((byte) 9);
        assertThat(found[10]).isEqualTo((byte) 42);
        files.truncate(A, 20);
        files.truncate(A, 30);
        byte[] cut = content(files, A);
        assertThat(cut).hasSize(30).endsWith(new byte[10]);
    }

    private static void write(StoredFile file, long offset, byte[] bytes) throws IOException {
        file.write(ByteBuffer.wrap(bytes), offset, WriteCause.CLIENT_DATA);
    }

    private static byte[] filled(int bytes, int value) {
        byte[] filled = new byte[bytes];
        Arrays.fill(filled, (byte) value);
        return filled;
    }

    private static byte[] content(SimFileSystem from, Path path) throws IOException {
        try (StoredFile file = from.open(path, Access.READ)) {
            ByteBuffer target = ByteBuffer.allocate((int) file.size());
            int count = file.read(target, 0);
            return Arrays.copyOf(target.array(), count);
        }
    }
}
