package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import io.volute.system.bookkeeper.OwnerNodes.Owner;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Faults of the owner of a placed cube, of the owner of the store and of bookies, between orders
 * that move cubes. Clients with the retries of every SDK use each cube: they see no error and lose
 * nothing. Clients without retries see a linearizable history of a few objects of the placed cube
 * through all nodes. Each kind happens once, then all in random order, with {@code
 * -Dvolute.placed.faults=40}. And the time until writes to a placed cube are acknowledged after the
 * loss of its owner, with {@code -Dvolute.placed.runs=30}. Skipped without one of them: {@code
 * ClusterOwnersIT} has one kill of each owner.
 */
@EnabledIf(
        value = "isWanted",
        disabledReason = "SKIPPED: -Dvolute.placed.faults=40 runs it for a quarter of an hour")
class PlacedCubeFaultsIT {
    private static final int FAULTS = Integer.getInteger("volute.placed.faults", 0);
    private static final int OBJECTS = Integer.getInteger("volute.placed.objects", 100_000);
    private static final int RUNS = Integer.getInteger("volute.placed.runs", 0);
    private static final int OBJECT_BYTES = 100;
    private static final int ACKNOWLEDGED_BETWEEN = 5;
    private static final int BOOKIES = 3;

    /** The cube that the faults are about. */
    private static final String CUBE = "hot";

    /** Placed, too. */
    private static final String OTHER = "cold";

    private static final String BUCKET = "in-hot";
    private static final List<String> BUCKETS = List.of(BUCKET, "in-cold", "in-default");

    /** About the time that the command needs to move a cube. */
    private static final int MOVE_MILLIS = 4_000;

    private static TemporaryStore servers;
    private static TemporaryStore directory;
    private static BookieCluster bookies;
    private static ClusterSite site;
    private static ClusterNodes nodes;
    private static OwnerNodes owners;

    private enum Fault {
        OWNER_STOPPED,
        OWNER_KILLED_IN_MOVE,
        OWNER_KILLED,
        STORE_KILLED,
        OWNER_CUT_OFF,
        BOOKIE_KILLED,
        STORE_STOPPED,
        STORE_KILLED_IN_MOVE,
        OWNER_AND_BOOKIE_KILLED,
        STORE_MOVED
    }

    static boolean isWanted() {
        return FAULTS + RUNS > 0;
    }

    @BeforeAll
    static void start() throws Exception {
        servers = TemporaryStore.create("bookies");
        directory = TemporaryStore.create("nodes");
        bookies = BookieCluster.start(Files.createDirectories(servers.data()));
        site = ClusterSite.start(directory, bookies);
        nodes = site.nodes();
        owners = OwnerNodes.at(bookies.zooKeeper());
        ServerProcess any = nodes.node(2);
        VoluteCommand.done(any, "cube", "create", CUBE);
        VoluteCommand.done(any, "cube", "create", OTHER);
        VoluteCommand.done(any, "bucket", "create", BUCKETS.get(0), "--cube", CUBE);
        VoluteCommand.done(any, "bucket", "create", BUCKETS.get(1), "--cube", OTHER);
        try (S3Client s3 = nodes.client(2)) {
            s3.createBucket(request -> request.bucket(BUCKETS.get(2)));
        }
        nodes.awaitStandbys();
        place(CUBE, 1, 2);
        place(OTHER, 2, 2);
    }

    @AfterAll
    static void end() throws Exception {
        owners.close();
        site.close();
        bookies.close();
        directory.close();
        servers.close();
    }

    /** Clients with the SDK's retries, one for each bucket. */
    private record Load(List<SteadyClient> clients) implements AutoCloseable {
        static Load of(S3Client s3, List<String> buckets) {
            return new Load(buckets.stream().map(each -> new SteadyClient(s3, each)).toList());
        }

        /** Waits until each client has made some writes more. */
        void goesOn() throws InterruptedException {
            for (SteadyClient each : clients) {
                each.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            }
        }

