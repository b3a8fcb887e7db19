package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.NotificationApi.Target;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.adminapi.Routes;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the targets of event notifications, and how far behind each is. */
@Example(value = "volute notification", does = "Show the targets and their delays.")
@Command(
        name = "notification",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the targets of event notifications: their ARNs, delivered and waiting messages,"
                    + " the age of the oldest waiting one, and omitted events.",
            "A target without an ARN is not in the settings of the server; its messages wait."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class NotificationCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Targets> answer = client.ask(Routes.NOTIFICATION_TARGETS);
                    if (server.isJson()) {
                        server.print(answer);
                        return ServerOptions.OK;
                    }
                    Table<Target> table =
                            new Table<>(
                                    Target.class,
                                    new Column<>("NAME", Target::name),
                                    new Column<>("ARN", each -> each.arn().orElse("-")),
                                    Column.number("DELIVERED", each -> each.delivered()),
                                    Column.number("WAITING", each -> each.waiting()),
                                    new Column<>("LAG", NotificationCommand::lag),
                                    Column.number("OMITTED", each -> each.omitted()),
                                    Column.once(
                                            new Column<>(
                                                    "FAILURE", each -> each.failure().orElse(""))));
                    table.print(answer.value().targets(), server.tables());
                    if (table.isEmpty()) {
                        server.out().println("no targets: write notifications.targets");
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }

    private static String lag(Target target) {
        return Duration.ofMillis(target.lagMillis()).toSeconds() + " s";
    }
}
