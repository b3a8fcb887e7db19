package io.volute.admin.provenance;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Makes a checkpoint, or shows those that there are. */
@Command(
        name = "checkpoint",
        mixinStandardHelpOptions = true,
        description = {
            "Makes a signed checkpoint of all chains now, and with --output takes away what an"
                    + " auditor needs to compare with it later: keep that where who runs the"
                    + " server cannot change it."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused, or a file cannot be written",
            "2:wrong usage"
        })
final class ProvenanceCheckpointCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Option(names = "--list", description = "Show the checkpoints that there are; make none.")
    private boolean isList;

    @Option(
            names = "--output",
            paramLabel = "DIRECTORY",
            description = "Write the files keys, checkpoint-NUMBER and heads-NUMBER there.")
    private Optional<Path> output = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    if (isList) {
                        list(server, client);
                        return ServerOptions.OK;
                    }
                    Map<String, Object> made =
                            client.post(ProvenanceCommand.PATH + "checkpoints", Map.of());
                    show(server, List.of(made), made);
                    if (output.isPresent()) {
                        Files.createDirectories(output.get());
                        long number = AnswerFormat.number(made, "number");
                        download(client, "key-list", Map.of(), "keys");
                        download(client, "checkpoint", number(number), "checkpoint-" + number);
                        download(client, "heads", number(number), "heads-" + number);
                    }
                    return ServerOptions.OK;
                });
    }

    private static Map<String, String> number(long number) {
        return Map.of("number", Long.toString(number));
    }

    private void download(AdminClient client, String what, Map<String, String> asked, String name)
            throws IOException, InterruptedException {
        long ignored =
                client.download(
                        ProvenanceCommand.PATH + what, asked, output.orElseThrow().resolve(name));
    }

    private static void list(ServerOptions server, AdminClient client)
            throws IOException, InterruptedException {
        Map<String, Object> page = client.get(ProvenanceCommand.PATH + "checkpoints");
        show(server, AnswerFormat.maps(page, "checkpoints"), page);
    }

    private static void show(
            ServerOptions server, List<Map<String, Object>> checkpoints, Map<String, Object> json) {
        if (server.isJson()) {
            server.print(json);
            return;
        }
        Table table =
                new Table(
                        new Column("NUMBER", each -> AnswerFormat.text(each, "number")),
                        new Column("TIME", each -> AnswerFormat.text(each, "time")),
                        new Column("CHAINS", each -> AnswerFormat.text(each, "heads")),
                        new Column("HASH", each -> AnswerFormat.text(each, "hash")));
        table.print(checkpoints, server.out());
        server.out().flush();
    }
}
