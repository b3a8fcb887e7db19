package io.volute.versioning.causality;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.causality.Actor.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Actors that many threads use at once. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ActorsConcurrencyTest {
    private static final int THREADS = 6;
    private static final int ROUNDS = 2000;
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    private final AtomicLong ids = new AtomicLong(1000);

    static LongStream seeds() {
        return Seeds.all().limit(5);
    }

    @Test
    void noFreezeOfOneActorIsLost() throws Exception {
        Actor actor = new Actor(1, AncestorTable.bounded(1 << 20), new AtomicLong(), 0);
        VersioningAlgorithm algorithm = new CycleAvoidance();
        List<Integer> freezes =
                inParallel(
                        thread -> {
                            int count = 0;
                            long version = 0;
                            for (int i = 0; i < ROUNDS; i++) {
                                // Half of the objects are the same for all threads.
                                long id = i % 2 == 0 ? i : 10_000L * (thread + 1) + i;
                                Outcome outcome = actor.depend(algorithm, object(id));
                                count += outcome == Outcome.FREEZE ? 1 : 0;
                                long seen = actor.standing().version().version();
                                assertThat(seen).isGreaterThanOrEqualTo(version);
                                version = seen;
                            }
                            return count;
                        });
        int distinct = ROUNDS / 2 + THREADS * ROUNDS / 2;
        assertThat(freezes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(distinct);
        Standing standing = actor.standing();
        assertThat(standing.version().version()).isEqualTo(distinct + 1L);
        assertThat(standing.unlogged())
                .extracting(edge -> edge.dependent().version())
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(2, distinct + 1L).boxed().toList());
    }

    @Test
    void eachEdgeIsLoggedBeforeAWriteThatStandsOnIt() throws Exception {
        Actor actor = new Actor(1, AncestorTable.bounded(1 << 20), new AtomicLong(), 0);
        VersioningAlgorithm algorithm = new CycleAvoidance();
        Set<Long> logged = ConcurrentHashMap.newKeySet();
        inParallel(
                thread -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        actor.depend(algorithm, object(10_000L * thread + i));
                        Standing standing = actor.standing();
                        standing.unlogged().forEach(each -> logged.add(each.dependent().version()));
                        actor.logged(standing.unlogged());
                        assertThat(logged).contains(standing.version().version());
                    }
                    return 0;
                });
        assertThat(actor.unloggedCount()).isZero();
        assertThat(logged).hasSize(THREADS * ROUNDS);
    }

    @Test
    void aKeyHasOneActorAndEachEndsOnce() throws Exception {
        List<Actor> ended = new ArrayList<>();
        Actors actors =
                new Actors(
                        ids::getAndIncrement,
                        () -> NOW,
                        actor -> {
                            synchronized (ended) {
                                ended.add(actor);
                            }
                        },
                        new Actors.Limits(Duration.ofMinutes(15), 3, 8, 1 << 20));
        Set<Actor> seen = ConcurrentHashMap.newKeySet();
        inParallel(
                thread -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        Actor actor = actors.resolve(new ActorKey("AK1", "" + (i + thread) % 7));
                        seen.add(actor);
                        actors.isOpen(actor.id());
                    }
                    return 0;
                });
        assertThat(actors.size()).isEqualTo(3);
        assertThat(ended).doesNotHaveDuplicates().hasSize(seen.size() - 3);
        assertThat(seen).filteredOn(actor -> actors.isOpen(actor.id())).hasSize(3);
        assertThat(ids.get() - 1000).isEqualTo(seen.size());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void threadsCloseNoCycleInOneGraph(long seed) throws Exception {
        System.out.println("seed " + seed);
        GraphFinesse graph = new GraphFinesse();
        VersioningAlgorithm avoidance = graph.alongside(new CycleAvoidance());
        List<Stored> objects = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            objects.add(new Stored(i));
        }
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            actors.add(new Actor(100 + i, AncestorTable.bounded(64), new AtomicLong(), 0));
        }
        inParallel(
                thread -> {
                    SplittableRandom random = new SplittableRandom(seed * THREADS + thread);
                    for (int i = 0; i < 500; i++) {
                        // Each actor is used by two threads.
                        Actor actor = actors.get(random.nextInt(thread, thread + 2) % THREADS);
                        Stored object = objects.get(random.nextInt(objects.size()));
                        VersioningAlgorithm algorithm = object.id % 2 == 0 ? graph : avoidance;
                        if (random.nextBoolean()) {
                            actor.depend(algorithm, object.asAncestor());
                        } else {
                            object.write(algorithm, actor);
                        }
                    }
                    return 0;
                });
        VersionGraph all = new VersionGraph();
        objects.forEach(each -> each.edges.forEach(e -> all.add(e.dependent(), e.ancestor())));
        for (Actor actor : actors) {
            actor.standing().unlogged().forEach(e -> all.add(e.dependent(), e.ancestor()));
        }
        assertThat(all.cycle()).isEmpty();
    }

    private interface Work {
        int run(int thread);
    }

    private static List<Integer> inParallel(Work work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        AtomicLong number = new AtomicLong();
        try (ExecutorService pool =
                Executors.newFixedThreadPool(
                        THREADS, task -> new Thread(task, "client-" + number.getAndIncrement()))) {
            List<Future<Integer>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                Callable<Integer> started =
                        () -> {
                            start.await();
                            return work.run(thread);
                        };
                running.add(pool.submit(started));
            }
            return results(running);
        }
    }

    private static List<Integer> results(List<Future<Integer>> running)
            throws InterruptedException, ExecutionException {
        List<Integer> results = new ArrayList<>();
        for (Future<Integer> each : running) {
            results.add(each.get());
        }
        return results;
    }

    private static Ancestor object(long id) {
        return new Ancestor(VersionNode.first(id), Sessions.OPEN, Optional.empty());
    }

    /** An object with a lock of its own, as the catalog has one per key. */
    private static final class Stored {
        private final int id;
        private final AncestorTable table = AncestorTable.bounded(1);
        private final List<Edge> edges = new ArrayList<>();
        private VersionNode present;

        private Stored(int id) {
            this.id = id;
            this.present = VersionNode.first(id);
        }

        synchronized Ancestor asAncestor() {
            return new Ancestor(present, Sessions.OPEN, Optional.empty());
        }

        synchronized void write(VersioningAlgorithm algorithm, Actor actor) {
            Ancestor writer =
                    new Ancestor(actor.standing().version(), Sessions.OPEN, Optional.empty());
            Outcome outcome = algorithm.offer(new Dependent(present, Sessions.OPEN, table), writer);
            if (outcome == Outcome.FREEZE) {
                present = present.next();
            }
            if (outcome != Outcome.DISCARD) {
                edges.add(new Edge(present, writer.version()));
            }
        }
    }
}
