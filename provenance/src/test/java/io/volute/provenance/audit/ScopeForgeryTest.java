package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape.Construction;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Audits that look at some entries only see every forgery of those, and none of the others. */
@ParameterizedClass
@EnumSource
@Tag("slow")
class ScopeForgeryTest {
    private static final int ENTRIES = 120;

    /** An entry that an audit of dimension 4 from the last one on looks at. */
    private static final int VISITED = ENTRIES - 65;

    private final History history;
    private final AuditTerms terms = AuditTerms.of(History.keys());

    ScopeForgeryTest(Construction construction) {
        history = new History("k", History.shape(construction), 71).grow(ENTRIES);
    }

    private void tryEach(AuditScope scope, java.util.function.IntPredicate isVisited) {
        AuditTerms some = terms.with(scope);
        assertThat(history.audit(some).findings()).as("honest").isEmpty();
        // Nothing comes behind the last entry of a kind that would miss it.
        int last = ENTRIES - 1;
        while (!isVisited.test(last)) {
            last--;
        }
        for (int at = 0; at < ENTRIES; at++) {
            EntryRecord record = history.records.get(at);
            List<EntryRecord> altered = new ArrayList<>(history.records);
            altered.set(
                    at, Forger.exchanged(record, Forger.withContent(record.entry(), Hash.ZERO)));
            assertThat(history.audit(some, altered).isClean())
                    .as("altered %d", at)
                    .isEqualTo(!isVisited.test(at));
            List<EntryRecord> dropped = new ArrayList<>(history.records);
            dropped.remove(at);
            boolean isLastOfKind = scope instanceof AuditScope.Kind && at == last;
            boolean isMissed = isVisited.test(at) && !isLastOfKind;
            assertThat(history.audit(some, dropped).isClean())
                    .as("dropped %d", at)
                    .isEqualTo(!isMissed);
        }
    }

    @Test
    void oneDimension() {
        for (int dimension : List.of(1, 4)) {
            int distance = 1 << dimension;
            tryEach(
                    new AuditScope.Dimension(dimension, ENTRIES - 1),
                    at -> (ENTRIES - 1 - at) % distance == 0);
        }
    }

    @Test
    void oneKind() {
        tryEach(
                new AuditScope.Kind(EventKind.TAGS),
                at -> history.records.get(at).entry().kind() == EventKind.TAGS);
    }

    /** A replacement signed with the store's own key fits its own place, not the next entry. */
    @Test
    void aReplacedEntryIsSeenInItsDimension() {
        Forger forger = new Forger(history, History.STORE);
        EntryRecord old = history.records.get(VISITED);
        List<EntryRecord> replaced = new ArrayList<>(history.records);
        replaced.set(
                VISITED,
                forger.signed(Forger.withContent(old.entry(), Hash.ZERO), history.records));
        AuditScope scope = new AuditScope.Dimension(4, ENTRIES - 1);
        assertThat(forger.audit(terms.with(scope), replaced).findings()).isNotEmpty();
    }
}
