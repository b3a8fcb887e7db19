package io.volute.admin.history;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Shows how much is kept. */
@Command(
        name = "usage",
        mixinStandardHelpOptions = true,
        description = "Shows how much a bucket, or each, keeps that S3's clients cannot see.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
final class HistoryUsageCommand implements Callable<Integer> {
    @ParentCommand private HistoryCommand history;

    @Parameters(arity = "0..1", paramLabel = "BUCKET", description = "The bucket (default: all).")
    private Optional<String> bucket = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = history.server();
        return server.run(
                client -> {
                    Map<String, String> asked =
                            bucket.map(name -> Map.of("bucket", name)).orElse(Map.of());
                    Map<String, Object> usage = client.get("/_volute/v1/usage", asked);
                    if (server.isJson()) {
                        server.print(usage);
                    } else {
                        show(server, usage);
                    }
                    return ServerOptions.OK;
                });
    }

    private static void show(ServerOptions server, Map<String, Object> usage) {
        Table table =
                new Table(
                        new Column("BUCKET", each -> AnswerFormat.text(each, "bucket")),
                        new Column("STATES", each -> AnswerFormat.text(each, "states")),
                        new Column(
                                "SIZE",
                                each -> AnswerFormat.bytes(AnswerFormat.number(each, "bytes"))));
        table.print(AnswerFormat.maps(usage, "buckets"), server.out());
        server.out()
                .println(
                        AnswerFormat.number(usage, "states")
                                + " states, "
                                + AnswerFormat.bytes(AnswerFormat.number(usage, "bytes")));
        server.out().flush();
    }
}
