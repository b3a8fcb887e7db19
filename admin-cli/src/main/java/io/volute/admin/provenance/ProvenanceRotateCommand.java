package io.volute.admin.provenance;

import io.volute.admin.client.Answer;
import io.volute.admin.client.EachCube;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.adminapi.CubesApi.CubeChoice;
import io.volute.adminapi.ProvenanceApi.Keys;
import io.volute.adminapi.Routes;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Has new keys sign. */
@Example(value = "volute provenance rotate", does = "Make new signing keys.")
@Command(
        name = "rotate",
        mixinStandardHelpOptions = true,
        description =
                "Makes new signing keys in each cube; the old ones sign them in, and end. Shows all"
                        + " keys of the system cube.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
final class ProvenanceRotateCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    List<Answer<Keys>> rotated =
                            EachCube.ask(
                                    client,
                                    cube -> client.ask(Routes.ROTATE, new CubeChoice(cube)));
                    ProvenanceKeysCommand.show(server, rotated.getFirst());
                    return ServerOptions.OK;
                });
    }
}
