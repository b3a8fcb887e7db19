package io.volute.server.startup;

import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.Keyring;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpSettings;
import io.volute.server.metrics.ClusterFigures;
import io.volute.server.s3.request.S3Handler;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/** The role of a running server: alone, or the owner of the store of a cluster. */
public interface ServerRole {
    /** The role of a server that is no node of a cluster. */
    ServerRole ALONE = Listeners::start;

    /** Fails if an address is taken, before anything is made that a later failure would leave. */
    default void requireFree(ServerConfig config) throws IOException {
        Listeners.requireFree(config);
    }

    /** Opens the listeners, as {@link Listeners#start} does. */
    Listeners listen(
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

    /** Returns the control of the cluster; empty when there is none. */
    default Optional<ClusterControl> cluster() {
        return Optional.empty();
    }

    /** Returns the place of the keyring of the store. */
    default Keyring.Place keyring(Keyring.Place own) {
        return own;
    }
}
