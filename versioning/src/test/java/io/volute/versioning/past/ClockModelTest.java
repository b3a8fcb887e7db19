package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.StoredRecord;
import io.volute.versioning.FakeCube;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.ClockRow;
import io.volute.versioning.rows.ClockRow.Stretch;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The past under a clock that jumps ahead and back and stands still, over restarts, with readers of
 * the past and idle times in between. A shown past must be the state at each moment at which the
 * clock passed the instant. If the clock jumped ahead over it, and is right now, it must be the
 * state of then by a right clock. Instants before and behind a jump must be shown.
 */
class ClockModelTest extends PastFixture {
    private static final int SEEDS = Integer.getInteger("volute.clock.seeds", 150);
    private static final int PLANTED_SEEDS = 100;
    private static final int STEPS = 60;

    /** The pause of the task that looks at the clock. */
    private static final long LOOK_MILLIS = 2000;

    /** Precision of the first refused instant, while the clock goes on evenly. */
    private static final long EVEN_MILLIS = 10_000;

    private static final long TOLERANCE_MILLIS = 100;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final List<String> KEYS = List.of("a", "b");

    /** A movement of the clock. */
    private record Move(
            long right,
            long from,
            long to,
            boolean isJump,
            boolean isWithinWalk,
            Map<String, String> state) {
        /** Returns whether the clock passed an instant, which includes its millisecond. */
        boolean passes(long instant) {
            return from <= instant && instant < to || to <= instant && instant < from;
        }

        /** Returns whether the clock jumped ahead over an instant that was still to come. */
        boolean skips(long instant) {
            return isJump && from < instant && instant < to && right <= instant;
        }

        boolean isBack() {
            return to < from;
        }

        boolean isStandstill() {
            return !isJump && from == to;
        }
    }

    /** A stretch of time that a jump back leaves unknown. */
    private record Unknown(long from, long until) {}

    /** Mistakes that the model must find. */
    private enum Mistake {
        NO_COMMIT_IS_SEEN,
        NOTHING_IS_RECORDED,
        RECORDS_BEGIN_LATE,
        RECORDS_END_EARLY,
        RECORDS_BEGIN_EARLY,
        RECORDS_END_NEVER;

        /** Returns what a start finds in place of the row of the clock; empty for nothing. */
        Optional<ClockRow> spoil(ClockRow row) {
            return switch (this) {
                case NO_COMMIT_IS_SEEN -> Optional.of(row);
                case NOTHING_IS_RECORDED -> Optional.empty();
                case RECORDS_BEGIN_LATE -> Optional.of(moved(row, HOUR_MILLIS / 4, 0));
                case RECORDS_BEGIN_EARLY -> Optional.of(moved(row, -HOUR_MILLIS / 4, 0));
                case RECORDS_END_EARLY -> Optional.of(moved(row, 0, -HOUR_MILLIS / 4));
                case RECORDS_END_NEVER ->
                        Optional.of(
                                new ClockRow(
                                        row.stretches().stream()
                                                .limit(1)
                                                .map(each -> Stretch.since(each.from()))
                                                .toList()));
            };
        }

        private static ClockRow moved(ClockRow row, long begin, long end) {
            ClockRow moved = ClockRow.NONE;
            for (Stretch each : row.stretches()) {
                long from = Math.max(0, each.from() + begin);
                if (each.isOpen()) {
                    moved = moved.with(Stretch.since(from));
                } else if (from < each.until() + end) {
                    moved = moved.with(new Stretch(from, each.until() + end));
                }
            }
            return moved;
        }
    }

    private SplittableRandom random = new SplittableRandom(1);
    private Optional<Mistake> planted = Optional.empty();
    private final List<Move> moves = new ArrayList<>();
    private final TreeMap<Long, Map<String, String>> byRightClock = new TreeMap<>();

    /** Times of writes, which a start can find. */
    private final TreeSet<Long> writeTimes = new TreeSet<>();

    private FakeCube memory;

    /** Times that the running server has seen. */
    private final TreeSet<Long> looks = new TreeSet<>();

    /** The last commit at each start, by the number of moves before it. */
    private final TreeMap<Integer, Long> starts = new TreeMap<>();

    private final List<Unknown> unknown = new ArrayList<>();

    /** Begin of the present one. */
    private Optional<Long> unknownSince = Optional.empty();

    private long right;

    /** Since when the clock has gone on evenly, by itself; greater than any time after a jump. */
    private long walkSince = Long.MAX_VALUE;

    private long lastLook;

    /** The least time that the clock showed since it is behind. */
    private long lowest = Long.MAX_VALUE;

    private TreeMap<String, String> present = new TreeMap<>();
    private int writes;
    private int answers;
    private int refusals;

    static LongStream seeds() {
        long seed = Long.getLong("volute.clock.seed", 0);
        return seed != 0 ? LongStream.of(seed) : LongStream.rangeClosed(1, SEEDS);
    }

