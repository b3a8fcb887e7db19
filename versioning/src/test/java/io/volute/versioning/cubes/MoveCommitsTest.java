package io.volute.versioning.cubes;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.BUCKET_HISTORY;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.RecordCursor;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each commit of each cube during a move, split or merge is refused once, or has an unknown
 * outcome. After that exactly one cube serves each key, and the move ends or is given up. {@code
 * -Dvolute.moveCommits=1000} is the long form.
 */
class MoveCommitsTest extends MovesFixture {
    private static final List<String> CUBES = List.of(StoreCubes.SYSTEM, "one", "two");

    /** Commits of a cube that are refused, one in each move. */
    private static final int SAMPLES = Integer.getInteger("volute.moveCommits", 4);

    private static final long SEED = Long.getLong("volute.seed", 1);

    private final AtomicInteger commits = new AtomicInteger();

    /** Contents of the acknowledged writes, by key. */
    private final Map<String, String> written = new TreeMap<>();

    private Instant early = Instant.EPOCH;
    private List<String> then = List.of();
    private List<String> now = List.of();

    /** The kinds of moves, each from cube one to cube two. */
    private enum Kind {
        MOVE,
        SPLIT,
        MERGE
    }

    @AfterEach
    void commit() {
        fate = cube -> Outcome.COMMITTED;
    }

