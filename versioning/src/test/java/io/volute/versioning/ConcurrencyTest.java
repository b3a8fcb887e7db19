package io.volute.versioning;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads at once: one winner, whole states, consistent chains. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ConcurrencyTest extends StoreFixture {
    private static final int THREADS = 64;

    /** Commits complete on other threads, in any order. */
    @Override
    public Cube openCube() throws IOException {
        return new FakeCube(task -> Thread.ofVirtual().name("commit").start(task));
    }

    private static <T> List<T> together(List<Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        return together(tasks, Thread.ofVirtual().factory());
    }

    /** For tasks that spin, which would keep others from their virtual threads. */
    private static <T> List<T> togetherOnPlatformThreads(List<Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        return together(tasks, Thread.ofPlatform().name("spin-", 0).factory());
    }

    private static <T> List<T> together(List<Callable<T>> tasks, ThreadFactory factory)
            throws InterruptedException, ExecutionException {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<T>> futures = new ArrayList<>();
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(factory)) {
            for (Callable<T> task : tasks) {
                futures.add(
                        threads.submit(
                                () -> {
                                    start.await();
                                    return task.call();
                                }));
            }
            start.countDown();
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        }
    }

    private static <T> List<T> together(Callable<T> task)
            throws InterruptedException, ExecutionException {
        return together(java.util.Collections.nCopies(THREADS, task));
    }

    @Test
    void conditionalCreateHasExactlyOneWinner() throws Exception {
        for (int round = 0; round < 20; round++) {
            String key = "k" + round;
            List<Boolean> won = together(() -> wins(key, new WriteCondition.IfAbsent()));
            assertThat(won.stream().filter(winner -> winner)).hasSize(1);
        }
    }

    @Test
    void compareAndSwapLosesNoUpdate() throws Exception {
        put("counter", "0");
        List<Integer> lost =
                together(
                        () -> {
                            int failures = 0;
                            while (true) {
                                String old = get("counter");
                                String next = Integer.toString(Integer.parseInt(old) + 1);
                                if (wins(next, "counter", new WriteCondition.IfMatch(md5(old)))) {
                                    return failures;
                                }
                                failures++;
                            }
                        });
        assertThat(get("counter")).isEqualTo(Integer.toString(THREADS));
        assertThat(lost).hasSize(THREADS);
    }

    private boolean wins(String key, WriteCondition condition) throws IOException {
        return wins("text", key, condition);
    }

    private boolean wins(String text, String key, WriteCondition condition) throws IOException {
        try {
            put(key, text, condition);
            return true;
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(Reason.PRECONDITION_FAILED);
            return false;
        }
    }

    @Test
    void putsAndDeletesOfVersionsLeaveAConsistentChain() throws Exception {
        versioning(ENABLED);
        long seed = 7;
        System.out.println("seed " + seed);
        SplittableRandom seeds = new SplittableRandom(seed);
        AtomicInteger live = new AtomicInteger();
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            SplittableRandom random = seeds.split();
            tasks.add(() -> churn(random, live));
        }
        assertThat(together(tasks)).hasSize(16);
        List<ObjectVersion> all = allVersions();
        assertThat(all).hasSize(live.get());
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).latest()).isEqualTo(i == 0);
            assertThat(head("a", number(all.get(i))).orElseThrow().number())
                    .isEqualTo(all.get(i).number());
            assertThat(i == 0 || all.get(i).number() < all.get(i - 1).number()).isTrue();
        }
        assertLiveBlobs((int) all.stream().filter(v -> !v.deleteMarker()).count());
    }

    private int churn(SplittableRandom random, AtomicInteger live) throws IOException {
        List<ObjectVersion> mine = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            int dice = random.nextInt(10);
            if (dice < 5 || mine.isEmpty()) {
                mine.add(put("a", "text " + i));
                live.incrementAndGet();
            } else if (dice < 6) {
                mine.add(delete("a").version().orElseThrow());
                live.incrementAndGet();
            } else {
                ObjectVersion victim = mine.remove(random.nextInt(mine.size()));
                assertThat(delete("a", number(victim)).version()).isPresent();
                live.decrementAndGet();
            }
        }
        return mine.size();
    }

    @Test
    void readersOfAnObjectThatIsOverwrittenAlwaysSeeAWholeOne() throws Exception {
        put("a", "text 0");
        AtomicBoolean done = new AtomicBoolean();
        List<Callable<Integer>> tasks = new ArrayList<>();
        tasks.add(
                () -> {
                    for (int i = 1; i <= 150; i++) {
                        put("a", "text " + i);
                    }
                    done.set(true);
                    return 150;
                });
        for (int i = 0; i < 8; i++) {
            tasks.add(
                    () -> {
                        int last = 0;
                        while (!done.get()) {
                            int seen = Integer.parseInt(get("a").substring(5));
                            assertThat(seen).isGreaterThanOrEqualTo(last);
                            last = seen;
                        }
                        return last;
                    });
        }
        assertThat(togetherOnPlatformThreads(tasks).getFirst()).isEqualTo(150);
    }

    @Test
    void aListingNeverMissesAVersionThatStays() throws Exception {
        versioning(ENABLED);
        ObjectVersion stays = put("a", "stays");
        AtomicBoolean done = new AtomicBoolean();
        List<Callable<Integer>> tasks = new ArrayList<>();
        tasks.add(
                () -> {
                    for (int i = 0; i < 100; i++) {
                        ObjectVersion above = put("a", "above");
                        delete("a", number(above));
                    }
                    done.set(true);
                    return 0;
                });
        for (int i = 0; i < 4; i++) {
            tasks.add(
                    () -> {
                        int listings = 0;
                        while (!done.get()) {
                            List<ObjectVersion> all = allVersions();
                            assertThat(all.stream().map(ObjectVersion::number))
                                    .contains(stays.number())
                                    .doesNotHaveDuplicates();
                            assertThat(all.stream().filter(ObjectVersion::latest)).hasSize(1);
                            assertThat(head("a", number(stays))).isPresent();
                            listings++;
                        }
                        return listings;
                    });
        }
        assertThat(togetherOnPlatformThreads(tasks)).hasSize(5);
    }

    @Test
    void aBucketIsDeletedOrTakesThePutButNeverBoth() throws Exception {
        for (int round = 0; round < 50; round++) {
            BucketName name = new BucketName("round-" + round);
            assertThat(store.createBucket(ALICE, name).name()).isEqualTo(name);
            List<Callable<Boolean>> tasks = new ArrayList<>();
            var blob = body("x");
            tasks.add(
                    () ->
                            succeeds(
                                    () ->
                                            store.put(
                                                    ALICE,
                                                    name,
                                                    key("a"),
                                                    blob,
                                                    attributes("x"),
                                                    WriteCondition.NONE)));
            tasks.add(
                    () ->
                            succeeds(
                                    () -> {
                                        store.deleteBucket(ALICE, name);
                                        return name;
                                    }));
            List<Boolean> outcome = together(tasks);
            assertThat(outcome.get(0)).isNotEqualTo(outcome.get(1));
            assertThat(store.bucket(name).isPresent()).isEqualTo(outcome.get(0));
            if (outcome.get(0)) {
                assertThat(
                                store.delete(ALICE, name, key("a"), LATEST, WriteCondition.NONE)
                                        .version())
                        .isPresent();
                store.deleteBucket(ALICE, name);
            }
        }
        assertThat(rows(Families.CURRENT)).isZero();
    }

    private static boolean succeeds(Callable<?> call) throws Exception {
        try {
            assertThat(call.call()).isNotNull();
            return true;
        } catch (StoreException e) {
            assertThat(e.reason()).isIn(Reason.NO_SUCH_BUCKET, Reason.BUCKET_NOT_EMPTY);
            return false;
        }
    }

    @Test
    void anUploadEndsOnceWhateverComesTogether() throws Exception {
        for (int round = 0; round < 30; round++) {
            String key = "m" + round;
            String upload = createUpload(key);
            putPart(key, upload, 1, "x");
            PartChoice choice = new PartChoice(1, md5("x"), Optional.empty());
            List<Callable<String>> tasks = new ArrayList<>();
            tasks.add(
                    () ->
                            outcome(
                                    () ->
                                            store.completeUpload(
                                                    ALICE,
                                                    BUCKET,
                                                    key(key),
                                                    upload,
                                                    List.of(choice),
                                                    (info, parts) -> attributes("x"),
                                                    WriteCondition.NONE)));
            tasks.add(
                    () ->
                            outcome(
                                    () -> {
                                        store.abortUpload(ALICE, BUCKET, key(key), upload);
                                        return upload;
                                    }));
            tasks.add(() -> outcome(() -> putPart(key, upload, 2, "late")));
            List<String> outcomes = together(tasks);
            assertThat(outcomes.subList(0, 2)).containsOnlyOnce("done");
            assertThat(head(key).isPresent()).isEqualTo(outcomes.getFirst().equals("done"));
        }
        assertThat(rows(Families.PARTS)).isZero();
        assertThat(rows(Families.UPLOADS)).isZero();
    }

    private static String outcome(Callable<?> call) throws Exception {
        try {
            assertThat(call.call()).isNotNull();
            return "done";
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(Reason.NO_SUCH_UPLOAD);
            return "refused";
        }
    }

    @Test
    void copiesInBothDirectionsDoNotBlockEachOther() throws Exception {
        put("a", "one");
        put("b", "two");
        List<Callable<String>> tasks = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            String from = i % 2 == 0 ? "a" : "b";
            String to = i % 2 == 0 ? "b" : "a";
            tasks.add(
                    () ->
                            store.copy(
                                            ALICE,
                                            new ObjectStore.Source(BUCKET, key(from), LATEST),
                                            BUCKET,
                                            key(to),
                                            version -> {},
                                            ObjectVersion::attributes,
                                            WriteCondition.NONE)
                                    .target()
                                    .key()
                                    .value());
        }
        assertThat(together(tasks)).contains("a", "b");
        assertThat(get("a")).isEqualTo(get("b"));
    }
}
