package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.commit.CommitOrder;
import io.volute.storage.directory.LogPlace;
import io.volute.storage.directory.LogPlace.Kind;
import io.volute.storage.directory.LogPlace.State;
import io.volute.storage.directory.MigrationStatus;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.log.ledger.SimBookies;
import io.volute.storage.log.migration.LogMigration;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A log that moves between files and ledgers while its cube is in use. */
class LogMigrationTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final CubeFixture DEFAULTS = new CubeFixture();

    private final Random random = new Random(7);
    private final Map<String, byte[]> acknowledged = new TreeMap<>();
    private final Map<String, BlobId> blobs = new TreeMap<>();

    /** A machine and the bookies that it uses. */
    private record World(SimFileSystem files, SimBookies bookies, MemoryIndexFactory indexes) {
        World() {
            this(new SimFileSystem(), new SimBookies(3), new MemoryIndexFactory());
        }

        /** Returns what a loss of power leaves: of the index, nothing. */
        World afterPowerCut() {
            return new World(files.afterPowerCut(), bookies.afterKill(), new MemoryIndexFactory());
        }

        World afterKill() {
            return new World(files.afterKill(), bookies.afterKill(), indexes.crashImage());
        }

        Open open() throws IOException {
            return open(Kind.LOCAL);
        }

        Open open(Kind set) throws IOException {
            return open(set, bytes -> 0);
        }

        Open open(Kind set, LongUnaryOperator pauseNanos) throws IOException {
            CubeLog.Opened log =
                    new CubeLog(
                                    files,
                                    DIRECTORY,
                                    InstantSource.system(),
                                    DEFAULTS.settings(),
                                    new CubeLog.Places(set, () -> bookies::stores, pauseNanos))
                            .open(new Random(1));
            LogCube cube =
                    new CubeOpener(
                                    log.log(),
                                    indexes,
                                    CubeFixture.INDEX,
                                    log.cube(),
                                    CubeFixture.FAMILIES,
                                    DEFAULTS.settings(),
                                    new CubeOpener.Metering(Map::of, Map::of, System::nanoTime),
                                    CubeThreads.platform(),
                                    DEFAULTS.memory,
                                    new CommitOrder(),
                                    InstantSource.system())
                            .openCube();
            log.migration().resume();
            return new Open(cube, log.migration());
        }

        LogPlace place() throws IOException {
            return LogPlace.read(files, DIRECTORY).orElseThrow();
        }
    }

    private record Open(LogCube cube, LogMigration migration) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            cube.close();
        }
    }

    private void write(LogCube cube, String key, int bytes) throws IOException {
        byte[] content = CubeFixture.bytes(random, bytes);
        blobs.put(key, stored(cube, key, content));
        acknowledged.put(key, content);
    }

    private void fill(LogCube cube, String prefix, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            write(cube, prefix + i, i % 5 == 0 ? 20_000 : 900);
        }
    }

    private void requireAll(LogCube cube) throws IOException {
        for (Map.Entry<String, byte[]> each : acknowledged.entrySet()) {
            assertThat(CubeFixture.read(cube, blobs.get(each.getKey())))
                    .as(each.getKey())
                    .isEqualTo(each.getValue());
        }
    }

    /** Writes until the log is in a place. */
    private void migrate(Open open, Kind to) throws IOException {
        open.migration().start(to);
        for (int i = 0; open.migration().status().isRunning(); i++) {
            write(open.cube(), "during " + to + i, i % 7 == 0 ? 9000 : 300);
        }
        MigrationStatus status = open.migration().status();
        assertThat(status.progress().why()).isEmpty();
        assertThat(status.store()).isEqualTo(to);
        assertThat(status.state()).isEqualTo(State.SETTLED);
    }

    @Test
    void movesToLedgersAndBackWhileItIsWritten() throws IOException {
        World world = new World();
        try (Open open = world.open()) {
            fill(open.cube(), "before ", 40);
            migrate(open, Kind.BOOKKEEPER);
            assertThat(world.files().list(DIRECTORY.resolve("segments"))).isEmpty();
            fill(open.cube(), "on ledgers ", 20);
            requireAll(open.cube());
        }
        try (Open open = world.open()) {
            assertThat(open.cube().report().indexRebuilt()).isFalse();
            requireAll(open.cube());
            fill(open.cube(), "again ", 20);
            migrate(open, Kind.LOCAL);
            assertThat(world.files().list(DIRECTORY.resolve("mirrors"))).isEmpty();
            fill(open.cube(), "after ", 20);
            requireAll(open.cube());
        }
        assertThat(world.bookies().ledgerCount()).isZero();
        try (Open open = world.open()) {
            assertThat(open.cube().report().indexRebuilt()).isFalse();
            requireAll(open.cube());
        }
        World without = new World(world.files(), world.bookies(), new MemoryIndexFactory());
        try (Open open = without.open()) {
            requireAll(open.cube());
            migrate(open, Kind.BOOKKEEPER);
            requireAll(open.cube());
        }
    }

    /** Writes wait for the rest of the copy. */
    @Test
    void theRateIsThatOfTheCopyInTheBackground() throws IOException {
        World world = new World();
        LongAdder limited = new LongAdder();
        LongUnaryOperator pauseNanos =
                bytes -> {
                    limited.add(bytes);
                    return 0;
                };
        try (Open open = world.open(Kind.LOCAL, pauseNanos)) {
            fill(open.cube(), "before ", 60);
            migrate(open, Kind.BOOKKEEPER);
            assertThat(limited.sum())
                    .isPositive()
                    .isLessThan(open.migration().status().progress().bytes());
        }
    }

    @Test
    void aStopDoesNotWaitForTheRate() throws IOException {
        World world = new World();
        Semaphore pauses = new Semaphore(0);
        LongUnaryOperator pauseNanos =
                bytes -> {
                    pauses.release();
                    return TimeUnit.DAYS.toNanos(1);
                };
        try (Open open = world.open(Kind.LOCAL, pauseNanos)) {
            fill(open.cube(), "before ", 60);
            open.migration().start(Kind.BOOKKEEPER);
            pauses.acquireUninterruptibly();
            assertThat(open.migration().status().progress().bytes()).isPositive();
        }
        assertThat(world.place().state()).isEqualTo(State.COPYING);
        try (Open open = world.open()) {
            while (open.migration().status().isRunning()) {
                Thread.onSpinWait();
            }
            assertThat(world.place()).isEqualTo(LogPlace.settled(Kind.BOOKKEEPER));
            requireAll(open.cube());
        }
    }

    @Test
    void anUploadAndAReadThatBeganBeforeGoOnAfterTheSwitch() throws IOException {
        World world = new World();
        byte[] large = CubeFixture.bytes(random, 150_000);
        try (Open open = world.open()) {
            fill(open.cube(), "before ", 30);
            write(open.cube(), "read", 40_000);
            PendingBlob uploaded;
            try (BlobWriter upload = open.cube().newBlob(OptionalLong.empty());
                    BlobReader reader = open.cube().openBlob(blobs.get("read"))) {
                upload.write(ByteBuffer.wrap(large, 0, 70_000));
                byte[] front = CubeFixture.readRange(reader, 0, 10_000);
                migrate(open, Kind.BOOKKEEPER);
                upload.write(ByteBuffer.wrap(large, 70_000, 80_000));
                byte[] back = CubeFixture.readRange(reader, 10_000, 40_000);
                assertThat(acknowledged.get("read")).startsWith(front).endsWith(back);
                uploaded = upload.finish();
            }
            open.cube().commit(put("large", "", uploaded.id()).add(uploaded)).join();
            assertThat(CubeFixture.read(open.cube(), uploaded.id())).isEqualTo(large);
            acknowledged.put("large", large);
            blobs.put("large", uploaded.id());
        }
        try (Open open = world.open()) {
            requireAll(open.cube());
        }
    }

    @Test
    void segmentsThatAreCleanedMeanwhileStayAway() throws IOException {
        World world = new World();
        try (Open open = world.open()) {
            fill(open.cube(), "before ", 40);
            Set<Long> first = Set.of(1L);
            open.migration().start(Kind.BOOKKEEPER);
            CubeFixture.roll(open.cube());
            open.cube().cleaner().cleanThese(first, CleaningPass.Pace.NONE);
            for (int i = 0; open.migration().status().isRunning(); i++) {
                write(open.cube(), "during " + i, 300);
            }
            requireAll(open.cube());
        }
        try (Open open = world.open()) {
            assertThat(open.migration().status().store()).isEqualTo(Kind.BOOKKEEPER);
            requireAll(open.cube());
            assertThat(open.cube().space().segments())
                    .noneMatch(segment -> segment.segmentId() == 1);
        }
    }

    /** Takes the state that a crash at an event of the migration leaves. */
    private List<World> crashes(World world, Open open, Kind to) throws IOException {
        List<World> images = new ArrayList<>();
        AtomicInteger events = new AtomicInteger();
        Runnable crash =
                () -> {
                    int event = events.incrementAndGet();
                    synchronized (images) {
                        images.add(event % 2 == 0 ? world.afterPowerCut() : world.afterKill());
                    }
                };
        world.files().observe(event -> crash.run());
        world.bookies().observe(crash);
        open.migration().start(to);
        while (open.migration().status().isRunning()) {
            Thread.onSpinWait();
        }
        world.files().observe(event -> {});
        world.bookies().observe(() -> {});
        assertThat(open.migration().status().state()).isEqualTo(State.SETTLED);
        synchronized (images) {
            return List.copyOf(images);
        }
    }

    private void requireGoesOn(World image, Kind to) throws IOException {
        try (Open open = image.open(to.other())) {
            requireAll(open.cube());
            if (LogPlace.read(image.files(), DIRECTORY).isPresent()) {
                for (int i = 0; open.migration().status().isRunning(); i++) {
                    write(open.cube(), "resumed " + i % 3, 300);
                }
                assertThat(open.migration().status().progress().why()).isEmpty();
                assertThat(image.place()).isEqualTo(LogPlace.settled(to));
                requireAll(open.cube());
            }
        }
        World again = new World(image.files(), image.bookies(), new MemoryIndexFactory());
        try (Open open = again.open(to.other())) {
            requireAll(open.cube());
        }
    }

    @Test
    @Tag("slow")
    void losesNothingWhereverItCrashesOnTheWayToLedgers() throws IOException {
        World world = new World();
        try (Open open = world.open()) {
            fill(open.cube(), "before ", 25);
            requireImages(world, open, Kind.BOOKKEEPER);
        }
    }

    @Test
    @Tag("slow")
    void losesNothingWhereverItCrashesOnTheWayBack() throws IOException {
        World world = new World();
        try (Open open = world.open(Kind.BOOKKEEPER)) {
            fill(open.cube(), "before ", 25);
            requireImages(world, open, Kind.LOCAL);
        }
    }

    private void requireImages(World world, Open open, Kind to) throws IOException {
        List<World> images = crashes(world, open, to);
        assertThat(images).hasSizeGreaterThan(20);
        Map<String, byte[]> before = Map.copyOf(acknowledged);
        Map<String, BlobId> ids = Map.copyOf(blobs);
        for (World image : images) {
            acknowledged.clear();
            acknowledged.putAll(before);
            blobs.clear();
            blobs.putAll(ids);
            requireGoesOn(image, to);
        }
    }

    @Test
    void givesUpOnRequestAndKeepsTheOldPlace() throws IOException {
        World world = new World();
        world.bookies().stop(0);
        try (Open open = world.open()) {
            fill(open.cube(), "before ", 60);
            world.bookies().stopAfterChanges(2, 1);
            open.migration().start(Kind.BOOKKEEPER);
            while (open.migration().status().isRunning()) {
                Thread.onSpinWait();
            }
            MigrationStatus stopped = open.migration().status();
            assertThat(stopped.store()).isEqualTo(Kind.LOCAL);
            assertThat(stopped.progress().why()).contains("2 bookies are needed");
            fill(open.cube(), "meanwhile ", 5);
            world.bookies().start(1);
            open.migration().start(Kind.LOCAL);
            while (open.migration().status().isRunning()) {
                Thread.onSpinWait();
            }
            assertThat(world.place()).isEqualTo(LogPlace.settled(Kind.LOCAL));
            assertThat(world.bookies().ledgerCount()).isZero();
            migrate(open, Kind.BOOKKEEPER);
            requireAll(open.cube());
        }
    }

    @Test
    void aSecondMachineOpensNeitherACopyNorALogThatHasLeft() throws IOException {
        World world = new World();
        try (Open open = world.open()) {
            fill(open.cube(), "before ", 60);
            world.bookies().stopAfterChanges(2, 0, 1);
            open.migration().start(Kind.BOOKKEEPER);
            while (open.migration().status().isRunning()) {
                Thread.onSpinWait();
            }
            requireElsewhere(world.bookies());
            world.bookies().start(0);
            world.bookies().start(1);
            migrate(open, Kind.BOOKKEEPER);
            migrate(open, Kind.LOCAL);
            requireElsewhere(world.bookies());
        }
    }

    private static void requireElsewhere(SimBookies bookies) {
        World other = new World(new SimFileSystem(), bookies, new MemoryIndexFactory());
        assertThatThrownBy(() -> other.open(Kind.BOOKKEEPER))
                .hasMessageContaining("the log is elsewhere");
    }

    @Test
    void refusesThePlaceItIsIn() throws IOException {
        try (Open open = new World().open()) {
            assertThatThrownBy(() -> open.migration().start(Kind.LOCAL))
                    .hasMessageContaining("is on local already");
        }
    }
}
