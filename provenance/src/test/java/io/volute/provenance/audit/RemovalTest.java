package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Removal;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of chains whose first entries the store removed; nobody else can record a removal. */
@Tag("slow")
class RemovalTest {
    private static final int LENGTH = 80;
    private static final int THROUGH = 40;

    private final AuditTerms terms = AuditTerms.of(History.keys());

    private static History history(Construction construction) {
        return new History("k", History.shape(construction), 9).grow(LENGTH);
    }

    private AuditReport audit(History history, AuditTerms how, int from) {
        return history.audit(how, history.records.subList(from, history.records.size()));
    }

    @ParameterizedTest
    @EnumSource
    void isAcceptedAndCounted(Construction construction) {
        History history = history(construction);
        ChainHead before = head(history, THROUGH + 1);
        EntryRecord summary = history.summarise(history.removal(THROUGH), History.STORE);
        history.grow(30);
        for (AuditTerms how :
                List.of(
                        terms,
                        terms.with(history.head(), before),
                        terms.with(new AuditScope.Dimension(2, history.head().sequence())),
                        terms.with(new AuditScope.Dimension(0, history.head().sequence())),
                        terms.with(new AuditScope.Kind(EventKind.WRITE)),
                        terms.with(new AuditScope.Kind(EventKind.TAGS)))) {
            AuditReport report = audit(history, how, THROUGH + 1);
            assertThat(report.findings()).as(how.scope().toString()).isEmpty();
            assertThat(report.removed()).isEqualTo(THROUGH + 1);
        }
        assertThat(summary.entry().sequence()).isEqualTo(LENGTH);
        // Entries that are still present despite their recorded removal are no error.
        assertThat(audit(history, terms, 0).findings()).isEmpty();
        assertThat(audit(history, terms, 0).removed()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anAuditGoesOnFromATrustedHead(Construction construction) {
        History history = history(construction);
        ChainHead head = head(history, THROUGH);
        AuditTerms since = terms.since(head);
        AuditReport whole = history.audit(since);
        assertThat(whole.findings()).isEmpty();
        assertThat(whole.verified()).isEqualTo(LENGTH - THROUGH);
        assertThat(audit(history, since, THROUGH).findings()).isEmpty();
        assertThat(causes(audit(history, since, THROUGH + 1))).containsOnly(Cause.REMOVED);
        assertThat(causes(history.audit(terms.since(head(history, LENGTH - 1))))).isEmpty();
        ChainHead other = new ChainHead(THROUGH, Samples.hash(new Random(3)));
        assertThat(causes(history.audit(terms.since(other)))).containsOnly(Cause.REPLACED);
        ChainHead later = new ChainHead(LENGTH + 3, head.link());
        assertThat(causes(history.audit(terms.since(later)))).containsOnly(Cause.ROLLED_BACK);
        for (int gone = THROUGH; gone < LENGTH - 1; gone++) {
            History forged = history(construction);
            forged.records.remove(gone);
            assertThat(causes(forged.audit(since))).contains(Cause.REMOVED);
        }
    }

    private static ChainHead head(History history, int at) {
        return new ChainHead(at, History.link(history.records.get(at)));
    }

    @ParameterizedTest
    @EnumSource
    void moreThanItSaysIsFound(Construction construction) {
        History history = history(construction);
        assertThat(causes(audit(history, terms, THROUGH + 1))).containsOnly(Cause.REMOVED);
        EntryRecord summary = history.summarise(history.removal(THROUGH), History.STORE);
        for (int from = THROUGH + 2; from < LENGTH; from++) {
            assertThat(causes(audit(history, terms, from))).containsOnly(Cause.REMOVED);
        }
        AuditTerms dimension = terms.with(new AuditScope.Dimension(1, LENGTH));
        assertThat(causes(audit(history, dimension, THROUGH + 4))).containsOnly(Cause.REMOVED);
        AuditTerms accepting = terms.acceptingSummaries();
        assertThat(causes(audit(history, accepting, THROUGH + 2))).contains(Cause.REMOVED);
        history.records.remove(summary);
        assertThat(causes(audit(history, terms, THROUGH + 1))).containsOnly(Cause.REMOVED);
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheStoreSaysSo(Construction construction) {
        History history = history(construction);
        EntryRecord summary = history.summarise(history.removal(THROUGH), History.CAROL);
        assertThat(summary.entry().kind()).isEqualTo(EventKind.SUMMARY);
        assertThat(causes(audit(history, terms, THROUGH + 1)))
                .contains(Cause.FOREIGN_NAME, Cause.REMOVED);
        history = history(construction);
        summary =
                history.summarise(
                        history.removal(THROUGH), "carol", Optional.empty(), History.CAROL);
        assertThat(summary.entry().sequence()).isEqualTo(LENGTH);
        assertThat(causes(audit(history, terms, THROUGH + 1)))
                .containsOnly(Cause.NOT_OF_STORE, Cause.REMOVED);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsLeftFitsWhatIsGone(Construction construction) {
        Random random = new Random(5);
        History right = history(construction);
        Removal good = right.removal(THROUGH);
        List<Hash> links = good.links().stream().map(each -> Samples.hash(random)).toList();
        assertThat(forged(construction, new Removal(THROUGH, links, good.ofKind())))
                .containsOnly(Cause.REPLACED);
        TreeMap<EventKind, Removal.Last> others = new TreeMap<>(good.ofKind());
        others.replaceAll((kind, last) -> new Removal.Last(last.sequence(), Samples.hash(random)));
        assertThat(forged(construction, new Removal(THROUGH, good.links(), others)))
                .containsOnly(Cause.REPLACED);
        others.clear();
        assertThat(forged(construction, new Removal(THROUGH, good.links(), others)))
                .containsOnly(Cause.HIDDEN_FROM_KIND);
    }

    /** A removal of a trusted head leaves nothing to compare it with. */
    @ParameterizedTest
    @EnumSource
    void whatATrustedCheckpointHasStays(Construction construction) {
        History history = history(construction);
        EntryRecord summary = history.summarise(history.removal(THROUGH), History.STORE);
        assertThat(summary.entry().sequence()).isEqualTo(LENGTH);
        for (int at : List.of(0, THROUGH - 1, THROUGH)) {
            for (ChainHead head :
                    List.of(head(history, at), new ChainHead(at, Samples.hash(new Random(3))))) {
                assertThat(audit(history, terms.with(head), THROUGH + 1).findings())
                        .extracting(Finding::cause, Finding::sequence)
                        .containsExactly(tuple(Cause.UNVERIFIABLE, (long) at));
                assertThat(causes(audit(history, terms.since(head), THROUGH + 1)))
                        .contains(Cause.UNVERIFIABLE);
            }
        }
        AuditTerms next = terms.with(head(history, THROUGH + 1));
        assertThat(causes(audit(history, next, THROUGH + 1))).isEmpty();
        assertThat(audit(history, next, THROUGH + 1).rules()).contains(Rule.TRUSTED_HEADS_STAY);
    }

    @Test
    void nothingIsRemovedAgainstTheSignedSettings() {
        Optional<String> none = Optional.empty();
        long commit = history(Construction.ONE_LINK).commit();
        SettingsHistory forbids = settings(2, 0, 10);
        assertThat(removed(forbids, none)).containsExactly(Cause.REMOVED_TOO_SOON, Cause.REMOVED);
        // Settings of a later time, or of none that is known.
        assertThat(removed(settings(2, 0, commit), none)).isEmpty();
        assertThat(removed(SettingsHistory.UNKNOWN, none)).isEmpty();
        assertThat(removed(settings(2, 1_000, 10), none)).isEmpty();
        String old = Long.toString(History.TIME - 1_000);
        String young = Long.toString(History.TIME - 999);
        assertThat(removed(settings(3, 1_000, 10), Optional.of(old))).isEmpty();
        for (Optional<String> wrong : List.of(none, Optional.of(young), Optional.of("x"))) {
            assertThat(removed(settings(3, 1_000, 10), wrong)).contains(Cause.REMOVED_TOO_SOON);
        }
    }

    private static SettingsHistory settings(int rules, long retention, long behind) {
        return new SettingsHistory(
                List.of(
                        new SettingsHistory.Change(
                                behind, History.TIME, History.settings(rules, retention))));
    }

    private List<Cause> removed(SettingsHistory settings, Optional<String> until) {
        History history = history(Construction.ONE_LINK);
        EntryRecord summary = history.summarise(history.removal(THROUGH), "", until, History.STORE);
        assertThat(summary.entry().kind()).isEqualTo(EventKind.SUMMARY);
        return causes(audit(history, terms.with(settings), THROUGH + 1));
    }

    @Test
    void noSummarySaysThatLaterEntriesAreGone() {
        History history = history(Construction.ONE_LINK);
        Removal real = history.removal(THROUGH);
        Removal all = new Removal(LENGTH, real.links(), real.ofKind());
        EntryRecord summary = history.summarise(all, History.STORE);
        assertThat(summary.entry().sequence()).isEqualTo(LENGTH);
        assertThat(causes(audit(history, terms, THROUGH + 1)))
                .containsExactly(Cause.REMOVED_TOO_SOON, Cause.REMOVED);
    }

    private List<Cause> forged(Construction construction, Removal removal) {
        History history = history(construction);
        EntryRecord summary = history.summarise(removal, History.STORE);
        assertThat(summary.entry().sequence()).isEqualTo(LENGTH);
        return causes(audit(history, terms, THROUGH + 1));
    }

    private static List<Cause> causes(AuditReport report) {
        return report.findings().stream().map(Finding::cause).toList();
    }

    @Test
    void isCanonical() throws RefusedException {
        Removal removal = history(Construction.LINK_PER_DIMENSION).removal(THROUGH);
        Bytes encoded = removal.encode();
        assertThat(Removal.decode(encoded)).isEqualTo(removal);
        byte[] bytes = encoded.toArray();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertThat(Removal.decode(Bytes.of(flipped)).encode()).isEqualTo(Bytes.of(flipped));
            } catch (RefusedException e) {
                assertThat(e).hasMessageContaining("removal");
            }
        }
        assertThatThrownBy(() -> Removal.decode(Bytes.EMPTY))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("cut off");
    }
}
