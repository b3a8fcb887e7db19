package io.volute.benchmarks.load;

import io.volute.benchmarks.CommandLines.ByteCount;
import io.volute.benchmarks.JsonLine;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** A mix of requests, as options describe it. */
final class Workload implements Cloneable {
    /** The operations that the connections send. */
    enum Operation {
        PUT,
        GET,
        HEAD,
        MIXED,
        DELETE,
        MULTI_DELETE,
        LIST,
        POPULATION;

        /** Returns whether all runs use the same objects, which exist before the first run. */
        boolean sharesObjects() {
            return this == GET || this == HEAD || this == MIXED || this == LIST;
        }

        /** Returns whether a run writes objects of its own, so that none exist before it. */
        boolean makesObjects() {
            return this == PUT || this == POPULATION;
        }

        @Override
        public String toString() {
            return name().replace('_', '-');
        }
    }

    /** The choice whether the signature covers the SHA-256 of the body. */
    enum Payload {
        SIGNED,
        UNSIGNED
    }

    /** Is the bucket versioned. */
    enum Versioning {
        OFF,
        ENABLED
    }

    /** Is what a run wrote deleted after it. */
    enum CleanUp {
        NO,
        YES
    }

    @Option(names = "--op", description = "${COMPLETION-CANDIDATES}")
    Operation operation = Operation.PUT;

    @Option(
            names = "--size",
            converter = ByteCount.class,
            defaultValue = "4K",
            description = "Bytes of an object, of the largest in a population.")
    long objectBytes;

    @Option(names = "--objects", description = "-1: 1000, or of put 0: always new keys.")
    long objects = -1;

    @Option(names = "--connections", description = "Connections that send requests.")
    int connections = 16;

    @Option(names = "--duration", description = "Measured seconds.")
    double seconds = 20;

    @Option(names = "--warm-up", description = "Seconds before.")
    double warmUpSeconds = 5;

    @Option(names = "--prefixes", description = "Prefixes over which the keys are spread.")
    int prefixes = 1;

    @Option(names = "--get-percent", description = "Share of GET in mixed and population.")
    int getPercent = 70;

    @Option(names = "--batch", description = "Keys of a multi-delete, entries of a page.")
    int batch = 1000;

    @Option(names = "--rate", description = "Requests a second in an open loop; 0: closed loop.")
    double rate;

    @Option(names = "--background-puts", description = "Overwrites a second at the same time.")
    double backgroundPuts;

    @Option(names = "--actors", description = "Actors among which the connections are divided.")
    int actors;

    @Option(
            names = "--bucket",
            split = ",",
            paramLabel = "NAME[,NAME..]",
            description = "Made when they do not exist; the connections are divided among them.")
    List<String> buckets = List.of("load");

    @Option(names = "--region", description = "Region of signatures.")
    String region = "us-east-1";

    @Option(names = "--payload", description = "${COMPLETION-CANDIDATES}")
    Payload payload = Payload.SIGNED;

    @Option(names = "--versioning", description = "${COMPLETION-CANDIDATES}")
    Versioning versioning = Versioning.OFF;

    @Option(names = "--clean-up", description = "${COMPLETION-CANDIDATES}")
    CleanUp cleanUp = CleanUp.NO;

    /**
     * Completes the options.
     *
     * @throws IllegalArgumentException if some exclude each other
     */
    void complete() {
        if (objects < 0) {
            objects = operation == Operation.PUT ? 0 : 1000;
        }
        if (buckets.size() > connections) {
            throw new IllegalArgumentException(
                    connections + " connections are too few for " + buckets.size() + " buckets");
        }
        boolean removes = operation == Operation.DELETE || operation == Operation.MULTI_DELETE;
        boolean needsOneBucket =
                removes || operation == Operation.POPULATION || cleanUp == CleanUp.YES;
        if (buckets.size() > 1 && needsOneBucket) {
            throw new IllegalArgumentException(
                    "several buckets exclude --clean-up, and deletes and a population");
        }
        if (backgroundPuts > 0 && !operation.sharesObjects()) {
            throw new IllegalArgumentException(
                    "--background-puts overwrites the objects of get, head, mixed and list only");
        }
        if (operation == Operation.POPULATION && cleanUp == CleanUp.YES) {
            throw new IllegalArgumentException(
                    "a population is not removed: use a bucket of its own, and no --clean-up");
        }
    }

    private Workload with(Operation other, double otherRate) {
        try {
            Workload copy = (Workload) clone();
            copy.operation = other;
            copy.rate = otherRate;
            copy.backgroundPuts = 0;
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("it is cloneable", e);
        }
    }

    /** The closed-loop workload that makes or removes this one's objects in one bucket. */
    Workload preparing(Operation other, long count, String bucket) {
        Workload preparing = with(other, 0);
        preparing.buckets = List.of(bucket);
        preparing.objects = count;
        preparing.batch = 1000;
        return preparing;
    }

    /** The open-loop workload that overwrites any of the objects beside this one. */
    Workload background() {
        Workload writing = with(Operation.MIXED, backgroundPuts);
        writing.getPercent = 0;
        return writing;
    }

    /** Always the same, so that two servers are given the same. */
    Population population() {
        return new Population(1, Math.toIntExact(objectBytes));
    }

    /** For a reader. */
    String describe() {
        return String.format(
                Locale.ROOT,
                "%s of %d bytes, %d connections, %s, %.1f s after %.1f s warm-up, payload %s,"
                        + " versioning %s%s",
                operation,
                objectBytes,
                connections,
                rate > 0 ? "at " + rate + " ops/s" : "closed loop",
                seconds,
                warmUpSeconds,
                payload,
                versioning,
                backgroundPuts > 0 ? ", beside " + backgroundPuts + " PUT/s" : "");
    }

    /** Adds the settings to a result line. */
    void writeTo(JsonLine line) {
        line.put("op", operation.name()).put("size", objectBytes);
        line.put("connections", connections).put("objects", objects);
        line.put("prefixes", prefixes).put("batch", batch);
        line.put("get_percent", getPercent).put("rate", rate);
        line.put("background_puts", backgroundPuts);
        if (actors > 0) {
            // Lines of earlier versions are of none.
            line.put("actors", actors);
        }
        line.put("duration_s", seconds).put("warm_up_s", warmUpSeconds);
        line.put("payload", payload.name()).put("versioning", versioning.name());
    }
}
