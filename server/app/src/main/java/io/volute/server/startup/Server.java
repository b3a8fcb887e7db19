package io.volute.server.startup;

import io.volute.server.ResourceStack;
import io.volute.server.Wiring;
import io.volute.server.accesslog.BucketLogs;
import io.volute.server.admin.AdminApi;
import io.volute.server.admin.AdminParts;
import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.RootCredentials;
import io.volute.server.http.HttpServer;
import io.volute.server.identity.IdentityStore;
import io.volute.server.s3.S3Settings;
import io.volute.server.tracing.Tracing;
import io.volute.server.upkeep.BucketLogDelivery;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.StoreCubes;
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

    private final StartContext start;
    private final StoreCubes cubes;
    private final IdentityStore identities;
    private final AdminApi admin;
    private final ServerRole.Listening listeners;
    private final Monitoring monitoring;

    private Server(
            StartContext start,
            StoreCubes cubes,
            KnownCallers callers,
            AdminApi admin,
            ServerRole.Listening listeners,
            Monitoring monitoring) {
        this.start = start;
        this.cubes = cubes;
        this.identities = callers.identities();
        this.admin = admin;
        this.listeners = listeners;
        this.monitoring = monitoring;
    }

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
        StartContext start = context(config, environment, terms, resources);
        StoreParts stored = StoreParts.open(start);
        RequestParts requests = RequestParts.open(start, stored);
        Monitoring monitoring = monitoring(start, stored, requests);
        BucketLogs logs = bucketLogs(start, stored, requests, monitoring);
        AdminApi admin = admin(start, stored, requests, monitoring);
        KnownCallers callers = requests.callers();
        ServerRole.Listening listeners =
                terms.role()
                        .listen(
                                config,
                                new HttpServer.Service(
                                        callers.clients(
                                                stored.store(),
                                                requests.settings(),
                                                start.clock(),
                                                stored.audit().trail()),
                                        stored.readiness(),
                                        FirstUseWatch.of(start.root(), logs)),
                                next ->
                                        callers.operators(
                                                next,
                                                requests.settings(),
                                                admin,
                                                stored.audit().trail()),
                                start.clock(),
                                start.random());
        resources.add("listener", listeners);
        resources.add("event streams", stored.streams());
        monitoring.start(
                config,
                new Monitoring.Watched(
                        stored.cubes(),
                        start.place().files()::placement,
                        stored.store(),
                        admin,
                        () -> stored.tasks().figures(stored.scrub(), stored.backups()),
                        stored.audit().log(),
                        listeners.s3()),
                terms.role(),
                start.clock(),
                start.random());
        Server server = new Server(start, stored.cubes(), callers, admin, listeners, monitoring);
        terms.greeter().accept(server.greeting());
        stored.readiness().opened(stored.scrub().damages());
        return server;
    }

    private static StartContext context(
            ServerConfig config,
            Map<String, String> environment,
            Terms terms,
            ResourceStack resources)
            throws IOException {
        FileSystem files = new OsFileSystem();
        InstantSource clock = Clock.systemUTC();
        SecureRandom random = new SecureRandom();
        terms.role().requireFree(config);
        Optional<Tracing> tracing = Protocols.tracing(config, clock, System::nanoTime, resources);
        CubeFiles.Means means = new CubeFiles.Means(files, clock, random, System::nanoTime);
        ServerRole.Place place = terms.role().place(config, means, tracing, resources);
        return new StartContext(
                config,
                terms.role(),
                terms.hasUpkeep(),
                files,
                clock,
                System::nanoTime,
                random,
                tracing,
                place,
                RootCredentials.find(environment, files, config.dataDirectory(), random),
                resources);
    }

    private static Monitoring monitoring(
            StartContext start, StoreParts stored, RequestParts requests) throws IOException {
        Monitoring monitoring =
                new Monitoring(
                        start.config(),
                        start.tracing(),
                        start.nanos(),
                        start.clock(),
                        new FileOutputStream(FileDescriptor.out));
        start.resources().add("metrics", monitoring);
        monitoring.add(requests.keys());
        monitoring.add(stored.notifications());
        monitoring.add(requests.replication());
        return monitoring;
    }

    private static BucketLogs bucketLogs(
            StartContext start, StoreParts stored, RequestParts requests, Monitoring monitoring) {
        BucketLogs logs =
                new BucketLogs(monitoring.requests(), stored.store()::bucket, start.clock());
        monitoring.add(logs);
        S3Settings settings = requests.settings();
        BucketLogDelivery delivery =
                new BucketLogDelivery(
                        stored.store(),
                        logs,
                        settings.encryption(),
                        settings.region(),
                        start.clock(),
                        start.random());
        if (start.hasUpkeep()) {
            start.resources().add("access logs of buckets", delivery.start());
        }
        return logs;
    }

    private static AdminApi admin(
            StartContext start, StoreParts stored, RequestParts requests, Monitoring monitoring) {
        VersionedStore store = stored.store();
        AdminParts parts =
                new AdminParts(
                        stored.cubes(),
                        start.place().files()::placement,
                        store,
                        store.history(),
                        store.restore(),
                        store.provenance(),
                        requests.settings().encryption().dataKeys(),
                        stored.scrub(),
                        stored.backups(),
                        requests.callers().identities(),
                        monitoring.tally(),
                        stored.notifications()::report,
                        requests.replication(),
                        start.role().cluster(),
                        start.role().otherAnswers(),
                        start.config().lifecycleDay());
        return start.resources().add("admin API", new AdminApi(parts, start.clock()));
    }

    /** Returns the cubes of the store, or the part of them that this server has. */
    public StoreCubes cubes() {
        return cubes;
    }

    /** Returns the admin API, for the calls of other nodes. */
    public AdminApi admin() {
        return admin;
    }

    /**
     * Opens the store, for which this node of a cluster was elected. It has the system cube open.
     *
     * @throws IOException when the store cannot be opened; close the system cube then
     */
    public void takeStore() throws IOException {
        refresh();
        cubes.take(StoreCubes.SYSTEM);
        VersionedStore store = cubes.store();
        store.provenance().ifPresent(each -> MasterKeys.warnOfAuditors(each, store));
    }

    /** Reads users, policies and placements again, if another node changes them. */
    public void refresh() throws IOException {
        identities.refresh();
        cubes.refresh();
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
        return new Greeting(
                        start.config(), start.root(), address(), adminAddress(), metricsAddress())
                .lines();
    }

    @Override
    public boolean stop() {
        return stop(start.config().shutdown());
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
        return start.resources().close() && drained;
    }

    @Override
    public void close() {
        boolean unused = stop();
    }
}
