package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Behind a trusted checkpoint. The old key of the store ended at {@link History#ROTATED}; its
 * holder chooses the commits that entries claim.
 */
class CheckpointRulesTest {
    private static final int LENGTH = 10;
    private static final long CHECKPOINT = 1_500;

    private final AuditTerms terms = AuditTerms.of(History.keys());

    private static History old(Construction construction) {
        return new History("a", History.shape(construction), 62, History.OLD_STORE)
                .at(500)
                .grow(LENGTH);
    }

    private static List<Cause> causes(History history, AuditTerms terms) {
        return history.audit(terms).findings().stream().map(Finding::cause).toList();
    }

    private static void append(History history, long commit, SigningKey key) {
        EntryRecord last = history.at(commit).add(history.event(EventKind.DELETE), key);
        assertThat(last.entry().sequence()).isEqualTo(LENGTH);
    }

    @ParameterizedTest
    @EnumSource
    void anOldKeyAppendsNothing(Construction construction) {
        History history = old(construction);
        ChainHead head = history.head();
        assertThat(causes(history, terms.with(head).at(CHECKPOINT))).isEmpty();
        append(history, History.ROTATED - 1, History.OLD_STORE);
        // Only a checkpoint distinguishes it from an entry that the store wrote then.
        assertThat(causes(history, terms)).isEmpty();
        assertThat(causes(history, terms.with(head))).isEmpty();
        assertThat(causes(history, terms.with(head).at(CHECKPOINT)))
                .containsExactly(Cause.EXPIRED_KEY);
        assertThat(causes(history, terms.since(head).at(CHECKPOINT)))
                .containsExactly(Cause.EXPIRED_KEY);
    }

    @ParameterizedTest
    @EnumSource
    void anOldKeyBeginsNothing(Construction construction) {
        History history = old(construction);
        assertThat(causes(history, terms)).isEmpty();
        assertThat(causes(history, terms.at(CHECKPOINT)))
                .hasSize(LENGTH)
                .containsOnly(Cause.EXPIRED_KEY);
    }

    @ParameterizedTest
    @EnumSource
    void whatACheckpointLacksWasMadeBehindIt(Construction construction) {
        AuditTerms loose = terms.with(settings(3)).at(CHECKPOINT);
        AuditTerms strict = terms.with(settings(4)).at(CHECKPOINT);
        History history = old(construction);
        ChainHead head = history.head();
        append(history, CHECKPOINT - 1, History.STORE);
        assertThat(causes(history, loose.with(head))).isEmpty();
        assertThat(causes(history, strict.with(head))).containsExactly(Cause.BACKDATED);
        assertThat(causes(history, strict.with(history.head()))).isEmpty();
        history = old(construction);
        append(history, CHECKPOINT, History.STORE);
        assertThat(causes(history, strict.with(head))).isEmpty();
        assertThat(history.audit(strict.with(head)).rules())
                .contains(Rule.KEYS_OF_CHECKPOINT, Rule.NOTHING_BEFORE_CHECKPOINT);
        History begun = new History("b", History.shape(construction), 63).at(CHECKPOINT).grow(3);
        assertThat(causes(begun, strict)).isEmpty();
        begun = new History("b", History.shape(construction), 63).at(CHECKPOINT - 9).grow(1);
        assertThat(causes(begun, loose)).isEmpty();
        assertThat(causes(begun, strict)).containsExactly(Cause.BACKDATED);
    }

    private static SettingsHistory settings(int rules) {
        return new SettingsHistory(
                List.of(
                        new SettingsHistory.Change(
                                History.ROTATED, History.TIME, History.settings(rules, 0))));
    }
}
