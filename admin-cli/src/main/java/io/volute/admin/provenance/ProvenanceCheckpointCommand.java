package io.volute.admin.provenance;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.CubeOption;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.AuditApi.Checkpoint;
import io.volute.adminapi.AuditApi.CheckpointRequest;
import io.volute.adminapi.AuditApi.Checkpoints;
import io.volute.adminapi.AuditApi.CheckpointsRequest;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Makes a checkpoint, or shows those that there are. */
@Example(
        value = "volute provenance checkpoint --output /mnt/witness",
        does = "Make a checkpoint, and write its files.")
@Example(
        value = "volute provenance checkpoint --list",
        does = "Show the checkpoints that there are.")
@Command(
        name = "checkpoint",
        mixinStandardHelpOptions = true,
        description = {
            "Makes a signed checkpoint of all chains now. With --output, writes the files that an"
                    + " auditor later compares with it. Keep them where the operator of the server"
                    + " cannot change them.",
            "In a store with several cubes each has its own. Without --cube there is one of each"
                    + " cube of the node then, and that of the system cube is shown and written."
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

    @Mixin private CubeOption cube;

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    if (isList) {
                        list(server, client);
                        return ServerOptions.OK;
                    }
                    Answer<Checkpoint> made = client.ask(Routes.MAKE_CHECKPOINT, cube.choice());
                    show(server, List.of(made.value()), made);
                    if (output.isPresent()) {
                        download(client, made.value().number(), output.get());
                    }
                    return ServerOptions.OK;
                });
    }

    private void download(AdminClient client, long number, Path directory)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        CheckpointRequest asked = new CheckpointRequest(number, cube.name());
        long bytes = client.download(Routes.KEY_LIST, cube.choice(), directory.resolve("keys"));
        bytes +=
                client.download(
                        Routes.CHECKPOINT, asked, directory.resolve("checkpoint-" + number));
        long ignored =
                bytes + client.download(Routes.HEADS, asked, directory.resolve("heads-" + number));
    }

    private void list(ServerOptions server, AdminClient client)
            throws IOException, InterruptedException {
        CheckpointsRequest all =
                new CheckpointsRequest(OptionalLong.empty(), Optional.empty(), cube.name());
        Answer<Checkpoints> page = client.ask(Routes.CHECKPOINTS, all);
        show(server, page.value().checkpoints(), page);
    }

    private static void show(ServerOptions server, List<Checkpoint> checkpoints, Answer<?> answer) {
        if (server.isJson()) {
            server.print(answer);
            return;
        }
        Table<Checkpoint> table =
                new Table<>(
                        Checkpoint.class,
                        Column.number("NUMBER", each -> each.number()),
                        Column.time("TIME", each -> each.time()),
                        Column.number("CHAINS", each -> each.heads()),
                        new Column<>("HASH", Checkpoint::hash));
        table.print(checkpoints, server.tables());
        server.out().flush();
    }
}
