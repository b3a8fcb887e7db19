package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store over cubes that take no commits. */
class ReadCubesTest extends CubesFixture {
    private final AtomicInteger commits = new AtomicInteger();
    private final Map<String, Cube> others = new HashMap<>();
    private Optional<StoreCubes> opened = Optional.empty();

    /** Returns the cube without its commits; it stays open. */
    private Cube reading(Cube cube) {
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("commit")) {
                                commits.incrementAndGet();
                                return CompletableFuture.failedFuture(
                                        new CubeUnavailableException(Reason.NOT_OPEN, "no owner"));
                            }
                            try {
                                return method.getName().equals("close")
                                        ? null
                                        : method.invoke(cube, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private VersionedStore read() throws IOException {
        cubes.opened().forEach(each -> others.put(each.name(), reading(each.cube())));
        StoreCubes read =
                ObjectStores.readCubes(
                        new Views(),
                        others.get(StoreCubes.SYSTEM),
                        cube -> StoreOptions.defaults(cube, clock, new SplittableRandom(4)));
        opened = Optional.of(read);
        return read.store();
    }

    @AfterEach
    void closeViews() throws IOException {
        if (opened.isPresent()) {
            opened.get().close();
        }
    }

    private final class Views implements StoreCubes.Files {
        @Override
        public Cube open(String name) {
            return others.get(name);
        }

        @Override
        public Optional<UUID> identity(String name) {
            return cubes.list().stream()
                    .filter(each -> each.name().equals(name) && others.containsKey(name))
                    .map(StoreCubes.CubeInfo::id)
                    .findFirst();
        }

        @Override
        public void allowSeveralCubes() {
            throw new AssertionError("a change");
        }

        @Override
        public void discardIndex(String name) {
            throw new AssertionError("a change");
        }

        @Override
        public String retire(String name, int number) {
            throw new AssertionError("a change");
        }
    }

    private static List<String> names(List<BucketInfo> buckets) {
        return buckets.stream().map(each -> each.name().value()).toList();
    }

    @Test
    void theBucketsOfAllCubesAreReadNowAndInThePast() throws Exception {
        cubes.create("photos");
        bucket("here", StoreCubes.SYSTEM);
        bucket("there", "photos");
        store.setHistoryPolicy(ALICE, name("here"), HistoryPolicy.EVERY_WRITE);
        store.setHistoryPolicy(ALICE, name("there"), HistoryPolicy.EVERY_WRITE);
        put(ALICE, "here", "k", "one");
        put(ALICE, "there", "k", "two");
        Instant then = clock.instant();
        put(ALICE, "there", "k", "three");
        put(ALICE, "here", "k", "four");
        VersionedStore read = read();
        assertThat(names(read.listBuckets(Optional.empty(), "", "", 10)))
                .containsExactly("here", "there");
        assertThat(get(read, BOB, "here", "k")).isEqualTo("four");
        assertThat(get(read, BOB, "there", "k")).isEqualTo("three");
        assertThat(get(read.asOf(then), BOB, "here", "k")).isEqualTo("one");
        assertThat(get(read.asOf(then), BOB, "there", "k")).isEqualTo("two");
        opened.orElseThrow().close();
        assertThat(commits).as("neither at the start nor for reads").hasValue(0);
    }

    /** Another commit of that instant may come. */
    @Test
    void aPastThatCouldStillChangeIsRefused() throws Exception {
        bucket("here", StoreCubes.SYSTEM);
        VersionedStore read = read();
        Instant then = clock.instant();
        assertThatThrownBy(() -> read.asOf(then))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.NOT_OPEN));
    }

    @Test
    void aCubeWithoutAViewIsNotOpen() throws Exception {
        cubes.create("photos");
        bucket("there", "photos");
        bucket("here", StoreCubes.SYSTEM);
        put(ALICE, "here", "k", "one");
        others.put(StoreCubes.SYSTEM, reading(system));
        StoreCubes alone =
                ObjectStores.readCubes(
                        new Views(),
                        others.get(StoreCubes.SYSTEM),
                        cube -> StoreOptions.defaults(cube, clock, new SplittableRandom(4)));
        opened = Optional.of(alone);
        assertThat(get(alone.store(), BOB, "here", "k")).isEqualTo("one");
        assertThatThrownBy(() -> get(alone.store(), BOB, "there", "k"))
                .isInstanceOf(CubeUnavailableException.class);
    }
}
