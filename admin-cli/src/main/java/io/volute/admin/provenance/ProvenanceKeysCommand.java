package io.volute.admin.provenance;

import io.volute.admin.client.Answer;
import io.volute.admin.client.CubeOption;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.ProvenanceApi.Key;
import io.volute.adminapi.ProvenanceApi.Keys;
import io.volute.adminapi.Routes;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Shows the public keys, and writes them to a file. */
@Example(
        value = "volute provenance keys --output keys",
        does = "Write the public keys for volute audit --keys.")
@Command(
        name = "keys",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the public keys of the store, and the id of the first one, the root key.",
            "An auditor must have the root key's id from a source other than the files."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shown",
            "1:the server cannot be reached or refused, or the file cannot be written",
            "2:wrong usage"
        })
final class ProvenanceKeysCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Also write the list there, for `volute audit --keys`.")
    private Optional<Path> output = Optional.empty();

    @Mixin private CubeOption cube;

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    show(server, client.ask(Routes.KEYS, cube.choice()));
                    if (output.isPresent()) {
                        long ignored =
                                client.download(Routes.KEY_LIST, cube.choice(), output.get());
                    }
                    return ServerOptions.OK;
                });
    }

    static void show(ServerOptions server, Answer<Keys> answer) {
        if (server.isJson()) {
            server.print(answer);
            return;
        }
        Table<Key> table =
                new Table<>(
                        Key.class,
                        new Column<>("KEY ID", Key::keyId),
                        Column.once(new Column<>("ALGORITHM", Key::algorithm)),
                        new Column<>("ROLE", Key::role),
                        Column.once(new Column<>("OWNER", Key::owner)),
                        Column.number("FROM COMMIT", key -> key.validFrom()),
                        Column.once(
                                new Column<>("UNTIL", key -> AnswerFormat.text(key.validUntil()))));
        table.print(answer.value().keys(), server.tables());
        new Facts()
                .with("store", answer.value().storeId())
                .with("root key", answer.value().rootKey().keyId())
                .print(server.tables());
    }
}
