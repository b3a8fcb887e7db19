package io.volute.server.startup;

import io.volute.bookkeeper.BookKeeperSettings;
import io.volute.bookkeeper.BookKeeperStores;
import io.volute.bookkeeper.ClientSecurity;
import io.volute.server.config.ServerConfig;
import io.volute.server.config.cluster.LogStoreConfig;
import io.volute.server.tracing.Tracing;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.Cubes;
import io.volute.storage.DamagedException;
import io.volute.storage.directory.LogPlace;
import io.volute.storage.directory.LogPlacement;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.report.RecoveryReport;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cubes in a data directory, and their shares of the budgets of the server. The memory images
 * and the cleaning threads are divided among the cubes that exist at the start; a cube that is
 * created later has no memory images until the next start. Thread-safe.
 */
public final class CubeFiles implements StoreCubes.Files, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CubeFiles.class);

    private final ServerConfig config;
    private final StoreDirectory directory;
    private final Means means;
    private final Optional<BookKeeperSettings.InCluster> node;
    private final Cubes.Shared shared;

    private final Map<String, LogPlacement> placements = new ConcurrentHashMap<>();
    private Optional<BookKeeperStores> bookKeeper = Optional.empty();
    private volatile Optional<Tracing> tracing = Optional.empty();

    /** The names of the cubes at the start. */
    private volatile List<String> first;

    /** The means by which cubes are opened. */
    public record Means(
            FileSystem files, InstantSource clock, RandomGenerator random, LongSupplier nanos) {}

    /** Allocates the memory that the cubes share. */
    public CubeFiles(ServerConfig config, StoreDirectory directory, Means means)
            throws IOException {
        this(config, directory, means, Optional.empty());
    }

    /**
     * Allocates the memory that the cubes share.
     *
     * @param node of a cluster; empty without one
     */
    public CubeFiles(
            ServerConfig config,
            StoreDirectory directory,
            Means means,
            Optional<BookKeeperSettings.InCluster> node)
            throws IOException {
        this.config = config;
        this.node = node;
        this.directory = directory;
        this.means = means;
        this.first = directory.cubes();
        this.shared = new Cubes.Shared(config.log());
    }

    /**
     * Notes the start of a server: the cubes that it opens share the budgets.
     *
     * @param traced times the commits of these cubes
     */
    public void begin(Optional<Tracing> traced) throws IOException {
        tracing = traced;
        first = directory.cubes();
    }

    @Override
    public Cube open(String name) throws IOException {
        requireShared(name);
        try {
            return openCube(name);
        } catch (DamagedException e) {
            throw new IOException(
                    "cube " + name + " cannot be opened: " + e.getMessage() + advice(name, e), e);
        }
    }

    /** Returns the ways out of damaged segments. The message about a mark has its own. */
    private String advice(String name, DamagedException damage) throws IOException {
        return damage.getMessage().contains(".mark")
                ? " into " + directory.cube(name)
                : ". Put the file back into "
                        + directory.cube(name)
                        + " from a copy, restore a backup (volute backup restore), or set"
                        + " log.on-damage = accept-read-only to read the remaining data";
    }

    private Cube openCube(String name) throws IOException {
        boolean isOnLedgers = config.logStore().isOnBookKeeper(name);
        Cubes.Opened opened =
                Cubes.open(
                        options(name),
                        shared,
                        isOnLedgers ? LogPlace.Kind.BOOKKEEPER : LogPlace.Kind.LOCAL,
                        () -> bookKeeper().of(name),
                        config.logStore().migrationRate());
        placements.put(name, opened.placement());
        tell(name, opened.report());
        Cube cube = opened.cube();
        return tracing.map(on -> on.timing(cube)).orElse(cube);
    }

    private CubeOptions options(String name) throws IOException {
        return new CubeOptions(
                directory.cube(name),
                means.files(),
                means.clock(),
                means.random(),
                ObjectStores.families(),
                log(),
                memory(name),
                means.nanos());
    }

    /** Returns the names of the cubes on BookKeeper, which other nodes may have open. */
    public List<String> cubesOnBookKeeper() throws IOException {
        return bookKeeper().cubes();
    }

    /** Returns a standby of a cube on BookKeeper that another node has open. */
    public Cubes.Standby follow(String name) throws IOException {
        return bookKeeper().follow(name, options(name), shared);
    }

    /** Returns the greatest sequence of the cubes, as {@link Cubes.Shared#lastSequence} does. */
    public long lastSequence() {
        return shared.lastSequence();
    }

    /** Records a sequence of other cubes of the store, as {@link Cubes.Shared#passed} does. */
    public void passed(long sequence) {
        shared.passed(sequence);
    }

    /**
     * Returns the place of the log of a cube that was opened.
     *
     * @return empty when it was not opened
     */
    public Optional<LogPlacement> placement(String name) {
        return Optional.ofNullable(placements.get(name));
    }

    /** A node that takes over has no files of another node. */
    private void requireShared(String name) throws IOException {
        boolean isLocal =
                LogPlace.read(means.files(), directory.cube(name))
                        .filter(place -> place.store() == LogPlace.Kind.LOCAL)
                        .isPresent();
        if (isLocal && config.cluster().isPresent()) {
            throw new IOException(
                    "the log of cube "
                            + name
                            + " is on the local disk, where no other node of the cluster reaches"
                            + " it. Start the server without cluster.name, run volute cube migrate "
                            + name
                            + " --to bookkeeper, then set cluster.name again.");
        }
    }

    /** Connects when the first cube with a log on BookKeeper is opened. */
    private synchronized BookKeeperStores bookKeeper() throws IOException {
        if (bookKeeper.isEmpty()) {
            LogStoreConfig from = config.logStore();
            InetSocketAddress listen = config.http().listen();
            bookKeeper =
                    Optional.of(
                            BookKeeperStores.connect(
                                    new BookKeeperSettings(
                                            from.zooKeeper(),
                                            from.path(),
                                            from.session(),
                                            security(from.security()),
                                            from.copies().ensemble(),
                                            from.copies().write(),
                                            from.copies().ack(),
                                            listen.getHostString() + ":" + listen.getPort(),
                                            node,
                                            from.mirrorBytes()),
                                    means.nanos()));
        }
        return bookKeeper.get();
    }

    /** Returns the security of clients as the settings have it. */
    public static ClientSecurity security(LogStoreConfig.Security from) {
        return new ClientSecurity(
                from.authorities(), from.certificate(), from.acl() == LogStoreConfig.Acl.CREATOR);
    }

    private LogSettings log() {
        CleaningSettings cleaning = config.log().cleaning();
        int threads =
                cleaning.threads() == 0 ? 0 : Math.max(1, cleaning.threads() / cubesAtStart());
        return config.log().with(cleaning.withThreads(threads));
    }

    private MemorySettings memory(String name) {
        MemorySettings all = config.memory();
        long share = all.imageBytes() / cubesAtStart();
        boolean isFirst = first.isEmpty() ? name.equals(StoreCubes.SYSTEM) : first.contains(name);
        return isFirst && share >= MemorySettings.IMAGE_BYTES_MIN
                ? new MemorySettings(share, all.entryBytesMax())
                : MemorySettings.OFF;
    }

    private int cubesAtStart() {
        return Math.max(1, first.size());
    }

    private static void tell(String name, RecoveryReport report) {
        String cube = name.equals(StoreCubes.SYSTEM) ? "" : "cube " + name + ": ";
        if (!report.cleanStart()) {
            LOG.info(
                    "{}recovered: {} bytes of log with {} entries replayed, {} unacknowledged bytes"
                            + " cut off{}",
                    cube,
                    report.replayedBytes(),
                    report.replayedEntries(),
                    report.tornBytes(),
                    report.indexRebuilt() ? ", index made again" : "");
        }
        report.damages().forEach(damage -> LOG.error("{}damage accepted: {}", cube, damage));
    }

    @Override
    public Optional<UUID> identity(String name) throws IOException {
        if (!StoreDirectory.isCubeName(name)) {
            throw new IllegalArgumentException("bad name of a cube: " + name);
        }
        Optional<UUID> found = directory.identity(name);
        return found.isPresent() || !config.logStore().isOnBookKeeper(name)
                ? found
                // Another node may have created it.
                : bookKeeper().identity(name);
    }

    @Override
    public void allowSeveralCubes() throws IOException {
        directory.allowSeveralCubes();
    }

    @Override
    public void discardIndex(String name) throws IOException {
        Cubes.rebuildIndex(directory.cube(name));
    }

    @Override
    public String retire(String name, int number) throws IOException {
        return directory.retire(name, number).toString();
    }

    @Override
    public synchronized void close() {
        shared.close();
        try {
            if (bookKeeper.isPresent()) {
                bookKeeper.get().close();
            }
        } catch (IOException e) {
            LOG.warn("closing the connection to the bookies failed; nothing is lost", e);
        }
    }
}
