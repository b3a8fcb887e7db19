package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.storage.Transaction;
import io.volute.versioning.FakeCube;
import io.volute.versioning.History;
import io.volute.versioning.PastFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule: an edge is durable before anything that depends on it is acknowledged. */
class CaptureOrderTest extends PastFixture {
    private final List<Transaction> commits = Collections.synchronizedList(new ArrayList<>());
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isHolding = new AtomicBoolean();
    private final CountDownLatch oneHeld = new CountDownLatch(1);
    private final CountDownLatch twoHeld = new CountDownLatch(2);

    @Override
    public Cube openCube() {
        FakeCube cube =
                new FakeCube(
                        task -> {
                            if (isHolding.get()) {
                                held.add(task);
                                oneHeld.countDown();
                                twoHeld.countDown();
                            } else {
                                task.run();
                            }
                        },
                        clock::get);
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("commit")) {
                                commits.add((Transaction) arguments[0]);
                            }
                            try {
                                return method.invoke(cube, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static List<Event> events(Transaction transaction) {
        return transaction.changes().stream()
                .filter(Transaction.Put.class::isInstance)
                .map(Transaction.Put.class::cast)
                .filter(put -> put.family().equals(Families.EVENTS))
                .flatMap(
                        put ->
                                EventRow.decode(
                                        put.summary().length > 0 ? put.summary() : put.detail())
                                        .stream())
                .toList();
    }

    @Test
    void whatWasReadIsInTheCommitOfTheNextWrite() throws IOException {
        put(THIEF, "a", "one");
        assertThat(read(ALICE, "a")).isEqualTo("one");
        commits.clear();
        put(ALICE, "b", "two");
        assertThat(commits).hasSize(1);
        assertThat(events(commits.getFirst()))
                .hasExactlyElementsOfTypes(Event.Read.class, Event.Wrote.class);
        var first =
                commits.getFirst().changes().stream()
                        .filter(Transaction.Put.class::isInstance)
                        .map(Transaction.Put.class::cast)
                        .findFirst();
        assertThat(first.orElseThrow().family())
                .as("what was before the events was before the whole commit")
                .isEqualTo(Families.EVENTS);
        commits.clear();
        put(ALICE, "b", "three");
        assertThat(events(commits.getFirst())).as("a duplicate").isEmpty();
    }

    /** There an actor reads without becoming another version, and its writes are duplicates. */
    @ParameterizedTest
    @EnumSource(names = {"OPEN_CLOSE", "GRAPH_FINESSE"})
    void whatWasReadBeforeADuplicateIsInItsCommit(HistoryPolicy policy) throws IOException {
        policy(policy);
        put(THIEF, "a", "one");
        put(ALICE, "b", "two");
        assertThat(read(ALICE, "a")).isEqualTo("one");
        commits.clear();
        put(ALICE, "b", "three");
        assertThat(events(commits.getFirst()))
                .hasExactlyElementsOfTypes(Event.Read.class, Event.Wrote.class);
        assertThat(
                        store.history()
                                .trace(
                                        History.Direction.FORWARD,
                                        BUCKET,
                                        new ObjectKey("a"),
                                        Optional.empty(),
                                        Optional.empty(),
                                        10)
                                .entries())
                .as("the reader and what it wrote then")
                .hasSize(2);
    }

    /** The commit that has the read first may be done last. */
    @Test
    void aWriteThatOvertakesAnotherHasTheReadsAsWell() throws IOException, InterruptedException {
        put(THIEF, "a", "one");
        assertThat(read(ALICE, "a")).isEqualTo("one");
        commits.clear();
        isHolding.set(true);
        List<Thread> writers = new ArrayList<>();
        for (String key : List.of("b", "c")) {
            writers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            put(ALICE, key, "text");
                                        } catch (IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    }));
        }
        twoHeld.await();
        assertThat(commits).hasSize(2);
        assertThat(commits)
                .allSatisfy(
                        commit ->
                                assertThat(events(commit))
                                        .hasExactlyElementsOfTypes(
                                                Event.Read.class, Event.Wrote.class));
        isHolding.set(false);
        held.forEach(Runnable::run);
        for (Thread writer : writers) {
            writer.join();
        }
    }

    /** A commit has no room for everything that somebody has read for hours. */
    @Test
    void manyReadsGoToTheLogInManyRows() throws IOException, InterruptedException {
        int reads = 1300;
        for (int i = 0; i < reads; i++) {
            put(THIEF, "k" + i, "text");
        }
        commits.clear();
        isHolding.set(true);
        for (int i = 0; i < reads; i++) {
            assertThat(read(ALICE, "k" + i)).isEqualTo("text");
        }
        oneHeld.await();
        isHolding.set(false);
        held.forEach(Runnable::run);
        put(ALICE, "b", "two");
        List<Transaction> all = List.copyOf(commits);
        assertThat(all).allMatch(commit -> events(commit).size() <= 513);
        assertThat(all.stream().flatMap(commit -> events(commit).stream()).distinct())
                .filteredOn(Event.Read.class::isInstance)
                .as("none is left behind")
                .hasSize(reads);
    }

    @Test
    void readersWaitForNothing() throws IOException {
        put(THIEF, "a", "one");
        commits.clear();
        for (int i = 0; i < 100; i++) {
            assertThat(read(ALICE, "a")).isEqualTo("one");
        }
        assertThat(commits).isEmpty();
    }
}
