package io.volute.admin.operate;

import io.volute.admin.client.ServerOptions;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.ClusterApi.MoveStoreRequest;
import io.volute.adminapi.Routes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Hands the store of a cluster over to a node. */
@Command(
        name = "move",
        mixinStandardHelpOptions = true,
        description = {
            "Hands the store over to a node, and waits until a node has it. Clients' requests wait"
                    + " meanwhile.",
            "If that node cannot open the store, another one takes it."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:that node has the store",
            "1:no node can be reached or the order was refused",
            "2:wrong usage",
            "3:another node has the store"
        })
public final class ClusterMoveCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Parameters(paramLabel = "NODE", description = "Its name: volute cluster nodes.")
    private String node;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    HandOver order =
                            client.ask(Routes.MOVE_STORE, new MoveStoreRequest(node)).value();
                    return ClusterHandOver.await(server, client, order).equals(node)
                            ? ServerOptions.OK
                            : ServerOptions.FOUND_WRONG;
                });
    }
}
