package io.volute.server.cluster;

import io.volute.bookkeeper.BookKeeperSettings.InCluster;
import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterRole;
import io.volute.bookkeeper.ClusterView;
import io.volute.server.cluster.standby.FollowedCube;
import io.volute.server.cluster.standby.Standby;
import io.volute.server.cluster.standby.StandbyStore;
import io.volute.server.cluster.standby.StandbyViews;
import io.volute.server.config.ServerConfig;
import io.volute.server.metrics.StandbyFigures;
import io.volute.server.startup.CubeFiles;
import io.volute.storage.Cube;
import io.volute.storage.directory.StoreDirectory;
import io.volute.versioning.CubeViews;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cubes of a node, for as long as it runs: those that it has open, and the standbys of all
 * others. A cube is never both. Thread-safe.
 */
final class NodeCubes implements StoreCubes.Files, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeCubes.class);

    /** Time that a read of the system cube waits while the node opens or has closed it. */
    private static final long VIEW_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final StoreDirectory directory;
    private final CubeFiles files;
    private final FollowedCube system;

    /** The system cube while it is open on this node. Opened and closed by one thread. */
    private volatile Optional<Cube> openSystem = Optional.empty();

    private final Standby standby;
    private final ClusterMembership membership;

    private NodeCubes(
            StoreDirectory directory,
            CubeFiles files,
            FollowedCube system,
            Standby standby,
            ClusterMembership membership) {
        this.directory = directory;
        this.files = files;
        this.system = system;
        this.standby = standby;
        this.membership = membership;
    }

    /**
     * Opens the data directory, and begins to follow the cubes of other nodes.
     *
     * @param membership takes the state of the standbys, and has the placements
     */
    static NodeCubes open(
            ServerConfig config,
            CubeFiles.Means means,
            StandbyStore.Options reading,
            ClusterMembership membership)
            throws IOException {
        StoreDirectory directory =
                StoreDirectory.open(config.dataDirectory(), means.files(), means.clock());
        boolean isOpen = false;
        try {
            CubeFiles files =
                    new CubeFiles(config, directory, means, Optional.of(node(config, membership)));
            FollowedCube system = new FollowedCube(StoreCubes.SYSTEM, means.nanos(), VIEW_NANOS);
            Standby standby =
                    Standby.start(
                            files,
                            system,
                            reading,
                            () -> isServed(membership),
                            readiness(membership),
                            means.nanos());
            isOpen = true;
            return new NodeCubes(directory, files, system, standby, membership);
        } finally {
            if (!isOpen) {
                directory.close();
            }
        }
    }

    private static InCluster node(ServerConfig config, ClusterMembership membership) {
        return new InCluster(
                config.cluster().orElseThrow().name(),
                cube ->
                        hasLease(membership.store())
                                || (membership.placed().containsKey(cube)
                                        && hasLease(membership.of(cube))));
    }

    private static boolean hasLease(ClusterRole role) {
        long own = role.election();
        return own != 0 && role.holdsLease(own);
    }

    private static boolean isServed(ClusterMembership membership) {
        return membership.store().owner().filter(ClusterView.Owner::isServing).isPresent();
    }

    private static Standby.Readiness readiness(ClusterMembership membership) {
        return new Standby.Readiness() {
            @Override
            public void setReady(boolean isReady) {
                membership.setReady(isReady);
            }

            @Override
            public void setLags(Map<String, Long> lagSeconds) {
                membership.setLags(lagSeconds);
            }
        };
    }

    StoreDirectory directory() {
        return directory;
    }

    CubeFiles files() {
        return files;
    }

    /** Returns the views of the whole store. */
    StandbyViews storeViews() {
        return standby.views();
    }

    @Override
    public CubeViews views() {
        return standby.singleViews();
    }

    /** Returns the figures of each standby, by the name of its cube. */
    Map<String, StandbyFigures> standbys() {
        return standby.figures();
    }

    /** Returns the system cube while this node has it open, and else the newest view of it. */
    FollowedCube system() {
        return system;
    }

    /** See {@link Standby#whenSystemChanges}. */
    void whenSystemChanges(BooleanSupplier follows) {
        standby.whenSystemChanges(follows);
    }

    /** Opens the system cube on this node, unless it is open. {@link #open} returns this one. */
    void openSystem() throws IOException {
        if (openSystem.isEmpty()) {
            // Its standby closes the view.
            system.leave();
            Cube cube = opened(StoreCubes.SYSTEM);
            openSystem = Optional.of(cube);
            system.own(cube);
        }
    }

    /** Closes the system cube if it is open on this node. */
    void closeSystem() {
        if (openSystem.isPresent()) {
            system.leave();
            try (Cube cube = openSystem.get()) {
                LOG.debug("the system cube is closed in state {}", cube.state());
            } catch (IOException e) {
                LOG.warn("the system cube was not closed in order", e);
            } finally {
                closed(StoreCubes.SYSTEM);
            }
        }
    }

    @Override
    public Cube open(String name) throws IOException {
        if (!name.equals(StoreCubes.SYSTEM)) {
            return opened(name);
        }
        openSystem();
        return openSystem.orElseThrow();
    }

    private Cube opened(String name) throws IOException {
        standby.leave(name);
        boolean isOpen = false;
        try {
            Cube cube = files.open(name);
            isOpen = true;
            return cube;
        } finally {
            if (!isOpen) {
                standby.join(name);
            }
        }
    }

    /** Follows a cube again, which this node has closed. */
    @Override
    public void closed(String name) {
        if (name.equals(StoreCubes.SYSTEM)) {
            system.leave();
            openSystem = Optional.empty();
        }
        standby.join(name);
    }

    @Override
    public boolean isElsewhere(String name) {
        return membership.placed().containsKey(name);
    }

    @Override
    public Optional<UUID> identity(String name) throws IOException {
        return files.identity(name);
    }

    @Override
    public void allowSeveralCubes() throws IOException {
        files.allowSeveralCubes();
    }

    @Override
    public void discardIndex(String name) throws IOException {
        files.discardIndex(name);
    }

    @Override
    public String retire(String name, int number) throws IOException {
        return files.retire(name, number);
    }

    /** Closes the standbys and the data directory. The cubes that are open were closed before. */
    @Override
    public void close() throws IOException {
        try (StoreDirectory last = directory;
                CubeFiles memory = files;
                FollowedCube view = system) {
            standby.close();
        }
    }
}
