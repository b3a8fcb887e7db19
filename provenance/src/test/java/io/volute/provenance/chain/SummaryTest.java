package io.volute.provenance.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.History;
import io.volute.provenance.audit.Promise;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private final AuditTerms terms = AuditTerms.of(History.keys());
    private final AuditTerms accepting = terms.acceptingSummaries();

    @Test
    @Tag("slow")
    void whatStaysIsProvableAndWhatIsGoneIsCounted() {
        for (int seed = 0; seed < 30; seed++) {
            History history = history(seed);
            Random random = new Random(seed);
            List<EntryRecord> kept = Summary.of(history.records, it -> random.nextInt(12) == 0);
            AuditReport report = history.audit(accepting.with(history.head()), kept);
            assertThat(report.findings()).as("seed %d", seed).isEmpty();
            assertThat(report.removed()).isEqualTo(200 - kept.size()).isPositive();
        }
    }

    @Test
    void leavesAboutOneInReachWhenNothingIsRelevant() {
        List<EntryRecord> kept = Summary.of(history(1).records, it -> false);
        assertThat(kept.size()).isBetween(2, 200 / 16 + 5);
    }

    @Test
    void keepsAllOfAKind() {
        History history = history(2);
        List<EntryRecord> kept =
                Summary.of(history.records, it -> it.entry().kind() == EventKind.ACL);
        assertThat(kept.stream().filter(it -> it.entry().kind() == EventKind.ACL).count())
                .isEqualTo(
                        history.records.stream()
                                .filter(it -> it.entry().kind() == EventKind.ACL)
                                .count());
        assertThat(history.audit(accepting, kept).findings()).isEmpty();
    }

    @Test
    void aSummaryCanBeSummarised() {
        History history = history(3);
        List<EntryRecord> once = Summary.of(history.records, it -> it.entry().sequence() % 16 == 0);
        List<EntryRecord> twice = Summary.of(once, it -> it.entry().sequence() % 64 == 0);
        assertThat(history.audit(accepting, twice).findings()).isEmpty();
    }

    @Test
    void whoDoesNotAcceptSummariesSeesThem() {
        History history = history(4);
        List<EntryRecord> kept = Summary.of(history.records, it -> false);
        assertThat(history.audit(terms, kept).findings())
                .isNotEmpty()
                .allSatisfy(it -> assertThat(it.promise()).isEqualTo(Promise.I1));
    }

    /** Each forgery of a summary: one more gone, a changed one, another order. */
    @Test
    void forgeriesOfSummariesAreSeen() {
        History history = history(5);
        List<EntryRecord> kept = Summary.of(history.records, it -> it.entry().sequence() % 32 == 5);
        AuditTerms knowing = accepting.with(history.head());
        int stillProvable = 0;
        for (int i = 0; i < kept.size(); i++) {
            List<EntryRecord> without = new ArrayList<>(kept);
            EntryRecord removed = without.remove(i);
            AuditReport report = history.audit(knowing, without);
            boolean isHarmless = report.isClean() && report.removed() == 200 - without.size();
            stillProvable += isHarmless ? 1 : 0;
            assertThat(isHarmless || !report.isClean()).isTrue();

            List<EntryRecord> altered = new ArrayList<>(kept);
            byte[] bytes = removed.encoded().toArray();
            bytes[60] ^= 1;
            altered.set(i, altered(removed, bytes));
            assertThat(history.audit(knowing, altered).findings())
                    .as("entry %d", removed.entry().sequence())
                    .isNotEmpty();

            List<EntryRecord> swapped = new ArrayList<>(kept);
            swapped.set(i, kept.get((i + 1) % kept.size()));
            swapped.set((i + 1) % kept.size(), removed);
            assertThat(history.audit(knowing, swapped).findings())
                    .extracting(Finding::promise)
                    .isNotEmpty();
        }
        assertThat(stillProvable).isLessThan(kept.size() / 2);
    }

    /**
     * Verifies that an entry fixed by a checkpoint must be present: it could have been replaced.
     */
    @Test
    void whatACheckpointHasMustBeThere() {
        History history = history(7);
        List<EntryRecord> without = Summary.of(history.records, it -> false);
        EntryRecord gone = history.records.get(101);
        assertThat(without).doesNotContain(gone);
        ChainHead fixed = new ChainHead(101, History.link(gone));
        assertThat(history.audit(accepting.with(fixed), without).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.UNVERIFIABLE);
        List<EntryRecord> with = Summary.of(history.records, it -> it.equals(gone));
        assertThat(history.audit(accepting.with(fixed), with).findings()).isEmpty();
        ChainHead other = new ChainHead(101, History.link(history.records.get(102)));
        assertThat(history.audit(accepting.with(other), with).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.REPLACED);
    }

    /** The dimension of kinds leads from each to the next, however far that is. */
    @Test
    void goesStraightFromOneToTheNextOfItsKind() {
        History history = history(8);
        List<EntryRecord> kept =
                Summary.of(history.records, it -> it.entry().kind() == EventKind.ACL);
        List<EntryRecord> acls =
                kept.stream().filter(it -> it.entry().kind() == EventKind.ACL).toList();
        int begin = kept.indexOf(acls.getFirst());
        assertThat(kept.subList(begin, begin + acls.size())).isEqualTo(acls);
        assertThat(acls).hasSizeGreaterThan(3);
    }

    @Test
    void aChainWithAGapIsSummarisedAroundIt() {
        History history = history(9);
        List<EntryRecord> some = new ArrayList<>(history.records);
        some.subList(60, 120).clear();
        List<EntryRecord> kept = Summary.of(some, it -> false);
        assertThat(history.audit(accepting, kept).findings())
                .extracting(Finding::promise)
                .containsOnly(Promise.I1);
        assertThat(Summary.of(List.of(), it -> true)).isEmpty();
        assertThat(Summary.of(some.subList(0, 1), it -> false)).hasSize(1);
    }

    private static EntryRecord altered(EntryRecord record, byte[] entry) {
        try {
            Bytes bytes = Bytes.of(entry);
            return new EntryRecord(
                    bytes, Entry.decode(bytes), record.links(), record.path(), record.disclosure());
        } catch (RefusedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void construction1CannotBeSummarised() {
        History history = new History("k", History.shape(Construction.ONE_LINK), 6).grow(50);
        assertThatThrownBy(() -> Summary.of(history.records, it -> false))
                .hasMessage("only construction 2 can be summarised");
        List<EntryRecord> some = new ArrayList<>(history.records);
        some.subList(8, 16).clear();
        assertThat(history.audit(accepting, some).findings())
                .extracting(Finding::promise)
                .contains(Promise.I1);
    }

    private static History history(long seed) {
        return new History("k", History.shape(Construction.LINK_PER_DIMENSION), seed).grow(200);
    }
}
