package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.AdminClient.RefusedException;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Waits until the nodes of a cluster have carried out an order. */
final class ClusterHandOver {
    private static final Duration WAIT_MAX = Duration.ofMinutes(5);

    private final ServerOptions server;
    private final AdminClient client;
    private final HandOver order;
    private final WaitOption wait;

    ClusterHandOver(ServerOptions server, AdminClient client, HandOver order, WaitOption wait) {
        this.server = server;
        this.client = client;
        this.order = order;
        this.wait = wait;
    }

    /**
     * Waits until another node has the store.
     *
     * @throws IOException when none has it in time
     */
    Answer<Cluster> awaitStore() throws IOException, InterruptedException {
        return await(cluster -> !cluster.owner().equals(order.owner()));
    }

    /**
     * Waits until each cube of the order is served by the node at which it is placed.
     *
     * @param isPossible whether a cube can be at a node
     * @throws IOException when that is not so in time
     */
    Answer<Cluster> awaitCubes(Predicate<String> isPossible)
            throws IOException, InterruptedException {
        return await(
                cluster ->
                        cubes(cluster).stream()
                                .allMatch(
                                        cube ->
                                                isServed(cluster, cube)
                                                        && isPossible.test(cube.owner())));
    }

    private static boolean isServed(Cluster cluster, ClusterCube cube) {
        return !cube.state().equals("opening")
                && cube.owner().equals(cube.placed().orElse(cluster.owner()));
    }

    /** Returns the cubes of the order. One that was deleted meanwhile is left out. */
    List<ClusterCube> cubes(Cluster cluster) {
        return cluster.cubes().stream()
                .filter(cube -> order.cubes().contains(cube.cube()))
                .toList();
    }

    /** Returns a line for each node that has cubes of the order. */
    List<String> lines(Cluster cluster) {
        return cubes(cluster).stream()
                .collect(
                        Collectors.groupingBy(
                                ClusterCube::owner,
                                TreeMap::new,
                                Collectors.mapping(ClusterCube::cube, Collectors.joining(", "))))
                .entrySet()
                .stream()
                .map(each -> "node " + each.getKey() + " has cube " + each.getValue())
                .toList();
    }

    private Answer<Cluster> await(Predicate<Cluster> isDone)
            throws IOException, InterruptedException {
        return wait.await(
                        new WaitOption.Work(
                                server.command("cluster", "status") + ", and the logs of the nodes",
                                Optional.empty()),
                        Optional.of(WAIT_MAX),
                        state(),
                        now -> now.map(Answer::value).filter(isDone).isEmpty(),
                        this::state)
                .orElseThrow();
    }

    /** Returns the state of the cluster; empty while no node has the store. */
    private Optional<Answer<Cluster>> state() throws IOException, InterruptedException {
        try {
            return Optional.of(client.ask(Routes.CLUSTER));
        } catch (RefusedException e) {
            if (!e.isOf("ServiceUnavailable")) {
                throw e;
            }
            return Optional.empty();
        }
    }
}
