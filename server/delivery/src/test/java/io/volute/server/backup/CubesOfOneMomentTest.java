package io.volute.server.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.backup.Manifest.CutOfCube;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.Transaction;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a snapshot of several busy cubes has no effect without its cause. */
class CubesOfOneMomentTest {
    private static final Family FAMILY = new Family(1, "rows");

    @TempDir private Path directory;

    /** Somebody writes into the second cube while the first one's snapshot is taken. */
    @Test
    @Timeout(120)
    void commitsWaitForTheSnapshotsOfAllCubes() throws Exception {
        LogSettings settings =
                new LogSettings(
                        1 << 20,
                        4096,
                        4096,
                        1L << 40,
                        1 << 20,
                        1 << 20,
                        CubeOptions.OnDamage.REFUSE);
        try (Cubes.Shared shared = new Cubes.Shared(settings);
                Cube one = Cubes.open(options("one", settings), shared).cube();
                Cube other = Cubes.open(options("other", settings), shared).cube()) {
            long unused = commit(other).join();
            AtomicReference<CompletableFuture<Long>> late = new AtomicReference<>();
            List<CutOfCube> cuts =
                    cuts(
                            disturbed(
                                    one,
                                    () -> {
                                        long before = other.lastSequence();
                                        late.set(commit(other));
                                        while (other.lastSequence() == before && !isHeldBack()) {
                                            Thread.onSpinWait();
                                        }
                                    }),
                            other);
            assertThat(cuts).extracting(CutOfCube::cube).containsExactly("one", "other");
            assertThat(late.get().join()).isGreaterThan(cuts.get(1).sequence());
        }
    }

    /** Returns true if a committing thread waits for the end of the pause. */
    private static boolean isHeldBack() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().startsWith("commit-0"))
                .flatMap(each -> Arrays.stream(each.getValue()))
                .anyMatch(
                        frame -> frame.getClassName().endsWith("ReentrantReadWriteLock$ReadLock"));
    }

    /** Returns the cube, with something that happens when its snapshot is taken. */
    private static Cube disturbed(Cube cube, Runnable disturbance) {
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("snapshot")) {
                                disturbance.run();
                            }
                            return method.invoke(cube, arguments);
                        });
    }

    private List<CutOfCube> cuts(Cube one, Cube other) throws IOException {
        StoreBackup.Store store =
                new StoreBackup.Store(
                        directory.resolve("nothing else"),
                        new OsFileSystem(),
                        () ->
                                new StoreBackup.AllCubes(
                                        Map.of("one", one, "other", other), List.of()),
                        OtherCubes.NONE,
                        Optional::empty,
                        Optional.empty());
        Files.createDirectories(store.directory());
        try (StoreFiles taken = StoreFiles.take(store, "store", false, Optional.empty())) {
            return taken.cubes();
        }
    }

    private static CompletableFuture<Long> commit(Cube cube) {
        return cube.commit(
                new Transaction().put(FAMILY, new byte[1], new byte[1], new byte[0], List.of()));
    }

    private CubeOptions options(String name, LogSettings settings) {
        return new CubeOptions(
                directory.resolve(name),
                new OsFileSystem(),
                () -> Instant.ofEpochSecond(1_700_000_000L),
                new SplittableRandom(1),
                List.of(FAMILY),
                settings);
    }
}