    private void fill() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.NONE);
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        for (String key : List.of("a-kept", "s-gone", "s-kept")) {
            put(ALICE, BUCKET, key, "first of " + key);
            put(ALICE, BUCKET, key, "second of " + key);
        }
        store.delete(
                ALICE, name(BUCKET), key("s-gone"), VersionSelector.LATEST, WriteCondition.NONE);
        early = clock.instant();
        then = seen(store.asOf(early));
        now = seen(store);
    }

    private void begin(Kind kind) throws IOException {
        StoreCubes.Moves moves = cubes.moves();
        Move begun =
                switch (kind) {
                    case MOVE -> moves.start(name(BUCKET), "two");
                    case SPLIT -> moves.split(name(BUCKET), key("m"), "two");
                    case MERGE -> moves.merge(name(BUCKET), key("m"));
                };
        assertThat(begun.bucket()).isEqualTo(name(BUCKET));
    }

    private void giveUp(Kind kind) throws IOException {
        StoreCubes.Moves moves = cubes.moves();
        Move given =
                switch (kind) {
                    case MOVE -> moves.start(name(BUCKET), "one");
                    case SPLIT -> moves.merge(name(BUCKET), key("m"));
                    case MERGE -> moves.split(name(BUCKET), key("m"), "one");
                };
        assertThat(given.phase()).isEqualTo(MovePhase.ABANDONING);
    }

    /** Puts the keys where a move of this kind begins. */
    private void prepare(Kind kind) throws Exception {
        boolean isDivided = cubes.moves().parts(name(BUCKET)).size() > 1;
        if (kind == Kind.MERGE && !isDivided) {
            if (cubes.cubeOf(name(BUCKET)).equals(Optional.of("one"))) {
                cubes.moves().start(name(BUCKET), "two");
                awaitMoves();
            }
            cubes.moves().split(name(BUCKET), key("m"), "one");
            awaitMoves();
        } else if (kind != Kind.MERGE) {
            if (isDivided) {
                cubes.moves().merge(name(BUCKET), key("m"));
                awaitMoves();
            }
            if (!cubes.cubeOf(name(BUCKET)).equals(Optional.of("one"))) {
                cubes.moves().start(name(BUCKET), "one");
                awaitMoves();
            }
        }
    }

    private void awaitStopped() {
        while (cubes.moves().list().stream().anyMatch(Move::isRunning)) {
            awaitThreads();
        }
    }

    /** Counts the commits of each cube during a move. */
    private Map<String, Integer> count(Kind kind) throws Exception {
        Map<String, Integer> all = new ConcurrentHashMap<>();
        prepare(kind);
        fate =
                cube -> {
                    all.merge(cube, 1, Integer::sum);
                    return Outcome.COMMITTED;
                };
        begin(kind);
        awaitMoves();
        fate = cube -> Outcome.COMMITTED;
        return all;
    }

    /** Returns some numbers below a bound, the last one included; all in the long form. */
    private static Set<Integer> some(int bound, SplittableRandom random) {
        Set<Integer> chosen = new TreeSet<>();
        for (int number = 0; number < bound; number++) {
            if (bound <= SAMPLES || number == bound - 1 || random.nextInt(bound) < SAMPLES) {
                chosen.add(number);
            }
        }
        return chosen;
    }

    /** Begins a move in which a commit has an outcome; returns whether there was such a commit. */
    private boolean run(Kind kind, String faulty, int which, Outcome outcome) {
        commits.set(0);
        fate =
                cube ->
                        cube.equals(faulty) && commits.getAndIncrement() == which
                                ? outcome
                                : Outcome.COMMITTED;
        try {
            begin(kind);
        } catch (IOException e) {
            assertThat(which).isZero();
        }
        awaitStopped();
        fate = cube -> Outcome.COMMITTED;
        return commits.get() > which;
    }

    private Optional<BucketEntry> entry(int cube) throws IOException {
        CubeSlot slot = ((CubeRegistry) cubes).find(cube).orElseThrow();
        return BucketMoves.side(slot).buckets().entry(name(BUCKET));
    }

    /** Every key has one cube, and reads of now and then are as before. */
    private void isServed(String what) throws Exception {
        for (String key : List.of("a-kept", "s-kept")) {
            int owners = 0;
            for (int cube = 0; cube < CUBES.size(); cube++) {
                owners += entry(cube).filter(e -> e.range().contains(key(key))).isPresent() ? 1 : 0;
            }
            assertThat(owners).as("owners of %s, %s", key, what).isOne();
        }
        assertThat(seen(store)).as(what).isEqualTo(now);
        assertThat(seen(store.asOf(early))).as(what).isEqualTo(then);
        assertThat(store.listBuckets(Optional.empty(), "", "", 9)).as(what).hasSize(1);
        assertThat(store.asOf(early).listBuckets(Optional.empty(), "", "", 9)).hasSize(1);
        for (Map.Entry<String, String> each : written.entrySet()) {
            assertThat(get(ALICE, BUCKET, each.getKey())).as(what).isEqualTo(each.getValue());
        }
    }

    private void write(String text) throws IOException {
        for (String key : List.of("a-new", "s-new")) {
            Optional<ObjectVersion> old =
                    store.head(ALICE, name(BUCKET), key(key), VersionSelector.LATEST);
            put(BOB, BUCKET, key, text);
            written.put(key, text);
            if (old.isPresent()) {
                // Each move has as many commits as the last one.
                store.delete(
                        BOB,
                        name(BUCKET),
                        key(key),
                        StoreFixture.number(old.get()),
                        WriteCondition.NONE);
            }
        }
        now = seen(store);
    }

    /** Nothing of the bucket is left in cubes that do not serve it. */
    private void isCleared(String what) throws Exception {
        for (int cube = 0; cube < CUBES.size(); cube++) {
            if (entry(cube).isEmpty()) {
                byte[] from = RowKeys.bucketHistory(name(BUCKET), Long.MAX_VALUE);
                byte[] prefix = Arrays.copyOf(from, from.length - RowKeys.NUMBER_BYTES);
                assertThat(opened.get(CUBES.get(cube)).get(BUCKETS, RowKeys.bucket(name(BUCKET))))
                        .as(what)
                        .isEmpty();
                try (RecordCursor past =
                        opened.get(CUBES.get(cube))
                                .scan(BUCKET_HISTORY, prefix, RowKeys.behindPrefix(prefix))) {
                    assertThat(past.next()).as("past in %s, %s", CUBES.get(cube), what).isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @Tag("slow")
    void afterARefusedCommitOneCubeServes(Kind kind) throws Exception {
        fill();
        int cases = 0;
        Map<String, Integer> all = count(kind);
        SplittableRandom random = new SplittableRandom(SEED);
        for (String faulty : CUBES) {
            for (int which : some(all.getOrDefault(faulty, 0), random)) {
                String what =
                        kind + ", commit " + which + " of " + faulty + " of " + all + ", " + SEED;
                prepare(kind);
                assertThat(run(kind, faulty, which, Outcome.REFUSED)).as(what).isTrue();
                isServed(what);
                write(what);
                List<Move> left = cubes.moves().list();
                assertThat(left).as(what).allMatch(move -> !move.why().isEmpty());
                if (!left.isEmpty()) {
                    boolean copies = left.getFirst().phase() == MovePhase.COPYING;
                    if (cases % 2 == 1 && copies) {
                        giveUp(kind);
                    } else {
                        begin(kind);
                    }
                    awaitMoves();
                }
                isServed(what);
                write(what + " again");
                isCleared(what);
                cases++;
            }
        }
        audit();
        System.out.println(kind + ": " + cases + " refused commits");
        assertThat(cases).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "MOVE,LOST",
        "MOVE,WRITTEN",
        "SPLIT,LOST",
        "SPLIT,WRITTEN",
        "MERGE,LOST",
        "MERGE,WRITTEN"
    })
    @Tag("slow")
    void afterAnUnknownOutcomeOneCubeServes(Kind kind, Outcome outcome) throws Exception {
        fill();
        int cases = 0;
        boolean isMet = true;
        for (int which = 0; isMet; which++) {
            String what = kind + ", commit " + which + ", " + outcome;
            prepare(kind);
            isMet = run(kind, StoreCubes.SYSTEM, which, outcome);
            isServed(what);
            try {
                write(what);
            } catch (CubeUnavailableException e) {
                assertThat(e.reason()).isEqualTo(CubeUnavailableException.Reason.READ_ONLY);
            }
            for (String cube : List.of("one", "two")) {
                // A cube does not open while a move from or to it is undecided.
                cubes.reopen(cube, false);
                awaitOpened(cube);
            }
            tryToWrite(what + " reopened");
            restart();
            now = seen(store);
            awaitMoves();
            isServed(what);
            write(what + " again");
            isCleared(what);
            cases += isMet ? 1 : 0;
        }
        audit();
        System.out.println(kind + ": " + cases + " commits of unknown outcome");
        assertThat(cases).isPositive();
    }

    private void tryToWrite(String text) throws IOException {
        for (String key : List.of("a-new", "s-new")) {
            try {
                put(BOB, BUCKET, key, text);
                written.put(key, text);
            } catch (CubeUnavailableException e) {
                assertThat(e.reason()).isNotNull();
            }
        }
    }
}
