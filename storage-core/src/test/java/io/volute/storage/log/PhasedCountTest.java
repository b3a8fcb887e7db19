package io.volute.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PhasedCountTest {
    private final PhasedCount count = new PhasedCount();

    @Test
    void nobodyIsWaitedForWhenNobodyIsThere() {
        assertThat(count.begin().hasEnded()).isTrue();
    }

    @Test
    void whoCameBeforeIsWaitedForAndWhoCameLaterIsNot() {
        int early = count.enter();
        PhasedCount.Grace grace = count.begin();
        assertThat(grace.hasEnded()).isFalse();
        int late = count.enter();
        assertThat(grace.hasEnded()).isFalse();
        count.leave(early);
        assertThat(grace.hasEnded()).isTrue();
        PhasedCount.Grace next = count.begin();
        assertThat(next.hasEnded()).isFalse();
        count.leave(late);
        assertThat(next.hasEnded()).isTrue();
        assertThat(grace.hasEnded()).isTrue();
    }

    /** Any order of coming, leaving, beginning and asking, against a set of names. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void endsOnlyWhenAllFromBeforeHaveLeft(long seed) {
        Random random = new Random(seed);
        Map<Integer, Integer> present = new HashMap<>();
        Map<PhasedCount.Grace, Set<Integer>> graces = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(4)) {
                case 0 -> present.put(step, count.enter());
                case 1 -> leaveOne(present, graces, random);
                case 2 -> {
                    if (graces.size() < 20) {
                        graces.put(count.begin(), new TreeSet<>(present.keySet()));
                    }
                }
                default ->
                        graces.entrySet()
                                .removeIf(
                                        each -> {
                                            boolean ended = each.getKey().hasEnded();
                                            if (ended) {
                                                assertThat(each.getValue()).isEmpty();
                                            }
                                            return ended;
                                        });
            }
        }
        present.values().forEach(count::leave);
        assertThat(graces.keySet()).allMatch(PhasedCount.Grace::hasEnded);
    }

    private void leaveOne(
            Map<Integer, Integer> present,
            Map<PhasedCount.Grace, Set<Integer>> graces,
            Random random) {
        if (!present.isEmpty()) {
            List<Integer> names = new ArrayList<>(new TreeSet<>(present.keySet()));
            int name = names.get(random.nextInt(names.size()));
            count.leave(present.remove(name));
            graces.values().forEach(waited -> waited.remove(name));
        }
    }

    /**
     * What real punching does: a value is retired, and made bad once a grace that began afterwards
     * has ended. A reader that takes the present value must never see it go bad.
     */
    @Test
    void readersNeverSeeWhatWasReclaimed() throws InterruptedException {
        AtomicLong current = new AtomicLong();
        AtomicLong reclaimedBelow = new AtomicLong();
        AtomicBoolean failed = new AtomicBoolean();
        AtomicBoolean stopped = new AtomicBoolean();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!stopped.get()) {
                                            int phase = count.enter();
                                            long seen = current.get();
                                            for (int look = 0; look < 20; look++) {
                                                if (seen < reclaimedBelow.get()) {
                                                    failed.set(true);
                                                }
                                            }
                                            count.leave(phase);
                                        }
                                    }));
        }
        for (int round = 0; round < 20_000; round++) {
            long next = current.incrementAndGet();
            PhasedCount.Grace grace = count.begin();
            while (!grace.hasEnded()) {
                Thread.onSpinWait();
            }
            reclaimedBelow.set(next);
        }
        stopped.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(failed).isFalse();
    }
}
