package io.volute.versioning.causality;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Objects and actors that read and write, and the graph of what an algorithm records of it. */
final class World {
    private final Supplier<AncestorTable> tables;
    private final Map<VersionNode, VersionNode> lastAncestors = new HashMap<>();
    private final List<VersionNode> begun = new ArrayList<>();
    private final VersionGraph graph = new VersionGraph();
    private long lastId;

    World(Supplier<AncestorTable> tables) {
        this.tables = tables;
    }

    World() {
        this(() -> AncestorTable.bounded(1_000_000));
    }

    /** An object, or an actor that writes itself. */
    static final class Thing {
        private final AncestorTable table;
        private final VersioningAlgorithm algorithm;
        private final Set<Thing> writers = new HashSet<>();
        private VersionNode present;
        private boolean isClosed;

        private Thing(long id, AncestorTable table, VersioningAlgorithm algorithm) {
            this.present = VersionNode.first(id);
            this.table = table;
            this.algorithm = algorithm;
        }

        VersionNode present() {
            return present;
        }

        private Sessions sessions() {
            boolean isOpen = writers.isEmpty() || writers.stream().anyMatch(each -> !each.isClosed);
            return isOpen && !isClosed ? Sessions.OPEN : Sessions.CLOSED;
        }
    }

    /** A thing whose records, as the left side, this algorithm decides, or for an actor all. */
    Thing thing(VersioningAlgorithm algorithm) {
        return new Thing(++lastId, tables.get(), algorithm);
    }

    /** An actor's reads are decided by the algorithm of what it reads. */
    Outcome read(Thing actor, Thing object) {
        return read(actor, object, object.present);
    }

    Outcome read(Thing actor, Thing object, VersionNode asItWas) {
        return offer(object.algorithm, actor, object, asItWas);
    }

    Outcome write(Thing actor, Thing object) {
        Outcome outcome = offer(object.algorithm, object, actor, actor.present);
        object.writers.add(actor);
        return outcome;
    }

    void copy(Thing actor, Thing source, Thing target) {
        write(actor, target);
        offer(target.algorithm, target, source, source.present);
        target.writers.add(actor);
    }

    /** The last session that wrote this has ended, or this is an actor that ends. */
    void close(Thing thing) {
        thing.isClosed = true;
        thing.algorithm.frozen(thing.present);
    }

    /** Freezes for a reason of its own. */
    void freeze(Thing thing) {
        thing.algorithm.frozen(thing.present);
        begin(thing);
    }

    VersionGraph graph() {
        return graph;
    }

    /** Versions behind the first of each thing, in the order of their making. */
    List<VersionNode> begun() {
        return begun;
    }

    private Outcome offer(
            VersioningAlgorithm algorithm, Thing thing, Thing ancestor, VersionNode asItWas) {
        Sessions sessions =
                asItWas.equals(ancestor.present) ? ancestor.sessions() : Sessions.CLOSED;
        Outcome outcome =
                algorithm.offer(
                        new Dependent(thing.present, thing.sessions(), thing.table),
                        new Ancestor(
                                asItWas,
                                sessions,
                                Optional.ofNullable(lastAncestors.get(asItWas))));
        if (outcome == Outcome.FREEZE) {
            begin(thing);
        }
        if (outcome != Outcome.DISCARD) {
            graph.add(thing.present, asItWas);
            lastAncestors.put(thing.present, asItWas);
        }
        return outcome;
    }

    private void begin(Thing thing) {
        thing.present = thing.present.next();
        thing.writers.clear();
        thing.isClosed = false;
        begun.add(thing.present);
    }
}