    @Override
    public Cube openCube() throws IOException {
        memory = new FakeCube(Runnable::run, clock::get);
        return spoiled(memory);
    }

    private long lastCommit() {
        return CommitTime.of(memory.lastSequence()).toEpochMilli();
    }

    /** The same cube, spoiled by the planted mistake. */
    private Cube spoiled(Cube cube) {
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            try {
                                Object result = method.invoke(cube, arguments);
                                return switch (method.getName()) {
                                    case "lastSequence" ->
                                            planted.equals(Optional.of(Mistake.NO_COMMIT_IS_SEEN))
                                                    ? (Object) 0L
                                                    : result;
                                    case "get" ->
                                            planted.isPresent()
                                                            && arguments[0].equals(Families.REMOVED)
                                                            && Arrays.equals(
                                                                    (byte[]) arguments[1],
                                                                    RowKeys.clock())
                                                    ? spoiled((Optional<?>) result)
                                                    : result;
                                    default -> result;
                                };
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private Optional<StoredRecord> spoiled(Optional<?> found) {
        return found.map(StoredRecord.class::cast)
                .flatMap(
                        record ->
                                planted.orElseThrow()
                                        .spoil(ClockRow.decode(record.summary()))
                                        .map(row -> with(record, row.encode())));
    }

    private static StoredRecord with(StoredRecord record, byte[] summary) {
        return new StoredRecord(
                record.sequence(),
                record.place(),
                summary,
                record.detailBytes(),
                record.references());
    }

    private boolean oneOf(int many) {
        return random.nextInt(many) == 0;
    }

    private long now() {
        return clock.get().toEpochMilli();
    }

    private void set(long to, boolean isJump) {
        boolean isWithinWalk = to < now() && to >= walkSince;
        moves.add(new Move(right, now(), to, isJump, isWithinWalk, present));
        clock.set(Instant.ofEpochMilli(to));
    }

    /** Lets time pass, with looks at the clock. */
    private void walk(long millis) throws IOException {
        long left = millis;
        while (left > 0) {
            long step = Math.min(left, LOOK_MILLIS);
            left -= step;
            set(now() + step, false);
            right += step;
            look();
        }
    }

    /** Lets time pass while the server is down. */
    private void sleep(long millis) {
        set(now() + millis, false);
        right += millis;
    }

    private void jump(long offset) throws IOException {
        look();
        set(right + offset, true);
    }

    private void look() throws IOException {
        assertThat(store.clock()).isNotNull();
        seen();
    }

    /** Notes that the server has seen the clock. */
    private void seen() {
        long now = now();
        long then = Math.max(lastCommit(), looks.isEmpty() ? 0 : looks.last());
        if (then - now > TOLERANCE_MILLIS) {
            long known = Math.max(upTo(writeTimes, now), upTo(looks, now));
            known = Math.max(0, Math.min(known, now) - EVEN_MILLIS);
            unknownSince = Optional.of(Math.min(unknownSince.orElse(known), known));
            lowest = Math.min(lowest, now);
        } else {
            lowest = Long.MAX_VALUE;
            boolean isEven = now >= lastLook && now - lastLook <= EVEN_MILLIS;
            walkSince = isEven ? walkSince : now;
            lastLook = now;
            unknownSince.ifPresent(from -> unknown.add(new Unknown(from, Math.max(now, then))));
            unknownSince = Optional.empty();
            looks.add(now);
        }
    }

    private static long upTo(TreeSet<Long> times, long now) {
        Long found = times.floor(now);
        return found == null ? 0 : found;
    }

    private void write() throws IOException {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        TreeMap<String, String> next = new TreeMap<>(present);
        if (present.containsKey(key) && oneOf(4)) {
            delete(ALICE, key);
            next.remove(key);
        } else {
            String text = "text " + writes++;
            assertThat(put(ALICE, key, text)).isNotNull();
            next.put(key, text);
        }
        seen();
        writeTimes.add(lastCommit());
        present = next;
        byRightClock.put(right, present);
    }

    private void restart() throws IOException {
        look();
        store.close();
        looks.clear();
        if (oneOf(2)) {
            sleep(random.nextLong(HOUR_MILLIS));
        }
        if (oneOf(3)) {
            set(right + offset(), true);
        }
        starts.put(moves.size(), lastCommit());
        looks.add(lastCommit());
        lastLook = lastCommit();
        walkSince = lastLook;
        store = openStore();
        seen();
    }

    private long offset() {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong(24 * HOUR_MILLIS);
            case 1 -> random.nextLong(HOUR_MILLIS);
            case 2 -> -random.nextLong(HOUR_MILLIS);
            case 3 -> random.nextLong(2 * LOOK_MILLIS);
            default -> 0;
        };
    }

    private void step() throws IOException {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> write();
            case 3, 4, 5 -> walk(random.nextLong(20_000));
            case 6 -> walk(random.nextLong(HOUR_MILLIS / 2));
            case 7, 8 -> jump(offset());
            case 9 -> {
                set(now(), false);
                right += random.nextLong(HOUR_MILLIS);
                write();
            }
            case 10 -> restart();
            default -> ask(right - random.nextLong(HOUR_MILLIS));
        }
    }

