package io.volute.versioning.causality;

import static io.volute.versioning.causality.HistoryPolicy.CYCLE_AVOIDANCE;
import static io.volute.versioning.causality.HistoryPolicy.EVERY_WRITE;
import static io.volute.versioning.causality.HistoryPolicy.GRAPH_FINESSE;
import static io.volute.versioning.causality.HistoryPolicy.NONE;
import static io.volute.versioning.causality.HistoryPolicy.OPEN_CLOSE;
import static io.volute.versioning.causality.Outcome.ADD;
import static io.volute.versioning.causality.Outcome.DISCARD;
import static io.volute.versioning.causality.Outcome.FREEZE;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.causality.World.Thing;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Table 1 of the paper, step by step: each read and write between an open and a close. */
class WorkedExampleTest {
    private final World world = new World();
    private final GraphFinesse graph = new GraphFinesse();
    private Thing p;
    private Thing q;
    private Thing a;
    private Thing b;

    @Test
    void openCloseEndsInTheCycleOfFigure2() {
        assertThat(run(OPEN_CLOSE)).containsExactly(ADD, ADD, FREEZE, FREEZE, ADD, ADD);
        assertThat(world.begun()).containsExactly(version(b, 2), version(a, 2));
        assertThat(world.graph().cycle())
                .containsExactlyInAnyOrder(
                        version(a, 2), version(q, 1), version(b, 2), version(p, 1));
    }

    @Test
    void cycleAvoidanceBeginsTheVersionsOfFigure3() {
        assertThat(run(CYCLE_AVOIDANCE)).containsOnly(FREEZE);
        assertThat(world.begun())
                .containsExactly(
                        version(p, 2),
                        version(q, 2),
                        version(b, 2),
                        version(a, 2),
                        version(p, 3),
                        version(q, 3));
        assertEdge(version(p, 2), version(a, 1));
        assertEdge(version(q, 2), version(b, 1));
        assertEdge(version(b, 2), version(p, 2));
        assertEdge(version(a, 2), version(q, 2));
        assertEdge(version(p, 3), version(a, 2));
        assertEdge(version(q, 3), version(b, 2));
        assertThat(world.graph().cycle()).isEmpty();
    }

    @Test
    void graphFinesseBeginsTheVersionsOfFigure4() {
        assertThat(run(GRAPH_FINESSE)).containsExactly(ADD, ADD, FREEZE, FREEZE, ADD, FREEZE);
        assertThat(world.begun()).containsExactly(version(b, 2), version(a, 2), version(q, 2));
        assertEdge(version(p, 1), version(a, 1));
        assertEdge(version(q, 1), version(b, 1));
        assertEdge(version(b, 2), version(p, 1));
        assertEdge(version(a, 2), version(q, 1));
        assertEdge(version(p, 1), version(a, 2));
        assertEdge(version(q, 2), version(b, 2));
        assertThat(world.graph().cycle()).isEmpty();
    }

    @Test
    void everyWriteBeginsOneVersionPerRecord() {
        assertThat(run(EVERY_WRITE)).containsOnly(FREEZE);
        assertThat(world.begun()).hasSize(6);
        assertThat(world.graph().cycle()).isEmpty();
    }

    @Test
    void noneRecordsNothing() {
        assertThat(run(NONE)).containsOnly(DISCARD);
        assertThat(world.begun()).isEmpty();
    }

    private List<Outcome> run(HistoryPolicy policy) {
        VersioningAlgorithm algorithm = VersioningAlgorithm.of(policy, graph);
        p = world.thing(algorithm);
        q = world.thing(algorithm);
        a = world.thing(algorithm);
        b = world.thing(algorithm);
        world.close(a);
        world.close(b);
        return List.of(
                closing(world.read(p, a), a),
                closing(world.read(q, b), b),
                closing(world.write(p, b), b),
                closing(world.write(q, a), a),
                closing(world.read(p, a), a),
                closing(world.read(q, b), b));
    }

    private Outcome closing(Outcome outcome, Thing object) {
        world.close(object);
        return outcome;
    }

    private void assertEdge(VersionNode dependent, VersionNode ancestor) {
        assertThat(world.graph().hasEdge(dependent, ancestor))
                .as("%s to %s", dependent, ancestor)
                .isTrue();
    }

    private static VersionNode version(Thing thing, long version) {
        return new VersionNode(thing.present().id(), version);
    }
}
