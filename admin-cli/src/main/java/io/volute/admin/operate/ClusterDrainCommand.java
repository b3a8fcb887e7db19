package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.adminapi.ClusterApi.DrainRequest;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.Routes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes the store from a node of a cluster, before it is upgraded or repaired. */
@Command(
        name = "drain",
        mixinStandardHelpOptions = true,
        description = {
            "Lets a node not have the store. If it has it, it hands the store over, and the command"
                    + " waits until another node has it.",
            "The node forwards requests as before. It stays drained through restarts until --off,"
                    + " and takes the store only if no other node does."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:no node can be reached or the order was refused",
            "2:wrong usage"
        })
public final class ClusterDrainCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Parameters(paramLabel = "NODE", description = "Its name: volute cluster nodes.")
    private String node;

    @Option(names = "--off", description = "The node may have the store again.")
    private boolean isOff;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<HandOver> answer =
                            client.ask(Routes.DRAIN_NODE, new DrainRequest(node, isOff));
                    if (answer.value().handsOver()) {
                        ClusterHandOver.await(server, client, answer.value());
                        return ServerOptions.OK;
                    }
                    return server.done(
                            answer,
                            "node " + node + (isOff ? " can have the store" : " is drained"));
                });
    }
}
