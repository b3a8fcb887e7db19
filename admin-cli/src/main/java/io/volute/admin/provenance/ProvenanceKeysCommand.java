package io.volute.admin.provenance;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Shows the public keys, and writes them to a file. */
@Command(
        name = "keys",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the public keys of the store, and the id of the first one, the root key.",
            "An auditor must know the root key's id from elsewhere than from the files."
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

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    Map<String, Object> keys = client.get(ProvenanceCommand.PATH + "keys");
                    show(server, keys);
                    if (output.isPresent()) {
                        String path = ProvenanceCommand.PATH + "key-list";
                        long ignored = client.download(path, Map.of(), output.get());
                    }
                    return ServerOptions.OK;
                });
    }

    static void show(ServerOptions server, Map<String, Object> keys) {
        if (server.isJson()) {
            server.print(keys);
            return;
        }
        Table table =
                new Table(
                        new Column("KEY ID", key -> AnswerFormat.text(key, "keyId")),
                        new Column("ALGORITHM", key -> AnswerFormat.text(key, "algorithm")),
                        new Column("ROLE", key -> AnswerFormat.text(key, "role")),
                        new Column("OWNER", key -> AnswerFormat.text(key, "owner")),
                        new Column("FROM COMMIT", key -> AnswerFormat.text(key, "validFrom")),
                        new Column("UNTIL", key -> AnswerFormat.text(key, "validUntil")));
        table.print(AnswerFormat.maps(keys, "keys"), server.out());
        server.out().println("store     " + AnswerFormat.text(keys, "storeId"));
        server.out()
                .println(
                        "root key  "
                                + AnswerFormat.text(AnswerFormat.map(keys, "rootKey"), "keyId"));
        server.out().flush();
    }
}
