package io.volute.storage.cleaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CleaningSettings;
import io.volute.storage.report.SpaceDecision;
import io.volute.storage.report.SpaceDecision.Action;
import io.volute.storage.report.SpaceDecision.Reason;
import org.junit.jupiter.api.Test;

/** The thresholds of the paper; the capacity is 1000 everywhere, a segment 10. */
class BalancerTest {
    private static SpaceDecision decide(
            double expansion, long free, long live, long tombstones, long punchable) {
        return decide(1, expansion, free, live, tombstones, punchable);
    }

    private static SpaceDecision decide(
            int reserve, double expansion, long free, long live, long tombstones, long punchable) {
        CleaningSettings settings = new CleaningSettings(1, 0, 0.1, 0.4, expansion, 0.9, reserve);
        return new Balancer(settings, 10)
                .decide(
                        new Balancer.Figures(
                                free, 1000, live, 1000 - free, () -> tombstones, () -> punchable));
    }

    private static Action action(long free, long live, long tombstones, long punchable) {
        return decide(1000, free, live, tombstones, punchable).action();
    }

    @Test
    void nothingIsDoneWhileMoreThanATenthIsFree() {
        assertThat(action(101, 500, 300, 300)).isEqualTo(Action.NOTHING);
        assertThat(action(100, 500, 0, 300)).isEqualTo(Action.COMPACT);
    }

    /** (1 - L) / 2 is less than a tenth from L = 0.8 on. */
    @Test
    void fullStoresWaitLonger() {
        assertThat(action(51, 900, 0, 40)).isEqualTo(Action.NOTHING);
        assertThat(action(49, 900, 0, 40)).isEqualTo(Action.COMPACT);
    }

    /** A reserve of 6, half of it for deletes, and 2 for clients: who waits sees cleaning begin. */
    @Test
    void cleaningBeginsBeforeClientsWait() {
        assertThat(decide(6, 1000, 121, 900, 0, 40).action()).isEqualTo(Action.NOTHING);
        assertThat(decide(6, 1000, 120, 900, 0, 40).action()).isEqualTo(Action.COMPACT);
    }

    /** The file system may be needed for something else than segments. */
    @Test
    void cleaningBeginsBeforeClientsWaitWhateverHoldsSpaceBack() {
        CleaningSettings settings = new CleaningSettings(1, 0, 0.1, 0.4, 1000, 0.9, 6);
        Balancer balancer = new Balancer(settings, 10);
        assertThat(
                        balancer.decide(new Balancer.Figures(500, 31, 400, 500, () -> 0, () -> 40))
                                .action())
                .isEqualTo(Action.NOTHING);
        assertThat(
                        balancer.decide(new Balancer.Figures(500, 30, 400, 500, () -> 0, () -> 40))
                                .action())
                .isEqualTo(Action.COMPACT);
    }

    @Test
    void tombstonesCallForCombinedCleaning() {
        assertThat(action(100, 500, 199, 300)).isEqualTo(Action.COMPACT);
        assertThat(action(100, 500, 200, 300)).isEqualTo(Action.COMBINE);
    }

    @Test
    void nothingToGiveBackCallsForCombinedCleaning() {
        assertThat(action(100, 500, 0, 1)).isEqualTo(Action.COMPACT);
        assertThat(action(100, 500, 0, 0)).isEqualTo(Action.COMBINE);
    }

    /**
     * The excess must be more than a segment, or a store that is nearly empty would be cleaned for
     * ever.
     */
    @Test
    void expandedLogIsCleanedThoughSpaceIsFree() {
        assertThat(decide(2, 533, 254, 0, 300).action()).isEqualTo(Action.NOTHING);
        assertThat(decide(2, 532, 254, 0, 300).action()).isEqualTo(Action.COMPACT);
        assertThat(decide(2, 532, 254, 0, 0).action()).isEqualTo(Action.COMBINE);
        assertThat(decide(2, 995, 0, 0, 0).action()).isEqualTo(Action.NOTHING);
    }

    @Test
    void saysWhy() {
        assertThat(decide(2, 500, 500, 0, 0).reason()).isEqualTo(Reason.ENOUGH_FREE);
        assertThat(decide(1000, 100, 500, 200, 300).reason()).isEqualTo(Reason.LOW_TOMBSTONES);
        assertThat(decide(1000, 100, 500, 0, 1000).reason()).isEqualTo(Reason.LOW_HOLES);
        assertThat(decide(1000, 100, 500, 0, 0).reason()).isEqualTo(Reason.LOW_NO_HOLES);
        assertThat(decide(2, 532, 254, 400, 0).reason()).isEqualTo(Reason.EXPANDED_TOMBSTONES);
        assertThat(decide(2, 532, 254, 0, 300).reason()).isEqualTo(Reason.EXPANDED_HOLES);
        assertThat(decide(2, 532, 254, 0, 0).reason()).isEqualTo(Reason.EXPANDED_NO_HOLES);
    }

    @Test
    void saysWhatItWasMadeFrom() {
        SpaceDecision decision = decide(1000, 90, 500, 250, 300);
        assertThat(decision.liveShare()).isEqualTo(0.5);
        assertThat(decision.freeShare()).isEqualTo(0.09);
        assertThat(decision.tombstoneShare()).isEqualTo(0.25);
        assertThat(decision.expansion()).isEqualTo(1.82);
        assertThat(decision.words())
                .isEqualTo(
                        "9.0 % free, cleaning starts at 10.0 %;"
                                + " tombstones take 25.0 % of the capacity, the limit is 20.0 %");
    }
}
