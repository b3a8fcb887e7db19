package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.LongConsumer;

/** The search for a schedule that finds a planted mistake. */
final class PlantedMistake {
    private PlantedMistake() {}

    /**
     * Requires that a schedule fails.
     *
     * @param first the first schedule, which is near one that finds the mistake, to save time
     * @param most schedules that are tried
     * @param trace in the stack trace of the failure
     * @param run one schedule
     */
    static void requireFound(
            Enum<?> mistake, long first, int most, String trace, LongConsumer run) {
        long[] seed = {first - 1};
        assertThatThrownBy(
                        () -> {
                            while (++seed[0] < first + most) {
                                run.accept(seed[0]);
                            }
                        })
                .as(mistake + " in " + most + " schedules")
                .hasStackTraceContaining(trace);
        System.out.println(mistake + " found by schedule " + seed[0]);
    }
}
