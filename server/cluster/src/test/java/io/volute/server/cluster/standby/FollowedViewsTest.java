package io.volute.server.cluster.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.StoredRecord;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.report.StandbyReport.Position;
import io.volute.storage.report.StandbyReport.State;
import io.volute.versioning.CubeViews;
import io.volute.versioning.StoreCubes;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The test is the thread of the standby. */
@Timeout(60)
class FollowedViewsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final String CUBE = "one";
    private static final Family ANY = new Family(1, "any");
    private static final long LONG = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong nanos = new AtomicLong(1_000);
    private final List<Long> passed = new ArrayList<>();
    private final FollowedViews views =
            new FollowedViews(() -> NOW, nanos::get, sequence -> passed.add(sequence));
    private final Index index = new Index();

    /** A standby whose progress the test sets. A view has the commits of its moment. */
    private static final class Index implements Cubes.Standby {
        private State state = State.FOLLOWING;
        private OptionalLong completeAt = OptionalLong.empty();
        private long commits;
        private int open;
        private boolean isClosed;

        /** Follows the log to some commits, all that were acknowledged before a time. */
        Optional<Index> at(long newCommits, long complete) {
            commits = newCommits;
            completeAt = OptionalLong.of(complete);
            return Optional.of(this);
        }

        @Override
        public UUID cubeId() {
            return new UUID(1, 2);
        }

        @Override
        public void step() {
            throw new AssertionError("the test makes the steps");
        }

        @Override
        public StandbyReport report() {
            return new StandbyReport(state, new Position(1, commits), 0, completeAt, 1);
        }

        @Override
        public Optional<Cube> view(Instant complete) {
            assertThat(complete).isBefore(NOW.minusSeconds(119));
            open++;
            long sequence = commits;
            return Optional.of(
                    (Cube)
                            Proxy.newProxyInstance(
                                    Cube.class.getClassLoader(),
                                    new Class<?>[] {Cube.class},
                                    (self, method, arguments) ->
                                            answer(method.getName(), sequence)));
        }

        private Object answer(String method, long sequence) {
            return switch (method) {
                case "lastSequence" -> sequence;
                case "get" -> get();
                case "close" -> open--;
                default -> throw new AssertionError(method);
            };
        }

        private Optional<StoredRecord> get() {
            if (isClosed) {
                throw new IllegalStateException("the snapshot is closed");
            }
            return Optional.empty();
        }

        @Override
        public void stop() {}

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /** A request that uses a view of its time. */
    private CompletableFuture<CubeViews.View> request() {
        long begun = nanos.get();
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return views.use(CUBE, begun);
                    } catch (CubeUnavailableException e) {
                        throw new CompletionException(e);
                    }
                },
                each -> Thread.ofVirtual().start(each));
    }

    private CubeViews.View use(long commits) throws Exception {
        CompletableFuture<CubeViews.View> request = request();
        assertThat(views.awaitWish(LONG)).containsExactly(CUBE);
        views.step(CUBE, index.at(commits, nanos.get()));
        return request.get();
    }

    @Test
    void aRequestWaitsForWhatWasAcknowledgedBefore() throws Exception {
        views.step(CUBE, index.at(5, nanos.get()));
        assertThat(index.open).as("views that nobody wants").isZero();
        nanos.addAndGet(10);
        CompletableFuture<CubeViews.View> request = request();
        assertThat(views.awaitWish(LONG)).containsExactly(CUBE);
        views.step(CUBE, index.at(5, nanos.get() - 1));
        assertThat(views.awaitWish(LONG)).as("it waits on").containsExactly(CUBE);
        views.step(CUBE, index.at(6, nanos.get()));
        try (CubeViews.View view = request.get()) {
            assertThat(view.cube().lastSequence()).isEqualTo(6);
            assertThat(view.cube().get(ANY, new byte[0])).isEmpty();
        }
        assertThat(passed).as("later commits of this node are greater").containsExactly(5L, 6L);
        assertThat(views.awaitWish(1)).as("nobody waits").isEmpty();
        assertThat(index.open).isEqualTo(1);
    }

    @Test
    void requestsOfOneTimeShareAView() throws Exception {
        try (CubeViews.View first = use(5);
                CubeViews.View second = views.use(CUBE, nanos.get())) {
            assertThat(second.cube()).isSameAs(first.cube());
        }
        nanos.addAndGet(10);
        try (CubeViews.View first = use(5)) {
            nanos.addAndGet(10);
            try (CubeViews.View second = use(6)) {
                assertThat(second.cube()).isNotSameAs(first.cube());
                assertThat(first.cube().lastSequence()).as("it is used").isEqualTo(5);
                assertThat(index.open).isEqualTo(2);
            }
        }
        assertThat(index.open).isEqualTo(1);
    }

    /** The past of a view is complete up to a time before it was made. */
    @Test
    void anOldViewIsReplaced() throws Exception {
        try (CubeViews.View first = use(5)) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
            try (CubeViews.View second = use(5)) {
                assertThat(second.cube()).isNotSameAs(first.cube());
            }
        }
    }

    @Test
    void aCubeThatThisNodeOpensIsNotRead() throws Exception {
        CubeViews.View earlier = use(5);
        nanos.addAndGet(10);
        CubeViews.View present = use(6);
        nanos.addAndGet(10);
        CompletableFuture<CubeViews.View> waiting = request();
        assertThat(views.awaitWish(LONG)).containsExactly(CUBE);
        assertThat(index.open).isEqualTo(2);
        views.drop(CUBE);
        assertThat(index.open).as("closed before the cube is opened").isZero();
        index.close();
        for (CubeViews.View each : List.of(earlier, present)) {
            assertThatThrownBy(() -> each.cube().get(ANY, new byte[0]))
                    .hasCauseInstanceOf(CubeUnavailableException.class);
            each.close();
        }
        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("cube one is on another node");
    }

    /** A look that was under way when this node began to open the cube. */
    @Test
    void aViewThatIsLateIsNotKept() throws Exception {
        CompletableFuture<CubeViews.View> request = request();
        assertThat(views.awaitWish(LONG)).containsExactly(CUBE);
        Index dropping = new Index();
        dropping.at(5, nanos.get());
        Cubes.Standby late =
                (Cubes.Standby)
                        Proxy.newProxyInstance(
                                Cubes.Standby.class.getClassLoader(),
                                new Class<?>[] {Cubes.Standby.class},
                                (self, method, arguments) -> {
                                    Object answer = method.invoke(dropping, arguments);
                                    if (method.getName().equals("view")) {
                                        views.drop(CUBE);
                                    }
                                    return answer;
                                });
        views.step(CUBE, Optional.of(late));
        assertThat(dropping.open).isZero();
        assertThatThrownBy(request::get).hasCauseInstanceOf(CubeUnavailableException.class);
    }

    /** Anybody who may write can name a bucket of an owner that does not answer. */
    @Test
    void tooManyWaitingRequestsAreRefusedAtOnce() throws Exception {
        List<CompletableFuture<CubeViews.View>> all = new ArrayList<>();
        for (int i = 0; i <= FollowedViews.MOST_WAITING; i++) {
            all.add(request());
        }
        assertThatThrownBy(
                        () -> CompletableFuture.anyOf(all.toArray(CompletableFuture[]::new)).get())
                .hasCauseInstanceOf(CubeUnavailableException.class);
        views.step(CUBE, index.at(5, nanos.get()));
        int served = 0;
        for (CompletableFuture<CubeViews.View> each : all) {
            if (each.handle((view, failure) -> failure == null).get()) {
                each.get().close();
                served++;
            }
        }
        assertThat(served).isEqualTo(FollowedViews.MOST_WAITING);
    }

    @Test
    void aStandbyThatIsNotReadyHasNoView() throws Exception {
        CompletableFuture<CubeViews.View> request = request();
        assertThat(views.awaitWish(LONG)).containsExactly(CUBE);
        views.step(CUBE, Optional.empty());
        index.state = State.BUILDING;
        views.step(CUBE, index.at(5, nanos.get()));
        assertThat(index.open).isZero();
        views.close();
        assertThatThrownBy(request::get).hasCauseInstanceOf(CubeUnavailableException.class);
        assertThat(views.awaitWish(LONG)).as("the thread ends").isEmpty();
    }

    @Test
    void aViewThatNobodyWantsIsClosed() throws Exception {
        use(5).close();
        views.step(CUBE, index.at(5, nanos.get()));
        assertThat(index.open).isEqualTo(1);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        views.step(CUBE, index.at(5, nanos.get()));
        assertThat(index.open).isZero();
    }

    @Test
    void theSystemCubeThatIsFollowedAllTheTimeIsAwaited() throws Exception {
        try (FollowedCube system = new FollowedCube(StoreCubes.SYSTEM, nanos::get, 0)) {
            long begun = nanos.addAndGet(10);
            CompletableFuture<Boolean> request =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return views.await(system, StoreCubes.SYSTEM, begun);
                                } catch (CubeUnavailableException e) {
                                    throw new CompletionException(e);
                                }
                            },
                            each -> Thread.ofVirtual().start(each));
            assertThat(views.awaitWish(LONG)).containsExactly(StoreCubes.SYSTEM);
            views.step(StoreCubes.SYSTEM, index.at(5, nanos.get()));
            assertThat(index.open).as("it has a view of its own").isZero();
            system.completeAt(begun);
            assertThat(request.get()).isTrue();
            assertThat(views.await(system, StoreCubes.SYSTEM, begun)).isTrue();
        }
    }
}