        List<Long> slowestMillis() {
            return clients.stream().map(SteadyClient::slowestMillis).toList();
        }

        void requireNothingLost(S3Client s3, String what) {
            for (SteadyClient each : clients) {
                assertThat(each.errors()).as(what).isEmpty();
                each.requireAll(s3);
            }
        }

        @Override
        public void close() throws InterruptedException {
            for (SteadyClient each : clients) {
                each.close();
            }
        }
    }

    private static String name(int node) {
        return "node" + node;
    }

    /** Orders that a node has a cube, unless it has. */
    private static void place(String cube, int node, int through) throws Exception {
        boolean isThere = owners.of(cube).map(Owner::name).filter(name(node)::equals).isPresent();
        if (!isThere) {
            Said said = VoluteCommand.run(nodes.node(through), "cluster", "move", cube, name(node));
            assertThat(said.code()).as(said.text()).isZero();
        }
        assertThat(owners.awaitServing(cube).name()).isEqualTo(name(node));
    }

    @Test
    void nothingIsLostOrStaleThroughFaultsOfOwners() throws Exception {
        assumeThat(FAULTS).as("SKIPPED: needs -Dvolute.placed.faults").isPositive();
        long seed = Long.getLong("volute.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        Map<Fault, Integer> done = new EnumMap<>(Fault.class);
        long operations = 0;
        try {
            for (int i = 0; i < FAULTS; i++) {
                int kinds = Fault.values().length;
                Fault fault = Fault.values()[i < kinds ? i : random.nextInt(kinds)];
                operations += suffer(fault, i, random);
                done.merge(fault, 1, Integer::sum);
            }
        } catch (AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", after " + done + "\n" + nodes.logs() + bookies.logs(), e);
        } finally {
            System.out.printf(
                    "faults of owners of cubes: seed %d, %s, operations on registers %d%n",
                    seed, done, operations);
        }
    }

    /** Returns the number of recorded operations. */
    private static long suffer(Fault fault, int round, SplittableRandom random) throws Exception {
        bookies.superviseBookies();
        Owner ofStore = owners.awaitStore();
        int store = ofStore.number();
        int owner = (store + 1 + random.nextInt(ClusterSite.NODES - 1)) % ClusterSite.NODES;
        // Not through a lost node: a load balancer would not send its requests there.
        int through = ClusterSite.NODES - store - owner;
        int bookie = random.nextInt(BOOKIES);
        String what = fault + " of round " + round;
        try (S3Client s3 = nodes.client(through)) {
            Load load = Load.of(s3, BUCKETS);
            RegisterClients registers =
                    new RegisterClients(site.once(), BUCKET, "round-" + round + "/", random);
            try (load;
                    registers) {
                load.goesOn();
                place(CUBE, owner, through);
                place(OTHER, random.nextInt(ClusterSite.NODES), through);
                load.goesOn();
                Owner before = owners.awaitServing(CUBE);
                ClusterSite.Wait lost =
                        () -> {
                            owners.awaitEnd(CUBE, before);
                            load.goesOn();
                        };
                switch (fault) {
                    case OWNER_STOPPED -> ClusterSite.stop(nodes.node(owner).pid(), lost);
                    case OWNER_KILLED -> site.kill(owner, lost);
                    case OWNER_CUT_OFF -> site.cutOff(owner, lost);
                    case OWNER_AND_BOOKIE_KILLED ->
                            site.killBookie(bookie, () -> site.kill(owner, lost));
                    case OWNER_KILLED_IN_MOVE ->
                            inMove(through, through, random, () -> site.kill(owner, lost));
                    case STORE_KILLED -> site.kill(store, load::goesOn);
                    case STORE_STOPPED ->
                            ClusterSite.stop(
                                    nodes.node(store).pid(), () -> owners.awaitEnd(ofStore));
                    case STORE_KILLED_IN_MOVE ->
                            inMove(store, through, random, () -> site.kill(store, load::goesOn));
                    case STORE_MOVED ->
                            VoluteCommand.done(nodes.node(through), "cluster", "move", name(owner));
                    case BOOKIE_KILLED -> site.killBookie(bookie, load::goesOn);
                }
                bookies.superviseBookies();
                load.goesOn();
            }
            load.requireNothingLost(s3, what);
            assertThat(registers.violations()).as(what).isEmpty();
            // Written for each read by a node whose session had ended, until its restart.
            assertThat(nodes.logs()).doesNotContain("Cancel watch ledger metadata failed");
            System.out.println(what + ": slowest PUT of each bucket " + load.slowestMillis());
            return registers.operations();
        }
    }

