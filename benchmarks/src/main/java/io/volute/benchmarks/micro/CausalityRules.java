package io.volute.benchmarks.micro;

import io.volute.versioning.causality.Ancestor;
import io.volute.versioning.causality.AncestorTable;
import io.volute.versioning.causality.Dependent;
import io.volute.versioning.causality.GraphFinesse;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.causality.Outcome;
import io.volute.versioning.causality.Sessions;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.causality.VersioningAlgorithm;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Decisions about records of causality: actors that read and write the objects of one bucket. */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CausalityRules extends Suite {
    private static final int ACTORS = 16;
    private static final int ANCESTORS_MAX = 65_536;
    private static final long GRAPH_MAX = 1_000_000;

    /** The policy whose algorithm decides. */
    @Param({"OPEN_CLOSE", "CYCLE_AVOIDANCE", "GRAPH_FINESSE", "EVERY_WRITE"})
    private HistoryPolicy policy;

    /** Number of objects that the actors share. */
    @Param({"100", "10000"})
    private int objects;

    private VersioningAlgorithm algorithm;
    private SplittableRandom random;
    private VersionNode[] actorVersions;
    private VersionNode[] objectVersions;
    private AncestorTable[] actorTables;
    private AncestorTable[] objectTables;

    /** Creates actors and objects without reads or writes. */
    @Setup(Level.Iteration)
    public void begin() {
        algorithm = VersioningAlgorithm.of(policy, new GraphFinesse(GRAPH_MAX));
        random = new SplittableRandom(1);
        actorVersions = firsts(1, ACTORS);
        objectVersions = firsts(1 + ACTORS, objects);
        actorTables = tables(ACTORS);
        objectTables = tables(objects);
    }

    private static VersionNode[] firsts(int id, int count) {
        VersionNode[] nodes = new VersionNode[count];
        for (int i = 0; i < count; i++) {
            nodes[i] = VersionNode.first(id + i);
        }
        return nodes;
    }

    private static AncestorTable[] tables(int count) {
        AncestorTable[] tables = new AncestorTable[count];
        for (int i = 0; i < count; i++) {
            tables[i] = AncestorTable.bounded(ANCESTORS_MAX);
        }
        return tables;
    }

    private Outcome offer(
            VersionNode[] lefts, AncestorTable[] tables, int left, VersionNode right) {
        Outcome outcome =
                algorithm.offer(
                        new Dependent(lefts[left], Sessions.OPEN, tables[left]),
                        new Ancestor(right, Sessions.OPEN, Optional.empty()));
        if (outcome == Outcome.FREEZE) {
            lefts[left] = lefts[left].next();
        }
        return outcome;
    }

    /** Offers a read: the actor depends on the object. */
    @Benchmark
    public Outcome read() {
        int object = random.nextInt(objects);
        return offer(actorVersions, actorTables, random.nextInt(ACTORS), objectVersions[object]);
    }

    /** Offers a read or, half of the time, a write: then the object depends on the actor. */
    @Benchmark
    public Outcome readOrWrite() {
        int actor = random.nextInt(ACTORS);
        int object = random.nextInt(objects);
        return random.nextBoolean()
                ? offer(actorVersions, actorTables, actor, objectVersions[object])
                : offer(objectVersions, objectTables, object, actorVersions[actor]);
    }
}
