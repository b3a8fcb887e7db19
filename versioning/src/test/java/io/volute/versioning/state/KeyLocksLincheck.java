package io.volute.versioning.state;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Holders of a stripe exclude each other, and holders of several stripes never deadlock. */
class KeyLocksLincheck {
    private static ModelCheckingOptions options() {
        boolean full = "full".equals(System.getProperty("volute.lincheck"));
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .iterations(full ? 200 : 10)
                .invocationsPerIteration(full ? 10_000 : 50)
                .sequentialSpecification(PlainCounters.class);
    }

    @Test
    void holdersAreAloneAndNeverWaitForEachOther() {
        options().check(CountersUnderLocks.class);
    }

    /** The canary: stripes taken in the order in which they are named must be found. */
    @Test
    void findsADeadlock() {
        assertThatThrownBy(
                        () ->
                                options()
                                        .iterations(100)
                                        .minimizeFailedScenario(false)
                                        .check(LocksAsNamed.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("hung");
    }

    /** The canary: a forgotten lock must be found. */
    @Test
    void findsAForgottenLock() {
        assertThatThrownBy(
                        () ->
                                options()
                                        .iterations(100)
                                        .minimizeFailedScenario(false)
                                        .check(NoLocks.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    /** Counters that only the locks protect. */
    @Param(name = "stripe", gen = IntGen.class, conf = "0:2")
    public static class CountersUnderLocks {
        final KeyLocks locks = new KeyLocks();
        private final int[] counters = new int[3];

        ScopedHold both(int first, int second) {
            return locks.holdAll(first, second);
        }

        ScopedHold one(int stripe) {
            return locks.holdAll(stripe);
        }

        @Operation
        public int add(@Param(name = "stripe") int stripe) {
            try (ScopedHold hold = one(stripe)) {
                counters[stripe]++;
                return counters[stripe];
            }
        }

        @Operation
        public int move(@Param(name = "stripe") int source, @Param(name = "stripe") int target) {
            try (ScopedHold hold = both(source, target)) {
                counters[source]--;
                counters[target]++;
                return counters[source] * 100 + counters[target];
            }
        }
    }

    /** A planted mistake: locks in the order of the call. */
    public static class LocksAsNamed extends CountersUnderLocks {
        @Override
        ScopedHold both(int first, int second) {
            ScopedHold outer = locks.holdAll(first);
            ScopedHold inner = locks.holdAll(second);
            return () -> {
                inner.close();
                outer.close();
            };
        }
    }

    /** A planted mistake: no locks. */
    public static class NoLocks extends CountersUnderLocks {
        @Override
        ScopedHold both(int first, int second) {
            return () -> {};
        }

        @Override
        ScopedHold one(int stripe) {
            return () -> {};
        }
    }

    /** The sequential specification. */
    public static class PlainCounters {
        private final int[] counters = new int[3];

        public int add(int stripe) {
            return ++counters[stripe];
        }

        public int move(int source, int target) {
            counters[source]--;
            counters[target]++;
            return counters[source] * 100 + counters[target];
        }
    }
}
