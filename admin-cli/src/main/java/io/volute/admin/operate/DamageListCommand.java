package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.adminapi.Routes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists what checks and scrubs found damaged. */
@Example(value = "volute damage list", does = "List damaged versions, with the next step.")
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = {
            "Lists the versions whose stored bytes checks and scrubs found damaged, with the uses"
                    + " of these bytes and the next step.",
            "It reads no data again: check and scrub do."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:nothing is damaged, as far as known",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:something is damaged"
        })
public final class DamageListCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Damages> answer = client.ask(Routes.DAMAGE);
                    Damages damages = answer.value();
                    long count = damages.damaged().size() + damages.more();
                    if (server.isJson()) {
                        server.print(answer);
                    } else {
                        DamageCommand.show(server.out(), damages.damaged(), damages.more());
                        server.out().println(AnswerFormat.count(count, "damaged state"));
                        server.out().flush();
                    }
                    return count == 0 ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
                });
    }
}
