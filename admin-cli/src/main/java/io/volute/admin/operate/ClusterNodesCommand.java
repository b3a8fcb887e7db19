package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterNode;
import io.volute.adminapi.Routes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the nodes of a cluster. */
@Example(value = "volute cluster nodes", does = "List the nodes that run.")
@Command(
        name = "nodes",
        mixinStandardHelpOptions = true,
        description =
                "Lists the nodes that run, their addresses, versions, numbers of cubes and lags.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shown",
            "1:no node can be reached, or the server is no node of a cluster",
            "2:wrong usage"
        })
public final class ClusterNodesCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Cluster> answer = client.ask(Routes.CLUSTER);
                    if (server.isJson()) {
                        server.print(answer);
                        return ServerOptions.OK;
                    }
                    Table<ClusterNode> table =
                            new Table<>(
                                    ClusterNode.class,
                                    new Column<>("NAME", ClusterNode::name),
                                    new Column<>("ADDRESS", ClusterNode::address),
                                    Column.once(new Column<>("VERSION", ClusterNode::version)),
                                    new Column<>("ROLE", each -> role(answer.value(), each)),
                                    new Column<>("CUBES", each -> cubes(answer.value(), each)),
                                    new Column<>("LAG", ClusterNodesCommand::lag));
                    table.print(answer.value().nodes(), server.tables());
                    return ServerOptions.OK;
                });
    }

    private static String cubes(Cluster cluster, ClusterNode node) {
        return Long.toString(
                cluster.cubes().stream().filter(each -> each.owner().equals(node.name())).count());
    }

    private static String lag(ClusterNode node) {
        return node.lags().stream()
                .map(each -> each.cube() + " " + each.seconds() + " s")
                .collect(Collectors.joining(", "));
    }

    private static String role(Cluster cluster, ClusterNode node) {
        List<String> words = new ArrayList<>();
        if (node.owner()) {
            words.add("owner");
        } else {
            words.add(node.ready() ? "standby" : "building");
        }
        if (cluster.drained().contains(node.name())) {
            words.add("drained");
        }
        return String.join(", ", words);
    }
}
