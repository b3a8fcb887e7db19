package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.chain.Event;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.SpiralShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Honest chains: nothing is ever found in them. */
@Tag("slow")
class ChainAuditTest {
    private final AuditTerms terms = AuditTerms.of(History.keys());

    @ParameterizedTest
    @EnumSource
    void findsNothingInHonestChains(SpiralShape.Construction construction) {
        for (int exponent = 0; exponent <= 6; exponent += 2) {
            for (int length = 1; length < 100; length += 7) {
                SpiralShape shape = new SpiralShape(construction, exponent);
                History history = new History("a/b", shape, length).grow(length);
                AuditReport report = history.audit(terms.with(history.head()));
                assertThat(report.findings()).as("R %d, %d", exponent, length).isEmpty();
                assertThat(report.verified()).isEqualTo(length);
                assertThat(report.head()).contains(history.head());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void followsOneDimensionOnly(SpiralShape.Construction construction) {
        History history = new History("k", History.shape(construction), 3).grow(300);
        for (int dimension = 0; dimension <= 4; dimension++) {
            AuditReport report =
                    history.audit(
                            terms.with(new AuditScope.Dimension(dimension, 299))
                                    .with(history.head()));
            assertThat(report.findings()).isEmpty();
            assertThat(report.verified()).isEqualTo((299 >> dimension) + 1);
        }
        AuditReport none = history.audit(terms.with(new AuditScope.Dimension(5, 299)));
        assertThat(none.findings()).extracting(Finding::cause).contains(Cause.UNVERIFIABLE);
    }

    @ParameterizedTest
    @EnumSource
    void followsOneKindOnly(SpiralShape.Construction construction) {
        History history = new History("k", History.shape(construction), 4).grow(300);
        long tags =
                history.records.stream().filter(it -> it.entry().kind() == EventKind.TAGS).count();
        AuditReport report = history.audit(terms.with(new AuditScope.Kind(EventKind.TAGS)));
        assertThat(report.findings()).isEmpty();
        assertThat(report.verified()).isEqualTo(tags).isGreaterThan(5);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "X25519")
    void knowsAllAlgorithms(SignatureAlgorithm algorithm) {
        SpiralShape shape = History.shape(SpiralShape.Construction.ONE_LINK);
        History both = new History("k", shape, 5, History.STORE, History.POST_QUANTUM).grow(30);
        assertThat(both.audit(terms.requiring(Set.copyOf(SignatureAlgorithm.SIGNING))).findings())
                .isEmpty();
        History one =
                new History(
                                "k",
                                shape,
                                5,
                                algorithm == SignatureAlgorithm.ED25519
                                        ? History.STORE
                                        : History.POST_QUANTUM)
                        .grow(30);
        assertThat(one.audit(terms.requiring(algorithm)).findings()).isEmpty();
        assertThat(one.audit(terms.requiring(Set.copyOf(SignatureAlgorithm.SIGNING))).findings())
                .hasSize(30)
                .allSatisfy(each -> assertThat(each.promise()).isEqualTo(Promise.I5));
    }

    @ParameterizedTest
    @EnumSource
    void chainsGoOnWhereTheyEnd(SpiralShape.Construction construction) throws IOException {
        SpiralShape shape = History.shape(construction);
        History history = new History("k", shape, 6).grow(100);
        List<Long> asked = new ArrayList<>();
        ChainBuilder resumed =
                ChainBuilder.resume(
                        history.identity,
                        shape,
                        history.builder.tip(),
                        sequence -> {
                            asked.add(sequence);
                            return ownLinks(history.records.get((int) sequence));
                        });
        assertThat(resumed.head()).contains(history.head());
        History other = new History("k", History.shape(construction), 6).grow(100);
        Event event = history.event(EventKind.WRITE);
        List<SignerId> signers = List.of(History.STORE.id());
        assertThat(resumed.append(event, signers).link())
                .isEqualTo(other.builder.append(event, signers).link());
        assertThat(asked)
                .hasSameSizeAs(new HashSet<>(asked))
                .hasSizeLessThan(shape.dimensions() + 1);
        for (int i = 0; i < 50; i++) {
            Event next = history.event();
            assertThat(resumed.append(next, signers).link())
                    .isEqualTo(other.builder.append(next, signers).link());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theMemoryOfABuilderDoesNotGrow(SpiralShape.Construction construction) {
        SpiralShape shape = History.shape(construction);
        History history = new History("k", shape, 8).grow(1000);
        assertThat(history.builder.remembered())
                .isLessThanOrEqualTo(shape.reach() + EventKind.values().length);
    }

    private static List<Hash> ownLinks(EntryRecord record) {
        SpiralShape shape = record.entry().placement().shape();
        return shape.construction() == SpiralShape.Construction.LINK_PER_DIMENSION
                ? record.links()
                : List.of(Spiral.signedLink(shape, Entry.hash(record.encoded()), record.links()));
    }

    @Test
    void theMemoryOfAnAuditDoesNotGrow() {
        SpiralShape shape = History.shape(SpiralShape.Construction.ONE_LINK);
        History history = new History("k", shape, 7).grow(500);
        ChainAudit audit = history.begin(terms);
        history.records.forEach(each -> audit.entry(each.encode()));
        assertThat(audit.remembered()).isLessThanOrEqualTo(shape.reach());
    }
}
