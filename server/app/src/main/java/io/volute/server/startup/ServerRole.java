package io.volute.server.startup;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.ResourceStack;
import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.server.admin.OtherAnswers;
import io.volute.server.backup.OtherCubes;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.KeyringPlace;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpSettings;
import io.volute.server.metrics.ClusterFigures;
import io.volute.server.metrics.StandbyFigures;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.tracing.Tracing;
import io.volute.storage.Cube;
import io.volute.storage.directory.StoreDirectory;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * The role of a running server: alone, the owner of the store of a cluster, or a node of a cluster
 * that owns some cubes.
 */
public interface ServerRole {
    /** The role of a server that is no node of a cluster. */
    ServerRole ALONE = Listeners::start;

    /** The addresses where a server listens, until they are closed. */
    interface Listening extends AutoCloseable {
        /** Returns the HTTP server that clients of S3 use. */
        HttpServer s3();

        /** Returns the address of S3, with the actual port. */
        InetSocketAddress address();

        /** Returns the address of the admin API; empty when it has none of its own. */
        Optional<InetSocketAddress> adminAddress();

        /**
         * Takes no new requests, and waits for those in flight; false when some are left after that
         * time.
         */
        boolean drain(Duration patience) throws InterruptedException;

        @Override
        void close();
    }

    /** The data directory of a server, and the system cube. */
    record Place(StoreDirectory directory, CubeFiles files, Cube system) {}

    /** Fails if an address is taken, before anything is made that a later failure would leave. */
    default void requireFree(ServerConfig config) throws IOException {
        Listeners.requireFree(config);
    }

    /** Returns whether the server cares for the store as a whole now. */
    default boolean hasStore() {
        return true;
    }

    /**
     * Waits until this server has all users that there are now, because it does not know one; false
     * if it always has them. Throws the error for the client if it does not get them soon.
     */
    default boolean awaitUsers() {
        return false;
    }

    /** Opens the data directory and the system cube. */
    default Place place(
            ServerConfig config,
            CubeFiles.Means means,
            Optional<Tracing> tracing,
            ResourceStack resources)
            throws IOException {
        StoreDirectory directory =
                resources.add(
                        "data directory",
                        StoreDirectory.open(config.dataDirectory(), means.files(), means.clock()));
        CubeFiles files =
                resources.add("memory of the cubes", new CubeFiles(config, directory, means));
        files.begin(tracing);
        Cube system = resources.add("system cube", files.open(StoreCubes.SYSTEM));
        return new Place(directory, files, system);
    }

    /** Opens the store. */
    default StoreCubes open(
            Place place, Function<Cube, StoreOptions> options, StoreCubes.Placement rule)
            throws IOException {
        return ObjectStores.openCubes(place.files(), place.system(), options, rule);
    }

    /** Opens the listeners, as {@link Listeners#start} does. */
    Listening listen(
            ServerConfig config,
            HttpServer.Service s3,
            UnaryOperator<S3Handler> front,
            InstantSource clock,
            RandomGenerator random)
            throws IOException;

    /**
     * Publishes the metrics of the store.
     *
     * @return the listener for them; empty when the node has one
     */
    default Optional<HttpServer> publish(
            HttpSettings settings,
            HttpServer.Service page,
            InstantSource clock,
            RandomGenerator random)
            throws IOException {
        return Optional.of(HttpServer.start(settings, page, clock, random));
    }

    /** Returns the HTTP server that clients use. */
    default HttpServer entrance(HttpServer own) {
        return own;
    }

    /** Returns the figures of this node; zeros when there is no cluster. */
    default ClusterFigures figures() {
        return ClusterFigures.NONE;
    }

    /** Returns the figures of each standby of this node, by the name of its cube. */
    default Map<String, StandbyFigures> standbys() {
        return Map.of();
    }

    /** Returns the control of the cluster; empty when there is none. */
    default Optional<ClusterControl> cluster() {
        return Optional.empty();
    }

    /** Returns the answers of the other owners to requests of the admin API. */
    default OtherAnswers otherAnswers() {
        return OtherAnswers.NONE;
    }

    /** Returns the cubes that other nodes have, for backups. */
    default OtherCubes otherCubes() {
        return OtherCubes.NONE;
    }

    /**
     * Opens the keyring of the store.
     *
     * @param own its place if no other server opens the store
     */
    default Keyring keyring(KeyringPlace own, MasterKey master, SecureRandom random)
            throws IOException {
        return Keyring.open(own, master, random);
    }
}
