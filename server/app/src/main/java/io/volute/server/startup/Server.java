package io.volute.server.startup;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.ResourceStack;
import io.volute.server.Wiring;
import io.volute.server.accesslog.BucketLogs;
import io.volute.server.admin.AdminApi;
import io.volute.server.admin.AdminParts;
import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.RootCredentials;
import io.volute.server.credentials.RootCredentials.Root;
import io.volute.server.encryption.KeyService;
import io.volute.server.encryption.Keyring;
import io.volute.server.http.HttpServer;
import io.volute.server.identity.IdentityStore;
import io.volute.server.notification.Notifications;
import io.volute.server.replication.Replication;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.notification.EventRouter;
import io.volute.server.s3.notification.EventSettings;
import io.volute.server.s3.notification.EventStreams;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.server.tracing.Tracing;
import io.volute.server.upkeep.BackupUpkeep;
import io.volute.server.upkeep.BucketLogDelivery;
import io.volute.server.upkeep.LifecycleUpkeep;
import io.volute.server.upkeep.Scrub;
import io.volute.server.upkeep.ScrubState;
import io.volute.server.upkeep.Upkeep;
import io.volute.storage.Cube;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.VersionedStore;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server: data directory, cube, object store, protocol and HTTP, opened in this order and
 * closed in the opposite one. The only place that names the system's clock, files and randomness.
 */
