package io.volute.versioning.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.audit.SettingsHistory.Change;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignedSettings;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which periods excuse differences of a key, of stores of this and of earlier rules. */
class UnsignedPeriodsTest {
    private static final SpiralShape SHAPE = new SpiralShape(Construction.ONE_LINK, 3);

    private static Change change(long commit, int rules, boolean isOn) {
        Set<SignatureAlgorithm> signatures = isOn ? Set.of(SignatureAlgorithm.ED25519) : Set.of();
        SignedSettings settings =
                new SignedSettings(
                        rules,
                        signatures,
                        SHAPE,
                        0,
                        Set.of(),
                        Set.of(),
                        1,
                        commit == 0
                                ? SignedSettings.Before.NOTHING
                                : SignedSettings.Before.ANYTHING,
                        Optional.empty());
        return new Change(commit, commit, settings);
    }

    private static UnsignedTimes.OfKey times(int rules, long on) {
        SettingsHistory history =
                new SettingsHistory(
                        List.of(
                                change(0, rules, true),
                                change(10, rules, false),
                                change(on, rules, true)));
        return new UnsignedTimes(history, new TreeSet<>(Set.of(1L, 11L, on + 1))).ofKey();
    }

    @Test
    void aPeriodWithoutACommitExcusesNothing() {
        for (int rules : new int[] {4, 5}) {
            UnsignedTimes.OfKey times = times(rules, 11);
            assertThat(times.state(11)).isFalse();
            assertThat(times.has(11)).isFalse();
            assertThat(times.isUnstatedBetween(5, 20)).isFalse();
        }
    }

    @Test
    void underEarlierRulesThePeriodAloneExcuses() {
        UnsignedTimes.OfKey times = times(4, 20);
        assertThat(times.has(12)).isTrue();
        assertThat(times.has(20)).isTrue();
        assertThat(times.has(11)).isFalse();
        assertThat(times.has(21)).isFalse();
        assertThat(times.isUnstatedBetween(5, 30)).isTrue();
        assertThat(times.isUnstatedBetween(20, 30)).isFalse();
    }

    @Test
    void underTheseRulesAnEntryOfThePeriodExcuses() {
        UnsignedTimes.OfKey times = times(5, 20);
        assertThat(times.has(12)).isFalse();
        assertThat(times.isUnstatedBetween(5, 30)).isFalse();
        assertThat(times.state(21)).as("later than on").isFalse();
        assertThat(times.has(12)).isFalse();
        assertThat(times.state(20)).isTrue();
        assertThat(times.has(12)).isTrue();
    }
}
