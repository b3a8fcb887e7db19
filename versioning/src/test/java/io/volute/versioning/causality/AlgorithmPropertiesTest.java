package io.volute.versioning.causality;

import static io.volute.versioning.causality.HistoryPolicy.CYCLE_AVOIDANCE;
import static io.volute.versioning.causality.HistoryPolicy.EVERY_WRITE;
import static io.volute.versioning.causality.HistoryPolicy.GRAPH_FINESSE;
import static io.volute.versioning.causality.HistoryPolicy.OPEN_CLOSE;
import static io.volute.versioning.causality.Outcome.DISCARD;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.causality.Trace.Kind;
import io.volute.versioning.causality.Trace.Step;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The properties of each algorithm on every trace, and the sensitivity of these checks. */
@Tag("slow")
class AlgorithmPropertiesTest {
    static LongStream seeds() {
        return Seeds.all();
    }

    static Stream<Arguments> acyclicPoliciesAndSeeds() {
        return Stream.of(CYCLE_AVOIDANCE, GRAPH_FINESSE, EVERY_WRITE)
                .flatMap(policy -> Seeds.all().mapToObj(seed -> Arguments.of(policy, seed)));
    }

    static Stream<Arguments> recordingPoliciesAndSeeds() {
        return Stream.of(OPEN_CLOSE, CYCLE_AVOIDANCE, GRAPH_FINESSE, EVERY_WRITE)
                .flatMap(policy -> Seeds.all().mapToObj(seed -> Arguments.of(policy, seed)));
    }

    @ParameterizedTest
    @MethodSource("acyclicPoliciesAndSeeds")
    void theGraphOfVersionsIsAcyclic(HistoryPolicy policy, long seed) {
        World world = Trace.of(seed).runIn(new World(), algorithm(policy));
        assertThat(world.graph().cycle()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("recordingPoliciesAndSeeds")
    void everyDependencyIsInTheGraph(HistoryPolicy policy, long seed) {
        World world = new World();
        Trace.of(seed).runIn(world, new Complete(world, algorithm(policy)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noAlgorithmKeepsMoreVersionsThanEveryWrite(long seed) {
        Trace trace = Trace.of(seed);
        int most = versions(trace, EVERY_WRITE);
        assertThat(versions(trace, CYCLE_AVOIDANCE)).isLessThan(most);
        assertThat(versions(trace, GRAPH_FINESSE)).isLessThan(most);
        assertThat(versions(trace, OPEN_CLOSE)).isLessThan(most);
    }

    @ParameterizedTest
    @MethodSource("recordingPoliciesAndSeeds")
    void whatIsRepeatedIsDiscarded(HistoryPolicy policy, long seed) {
        if (policy == EVERY_WRITE) {
            return;
        }
        Trace trace = Trace.of(seed);
        World world = new World();
        VersioningAlgorithm algorithm = algorithm(policy);
        Trace.Run run = trace.in(world, object -> algorithm, algorithm);
        for (Step step : trace.steps()) {
            run.step(step);
            if (step.kind() == Kind.READ) {
                assertThat(world.read(run.actor(step.client()), run.object(step.object())))
                        .isEqualTo(DISCARD);
            } else if (step.kind() == Kind.WRITE) {
                assertThat(world.write(run.actor(step.client()), run.object(step.object())))
                        .isEqualTo(DISCARD);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void forgetfulTablesCostVersionsAndNoCycle(long seed) {
        Trace trace = Trace.of(seed);
        for (int entries : new int[] {1, 2, 5}) {
            World world = new World(() -> AncestorTable.bounded(entries));
            trace.runIn(world, algorithm(CYCLE_AVOIDANCE));
            assertThat(world.graph().cycle()).isEmpty();
            assertThat(world.begun()).hasSizeLessThanOrEqualTo(versions(trace, EVERY_WRITE));
        }
    }

    @Test
    void findsTheCyclesOfOpenClose() {
        assertThat(cyclicTraces(algorithm(OPEN_CLOSE))).isPositive();
    }

    @Test
    void findsCycleAvoidanceWithoutRule4() {
        assertThat(cyclicTraces(AlgorithmPropertiesTest::withoutRule4)).isPositive();
    }

    @Test
    void findsCycleAvoidanceThatFreezesNoNewAncestor() {
        assertThat(cyclicTraces(AlgorithmPropertiesTest::withoutRule1)).isPositive();
    }

    /** A later version of a known ancestor is added, but freezes nothing. */
    private static Outcome withoutRule4(Dependent dependent, Ancestor ancestor) {
        boolean isKnown = dependent.ancestors().get(ancestor.version().id()).isPresent();
        Outcome outcome = new CycleAvoidance().offer(dependent, ancestor);
        return isKnown && outcome == Outcome.FREEZE ? Outcome.ADD : outcome;
    }

    /** A new ancestor is added, but freezes nothing. */
    private static Outcome withoutRule1(Dependent dependent, Ancestor ancestor) {
        boolean isKnown = dependent.ancestors().get(ancestor.version().id()).isPresent();
        Outcome outcome = new CycleAvoidance().offer(dependent, ancestor);
        return !isKnown && outcome == Outcome.FREEZE ? Outcome.ADD : outcome;
    }

    private static long cyclicTraces(VersioningAlgorithm algorithm) {
        return LongStream.rangeClosed(1, 20)
                .filter(
                        seed ->
                                !Trace.of(seed)
                                        .runIn(new World(), algorithm)
                                        .graph()
                                        .cycle()
                                        .isEmpty())
                .count();
    }

    private static int versions(Trace trace, HistoryPolicy policy) {
        return trace.runIn(new World(), algorithm(policy)).begun().size();
    }

    private static VersioningAlgorithm algorithm(HistoryPolicy policy) {
        return VersioningAlgorithm.of(policy, new GraphFinesse());
    }

    /** Checks that what is discarded was known: the rule on self-cycles apart, nothing is lost. */
    private record Complete(World world, VersioningAlgorithm tested)
            implements VersioningAlgorithm {
        @Override
        public Outcome offer(Dependent dependent, Ancestor ancestor) {
            Outcome outcome = tested.offer(dependent, ancestor);
            boolean isSelfCycle =
                    ancestor.lastAncestor().filter(dependent.version()::equals).isPresent();
            if (outcome == DISCARD && !isSelfCycle) {
                assertThat(world.graph().reaches(dependent.version(), ancestor.version()))
                        .as("%s to %s", dependent.version(), ancestor.version())
                        .isTrue();
            }
            return outcome;
        }

        @Override
        public void frozen(VersionNode version) {
            tested.frozen(version);
        }
    }
}
