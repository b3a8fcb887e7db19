package io.volute.server.cluster;

import io.volute.bookkeeper.ClockCheck;
import io.volute.bookkeeper.ClusterFile;
import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterSettings;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.ResourceStack;
import io.volute.server.Upkeep;
import io.volute.server.Wiring;
import io.volute.server.cluster.CubeOwner.OpenServer;
import io.volute.server.cluster.hop.HopGate;
import io.volute.server.cluster.hop.HopPool;
import io.volute.server.cluster.hop.HopSeal;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.hop.NodeCallHandler;
import io.volute.server.cluster.hop.NodeCallHandler.Operation;
import io.volute.server.cluster.hop.NodeCalls;
import io.volute.server.cluster.owners.HeldSnapshots;
import io.volute.server.cluster.owners.OtherKeyrings;
import io.volute.server.cluster.owners.OwnerAnswers;
import io.volute.server.cluster.owners.OwnerCalls;
import io.volute.server.cluster.owners.SharedKeyring;
import io.volute.server.cluster.owners.SnapshotCalls;
import io.volute.server.cluster.standby.StandbyStore;
import io.volute.server.config.ServerConfig;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.credentials.RootCredentials;
import io.volute.server.credentials.RootCredentials.Root;
import io.volute.server.http.HttpServer;
import io.volute.server.http.Tls;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.startup.CubeFiles;
import io.volute.server.startup.Greeting;
import io.volute.server.startup.Listeners;
import io.volute.server.startup.MasterKeys;
import io.volute.server.startup.RunningServer;
import io.volute.server.startup.StartFailure;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server as one node of a cluster. It always listens for clients, and forwards their requests to
 * the owner of the store. While it is the owner itself, it has the store open.
 */
