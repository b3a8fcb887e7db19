package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.Routes;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the owner of a cluster, and those of its cubes. */
@Example(value = "volute cluster status", does = "Show which node has the store and the cubes.")
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = {
            "Shows which node has the store, since when, and how its take-over went; and the owner,"
                    + " the epoch and the state of each cube.",
            "PLACED is the node at which a cube is placed. A cube without it is where the store is."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shown",
            "1:no node can be reached, or the server is no node of a cluster",
            "2:wrong usage"
        })
public final class ClusterStatusCommand implements Callable<Integer> {
    private final Table<ClusterCube> cubes =
            new Table<>(
                    ClusterCube.class,
                    new Column<>("CUBE", ClusterCube::cube),
                    Column.once(new Column<>("OWNER", ClusterCube::owner)),
                    Column.number("EPOCH", each -> each.epoch()),
                    Column.once(new Column<>("STATE", ClusterCube::state)),
                    Column.once(new Column<>("PLACED", each -> each.placed().orElse(""))));

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
                    Cluster cluster = answer.value();
                    Facts facts =
                            new Facts()
                                    .with("owner", cluster.owner())
                                    .with("since", seconds(cluster.since()).toString())
                                    .with(
                                            "take-over",
                                            cluster.takeOverMillis() + " ms after its election")
                                    .with(
                                            "session",
                                            Duration.ofMillis(cluster.sessionMillis()).toSeconds()
                                                    + " s")
                                    .with("nodes", cluster.nodes().size());
                    if (!cluster.drained().isEmpty()) {
                        facts.with("drained", String.join(", ", cluster.drained()));
                    }
                    facts.print(server.tables());
                    server.out().println();
                    cubes.print(cluster.cubes(), server.tables());
                    server.out().flush();
                    return ServerOptions.OK;
                });
    }

    private static Instant seconds(Instant time) {
        return Instant.ofEpochSecond(time.getEpochSecond());
    }
}
