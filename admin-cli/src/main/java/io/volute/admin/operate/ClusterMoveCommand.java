package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.ClusterApi.MoveStoreRequest;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Hands the store of a cluster, or one cube, over to a node. */
@Example(value = "volute cluster move node2", does = "Hand the store over to node2, and wait.")
@Example(
        value = "volute cluster move photos node2 --no-wait",
        does = "Hand cube photos over, and do not wait.")
@Command(
        name = "move",
        mixinStandardHelpOptions = true,
        description = {
            "Hands the store over to a node, or one cube with the cubes that share a divided"
                    + " bucket with it. Without --no-wait, the command waits until a node has it."
                    + " Clients' requests wait during the take-over.",
            "If that node cannot open the store, another one takes it. A cube that was moved by"
                    + " its name stays where it is when the store moves."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:that node has the store or the cube",
            "1:no node can be reached or the order was refused",
            "2:wrong usage",
            "3:another node has it"
        })
public final class ClusterMoveCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Mixin private WaitOption wait;

    @Parameters(
            index = "0",
            paramLabel = "[CUBE] NODE",
            hideParamSyntax = true,
            description = {
                "The cube (volute cube list), or nothing for the store, and the node (volute"
                        + " cluster nodes)."
            })
    private String first;

    /** Null without a cube. */
    @Parameters(index = "1", arity = "0..1", hidden = true)
    private String second;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(client -> second == null ? moveStore(client) : moveCube(client));
    }

    private int moveStore(AdminClient client) throws IOException, InterruptedException {
        String node = first;
        HandOver order =
                client.ask(Routes.MOVE_STORE, new MoveStoreRequest(node, Optional.empty())).value();
        if (!wait.isAwaited(true)) {
            return server.done(order, "the store is being handed over to node " + node);
        }
        Answer<Cluster> answer = new ClusterHandOver(server, client, order, wait).awaitStore();
        String owner = answer.value().owner();
        int done = server.done(answer, "node " + owner + " has the store");
        return owner.equals(node) ? done : ServerOptions.FOUND_WRONG;
    }

    private int moveCube(AdminClient client) throws IOException, InterruptedException {
        String node = second;
        HandOver order =
                client.ask(Routes.MOVE_STORE, new MoveStoreRequest(node, Optional.of(first)))
                        .value();
        if (!wait.isAwaited(true)) {
            return server.done(order, "cube " + first + " is being handed over to node " + node);
        }
        ClusterHandOver handOver = new ClusterHandOver(server, client, order, wait);
        Answer<Cluster> answer = handOver.awaitCubes(any -> true);
        int done = server.done(answer, handOver.lines(answer.value()).toArray(String[]::new));
        boolean isThere =
                handOver.cubes(answer.value()).stream().allMatch(cube -> cube.owner().equals(node));
        return isThere ? done : ServerOptions.FOUND_WRONG;
    }
}
