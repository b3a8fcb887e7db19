package io.volute.admin.history;

import io.volute.admin.client.Answer;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.HistoryApi.Kept;
import io.volute.adminapi.HistoryApi.Usage;
import io.volute.adminapi.HistoryApi.UsageRequest;
import io.volute.adminapi.Routes;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Shows how much is kept. */
@Example(value = "volute history usage", does = "Show the hidden bytes of all buckets.")
@Command(
        name = "usage",
        mixinStandardHelpOptions = true,
        description = "Shows how much a bucket, or each, keeps that S3's clients cannot see.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
final class HistoryUsageCommand implements Callable<Integer> {
    @ParentCommand private HistoryCommand history;

    @Parameters(
            arity = "0..1",
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket (default: all).")
    private Optional<String> bucket = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = history.server();
        return server.run(
                client -> {
                    Answer<Usage> usage = client.ask(Routes.USAGE, new UsageRequest(bucket));
                    if (server.isJson()) {
                        server.print(usage);
                    } else {
                        show(server, usage.value());
                    }
                    return ServerOptions.OK;
                });
    }

    private static void show(ServerOptions server, Usage usage) {
        Table<Kept> table =
                new Table<>(
                        Kept.class,
                        new Column<>("BUCKET", Kept::bucket),
                        Column.number("STATES", each -> each.states()),
                        Column.size("SIZE", each -> each.bytes()));
        table.print(usage.buckets(), server.tables());
        server.out().println(usage.states() + " states, " + AnswerFormat.bytes(usage.bytes()));
        server.out().flush();
    }
}
