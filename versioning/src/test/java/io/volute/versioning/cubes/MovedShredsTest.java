package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.Finding;
import io.volute.storage.Transaction;
import io.volute.versioning.History;
import io.volute.versioning.Openings.Fit;
import io.volute.versioning.Openings.Opening;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Reports;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.move.MoveSide;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectAttributes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A shredded object stays shredded, and its shred signed, when its bucket moves, is split or
 * merged, also when the shred comes during the move. The keyring is that of a test: each content
 * has a secret.
 */
@Tag("slow")
class MovedShredsTest extends MovesFixture {
    private static final int STEPS = 20;

    /** Commits of the target during a move: at least those of the keys and of the bucket. */
    private static final int COMMITS = 12;

    private static final long SEED = Long.getLong("volute.seed", 1);

    /** The erasure secrets that were destroyed. */
    private final Set<Long> destroyed = ConcurrentHashMap.newKeySet();

    private static long secret(ObjectAttributes state) {
        return state.etag().hashCode();
    }

    private final History.Erasure erasure =
            new History.Erasure() {
                @Override
                public boolean covers(ObjectAttributes state) {
                    return true;
                }

                @Override
                public SortedSet<Long> run(List<ObjectAttributes> states) {
                    SortedSet<Long> all = new TreeSet<>();
                    states.forEach(each -> all.add(secret(each)));
                    destroyed.addAll(all);
                    return all;
                }
            };

