package io.volute.admin.provenance;

import io.volute.admin.client.ServerOptions;
import io.volute.adminapi.Routes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Has new keys sign. */
@Command(
        name = "rotate",
        mixinStandardHelpOptions = true,
        description = "Makes new signing keys; the old ones sign them in, and end. Shows all keys.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
final class ProvenanceRotateCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    ProvenanceKeysCommand.show(server, client.ask(Routes.ROTATE));
                    return ServerOptions.OK;
                });
    }
}
