package io.volute.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.testkit.crash.MiniLog.Omission;
import io.volute.testkit.sim.Fault;
import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The crash machine itself: silent about a right log, and it finds every thing left out. */
class CrashLoopTest {
    private static final int SEQUENCES = 1_000;
    private static final Set<Omission> NOTHING = EnumSet.noneOf(Omission.class);

    /** The number of appends begun and the number acknowledged. */
    private record Known(int begun, int acknowledged) {}

    private record Appends(Set<Omission> omitted) implements CrashWorkflow<Known> {
        @Override
        public String name() {
            return "append and roll";
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            AtomicInteger begun = new AtomicInteger();
            AtomicInteger acknowledged = new AtomicInteger();
            probe.watch(() -> new Known(begun.get(), acknowledged.get()));
            try (MiniLog log = new MiniLog(disk, omitted)) {
                for (int value = 1; value <= 12; value++) {
                    if (value % 4 == 0) {
                        log.roll();
                    }
                    begun.set(value);
                    log.append(value);
                    acknowledged.set(value);
                    probe.point("acknowledgement " + value);
                }
            }
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            checkPrefix(MiniLog.recover(disk, omitted), known);
        }
    }

    private static void checkPrefix(List<Integer> found, Known known) {
        assertThat(found)
                .isEqualTo(IntStream.rangeClosed(1, found.size()).boxed().toList())
                .hasSizeBetween(known.acknowledged(), known.begun());
    }

    private static CrashLoop.Settings everything() {
        return new CrashLoop.Settings(1, Integer.MAX_VALUE, 0, 0);
    }

    @Test
    void isSilentAboutALogThatLeavesNothingOut() throws IOException {
        CrashReport report = new CrashLoop(everything()).run(new Appends(NOTHING));
        assertThat(report.points()).isGreaterThan(40);
        assertThat(report.checked()).isEqualTo(report.points() * PersistencePolicy.values().length);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "RETRIES_A_FAILED_FORCE")
    void findsWhatIsLeftOut(Omission omission) {
        assertThatThrownBy(() -> new CrashLoop(everything()).run(new Appends(Set.of(omission))))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("append and roll, crash ");
    }

    /** One random sequence, crashed once at its end by one policy. */
    private static boolean survives(Set<Omission> omitted, long seed, boolean failsAForce) {
        SplittableRandom random = new SplittableRandom(seed);
        SimFileSystem disk = new SimFileSystem(seed);
        int begun = 0;
        int acknowledged = 0;
        try (MiniLog log = new MiniLog(disk, omitted)) {
            if (failsAForce) {
                disk.plan(
                        Fault.once(Fault.Effect.FORCE_TRAP, random.nextInt(30))
                                .on(io.volute.testkit.sim.Operation.FORCE));
            }
            for (int length = random.nextInt(20); length > 0; length--) {
                if (random.nextInt(4) == 0) {
                    log.roll();
                }
                begun++;
                log.append(begun);
                acknowledged++;
            }
        } catch (IOException refused) {
            assertThat(failsAForce).isTrue();
        }
        PersistencePolicy[] policies = PersistencePolicy.values();
        PersistencePolicy policy = policies[random.nextInt(policies.length)];
        try {
            checkPrefix(
                    MiniLog.recover(disk.crashImage(policy, seed), omitted),
                    new Known(begun, acknowledged));
            return true;
        } catch (IOException | AssertionError broken) {
            return false;
        }
    }

    @Test
    void oneCrashOfRandomSequencesIsSilentToo() {
        for (long seed = 1; seed <= SEQUENCES; seed++) {
            assertThat(survives(NOTHING, seed, false)).as("seed %d", seed).isTrue();
            assertThat(survives(NOTHING, seed, true)).as("seed %d, fault", seed).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DATA_FORCE", "DIRECTORY_FORCE", "PARENT_FORCE"})
    void oneCrashOfRandomSequencesFindsAMissingForce(Omission omission) {
        assertThat(firstFound(omission, false)).isLessThan(SEQUENCES);
    }

    @Test
    void aForceThatIsTriedAgainIsFound() {
        assertThat(firstFound(Omission.RETRIES_A_FAILED_FORCE, true)).isLessThan(SEQUENCES);
    }

    private static int firstFound(Omission omission, boolean failsAForce) {
        for (int seed = 1; seed <= SEQUENCES; seed++) {
            if (!survives(Set.of(omission), seed, failsAForce)) {
                return seed;
            }
        }
        return Integer.MAX_VALUE;
    }
}
