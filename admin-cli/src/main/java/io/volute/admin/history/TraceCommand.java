package io.volute.admin.history;

import io.volute.admin.client.LeftOutCubes;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.HistoryApi.Node;
import io.volute.adminapi.HistoryApi.Step;
import io.volute.adminapi.HistoryApi.TraceRequest;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what a state was made from, or what was made from it. */
@Example(value = "volute trace back s3://photos/report.pdf", does = "Show the sources of a key.")
@Example(
        value = "volute trace forward s3://photos/a.csv --svg",
        does = "Draw the data made from a key.")
@Command(
        name = "trace",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the sources of a version of a key (back), or the data made from it (forward)."
                    + " Names the actors, in the order of events."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class TraceCommand implements Callable<Integer> {
    /** In a picture of more, nothing can be seen. */
    private static final int DRAWN = 200;

    @Spec private CommandSpec spec;

    @Mixin private ServerOptions server;

    @Mixin private ListOptions list;

    @Parameters(index = "0", paramLabel = "back|forward", description = "Direction of the trace.")
    private String direction = "";

    @Parameters(
            index = "1",
            paramLabel = "s3://BUCKET/KEY",
            converter = S3Uri.Converter.class,
            description = "The key to begin with.")
    private Optional<S3Uri> key = Optional.empty();

    @Option(
            names = "--version-id",
            paramLabel = "ID",
            description = "The version to begin with (default: the current one).")
    private Optional<String> versionId = Optional.empty();

    @ArgGroup(exclusive = true)
    private Drawing drawing = new Drawing();

    /** One of them, or none for a table. */
    private static final class Drawing {
        @Option(names = "--dot", description = "Print a graph for Graphviz.")
        private boolean dot;

        @Option(
                names = "--svg",
                description = "Print a picture of the first " + DRAWN + " nodes as SVG.")
        private boolean svg;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!direction.equals("back") && !direction.equals("forward")) {
            throw new ParameterException(
                    spec.commandLine(), "write back or forward, not \"" + direction + "\"");
        }
        if (server.isJson() && (drawing.dot || drawing.svg)) {
            throw new ParameterException(
                    spec.commandLine(), "--json cannot be combined with --dot and --svg");
        }
        S3Uri begin = key.orElseThrow();
        TraceRequest asked =
                new TraceRequest(
                        direction,
                        begin.bucket(),
                        begin.key(),
                        versionId,
                        OptionalLong.empty(),
                        Optional.empty());
        return server.run(
                client -> {
                    LeftOutCubes source = new LeftOutCubes(Pages.of(client, Routes.TRACE, asked));
                    if (drawing.dot || drawing.svg) {
                        draw(source, begin);
                    } else {
                        list.show(server, source, "steps", table());
                    }
                    source.print(spec.commandLine().getErr());
                    return ServerOptions.OK;
                });
    }

    private static Table<Step> table() {
        return new Table<>(
                Step.class,
                Column.time("AT", step -> step.at()),
                new Column<>("NODE", step -> node(step.node()), step -> brief(step.node())),
                new Column<>("ACTION", Step::action),
                new Column<>(
                        "THROUGH", step -> node(step.through()), step -> brief(step.through())));
    }

    private static String node(Node node) {
        return node.actor()
                .map(AnswerFormat::actor)
                .or(() -> node.object().map(AnswerFormat::place))
                .orElse(AnswerFormat.CLOSED);
    }

    private static String brief(Node node) {
        return node.actor().map(AnswerFormat::briefActor).orElseGet(() -> node(node));
    }

    private void draw(Pages.Source source, S3Uri begin) throws IOException, InterruptedException {
        TraceGraph graph =
                new TraceGraph(
                        TraceGraph.Direction.valueOf(direction.toUpperCase(Locale.ROOT)),
                        begin.bucket(),
                        begin.key());
        // The node that it begins with is drawn as well.
        long max = drawing.svg ? Math.min(list.max(), DRAWN - 1) : list.max();
        boolean isMore = Pages.follow(source, "steps", max, steps -> add(steps, graph));
        String note = isMore ? "only the first " + graph.nodes().size() + " nodes are drawn" : "";
        server.out()
                .print(
                        drawing.svg
                                ? new SvgDrawing(graph, note).text()
                                : DotDrawing.of(graph, note));
        server.out().flush();
        if (isMore) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("volute: " + note + (drawing.svg ? ": --dot draws all" : ""));
            err.flush();
        }
    }

    private static void add(List<Map<String, Object>> steps, TraceGraph graph) throws IOException {
        for (Map<String, Object> each : steps) {
            graph.add(AdminJson.as(each, Step.class));
        }
    }
}
