package io.volute.server.cluster.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FollowedCubeTest {
    private static final Family ANY = new Family(1, "any");
    private static final byte[] KEY = {1};

    private long now = 1000;
    private final FollowedCube cube = new FollowedCube("one", () -> now, 0);

    /** A view that has one sequence, and knows whether it is closed. */
    private static class View {
        private final long sequence;
        private boolean isClosed;

        View(long sequence) {
            this.sequence = sequence;
        }

        Cube cube() {
            return proxy(
                    Cube.class,
                    name ->
                            switch (name) {
                                case "lastSequence" -> sequence;
                                case "get" -> got();
                                case "commit" -> CompletableFuture.completedFuture(sequence);
                                case "state" -> CubeState.HEALTHY;
                                case "scan" -> cursor();
                                case "close" -> closed();
                                default -> throw new AssertionError(name);
                            });
        }

        Optional<StoredRecord> got() {
            if (isClosed) {
                throw new IllegalStateException("the snapshot is closed");
            }
            return Optional.empty();
        }

        private Object closed() {
            isClosed = true;
            return null;
        }

        private RecordCursor cursor() {
            return proxy(
                    RecordCursor.class,
                    name ->
                            switch (name) {
                                case "next" -> !isClosed;
                                case "close" -> null;
                                default -> throw new AssertionError(name);
                            });
        }
    }

    private interface Call {
        Object answer(String method);
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (self, method, arguments) -> call.answer(method.getName())));
    }

    @Test
    void withoutAViewReadsFail() {
        assertThatThrownBy(() -> cube.get(ANY, KEY))
                .hasCauseInstanceOf(CubeUnavailableException.class);
        assertThat(cube.lastSequence()).isZero();
    }

    @Test
    void aScanKeepsItsViewUntilItsEnd() {
        View first = new View(5);
        View second = new View(6);
        cube.follow(first.cube());
        RecordCursor cursor = cube.scan(ANY, KEY, KEY);
        cube.follow(second.cube());
        assertThat(cube.lastSequence()).isEqualTo(6);
        assertThat(first.isClosed).isFalse();
        assertThat(cursor.next()).isTrue();
        cursor.close();
        assertThat(first.isClosed).isTrue();
        cursor.close();
        assertThat(second.isClosed).isFalse();
        cube.close();
        assertThat(second.isClosed).isTrue();
    }

    @Test
    void aViewBehindTheEndIsClosedAtOnce() {
        cube.close();
        View late = new View(5);
        cube.follow(late.cube());
        assertThat(late.isClosed).isTrue();
    }

    @Test
    void theLagIsThatOfTheView() {
        cube.follow(new View(5).cube());
        cube.completeAt(900);
        assertThat(cube.lagNanos()).isEqualTo(100);
        cube.completeAt(990);
        now = 1010;
        assertThat(cube.lagNanos()).isEqualTo(20);
    }

    @Test
    void waitsForACommit() throws InterruptedException {
        assertThat(cube.await(5, 1)).isFalse();
        cube.follow(new View(5).cube());
        assertThat(cube.await(5, TimeUnit.MINUTES.toNanos(1))).isTrue();
        assertThat(cube.await(6, 1)).isFalse();
    }

    /** Whoever waits for present commits may use what has followed them. */
    @Test
    void aViewIsPresentWhenItsUsersHaveRead() throws InterruptedException {
        now = 1010;
        cube.follow(new View(5).cube());
        assertThat(cube.awaitPresent(1)).isFalse();
        cube.completeAt(now);
        assertThat(cube.awaitPresent(1)).isTrue();
    }

    /** The standby closes its views when the node opens the cube. */
    @Test
    void aClosedViewIsNotUsedAgain() {
        View view = new View(5);
        cube.follow(view.cube());
        cube.completeAt(900);
        cube.leave();
        assertThat(view.isClosed).isTrue();
        assertThat(cube.hasView())
                .as("so the next view is taken, also at the same place")
                .isFalse();
        assertThatThrownBy(() -> cube.get(ANY, KEY))
                .hasCauseInstanceOf(CubeUnavailableException.class);
        assertThat(cube.lagNanos()).isEqualTo(100);
    }

    /** The node closes the cube while requests in placed cubes read their users. */
    @Test
    void aReadOfACubeThatIsClosedIsReadInTheNextView() {
        View next = new View(6);
        View own =
                new View(5) {
                    @Override
                    Optional<StoredRecord> got() {
                        cube.leave();
                        cube.follow(next.cube());
                        throw new IllegalStateException("the index is closed");
                    }
                };
        cube.own(own.cube());
        assertThat(cube.get(ANY, KEY)).isEmpty();
        assertThat(cube.lastSequence()).isEqualTo(6);
    }

    /** A failure of the cube itself is none of its hands. */
    @Test
    void aReadOfThePresentViewFails() {
        View broken = new View(5);
        broken.isClosed = true;
        cube.follow(broken.cube());
        assertThatThrownBy(() -> cube.get(ANY, KEY)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aReadWaitsForTheNextView() throws Exception {
        FollowedCube waiting = new FollowedCube("one", () -> now, TimeUnit.MINUTES.toNanos(1));
        CompletableFuture<Optional<StoredRecord>> read =
                CompletableFuture.supplyAsync(() -> waiting.get(ANY, KEY));
        waiting.own(new View(5).cube());
        assertThat(read.get(1, TimeUnit.MINUTES)).isEmpty();
    }

    /** While the node owns the cube, reads and commits are those of the cube itself. */
    @Test
    void anOwnedCubeTakesCommits() throws Exception {
        View late = new View(6);
        View own = new View(7);
        cube.own(own.cube());
        assertThat(cube.isHere()).as("its users have not read it").isFalse();
        cube.completeHere();
        assertThat(cube.isHere()).isTrue();
        now = 1_000_000;
        assertThat(cube.lagNanos()).isZero();
        assertThat(cube.awaitPresent(1)).isTrue();
        assertThat(cube.commit(new Transaction()).get()).isEqualTo(7);
        assertThat(cube.state()).isEqualTo(CubeState.HEALTHY);
        cube.follow(late.cube());
        assertThat(late.isClosed).as("a view that comes late").isTrue();
        assertThat(cube.lastSequence()).isEqualTo(7);
        cube.leave();
        assertThat(own.isClosed).as("its owner closes it").isFalse();
        assertThat(cube.isHere()).isFalse();
        now += 10;
        assertThat(cube.lagNanos()).isEqualTo(10);
    }

    @Test
    void commitsFail() {
        cube.follow(new View(5).cube());
        assertThatThrownBy(() -> cube.commit(new Transaction()).get())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CubeUnavailableException.class);
    }
}
