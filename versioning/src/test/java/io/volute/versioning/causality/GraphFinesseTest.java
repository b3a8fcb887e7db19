package io.volute.versioning.causality;

import static io.volute.versioning.causality.HistoryPolicy.CYCLE_AVOIDANCE;
import static io.volute.versioning.causality.Outcome.ADD;
import static io.volute.versioning.causality.Outcome.DISCARD;
import static io.volute.versioning.causality.Outcome.FREEZE;
import static io.volute.versioning.causality.Sessions.CLOSED;
import static io.volute.versioning.causality.Sessions.OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.volute.versioning.causality.Trace.Step;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The graph: rules, pruning, bound, restarts, and other algorithms beside it. */
class GraphFinesseTest {
    private static final VersionNode A = VersionNode.first(1);
    private static final VersionNode B = VersionNode.first(2);
    private static final VersionNode C = VersionNode.first(3);
    private static final VersionNode D = VersionNode.first(4);

    private final GraphFinesse graph = new GraphFinesse();

    static LongStream seeds() {
        return Seeds.all();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void decidesAndKeepsAsIfNothingWerePrunedButWhatMayBe(long seed) {
        NaiveGraphFinesse naive = new NaiveGraphFinesse();
        Trace trace = Trace.of(seed);
        Both both = new Both(graph, naive);
        Trace.Run run = trace.in(new World(), object -> both, both);
        for (Step step : trace.steps()) {
            run.step(step);
        }
        assertThat(graph.nodeCount()).isEqualTo(naive.needed());
        run.closeAll();
        assertThat(graph.nodeCount()).isZero();
        assertThat(graph.edgeCount()).isZero();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aBoundCostsVersionsAndNoCycle(long seed) {
        Trace trace = Trace.of(seed);
        for (int sizeMax : new int[] {0, 1, 5, 20, 80}) {
            GraphFinesse bounded = new GraphFinesse(sizeMax);
            World world = new World();
            Trace.Run run = trace.in(world, object -> bounded, bounded);
            for (Step step : trace.steps()) {
                run.step(step);
                assertThat(bounded.nodeCount() + bounded.edgeCount()).isBetween(0L, (long) sizeMax);
            }
            assertThat(world.graph().cycle()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anEmptyGraphIsEnoughAfterARestart(long seed) {
        assertThat(restarted(seed, Trace.Run::closeAll).graph().cycle()).isEmpty();
    }

    @Test
    void findsARestartThatLeavesSessionsOpen() {
        assertThat(LongStream.rangeClosed(1, 20).mapToObj(seed -> restarted(seed, run -> {})))
                .anySatisfy(world -> assertThat(world.graph().cycle()).isNotEmpty());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aGraphThatIsToldOfOtherPoliciesStaysAcyclic(long seed) {
        assertThat(mixed(seed, GraphFinesse::new, graph -> graph).graph().cycle()).isEmpty();
        assertThat(mixed(seed, () -> new GraphFinesse(40), graph -> graph).graph().cycle())
                .isEmpty();
    }

    @Test
    void findsAGraphThatIsNotToldOfOtherPolicies() {
        // The other policy records its edges in a graph that is not used.
        UnaryOperator<GraphFinesse> other = graph -> new GraphFinesse();
        assertThat(
                        LongStream.rangeClosed(1, 20)
                                .mapToObj(seed -> mixed(seed, GraphFinesse::new, other)))
                .anySatisfy(world -> assertThat(world.graph().cycle()).isNotEmpty());
    }

    @Test
    void aDuplicateOfAPrunedAncestorIsADuplicate() {
        assertThat(offer(A, OPEN, B, CLOSED)).isEqualTo(ADD);
        assertThat(graph.nodeCount()).isEqualTo(1);
        assertThat(graph.edgeCount()).isEqualTo(1);
        assertThat(offer(A, OPEN, B, CLOSED)).isEqualTo(DISCARD);
    }

    @Test
    void aPathMayRunThroughFrozenVersions() {
        offer(A, OPEN, B, OPEN);
        offer(C, OPEN, A, OPEN);
        graph.frozen(A);
        assertThat(offer(B, OPEN, C, OPEN)).isEqualTo(FREEZE);
        assertThat(offer(B.next(), OPEN, C, OPEN)).isEqualTo(DISCARD);
    }

    @Test
    void aPathMayRunThroughAVersionBefore() {
        offer(A, OPEN, B, OPEN);
        graph.frozen(A);
        offer(C, OPEN, A.next(), OPEN);
        assertThat(offer(B, OPEN, C, OPEN)).isEqualTo(FREEZE);
    }

    @Test
    void anOldVersionThatIsReadLateStandsBetweenItsNeighbours() {
        offer(A, OPEN, B, OPEN);
        offer(D, OPEN, new VersionNode(A.id(), 3), OPEN);
        offer(C, OPEN, A.next(), OPEN);
        assertThat(graph.nodeCount()).isEqualTo(6);
        assertThat(offer(B, OPEN, C, OPEN)).isEqualTo(FREEZE);
        assertThat(offer(B.next(), OPEN, D, OPEN)).isEqualTo(ADD);
    }

    @Test
    void aNewVersionSaysThatTheOneBeforeIsFrozen() {
        offer(B, OPEN, A, OPEN);
        offer(B, OPEN, A.next(), OPEN);
        assertThat(graph.nodeCount()).isEqualTo(2);
        offer(B, OPEN, A, OPEN);
        offer(C, OPEN, A, OPEN);
        assertThat(graph.nodeCount()).isEqualTo(3);
    }

    @Test
    void whatDependsOnItselfIsFrozen() {
        assertThat(offer(A, OPEN, A, OPEN)).isEqualTo(FREEZE);
        assertThat(offer(A.next(), OPEN, A, CLOSED)).isEqualTo(DISCARD);
    }

    @Test
    void thatAVersionDependsOnTheOneBeforeIsKnown() {
        assertThat(offer(A, CLOSED, B, OPEN)).isEqualTo(FREEZE);
        assertThat(offer(A.next(), OPEN, A, CLOSED)).isEqualTo(DISCARD);
    }

    @Test
    void theBoundForgetsNoMoreThanItMust() {
        GraphFinesse bounded = new GraphFinesse(3);
        bounded.offer(dependent(A, OPEN), ancestor(B, OPEN));
        bounded.offer(dependent(C, OPEN), ancestor(D, OPEN));
        assertThat(bounded.nodeCount()).isEqualTo(1);
        assertThat(bounded.offer(dependent(C, OPEN), ancestor(D, OPEN))).isEqualTo(DISCARD);
        assertThat(bounded.offer(dependent(A, OPEN), ancestor(B, OPEN))).isEqualTo(FREEZE);
    }

    @Test
    void freezesAreForgottenWhenNothingUnfrozenIsBelow() {
        offer(A, OPEN, B, OPEN);
        offer(B, OPEN, C, OPEN);
        graph.frozen(A);
        graph.frozen(B);
        assertThat(graph.nodeCount()).isEqualTo(3);
        graph.frozen(C);
        assertThat(graph.nodeCount()).isZero();
        assertThat(graph.edgeCount()).isZero();
    }

    @Test
    void whoCouldNotStoreAFreezeIsAnsweredAgain() {
        offer(A, OPEN, B, OPEN);
        assertThat(offer(B, OPEN, A, OPEN)).isEqualTo(FREEZE);
        assertThat(offer(B, OPEN, A, OPEN)).isEqualTo(FREEZE);
        assertThat(offer(B, OPEN, C, OPEN)).isEqualTo(FREEZE);
    }

    @Test
    void refusesAVersionThatIsNotThePresentOne() {
        offer(A, OPEN, B, OPEN);
        offer(B, OPEN, A, OPEN);
        offer(C, OPEN, B.next(), OPEN);
        offer(A, CLOSED, C, OPEN);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> offer(B, OPEN, C, OPEN))
                .withMessageContaining("not the present version");
        graph.frozen(A.next());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> offer(A, OPEN, D, OPEN))
                .withMessageContaining("not the present version");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> offer(D, OPEN, D.next(), OPEN))
                .withMessageContaining("cannot depend on");
    }

    @Test
    void aCycleOfOpenCloseDoesNotOutliveTheBound() {
        GraphFinesse bounded = new GraphFinesse(6);
        VersioningAlgorithm openClose =
                bounded.alongside(VersioningAlgorithm.of(HistoryPolicy.OPEN_CLOSE, bounded));
        openClose.offer(dependent(A, OPEN), ancestor(B, OPEN));
        openClose.offer(dependent(B, OPEN), ancestor(A, OPEN));
        openClose.frozen(A);
        openClose.frozen(B);
        assertThat(bounded.nodeCount()).isEqualTo(2);
        bounded.offer(dependent(C, OPEN), ancestor(A, CLOSED));
        bounded.offer(dependent(C, OPEN), ancestor(B, CLOSED));
        assertThat(bounded.nodeCount()).isZero();
        assertThat(bounded.edgeCount()).isZero();
        assertThat(bounded.offer(dependent(C, OPEN), ancestor(D, OPEN))).isEqualTo(FREEZE);
    }

    private static World restarted(long seed, Consumer<Trace.Run> end) {
        Trace trace = Trace.of(seed);
        Restarting algorithm = new Restarting();
        World world = new World();
        Trace.Run run = trace.in(world, object -> algorithm, algorithm);
        for (int i = 0; i < trace.steps().size(); i++) {
            run.step(trace.steps().get(i));
            if (i % 60 == 59) {
                end.accept(run);
                algorithm.graph = new GraphFinesse();
            }
        }
        return world;
    }

    /** Objects of two policies, and actors that go between them. */
    private static World mixed(
            long seed, Supplier<GraphFinesse> graphs, UnaryOperator<GraphFinesse> told) {
        GraphFinesse graph = graphs.get();
        VersioningAlgorithm other =
                told.apply(graph).alongside(VersioningAlgorithm.of(CYCLE_AVOIDANCE, graph));
        World world = new World(() -> AncestorTable.bounded(4));
        Trace trace = Trace.of(seed);
        Trace.Run run = trace.in(world, object -> object % 2 == 0 ? graph : other, other);
        trace.steps().forEach(run::step);
        return world;
    }

    private Outcome offer(VersionNode a, Sessions ofA, VersionNode b, Sessions ofB) {
        return graph.offer(dependent(a, ofA), ancestor(b, ofB));
    }

    private static Dependent dependent(VersionNode version, Sessions sessions) {
        return new Dependent(version, sessions, AncestorTable.bounded(8));
    }

    private static Ancestor ancestor(VersionNode version, Sessions sessions) {
        return new Ancestor(version, sessions, Optional.empty());
    }

    /** Graphs one after another, as one process after another has them. */
    private static final class Restarting implements VersioningAlgorithm {
        private GraphFinesse graph = new GraphFinesse();

        @Override
        public Outcome offer(Dependent dependent, Ancestor ancestor) {
            return graph.offer(dependent, ancestor);
        }

        @Override
        public void frozen(VersionNode version) {
            graph.frozen(version);
        }
    }

    /** Two algorithms that must agree on each record. */
    private record Both(VersioningAlgorithm first, VersioningAlgorithm second)
            implements VersioningAlgorithm {
        @Override
        public Outcome offer(Dependent dependent, Ancestor ancestor) {
            Outcome outcome = first.offer(dependent, ancestor);
            assertThat(second.offer(dependent, ancestor)).isEqualTo(outcome);
            return outcome;
        }

        @Override
        public void frozen(VersionNode version) {
            first.frozen(version);
            second.frozen(version);
        }
    }
}
