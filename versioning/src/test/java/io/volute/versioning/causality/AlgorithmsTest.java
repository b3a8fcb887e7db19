package io.volute.versioning.causality;

import static io.volute.versioning.causality.HistoryPolicy.CYCLE_AVOIDANCE;
import static io.volute.versioning.causality.HistoryPolicy.EVERY_WRITE;
import static io.volute.versioning.causality.HistoryPolicy.NONE;
import static io.volute.versioning.causality.HistoryPolicy.OPEN_CLOSE;
import static io.volute.versioning.causality.Outcome.ADD;
import static io.volute.versioning.causality.Outcome.DISCARD;
import static io.volute.versioning.causality.Outcome.FREEZE;
import static io.volute.versioning.causality.Sessions.CLOSED;
import static io.volute.versioning.causality.Sessions.OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The rules of the algorithms that look at one object only, and what they are called. */
class AlgorithmsTest {
    private static final VersionNode A = new VersionNode(1, 4);
    private static final long B = 2;

    private final AncestorTable table = AncestorTable.bounded(8);

    @Test
    void ca1FreezesForANewAncestor() {
        assertThat(offer(CYCLE_AVOIDANCE, OPEN, 3)).isEqualTo(FREEZE);
        assertThat(table.get(B)).hasValue(3);
    }

    @Test
    void ca2DiscardsADuplicate() {
        table.put(B, 3);
        assertThat(offer(CYCLE_AVOIDANCE, OPEN, 3)).isEqualTo(DISCARD);
    }

    @Test
    void ca3DiscardsAnOlderVersionAndKeepsTheNewer() {
        table.put(B, 3);
        assertThat(offer(CYCLE_AVOIDANCE, OPEN, 2)).isEqualTo(DISCARD);
        assertThat(table.get(B)).hasValue(3);
    }

    @Test
    void ca4FreezesForANewerVersion() {
        table.put(B, 3);
        assertThat(offer(CYCLE_AVOIDANCE, OPEN, 4)).isEqualTo(FREEZE);
        assertThat(table.get(B)).hasValue(4);
    }

    @Test
    void aSelfCycleIsDiscardedAndLeavesNoTrace() {
        assertThat(offerOfLastAncestor(A)).isEqualTo(DISCARD);
        assertThat(table.get(B)).isEmpty();
    }

    @Test
    void anEarlierVersionAsLastAncestorIsNoSelfCycle() {
        assertThat(offerOfLastAncestor(new VersionNode(A.id(), A.version() - 1))).isEqualTo(FREEZE);
    }

    @Test
    void whoOverwritesWhatHeHasJustReadIsDiscardedUnlessTheLastAncestorIsLeftOut() {
        World told = new World();
        World.Thing object = told.thing(new CycleAvoidance());
        World.Thing actor = told.thing(new CycleAvoidance());
        told.read(actor, object);
        assertThat(told.write(actor, object)).isEqualTo(DISCARD);

        World untold = new World();
        VersioningAlgorithm leavingOut =
                (dependent, ancestor) ->
                        new CycleAvoidance()
                                .offer(
                                        dependent,
                                        new Ancestor(
                                                ancestor.version(),
                                                ancestor.sessions(),
                                                Optional.empty()));
        object = untold.thing(leavingOut);
        actor = untold.thing(new CycleAvoidance());
        untold.read(actor, object);
        assertThat(untold.write(actor, object)).isEqualTo(FREEZE);
        assertThat(untold.write(actor, object)).isEqualTo(DISCARD);
    }

    @Test
    void aForgottenAncestorCountsAsNew() {
        AncestorTable single = AncestorTable.bounded(1);
        single.put(B, 3);
        single.put(B + 1, 1);
        assertThat(single.get(B)).isEmpty();
        Ancestor known = new Ancestor(new VersionNode(B, 3), OPEN, Optional.empty());
        assertThat(new CycleAvoidance().offer(new Dependent(A, OPEN, single), known))
                .isEqualTo(FREEZE);
    }

    @Test
    void tablesForgetWhatWasNotAskedForTheLongestTime() {
        AncestorTable two = AncestorTable.bounded(2);
        two.put(1, 1);
        two.put(2, 1);
        assertThat(two.get(1)).hasValue(1);
        two.put(3, 1);
        assertThat(two.get(1)).hasValue(1);
        assertThat(two.get(2)).isEqualTo(OptionalLong.empty());
        assertThatIllegalArgumentException().isThrownBy(() -> AncestorTable.bounded(0));
    }

    @Test
    void openCloseFreezesBehindTheLastCloseOnly() {
        assertThat(offer(OPEN_CLOSE, OPEN, 3)).isEqualTo(ADD);
        assertThat(offer(OPEN_CLOSE, OPEN, 3)).isEqualTo(DISCARD);
        assertThat(offer(OPEN_CLOSE, OPEN, 2)).isEqualTo(DISCARD);
        assertThat(offer(OPEN_CLOSE, OPEN, 4)).isEqualTo(ADD);
        assertThat(offer(OPEN_CLOSE, CLOSED, 4)).isEqualTo(FREEZE);
        assertThat(table.get(B)).hasValue(4);
    }

    @Test
    void everyWriteFreezesAndNoneDiscardsWhateverIsOffered() {
        for (int i = 0; i < 2; i++) {
            assertThat(offer(EVERY_WRITE, OPEN, 3)).isEqualTo(FREEZE);
            assertThat(offer(NONE, CLOSED, 3)).isEqualTo(DISCARD);
        }
        assertThat(table.get(B)).isEmpty();
    }

    @Test
    void policiesHaveNames() {
        assertThat(HistoryPolicy.values())
                .extracting(HistoryPolicy::text)
                .containsExactly(
                        "none", "open-close", "cycle-avoidance", "graph-finesse", "every-write");
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            assertThat(HistoryPolicy.parse(policy.text())).isEqualTo(policy);
        }
    }

    @Test
    void aWrongNameIsToldTheRightOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryPolicy.parse("NONE"))
                .withMessage(
                        "unknown history policy 'NONE'; allowed are none, open-close,"
                                + " cycle-avoidance, graph-finesse, every-write");
    }

    @Test
    void versionsBeginAtOne() {
        assertThat(VersionNode.first(7)).isEqualTo(new VersionNode(7, 1));
        assertThat(VersionNode.first(7).next()).isEqualTo(new VersionNode(7, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new VersionNode(7, 0));
    }

    private Outcome offer(HistoryPolicy policy, Sessions sessions, long version) {
        return VersioningAlgorithm.of(policy, new GraphFinesse())
                .offer(
                        new Dependent(A, sessions, table),
                        new Ancestor(new VersionNode(B, version), OPEN, Optional.empty()));
    }

    private Outcome offerOfLastAncestor(VersionNode lastAncestor) {
        return new CycleAvoidance()
                .offer(
                        new Dependent(A, OPEN, table),
                        new Ancestor(new VersionNode(B, 3), OPEN, Optional.of(lastAncestor)));
    }
}
