package io.volute.server.cluster;

import io.volute.server.ResourceStack;
import io.volute.server.cluster.hop.HopGate;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.standby.FollowedCube;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.storage.Cube;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The role of a node that does not have the store, for its server. It has the placed cubes that are
 * the node's. Users, policies and placements are those of the system cube as the node follows it.
 * Thread-safe.
 */
final class PartRole extends NodeRole {
    private static final long USERS_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST_WAITING = 64;

    private final FollowedCube system;
    private final NewestUsers users;

    /**
     * @param system has a view; the caller closes it, behind the server
     */
    PartRole(Context node, FollowedCube system) {
        super(node);
        this.system = system;
        this.users = new NewestUsers(system, USERS_NANOS, MOST_WAITING);
    }

    @Override
    public boolean hasStore() {
        return false;
    }

    /** The bound of the lag is that of a standby: a removed key is of no use beyond it. */
    @Override
    boolean knowsUsers() {
        Duration most = node().config().cluster().orElseThrow().standbyLag();
        return system.lagNanos() <= most.toNanos();
    }

    @Override
    public boolean awaitUsers() {
        users.await();
        return true;
    }

    @Override
    boolean isOwn(long election) {
        return node().placed().isOwn(election);
    }

    @Override
    Cube system(ResourceStack resources) {
        return system;
    }

    @Override
    public StoreCubes open(
            Place place, Function<Cube, StoreOptions> options, StoreCubes.Placement rule)
            throws IOException {
        return knowing(ObjectStores.openPart(node().cubes(), place.system(), options));
    }

    @Override
    RequestWatch watch(Service server) {
        return server.watch();
    }

    @Override
    RequestWatch hopWatch(Service server) {
        return server.watch();
    }

    /** {@inheritDoc} This node is not. */
    @Override
    S3Handler ofStore(S3Handler server, S3Handler otherwise) {
        return otherwise;
    }

    /** {@inheritDoc} The owner of the store lets the owner of its cube delete a bucket. */
    @Override
    S3Handler hoppedOfStore(S3Handler server, Entrance entrance) {
        return (head, body) ->
                places().deletionIn(head)
                        .map(cube -> placed().inCube(cube, server, HopGate.REFUSED))
                        .orElse(HopGate.REFUSED)
                        .handle(head, body);
    }

    /** {@inheritDoc} This node has no store. */
    @Override
    void passOn(HttpHead head) {}

    @Override
    void passOnHop(HttpHead head) {}

    @Override
    Optional<String> routeOf(HttpHead head, RequestBody body) {
        return places().cubeOf(head, body);
    }

    @Override
    S3Handler hoppedElsewhere(Entrance entrance) {
        return HopGate.REFUSED;
    }

    /** {@inheritDoc} The owners of the cubes wait for those. */
    @Override
    boolean awaitNoRequests(Duration patience) {
        return true;
    }
}
