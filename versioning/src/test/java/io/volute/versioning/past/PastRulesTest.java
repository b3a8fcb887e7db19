package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the past shows is what the rule of each policy promises, no more and no less, at every
 * instant: compared with a model that is the rules and nothing else. Graph-finesse is left out: its
 * rule is its graph.
 */
class PastRulesTest extends PastFixture {
    private static final int SEEDS = 8;
    private static final int STEPS = 150;
    private static final Duration IDLE = Duration.ofMinutes(15);
    private static final List<Caller> CALLERS =
            List.of(ALICE, THIEF, new Caller("alice", "key-h", "helper"));

    /** A causal version of a key, with its last state. */
    private static final class State {
        final long number;
        final Instant began;
        Instant written;
        Instant ended = Instant.MAX;
        String text;
        Run writer;
        long writerVersion;

        State(long number, Instant began) {
            this.number = number;
            this.began = began;
        }

        void write(String newText, Run by, Instant now) {
            text = newText;
            written = now;
            writer = by;
            writerVersion = by.version;
        }

        boolean isAt(Instant instant) {
            return !began.isAfter(instant) && instant.isBefore(ended);
        }
    }

    /** One run of an actor. */
    private static final class Run {
        long version = 1;
        Instant lastRequest = Instant.MIN;
        final Map<String, Long> read = new HashMap<>();

        boolean isOpen(Instant now) {
            return now.isBefore(lastRequest.plus(IDLE));
        }

        /** Content that is newer than what it was given before makes another one of it. */
        void read(String key, State state) {
            boolean isOwn = state.writer == this && state.writerVersion == version;
            if (!isOwn && read.getOrDefault(key, 0L) < state.number) {
                read.put(key, state.number);
                version++;
            }
        }
    }

    /** At multiples of this the past is exact under each policy; zero: under none. */
    private Duration resolution = Duration.ZERO;

    private final Map<Caller, Run> runs = new HashMap<>();
    private final Map<String, List<State>> states = new TreeMap<>();
    private final Map<String, State> present = new TreeMap<>();
    private final List<Instant> instants = new ArrayList<>();
    private long numbers;

    private Run run(Caller caller) {
        Instant now = clock.get();
        Run run = runs.get(caller);
        if (run == null || !run.isOpen(now)) {
            run = new Run();
            runs.put(caller, run);
        }
        run.lastRequest = now;
        return run;
    }

    /** Returns whether the rule keeps a state that a run replaces or deletes. */
    private boolean isKept(HistoryPolicy policy, State state, Run by) {
        Instant now = clock.get();
        long millis = resolution.toMillis();
        boolean isReadable =
                millis > 0
                        && Math.ceilDiv(state.began.toEpochMilli(), millis) * millis
                                < now.toEpochMilli();
        return switch (policy) {
            case NONE -> false;
            case OPEN_CLOSE -> isReadable || !state.writer.isOpen(now);
            case CYCLE_AVOIDANCE ->
                    isReadable || state.writer != by || state.writerVersion < by.version;
            case EVERY_WRITE -> true;
            case GRAPH_FINESSE -> throw new IllegalArgumentException("its rule is a graph");
        };
    }

    private void modelPut(HistoryPolicy policy, String key, String text, Run by) {
        State before = present.get(key);
        if (before != null && policy != HistoryPolicy.NONE && !isKept(policy, before, by)) {
            before.write(text, by, clock.get());
            return;
        }
        if (before != null) {
            end(policy, key, before);
        }
        State begun = new State(++numbers, clock.get());
        begun.write(text, by, clock.get());
        present.put(key, begun);
        states.computeIfAbsent(key, same -> new ArrayList<>()).add(begun);
    }

    private void modelDelete(HistoryPolicy policy, String key, Run by) {
        State before = present.remove(key);
        if (isKept(policy, before, by)) {
            end(policy, key, before);
        } else {
            states.get(key).remove(before);
        }
    }

    private void end(HistoryPolicy policy, String key, State state) {
        state.ended = clock.get();
        if (policy == HistoryPolicy.NONE) {
            states.get(key).remove(state);
        }
    }

    private void step(HistoryPolicy policy, Random random, int number) throws IOException {
        String key = "k" + random.nextInt(4);
        Caller caller = CALLERS.get(random.nextInt(CALLERS.size()));
        boolean isThere = present.containsKey(key);
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> {
                put(caller, key, "text " + number);
                modelPut(policy, key, "text " + number, run(caller));
            }
            case 4, 5 -> {
                if (isThere) {
                    delete(caller, key);
                    modelDelete(policy, key, run(caller));
                }
            }
            case 6, 7 -> {
                if (isThere) {
                    assertThat(read(caller, key)).isEqualTo(present.get(key).text);
                    run(caller).read(key, present.get(key));
                }
            }
            case 8 -> {
                if (random.nextInt(5) == 0) {
                    store.close();
                    store = openStore();
                    // Nobody is known any more, and no session is open.
                    runs.values().forEach(run -> run.lastRequest = Instant.EPOCH);
                    runs.clear();
                }
            }
            default -> {
                if (random.nextInt(4) == 0) {
                    Duration pause = Duration.ofMinutes(random.nextInt(30));
                    clock.updateAndGet(now -> now.plus(pause));
                }
            }
        }
        instants.add(tick());
    }

    private void assertShown(Instant instant) throws IOException {
        Map<String, String> expected = new TreeMap<>();
        for (Map.Entry<String, List<State>> each : states.entrySet()) {
            Optional<State> then =
                    each.getValue().stream().filter(state -> state.isAt(instant)).findFirst();
            then.ifPresent(state -> expected.put(each.getKey(), state.text));
            assertThat(
                            store.asOf(instant)
                                    .head(
                                            ALICE,
                                            BUCKET,
                                            new ObjectKey(each.getKey()),
                                            VersionSelector.LATEST)
                                    .flatMap(ObjectVersion::writtenLater))
                    .as("%s at %s", each.getKey(), instant)
                    .isEqualTo(
                            then.map(state -> state.written)
                                    .filter(written -> written.isAfter(instant)));
        }
        assertThat(past(instant)).as("at %s", instant).isEqualTo(expected);
    }

    @Override
    public HistorySettings historySettings() {
        return super.historySettings().with(resolution);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "OPEN_CLOSE", "CYCLE_AVOIDANCE", "EVERY_WRITE"})
    @Tag("slow")
    void whatTheRulePromisesWithAResolutionIsShown(HistoryPolicy policy) throws IOException {
        for (int seconds : new int[] {1, 7, 600}) {
            resolution = Duration.ofSeconds(seconds);
            whatTheRulePromisesIsShown(policy);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "OPEN_CLOSE", "CYCLE_AVOIDANCE", "EVERY_WRITE"})
    void whatTheRulePromisesIsShown(HistoryPolicy policy) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            close();
            open();
            policy(policy);
            runs.clear();
            states.clear();
            present.clear();
            instants.clear();
            Random random = new Random(seed);
            for (int step = 0; step < STEPS; step++) {
                step(policy, random, step);
            }
            for (Instant instant : instants) {
                assertShown(instant);
            }
        }
    }
}