    /** Runs a fault at some moment of an order that moves the cube. The order may fail. */
    private static void inMove(int to, int through, SplittableRandom random, ClusterSite.Wait fault)
            throws Exception {
        ServerProcess any = nodes.node(through);
        CompletableFuture<Said> order =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return VoluteCommand.run(any, "cluster", "move", CUBE, name(to));
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        LockSupport.parkNanos(Duration.ofMillis(random.nextInt(MOVE_MILLIS)).toNanos());
        fault.await();
        System.out.println("order beside the fault: " + order.get().text().strip());
    }

    @Test
    void writesAreAcknowledgedSoonAfterTheLossOfTheOwner() throws Exception {
        assumeThat(RUNS).as("SKIPPED: needs -Dvolute.placed.runs").isPositive();
        try (S3Client s3 = nodes.client(owners.awaitStore().number())) {
            byte[] content = new byte[OBJECT_BYTES];
            new SplittableRandom(1).nextBytes(content);
            SteadyClient.putMany(s3, BUCKET, OBJECTS, content);
        }
        List<Long> fromKill = new ArrayList<>();
        List<Long> fromEnd = new ArrayList<>();
        for (int run = 0; run < RUNS; run++) {
            int store = owners.awaitStore().number();
            int owner = (store + 1) % ClusterSite.NODES;
            int through = ClusterSite.NODES - store - owner;
            place(CUBE, owner, through);
            place(OTHER, through, through);
            owners.awaitFollows(name(store), CUBE);
            owners.awaitFollows(name(through), CUBE);
            Owner before = owners.awaitServing(CUBE);
            assertThat(before.number()).isEqualTo(owner);
            String key = "after-" + run;
            try (S3Client s3 = nodes.client(through);
                    Load load = Load.of(s3, BUCKETS.subList(1, BUCKETS.size()))) {
                load.goesOn();
                nodes.node(owner).kill();
                long killed = System.nanoTime();
                CompletableFuture<Long> ended =
                        CompletableFuture.supplyAsync(
                                () -> {
                                    owners.awaitEnd(CUBE, before);
                                    return System.nanoTime();
                                });
                s3.putObject(
                        request -> request.bucket(BUCKET).key(key), RequestBody.fromString(key));
                long acknowledged = System.nanoTime();
                fromKill.add((acknowledged - killed) / 1_000_000);
                fromEnd.add((acknowledged - ended.get()) / 1_000_000);
                load.goesOn();
                load.requireNothingLost(s3, "run " + run);
            } catch (AssertionError e) {
                throw new AssertionError(nodes.logs(), e);
            }
            nodes.restart(owner);
            System.out.printf(
                    "run %d: %d ms from the kill, %d ms from the end of the session%n",
                    run, fromKill.getLast(), fromEnd.getLast());
        }
        Collections.sort(fromKill);
        Collections.sort(fromEnd);
        System.out.printf(
                "take-over of a cube with %d objects, %d runs: median %d ms, worst %d ms; from the"
                        + " end of the session median %d ms, worst %d ms%n",
                OBJECTS,
                RUNS,
                fromKill.get(RUNS / 2),
                fromKill.getLast(),
                fromEnd.get(RUNS / 2),
                fromEnd.getLast());
        assertThat(fromKill).hasSize(RUNS);
    }
}
