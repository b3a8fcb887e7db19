package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.DrainRequest;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes the store and the cubes from a node of a cluster, before it is upgraded or repaired. */
@Example(
        value = "volute cluster drain node1",
        does = "Take everything from node1 before an upgrade.")
@Example(value = "volute cluster drain node1 --off", does = "Let it have cubes again.")
@Command(
        name = "drain",
        mixinStandardHelpOptions = true,
        description = {
            "Takes the store and all cubes from a node. Without --no-wait, the command waits until"
                    + " other nodes have them.",
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

    @Mixin private WaitOption wait;

    @Parameters(paramLabel = "NODE", description = "Its name: volute cluster nodes.")
    private String node;

    @Option(names = "--off", description = "The node may take them again.")
    private boolean isOff;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<HandOver> answer =
                            client.ask(Routes.DRAIN_NODE, new DrainRequest(node, isOff));
                    boolean hasMore =
                            answer.value().handsOver() || !answer.value().cubes().isEmpty();
                    if (hasMore && wait.isAwaited(true)) {
                        return await(client, answer.value());
                    }
                    return server.done(
                            answer,
                            "node " + node + (isOff ? " can have the store" : " is drained"));
                });
    }

    private int await(AdminClient client, HandOver order) throws IOException, InterruptedException {
        ClusterHandOver handOver = new ClusterHandOver(server, client, order, wait);
        List<String> lines = new ArrayList<>(List.of("node " + node + " is drained"));
        if (order.handsOver()) {
            Cluster next = handOver.awaitStore().value();
            lines.add("node " + next.owner() + " has the store");
        }
        Answer<Cluster> last = handOver.awaitCubes(each -> !each.equals(node));
        lines.addAll(handOver.lines(last.value()));
        return server.done(last, lines.toArray(String[]::new));
    }
}