    private void fill() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        for (String key : List.of("a", "b", "s", "t")) {
            put(ALICE, BUCKET, key, "first of " + key);
            put(ALICE, BUCKET, key, "second of " + key);
        }
    }

    private void shred(String key) throws IOException {
        assertThat(store.history().shred(ALICE, name(BUCKET), key(key), erasure)).isPositive();
    }

    /** Audits with the keyring, and compares the number of unreadable versions. */
    private void audit(String what) throws IOException {
        List<Finding> findings = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger unopened = new AtomicInteger();
        AtomicInteger explained = new AtomicInteger();
        audit(findings, unopened, explained);
        assertThat(findings).as(what).isEmpty();
        assertThat(explained).as(what).hasValue(unopened.get());
        assertThat(unopened.get() > 0).as(what).isEqualTo(!destroyed.isEmpty());
    }

    private void audit(List<Finding> findings, AtomicInteger unopened, AtomicInteger explained)
            throws IOException {
        Terms terms =
                new Terms(
                        Terms.USUAL.scope(),
                        Set.of(),
                        false,
                        true,
                        2,
                        Optional.of(
                                (bucket, key, attributes) ->
                                        Optional.of(
                                                new Opening(
                                                        secret(attributes),
                                                        destroyed.contains(secret(attributes))
                                                                ? Fit.ERASED
                                                                : Fit.OPENS))));
        long chains =
                store.provenance()
                        .orElseThrow()
                        .audit(
                                Range.ALL,
                                terms,
                                new Reports() {
                                    @Override
                                    public boolean next(AuditReport report) {
                                        return findings.addAll(report.findings()) || true;
                                    }

                                    @Override
                                    public void unopened(long versions, long signed) {
                                        unopened.addAndGet(Math.toIntExact(versions));
                                        explained.addAndGet(Math.toIntExact(signed));
                                    }
                                });
        assertThat(chains).isPositive();
    }

    private void destroy(String content) {
        destroyed.add(secret(StoreFixture.attributes(content)));
    }

    /** Shreds as a program did whose entries do not name what they destroyed. */
    private void shredUnnamed(String key, String... contents) throws IOException {
        for (String each : contents) {
            destroy(each);
        }
        BucketInfo bucket = store.bucket(name(BUCKET)).orElseThrow();
        String cube = cubes.cubeOf(name(BUCKET)).orElseThrow();
        MoveSide side = BucketMoves.side(((CubeRegistry) cubes).find(info(cube).number()).get());
        ProvenanceRecorder recorder = side.log().orElseThrow().recorder(ALICE);
        recorder.shreddedUnnamed(bucket, key(key));
        Transaction transaction = new Transaction();
        try {
            recorder.addTo(transaction);
            assertThat(side.cube().commit(transaction).join()).isPositive();
            recorder.committed();
        } finally {
            recorder.release();
        }
    }

    /** The entry excuses the versions that were there, and none that was made later. */
    @Test
    void shredsOfOlderProgramsAreCarriedToo() throws Exception {
        fill();
        shredUnnamed("a", "first of a", "second of a");
        put(ALICE, BUCKET, "a", "third of a");
        audit("before the move");
        for (String cube : List.of("two", "one", "two")) {
            cubes.moves().start(name(BUCKET), cube);
            awaitMoves();
            audit("in " + cube);
            put(ALICE, BUCKET, "a", "fourth of a, in " + cube);
        }
        destroy("third of a");
        List<Finding> findings = Collections.synchronizedList(new ArrayList<>());
        audit(findings, new AtomicInteger(), new AtomicInteger());
        assertThat(findings).hasSize(1);
    }

    private void move(SplittableRandom random) throws Exception {
        if (cubes.moves().parts(name(BUCKET)).size() > 1) {
            cubes.moves().merge(name(BUCKET), key("m"));
        } else {
            String other = cubes.cubeOf(name(BUCKET)).equals(Optional.of("one")) ? "two" : "one";
            if (random.nextBoolean()) {
                cubes.moves().start(name(BUCKET), other);
            } else {
                cubes.moves().split(name(BUCKET), key("m"), other);
            }
        }
    }

    @Test
    void shredsAreCarriedThroughMoves() throws Exception {
        fill();
        SplittableRandom random = new SplittableRandom(SEED);
        List<String> keys = List.of("a", "b", "s", "t");
        for (int step = 0; step < STEPS; step++) {
            String key = keys.get(random.nextInt(keys.size()));
            switch (random.nextInt(3)) {
                case 0 -> put(ALICE, BUCKET, key, "content of step " + step);
                case 1 -> shred(key);
                default -> {
                    move(random);
                    awaitMoves();
                    audit("seed " + SEED + ", step " + step);
                }
            }
        }
        restart();
        audit("seed " + SEED);
    }

    /** A shred during a move changes no row: it comes at each commit of the target in turn. */
    @Test
    void aShredDuringAMoveIsCarriedToo() throws Exception {
        fill();
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int which = 0; which < COMMITS; which++) {
                String key = which % 2 == 0 ? "a" : "s";
                put(ALICE, BUCKET, key, "content " + which);
                String to = cubes.cubeOf(name(BUCKET)).equals(Optional.of("one")) ? "two" : "one";
                AtomicInteger commits = new AtomicInteger();
                List<Future<?>> shreds = Collections.synchronizedList(new ArrayList<>());
                int at = which;
                fate =
                        cube -> {
                            if (cube.equals(to) && commits.getAndIncrement() == at) {
                                shreds.add(shredMeanwhile(thread, key));
                            }
                            return Outcome.COMMITTED;
                        };
                cubes.moves().start(name(BUCKET), to);
                awaitMoves();
                fate = cube -> Outcome.COMMITTED;
                for (Future<?> each : shreds) {
                    assertThat(each.get()).isEqualTo(true);
                }
                if (!shreds.isEmpty()) {
                    audit("shred at commit " + which);
                }
            }
        }
        assertThat(destroyed).hasSizeGreaterThan(2);
    }

    /** Shreds in another thread, and waits for the end or until it waits for the hand-over. */
    private Future<?> shredMeanwhile(ExecutorService threads, String key) {
        Thread[] shredder = new Thread[1];
        Future<?> shred =
                threads.submit(
                        () -> {
                            shredder[0] = Thread.currentThread();
                            shred(key);
                            return true;
                        });
        while (!shred.isDone() && !waitsForHandOver(shredder[0])) {
            Thread.onSpinWait();
        }
        return shred;
    }

    private static boolean waitsForHandOver(Thread shredder) {
        if (shredder == null) {
            return false;
        }
        for (StackTraceElement each : shredder.getStackTrace()) {
            if (each.getMethodName().equals("share")) {
                return true;
            }
        }
        return false;
    }
}