@Wiring
public final class ClusterNode implements RunningServer {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNode.class);
    private static final String KEYS = "keys";
    private static final String KEYRING = "keyring";
    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);

    /** An operator waits for slow owners no longer. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ServerConfig config;
    private final Root root;
    private final Listeners listeners;
    private final NodeMetrics metrics;
    private final ResourceStack resources;

    private ClusterNode(
            ServerConfig config,
            Root root,
            Listeners listeners,
            NodeMetrics metrics,
            ResourceStack resources) {
        this.config = config;
        this.root = root;
        this.listeners = listeners;
        this.metrics = metrics;
        this.resources = resources;
    }

    /**
     * Joins the cluster and listens. When it returns, requests are answered by this node or by
     * another one.
     *
     * @param config with settings of a cluster
     * @param environment may hold the root's credential
     * @throws IOException when something cannot be used; the message names it and the next step
     */
    public static ClusterNode start(ServerConfig config, Map<String, String> environment)
            throws IOException {
        ResourceStack resources = new ResourceStack();
        try {
            return open(config, environment, resources);
        } catch (IOException e) {
            resources.close();
            throw StartFailure.explain(e, config.dataDirectory());
        } catch (RuntimeException | Error e) {
            resources.close();
            throw e;
        }
    }

    private static ClusterNode open(
            ServerConfig config, Map<String, String> environment, ResourceStack resources)
            throws IOException {
        InstantSource clock = Clock.systemUTC();
        SecureRandom random = new SecureRandom();
        ClusterConfig cluster = config.cluster().orElseThrow();
        Listeners.requireFree(config);
        HttpServer.requireFree(cluster.address());
        byte[] secret = HopSeal.secret(cluster.secretFile());
        Optional<Tls> tls = Tls.open(cluster.tls());
        if (tls.isPresent()) {
            tls.get().requireAccepted(cluster.address().getHostString());
        }
        ClusterSettings settings = settings(config, cluster);
        ClockCheck.require(settings, clock, System::nanoTime);
        ClusterMembership membership =
                resources.add("membership", ClusterMembership.join(settings, System::nanoTime));
        Keys keys = requireKeys(config, environment, membership, secret, random);
        HopSeal seal = new HopSeal(secret, clock, random);
        HopPool pool =
                resources.add("connections to the owner", new HopPool(System::nanoTime, tls));
        Forwarding forwarding =
                resources.add(
                        "forwarding",
                        new Forwarding(
                                membership, seal, pool, cluster.patience(), System::nanoTime));
        OwnerLease.Counts leaseCounts = new OwnerLease.Counts();
        NodeMetrics metrics =
                resources.add("metrics", new NodeMetrics(config, forwarding, leaseCounts));
        ServerConfig ofServers =
                config.listening(
                        HopGate.listener(config.http(), cluster),
                        Optional.empty(),
                        config.metrics());
        NodeCubes cubes =
                resources.add(
                        "standbys",
                        NodeCubes.open(
                                ofServers,
                                new CubeFiles.Means(
                                        new OsFileSystem(), clock, random, System::nanoTime),
                                StandbyStore.Options.of(
                                        config,
                                        keys.root().credential(),
                                        keys.master(),
                                        random,
                                        clock),
                                membership));
        HopGate hops =
                new HopGate(seal, HttpServer.Readiness.ALWAYS, RequestWatch.NONE, forwarding::hops);
        resources.add("listener for nodes", Listeners.start(ofServers, hops, hops, clock, random));
        PlacedCubes placed =
                new PlacedCubes(membership, cluster.name(), cluster.patience(), leaseCounts);
        NodeCalls calls = new NodeCalls(seal, pool, random);
        OtherOwners others = new OtherOwners(membership, calls, cluster.name());
        SharedKeyring keyring =
                new SharedKeyring(
                        membership.file(KEYRING),
                        new OtherKeyrings(
                                others::elected,
                                calls::call,
                                () -> TimeUnit.NANOSECONDS.sleep(LOOK_NANOS),
                                System::nanoTime));
        resources.add("keyring", Upkeep.start("keyring", SharedKeyring.PAUSES, keyring));
        OwnerCalls bucketCalls = new OwnerCalls(calls, placed::ownerElsewhere, CALL_LIMIT);
        HeldSnapshots snapshots =
                resources.add(
                        "snapshots",
                        new HeldSnapshots(() -> cubes(placed), random, System::nanoTime));
        resources.add(
                "unused snapshots",
                Upkeep.start("unused-snapshots", HeldSnapshots.PAUSES, snapshots));
        StoreOwner servers =
                new StoreOwner(
                        ofServers,
                        new NodeRole.Context(
                                config,
                                config.adminAddress().isPresent(),
                                membership,
                                cubes,
                                placed,
                                leaseCounts,
                                others,
                                metrics.exchange(),
                                environment,
                                entrance -> forwarding.elsewhere(entrance, cubes),
                                forwarding.connected(),
                                keyring,
                                bucketCalls,
                                new SnapshotCalls(
                                        calls::call,
                                        placed::ownerElsewhere,
                                        CALL_LIMIT,
                                        System::nanoTime),
                                new OwnerAnswers(others::ofCubes, calls::call, ANSWER_LIMIT),
                                nodeCalls(seal, forwarding, placed, keyring, snapshots),
                                metrics::entrance,
                                metrics::figures,
                                clock,
                                System::nanoTime));
        forwarding.servers(servers);
        resources.add("servers", servers);
        resources.add("placed cubes", placed);
        Listeners listeners =
                resources.add(
                        "listener",
                        Listeners.start(
                                config,
                                forwarding.unlessLocal(Entrance.S3, cubes),
                                forwarding.unlessLocal(Entrance.ADMIN, cubes),
                                clock,
                                random));
        metrics.start(membership, servers, cubes, listeners.s3(), clock, random);
        forwarding.follow();
        forwarding.watchOwners();
        placed.start();
        servers.start();
        membership.store().stand();
        awaitOwner(membership, servers, cluster.patience().toNanos());
        return new ClusterNode(config, keys.root(), listeners, metrics, resources);
    }

    /** Returns the handler of calls of other nodes, by the server that runs then. */
    private static NodeCallHandler nodeCalls(
            HopSeal seal,
            Forwarding forwarding,
            PlacedCubes placed,
            SharedKeyring keyring,
            HeldSnapshots snapshots) {
        Map<String, Operation> operations = new HashMap<>(forwarding.operations());
        operations.putAll(keyring.operations());
        operations.putAll(OwnerCalls.operations(() -> cubes(placed)));
        operations.putAll(snapshots.operations());
        operations.putAll(OwnerAnswers.operations(() -> placed.server().map(OpenServer::admin)));
        return new NodeCallHandler(seal, operations);
    }

    private static Optional<StoreCubes> cubes(PlacedCubes placed) {
        return placed.server().map(OpenServer::cubes);
    }

    private static ClusterSettings settings(ServerConfig config, ClusterConfig cluster) {
        return new ClusterSettings(
                config.logStore().zooKeeper(),
                config.logStore().path(),
                config.logStore().session(),
                cluster.lease(),
                CubeFiles.security(config.logStore().security()),
                cluster.name(),
                text(cluster.address()),
                Optional.ofNullable(ClusterNode.class.getPackage().getImplementationVersion())
                        .orElse("unpackaged"));
    }

    private static String text(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** The secrets of a node, which all nodes share. */
    private record Keys(Root root, MasterKey master) {}

    /** Finds the secrets of this node, and compares them with those of the cluster. */
    private static Keys requireKeys(
            ServerConfig config,
            Map<String, String> environment,
            ClusterMembership membership,
            byte[] secret,
            SecureRandom random)
            throws IOException {
        FileSystem files = new OsFileSystem();
        StoreDirectory directory =
                StoreDirectory.open(config.dataDirectory(), files, Clock.systemUTC());
        try (directory) {
            Root root = RootCredentials.find(environment, files, config.dataDirectory(), random);
            ClusterFile check = membership.file(KEYS);
            MasterKey master = MasterKeys.find(config, check.read().isPresent(), files, random);
            SharedKeys.require(check, master, root.credential(), secret, random);
            return new Keys(root, master);
        }
    }

    /** Waits for an owner. A first take-over by this node that fails is a failure of the start. */
    private static void awaitOwner(ClusterMembership membership, StoreOwner store, long patience)
            throws IOException {
        long limit = System.nanoTime() + patience;
        try {
            while (membership.store().awaitServing(LOOK_NANOS).isEmpty()) {
                Optional<Throwable> failure = store.failure();
                if (failure.isPresent()) {
                    throw failure.get() instanceof IOException known
                            ? known
                            : new IOException(failure.get());
                }
                if (System.nanoTime() - limit > 0) {
                    LOG.warn("no node has the store yet: requests wait");
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the start was interrupted");
        }
    }

    @Override
    public List<String> greeting() {
        List<String> lines =
                new ArrayList<>(
                        new Greeting(
                                        config,
                                        root,
                                        listeners.address(),
                                        listeners.adminAddress(),
                                        metrics.address())
                                .lines());
        ClusterConfig cluster = config.cluster().orElseThrow();
        lines.add(1, "  cluster     node " + cluster.name() + " at " + text(cluster.address()));
        return lines;
    }

    @Override
    public boolean stop() {
        boolean drained = false;
        try {
            drained = listeners.drain(config.shutdown());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return resources.close() && drained;
    }
}
