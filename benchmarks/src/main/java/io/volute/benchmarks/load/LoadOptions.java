package io.volute.benchmarks.load;

import io.volute.benchmarks.Arguments;
import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.http.RequestSigner;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What to run, read from {@code --name value} arguments.
 *
 * @param targets one server, or two for a comparison
 * @param runs repetitions of a single server's run, or pairs of a comparison
 * @param resultFile gets one JSON line a run; empty for none
 * @param commit of the server under test, for the result line
 */
public record LoadOptions(
        List<Target> targets, Workload workload, int runs, String resultFile, String commit) {

    /**
     * A server under test.
     *
     * @param pid of its process, if it is of this machine and its use of processors is wanted
     */
    public record Target(
            String name, URI endpoint, RequestSigner.Account account, OptionalLong pid) {
        /** Returns the address that the server listens on. */
        public InetSocketAddress address() {
            int port = endpoint.getPort() < 0 ? 80 : endpoint.getPort();
            return new InetSocketAddress(endpoint.getHost(), port);
        }

        String hostHeader() {
            return endpoint.getPort() < 0
                    ? endpoint.getHost()
                    : endpoint.getHost() + ":" + endpoint.getPort();
        }
    }

    /** The operations that the connections send. */
    public enum Operation {
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
    }

    /** The choice whether the signature covers the SHA-256 of the body. */
    public enum Payload {
        SIGNED,
        UNSIGNED
    }

    /** Is the bucket versioned. */
    public enum Versioning {
        OFF,
        ENABLED
    }

    /** Is what a run wrote deleted after it. */
    public enum CleanUp {
        NO,
        YES
    }

    /**
     * A workload.
     *
     * @param objectBytes size of every object; of the largest in a POPULATION
     * @param objects made before the run and worked on by everything but PUT; for PUT the number of
     *     keys that are overwritten in turn, 0 for always new keys
     * @param prefixes over which the keys are spread
     * @param getPercent share of GET in MIXED and POPULATION
     * @param batch keys in a MULTI_DELETE, entries in a LIST page
     * @param rate operations per second over all connections in an open loop; empty: closed loop
     * @param backgroundPuts a second, of any of the objects, on as many connections of their own;
     *     they are not in the figures; 0: none
     * @param actors among which the connections are divided; 0: none has a name of its own
     * @param bucket made when it does not exist
     */
    public record Workload(
            Operation operation,
            int objectBytes,
            long objects,
            int connections,
            double seconds,
            double warmUpSeconds,
            int prefixes,
            int getPercent,
            int batch,
            OptionalDouble rate,
            double backgroundPuts,
            int actors,
            String bucket,
            Payload payload,
            Versioning versioning,
            CleanUp cleanUp) {

        /** Always the same, so that two servers are given the same. */
        Population population() {
            return new Population(1, objectBytes);
        }

        /** The closed-loop workload that makes or removes this one's objects. */
        Workload preparing(Operation other, long count) {
            return new Workload(
                    other,
                    objectBytes,
                    count,
                    connections,
                    seconds,
                    warmUpSeconds,
                    prefixes,
                    getPercent,
                    1000,
                    OptionalDouble.empty(),
                    0,
                    actors,
                    bucket,
                    payload,
                    versioning,
                    cleanUp);
        }

        /** The open-loop workload that overwrites any of the objects beside this one. */
        Workload background() {
            return new Workload(
                    Operation.MIXED,
                    objectBytes,
                    objects,
                    connections,
                    seconds,
                    warmUpSeconds,
                    prefixes,
                    0,
                    batch,
                    OptionalDouble.of(backgroundPuts),
                    0,
                    actors,
                    bucket,
                    payload,
                    versioning,
                    cleanUp);
        }

        /** For a reader. */
        public String describe() {
            return String.format(
                    Locale.ROOT,
                    "%s of %d bytes, %d connections, %s, %.1f s after %.1f s warm-up, payload %s,"
                            + " versioning %s%s",
                    operation,
                    objectBytes,
                    connections,
                    rate.isPresent() ? "at " + rate.getAsDouble() + " ops/s" : "closed loop",
                    seconds,
                    warmUpSeconds,
                    payload,
                    versioning,
                    backgroundPuts > 0 ? ", beside " + backgroundPuts + " PUT/s" : "");
        }

        /** Adds the settings to a result line. */
        public void writeTo(JsonLine line) {
            line.put("op", operation.toString()).put("size", objectBytes);
            line.put("connections", connections).put("objects", objects);
            line.put("prefixes", prefixes).put("batch", batch);
            line.put("get_percent", getPercent).put("rate", rate.orElse(0));
            line.put("background_puts", backgroundPuts);
            if (actors > 0) {
                // Lines of earlier versions are of none.
                line.put("actors", actors);
            }
            line.put("duration_s", seconds).put("warm_up_s", warmUpSeconds);
            line.put("payload", payload.toString()).put("versioning", versioning.toString());
        }
    }

    static final String USAGE =
            """
            run one server:      --endpoint URL --access-key K --secret-key S [--server-pid PID]
            compare two (ABAB):  the same for A, and --b-endpoint --b-access-key --b-secret-key
                                 [--b-server-pid] [--name A] [--b-name B]
            --op put|get|head|mixed|delete|multi-delete|list|population   (put)
            --size BYTES|nK|nM   (4K)       --objects N     (1000; put: 0 = always new keys)
            --connections N      (16)       --duration S    (20)      --warm-up S   (5)
            --rate OPS_PER_S     open loop  --prefixes N    (1)       --get-percent (70)
            --background-puts PER_S (0)     overwrites beside it; not with put and what deletes
            --batch N            (1000)     --runs N        (1)       --region R    (us-east-1)
            --payload signed|unsigned       --versioning off|enabled  --clean-up no|yes
            --actors N           (0)        connections that call themselves something, for Volute
            --bucket NAME        (load)     --result FILE             --commit ID
            """;

    /**
     * Reads the arguments of the driver.
     *
     * @throws IllegalArgumentException for invalid arguments, with the reason in the message
     */
    public static LoadOptions parse(String... arguments) {
        Arguments given = Arguments.of(arguments, Set.of());
        String region = given.take("region", "us-east-1");
        List<Target> targets = new ArrayList<>();
        targets.add(target(given, "", given.take("endpoint", "http://127.0.0.1:9000"), region));
        String second = given.take("b-endpoint", "");
        if (!second.isEmpty()) {
            targets.add(target(given, "b-", second, region));
        }
        Operation operation = Arguments.constant(given.take("op", "put"), Operation.class);
        String rate = given.take("rate", "");
        Workload workload =
                new Workload(
                        operation,
                        Math.toIntExact(Arguments.bytes(given.take("size", "4K"))),
                        Long.parseLong(
                                given.take("objects", operation == Operation.PUT ? "0" : "1000")),
                        Integer.parseInt(given.take("connections", "16")),
                        Double.parseDouble(given.take("duration", "20")),
                        Double.parseDouble(given.take("warm-up", "5")),
                        Integer.parseInt(given.take("prefixes", "1")),
                        Integer.parseInt(given.take("get-percent", "70")),
                        Integer.parseInt(given.take("batch", "1000")),
                        rate.isEmpty()
                                ? OptionalDouble.empty()
                                : OptionalDouble.of(Double.parseDouble(rate)),
                        Double.parseDouble(given.take("background-puts", "0")),
                        Integer.parseInt(given.take("actors", "0")),
                        given.take("bucket", "load"),
                        Arguments.constant(given.take("payload", "signed"), Payload.class),
                        Arguments.constant(given.take("versioning", "off"), Versioning.class),
                        Arguments.constant(given.take("clean-up", "no"), CleanUp.class));
        LoadOptions options =
                new LoadOptions(
                        List.copyOf(targets),
                        workload,
                        Integer.parseInt(given.take("runs", "1")),
                        given.take("result", ""),
                        given.take("commit", "unknown"));
        given.requireAllTaken();
        if (options.workload().backgroundPuts() > 0 && !operation.sharesObjects()) {
            throw new IllegalArgumentException(
                    "--background-puts overwrites the objects of get, head, mixed and list only");
        }
        if (operation == Operation.POPULATION && options.workload().cleanUp() == CleanUp.YES) {
            throw new IllegalArgumentException(
                    "a population is not removed: use a bucket of its own, and no --clean-up");
        }
        return options;
    }

    /**
     * Reads the arguments that describe a server.
     *
     * @param prefix of the arguments
     */
    public static Target target(Arguments given, String prefix, String url, String region) {
        String pid = given.take(prefix + "server-pid", "");
        return new Target(
                given.take(prefix + "name", prefix.isEmpty() ? "A" : "B"),
                URI.create(url),
                new RequestSigner.Account(
                        given.take(prefix + "access-key", "minioadmin"),
                        given.take(prefix + "secret-key", "minioadmin"),
                        region),
                pid.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(pid)));
    }
}
