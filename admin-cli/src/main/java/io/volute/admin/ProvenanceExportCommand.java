package io.volute.admin;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Writes chains to a file that auditors take away. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        description = {
            "Writes the signed history of keys to a file, for `volute audit --export`.",
            "The file has its name only when it is whole."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:written",
            "1:the server cannot be reached or refused, or the file cannot be written",
            "2:wrong usage"
        })
final class ProvenanceExportCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Mixin private ChainRange range;

    @Option(names = "--output", paramLabel = "FILE", required = true, description = "The file.")
    private Path output;

    @Override
    public Integer call() throws InterruptedException {
        range.check();
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    String path = ProvenanceCommand.PATH + "export";
                    long bytes = client.download(path, range.asked(), output);
                    if (server.isJson()) {
                        server.print(Map.of("file", output, "bytes", bytes));
                    } else {
                        server.out().println("wrote " + bytes + " bytes to " + output);
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }
}
