package io.volute.versioning.causality;

import io.volute.versioning.causality.World.Thing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * A generated run of many clients. Each reads and writes mostly its own few objects, some of which
 * are shared. Occasionally a read is old by the time it is recorded.
 */
record Trace(int objects, List<Step> steps) {
    private static final int CLIENTS_MAX = 12;
    private static final int OBJECTS_MAX = 16;
    private static final int STEPS = 300;

    enum Kind {
        READ,
        BEGIN_READ,
        END_READ,
        WRITE,
        COPY,
        CLOSE,
        FREEZE
    }

    record Step(Kind kind, int client, int object, int target) {}

    static Trace of(long seed) {
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        int clients = random.nextInt(2, CLIENTS_MAX + 1);
        int objects = random.nextInt(2, OBJECTS_MAX + 1);
        int near = random.nextInt(1, objects + 1);
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            int client = random.nextInt(clients);
            int object = (client + random.nextInt(near)) % objects;
            steps.add(new Step(kind(random), client, object, random.nextInt(objects)));
        }
        return new Trace(objects, steps);
    }

    private static Kind kind(SplittableRandom random) {
        int roll = random.nextInt(100);
        if (roll < 35) {
            return Kind.READ;
        } else if (roll < 40) {
            return Kind.BEGIN_READ;
        } else if (roll < 45) {
            return Kind.END_READ;
        } else if (roll < 85) {
            return Kind.WRITE;
        } else if (roll < 93) {
            return Kind.COPY;
        }
        return roll < 98 ? Kind.CLOSE : Kind.FREEZE;
    }

    /** Runs in a world, with an algorithm per object and one to tell of actors that end. */
    Run in(World world, IntFunction<VersioningAlgorithm> ofObject, VersioningAlgorithm ofActors) {
        return new Run(world, ofObject, ofActors);
    }

    /** Runs all steps under one algorithm. */
    World runIn(World world, VersioningAlgorithm algorithm) {
        Run run = in(world, object -> algorithm, algorithm);
        steps.forEach(run::step);
        return world;
    }

    /** The things of one run. */
    final class Run {
        private final World world;
        private final VersioningAlgorithm ofActors;
        private final List<Thing> things = new ArrayList<>();
        private final Map<Integer, Thing> sessions = new HashMap<>();
        private final Map<Integer, VersionNode> beingRead = new HashMap<>();
        private final Map<Integer, Integer> readFrom = new HashMap<>();

        private Run(
                World world,
                IntFunction<VersioningAlgorithm> ofObject,
                VersioningAlgorithm ofActors) {
            this.world = world;
            this.ofActors = ofActors;
            for (int i = 0; i < objects; i++) {
                things.add(world.thing(ofObject.apply(i)));
            }
        }

        void step(Step step) {
            Thing object = things.get(step.object());
            Thing actor = actor(step.client());
            switch (step.kind()) {
                case READ -> world.read(actor, object);
                case BEGIN_READ -> {
                    beingRead.put(step.client(), object.present());
                    readFrom.put(step.client(), step.object());
                }
                case END_READ -> endRead(step.client(), actor);
                case WRITE -> world.write(actor, object);
                case COPY -> world.copy(actor, object, things.get(step.target()));
                case CLOSE -> {
                    world.close(actor);
                    sessions.remove(step.client());
                }
                case FREEZE -> world.freeze(object);
            }
        }

        Thing actor(int client) {
            return sessions.computeIfAbsent(client, none -> world.thing(ofActors));
        }

        Thing object(int index) {
            return things.get(index);
        }

        /** Ends all that is live, as a restart does. */
        void closeAll() {
            sessions.values().forEach(world::close);
            sessions.clear();
            beingRead.clear();
            things.forEach(world::close);
        }

        private void endRead(int client, Thing actor) {
            VersionNode read = beingRead.remove(client);
            if (read != null) {
                world.read(actor, things.get(readFrom.get(client)), read);
            }
        }
    }
}