@Wiring
public final class Server implements RunningServer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final ServerConfig config;
    private final Root root;
    private final ServerRole.Listening listeners;
    private final Monitoring monitoring;
    private final Opened opened;

    /** The resources to close, the last opened first. */
    private final ResourceStack resources;

    private Server(
            ServerConfig config,
            Root root,
            ServerRole.Listening listeners,
            Monitoring monitoring,
            Opened opened,
            ResourceStack resources) {
        this.config = config;
        this.root = root;
        this.listeners = listeners;
        this.monitoring = monitoring;
        this.opened = opened;
        this.resources = resources;
    }

    /** The parts that follow the system cube when another node has it. */
    private record Opened(StoreCubes cubes, IdentityStore identities, boolean hasStore) {}

    /**
     * Opens everything and listens. When it returns, requests are answered.
     *
     * @param environment may hold the root's credential
     * @throws IOException when something cannot be used; the message names it and the next step.
     *     Nothing stays open then
     */
    public static Server start(ServerConfig config, Map<String, String> environment)
            throws IOException {
        return start(config, environment, greeting -> {});
    }

    /**
     * Opens everything. {@code /health/ready} answers 200 from when the greeter has returned.
     *
     * @param greeter receives the lines for the person who started the server
     */
    public static Server start(
            ServerConfig config, Map<String, String> environment, Consumer<List<String>> greeter)
            throws IOException {
        return start(config, environment, new Terms(true, ServerRole.ALONE, greeter));
    }

    /**
     * Opens everything for a node of a cluster.
     *
     * @throws IOException as {@link #start}
     */
    public static Server start(
            ServerConfig config, Map<String, String> environment, ServerRole role)
            throws IOException {
        return start(config, environment, new Terms(true, role, greeting -> {}));
    }

    /**
     * Opens a restored copy, of which somebody reads. Its history does not age, no lifecycle rule
     * applies, and it delivers nothing to places that its buckets name.
     *
     * @throws IOException as {@link #start}
     */
    public static Server startForReading(ServerConfig config, Map<String, String> environment)
            throws IOException {
        return start(config, environment, new Terms(false, ServerRole.ALONE, greeting -> {}));
    }

    private record Terms(boolean hasUpkeep, ServerRole role, Consumer<List<String>> greeter) {}

    private static Server start(ServerConfig config, Map<String, String> environment, Terms terms)
            throws IOException {
        ResourceStack resources = new ResourceStack();
        try {
            return open(config, environment, terms, resources);
        } catch (IOException e) {
            resources.close();
            throw StartFailure.explain(e, config.dataDirectory());
        } catch (RuntimeException | Error e) {
            resources.close();
            throw e;
        }
    }

    private static Server open(
            ServerConfig config,
            Map<String, String> environment,
            Terms terms,
            ResourceStack resources)
            throws IOException {
        ServerRole role = terms.role();
        FileSystem files = new OsFileSystem();
        InstantSource clock = Clock.systemUTC();
        SecureRandom random = new SecureRandom();
        role.requireFree(config);
        Optional<Tracing> tracing = Protocols.tracing(config, clock, System::nanoTime, resources);
        CubeFiles.Means means = new CubeFiles.Means(files, clock, random, System::nanoTime);
        ServerRole.Place place = role.place(config, means, tracing, resources);
        Root root = RootCredentials.find(environment, files, config.dataDirectory(), random);
        Cube cube = place.system();
        MasterKey master = MasterKeys.find(config, cube, files, random);
        ProvenanceSettings signing = MasterKeys.settings(config, master, random);
        EventStreams streams = new EventStreams(config.protocol().region());
        ChangeRouter router =
                new ReplicationRouter(
                        new EventRouter(
                                config.protocol().region(),
                                config.notifications().queueLimit(),
                                streams));
        StoreCubes cubes =
                resources.add(
                        "object store",
                        role.open(
                                place,
                                each ->
                                        new StoreOptions(
                                                each,
                                                clock,
                                                random,
                                                StoreOptions.Limits.S3,
                                                config.history(),
                                                Optional.of(signing),
                                                router),
                                config.placement()));
        CubeReadiness readiness = CubeReadiness.await(cubes, terms.hasUpkeep());
        VersionedStore store = cubes.store();
        Optional<Provenance> chains = role.hasStore() ? store.provenance() : Optional.empty();
        chains.ifPresent(each -> MasterKeys.warnOfAuditors(each, store));
        AuditLogs audit =
                AuditLogs.open(config, place.directory(), chains, files, clock, resources);
        CubeTasks tasks =
                resources.add(
                        "background tasks of cubes",
                        new CubeTasks(
                                config, cubes, place.directory(), files, clock, System::nanoTime));
        if (terms.hasUpkeep()) {
            cubes.follow(tasks);
            Duration day = config.lifecycleDay();
            LifecycleUpkeep lifecycle = new LifecycleUpkeep(store, clock, day);
            resources.add(
                    "lifecycle", Upkeep.start("lifecycle", LifecycleUpkeep.pauses(day), lifecycle));
        }
        Notifications notifications =
                resources.add(
                        "notifications",
                        Notifications.start(config.notifications(), store.outbox(), files, clock));
        Scrub scrub =
                resources.add(
                        "scrub",
                        new Scrub(
                                        cubes::opened,
                                        config.scrub(),
                                        new ScrubState(place.directory()),
                                        clock,
                                        audit.damage())
                                .start());
        Keyring keyring =
                role.keyring(MasterKeys.keyring(config, place.directory(), files), master, random);
        BackupUpkeep.Sources backedUp =
                new BackupUpkeep.Sources(
                        cubes,
                        role.otherCubes(),
                        keyring::stored,
                        role.hasStore(),
                        scrub.damages());
        BackupUpkeep backups =
                resources.add("backup", BackupUpkeep.start(config, backedUp, files, clock, random));
        KnownCallers callers =
                KnownCallers.of(
                        config, root.credential(), cube, role::awaitUsers, master, random, clock);
        Optional<KeyService> keys = KeyServices.open(config, System::nanoTime, resources);
        EventSettings events =
                new EventSettings(
                        config.notifications().types(), config.replication().names(), streams);
        S3Settings settings =
                Protocols.settings(
                        config,
                        MasterKeys.encryption(config, keyring, keys),
                        events,
                        tracing,
                        clock,
                        random);
        Replication replication =
                resources.add(
                        "replication",
                        terms.hasUpkeep()
                                ? callers.replication(
                                        config,
                                        store,
                                        place.files().identity(StoreCubes.SYSTEM).orElseThrow(),
                                        settings)
                                : Replication.idle(store, clock));
        Monitoring monitoring =
                resources.add(
                        "metrics",
                        new Monitoring(
                                config,
                                tracing,
                                System::nanoTime,
                                clock,
                                new FileOutputStream(FileDescriptor.out)));
        BucketLogs logs = new BucketLogs(monitoring.requests(), store::bucket, clock);
        monitoring.add(logs);
        monitoring.add(keys);
        monitoring.add(notifications);
        monitoring.add(replication);
        BucketLogDelivery delivery =
                new BucketLogDelivery(
                        store, logs, settings.encryption(), settings.region(), clock, random);
        if (terms.hasUpkeep()) {
            resources.add("access logs of buckets", delivery.start());
        }
        AdminApi admin =
                resources.add(
                        "admin API",
                        new AdminApi(
                                new AdminParts(
                                        cubes,
                                        place.files()::placement,
                                        store,
                                        store.history(),
                                        store.restore(),
                                        store.provenance(),
                                        settings.encryption().dataKeys(),
                                        scrub,
                                        backups,
                                        callers.identities(),
                                        monitoring.tally(),
                                        notifications::report,
                                        replication,
                                        role.cluster(),
                                        config.lifecycleDay()),
                                clock));
        ServerRole.Listening listeners =
                role.listen(
                        config,
                        new HttpServer.Service(
                                callers.clients(store, settings, clock, audit.trail()),
                                readiness,
                                FirstUseWatch.of(root, logs)),
                        next -> callers.operators(next, settings, admin, audit.trail()),
                        clock,
                        random);
        resources.add("listener", listeners);
        resources.add("event streams", streams);
        monitoring.start(
                config,
                new Monitoring.Watched(
                        cubes,
                        place.files()::placement,
                        store,
                        admin,
                        () -> tasks.figures(scrub, backups),
                        audit.log(),
                        listeners.s3()),
                role,
                clock,
                random);
        Server server =
                new Server(
                        config,
                        root,
                        listeners,
                        monitoring,
                        new Opened(cubes, callers.identities(), role.hasStore()),
                        resources);
        terms.greeter().accept(server.greeting());
        readiness.opened(scrub.damages());
        return server;
    }

    /** Returns the cubes of the store, or the part of them that this server has. */
    public StoreCubes cubes() {
        return opened.cubes();
    }

    /** Reads users, policies and placements again, if another node changes them. */
    public void refresh() throws IOException {
        if (!opened.hasStore()) {
            opened.identities().refresh();
            opened.cubes().refresh();
        }
    }

    /** The address with the port really taken. */
    public InetSocketAddress address() {
        return listeners.address();
    }

    /**
     * Returns the admin API's own address, with the actual port; empty when it shares that of S3.
     */
    public Optional<InetSocketAddress> adminAddress() {
        return listeners.adminAddress();
    }

    /** Returns the address of metrics; empty when metrics are disabled. */
    public Optional<InetSocketAddress> metricsAddress() {
        return monitoring.address();
    }

    @Override
    public List<String> greeting() {
        return new Greeting(config, root, address(), adminAddress(), metricsAddress()).lines();
    }

    @Override
    public boolean stop() {
        return stop(config.shutdown());
    }

    /** Stops, and waits only so long for requests in flight. */
    public boolean stop(Duration patience) {
        boolean drained = false;
        try {
            drained = listeners.drain(patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!drained) {
            LOG.warn("requests were still in flight after {}: cut off", patience);
        }
        return resources.close() && drained;
    }

    @Override
    public void close() {
        boolean unused = stop();
    }
}