    private void run(long seed) throws IOException {
        random = new SplittableRandom(seed);
        right = now();
        byRightClock.put(0L, present);
        looks.add(now());
        writeTimes.add(now());
        lastLook = now();
        walkSince = lastLook;
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        walk(HOUR_MILLIS + HOUR_MILLIS / 4);
        for (int i = 0; i < STEPS; i++) {
            step();
        }
        jump(0);
        walk(1);
        for (int i = 0; i < 200; i++) {
            Move near = moves.get(random.nextInt(moves.size()));
            long at = oneOf(2) ? near.from() : near.to();
            ask(at + random.nextLong(-3 * LOOK_MILLIS, 3 * LOOK_MILLIS));
            ask(random.nextLong(START.toEpochMilli(), right));
        }
    }

    /** Reads the past of an instant, and judges the answer. */
    private void ask(long instant) throws IOException {
        if (instant >= now() || instant <= START.toEpochMilli()) {
            return;
        }
        Map<String, String> answer;
        // The read orders the commits behind the instant.
        try {
            answer = past(Instant.ofEpochMilli(instant));
            seen();
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT);
            assertThat(e).hasMessageContaining("went back");
            refusals++;
            seen();
            boolean mayBe =
                    unknownSince.filter(from -> instant > from).isPresent()
                            || unknown.stream()
                                    .anyMatch(
                                            each ->
                                                    each.from() < instant
                                                            && instant <= each.until());
            assertThat(mayBe).as("%s must be shown", Instant.ofEpochMilli(instant)).isTrue();
            return;
        }
        answers++;
        // Nobody knows that the clock of an earlier process passed it if nothing was committed
        // then.
        int first =
                starts.entrySet().stream()
                        .filter(start -> start.getValue() < instant)
                        .mapToInt(Map.Entry::getKey)
                        .max()
                        .orElse(0);
        List<Move> passing =
                moves.stream().skip(first).filter(each -> each.passes(instant)).toList();
        assertThat(instant)
                .as("%s while the clock is behind", Instant.ofEpochMilli(instant))
                .isLessThan(lowest);
        boolean isAgain = false;
        for (Move each : passing) {
            // Once the clock is set back, it passes the instant again.
            boolean isFirst = !isAgain && !each.isWithinWalk();
            isAgain = each.isWithinWalk();
            if (isFirst) {
                assertThat(answer)
                        .as("%s, passed by %s", Instant.ofEpochMilli(instant), each)
                        .isEqualTo(each.state());
            }
        }
        if (passing.size() == 1 && isSkipped(instant, passing.getFirst())) {
            assertThat(answer)
                    .as("%s, skipped by %s", Instant.ofEpochMilli(instant), passing.getFirst())
                    .isEqualTo(byRightClock.floorEntry(instant).getValue());
        }
    }

    /** Returns whether a jump ahead over an instant was undone before the clock had gone as far. */
    private boolean isSkipped(long instant, Move jump) {
        if (!jump.skips(instant)) {
            return false;
        }
        List<Move> later = moves.subList(moves.indexOf(jump) + 1, moves.size());
        for (Move each : later) {
            if (each.isStandstill()) {
                return false;
            }
            if (each.isBack()) {
                return each.to() < jump.to() && each.to() == each.right();
            }
        }
        return false;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("slow")
    void aShownPastIsExact(long seed) throws IOException {
        try {
            run(seed);
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + " (-Dvolute.clock.seed)", e);
        }
        assertThat(answers + refusals).isPositive();
    }

    /** Both happen, and neither is rare. */
    @Test
    void pastsAreShownAndRefused() throws IOException {
        int shown = 0;
        int refused = 0;
        for (long seed = 1; seed <= 20; seed++) {
            ClockModelTest model = new ClockModelTest();
            model.runApart(seed);
            shown += model.answers;
            refused += model.refusals;
        }
        assertThat(shown).isGreaterThan(1000);
        assertThat(refused).isGreaterThan(1000);
    }

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void plantedMistakesAreFound(Mistake mistake) throws IOException {
        boolean isFound = false;
        for (long seed = 1; !isFound && seed <= PLANTED_SEEDS; seed++) {
            ClockModelTest model = new ClockModelTest();
            model.planted = Optional.of(mistake);
            try {
                model.runApart(seed);
            } catch (AssertionError e) {
                isFound = true;
            }
        }
        assertThat(isFound).isTrue();
    }

    private void runApart(long seed) throws IOException {
        open();
        try {
            run(seed);
        } finally {
            store.close();
        }
    }
}
