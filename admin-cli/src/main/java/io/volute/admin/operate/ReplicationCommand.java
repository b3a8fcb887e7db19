package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.ReplicationApi.RefusedChange;
import io.volute.adminapi.ReplicationApi.RefusedChanges;
import io.volute.adminapi.ReplicationApi.ReplicatedBucket;
import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.adminapi.ReplicationApi.ReplicationRequest;
import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.adminapi.ReplicationApi.ReplicationTarget;
import io.volute.adminapi.ReplicationApi.StartReplicationRequest;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows and changes the state of replication. */
@OldSpelling(value = "stop", now = "cancel")
@Command(
        name = "replication",
        mixinStandardHelpOptions = true,
        description = {
            "Shows and changes the state of the replication of buckets.",
            "Rules are set with: aws s3api put-bucket-replication"
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:a run was cancelled or changes were refused (start --wait)"
        })
public final class ReplicationCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    private static final String RUNNING = "running";

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(value = "volute replication status", does = "Show the targets of all buckets.")
    @Example(
            value = "volute replication status photos",
            does = "Show waiting and refused changes of a bucket.")
    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = {
                "Shows the targets: changes that each has, that wait for it, the age of the oldest"
                        + " waiting one, and changes that it refused for good.",
                "With a bucket: waiting and refused changes of that bucket alone, and the refused"
                        + " ones by key. local is this store."
            })
    Integer status(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            arity = "0..1",
                            description = "The bucket.")
                    Optional<String> bucket)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Replication> answer =
                            client.ask(Routes.REPLICATION, new ReplicationRequest(bucket));
                    if (server.isJson()) {
                        server.print(answer);
                        return ServerOptions.OK;
                    }
                    show(answer.value());
                    return ServerOptions.OK;
                });
    }

    private void show(Replication state) {
        Table<ReplicationTarget> targets =
                new Table<>(
                        ReplicationTarget.class,
                        new Column<>("TARGET", ReplicationCommand::name),
                        Column.number("REPLICATED", each -> each.replicated()),
                        Column.number("WAITING", each -> each.waiting()),
                        new Column<>("LAG", ReplicationCommand::lag),
                        Column.number("REFUSED", each -> each.refused()),
                        Column.once(new Column<>("FAILURE", each -> each.failure().orElse(""))));
        targets.print(state.targets(), server.tables());
        if (!state.refused().isEmpty()) {
            server.out().println();
            new Table<>(
                            RefusedChange.class,
                            Column.time("AT", (RefusedChange each) -> each.at()),
                            new Column<>("TARGET", RefusedChange::target),
                            new Column<>("CHANGE", RefusedChange::change),
                            new Column<>("VERSION", RefusedChange::versionId),
                            new Column<>("REFUSED KEY", RefusedChange::key))
                    .print(state.refused(), server.tables());
        }
        if (!state.runs().isEmpty()) {
            server.out().println();
            new Table<>(
                            ReplicationRun.class,
                            new Column<>("EXISTING OBJECTS OF", ReplicationRun::bucket),
                            new Column<>("STATE", ReplicationRun::state),
                            Column.time("STARTED", each -> each.started()),
                            new Column<>("VERSIONS", ReplicationCommand::looked),
                            Column.number("SENT", each -> each.sent()),
                            Column.number("LEFT OUT", each -> each.leftOut()),
                            new Column<>("LAST KEY", each -> each.key().orElse("")))
                    .print(state.runs(), server.tables());
        }
        if (!state.complete()) {
            server.out().println("too many changes wait to count all; there are more");
        }
        server.out().flush();
    }

    @Example(
            value = "volute replication start photos --rate 100",
            does = "Send existing versions, 100 a second at most.")
    @Example(
            value = "volute replication start photos --wait --timeout 1h",
            does = "Wait for it, an hour at most.")
    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = {
                "Sends the versions that were in a bucket before its replication was configured,"
                        + " oldest first, in the background. Versions that the target has are not"
                        + " sent again.",
                "A restart of the server continues. volute replication status BUCKET shows how far"
                        + " it is. With --wait, the command ends with 3 when the run was"
                        + " cancelled, or the target refused changes."
            })
    Integer start(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "The bucket.")
                    String bucket,
            @Option(
                            names = "--again",
                            description =
                                    "Also versions that were replicated before: for a new"
                                            + " destination bucket.")
                    boolean isAgain,
            @Option(
                            names = "--rate",
                            paramLabel = "N",
                            description = "Versions a second, at most; 1000 without it.")
                    Optional<Long> rate,
            @Mixin WaitOption wait)
            throws InterruptedException {
        StartReplicationRequest asked =
                new StartReplicationRequest(
                        bucket,
                        Optional.of(isAgain),
                        rate.map(OptionalLong::of).orElse(OptionalLong.empty()));
        return server.run(
                client -> {
                    Answer<ReplicationRun> answer = client.ask(Routes.START_REPLICATION, asked);
                    WaitOption.Work work =
                            new WaitOption.Work(
                                    server.command("replication", "status", bucket),
                                    Optional.of(server.command("replication", "cancel", bucket)));
                    return wait.isAwaited(false)
                            ? end(client, sent(client, answer.value(), wait, work))
                            : server.done(answer, "started", work.advice());
                });
    }

    /** Waits until a run has looked at all keys. */
    private ReplicationRun sent(
            AdminClient client, ReplicationRun begun, WaitOption wait, WaitOption.Work work)
            throws IOException, InterruptedException {
        Progress progress = server.progress("replicating");
        ReplicationRun last =
                wait.await(
                        work,
                        begun,
                        run -> run.state().equals(RUNNING),
                        () -> {
                            ReplicationRun now = run(state(client, begun.bucket()), begun);
                            progress.at(
                                    now.looked(),
                                    now.total(),
                                    "version",
                                    now.sent() + " sent, " + now.leftOut() + " left out");
                            return now;
                        });
        progress.end();
        return last;
    }

    private static Replication state(AdminClient client, String bucket)
            throws IOException, InterruptedException {
        return client.ask(Routes.REPLICATION, new ReplicationRequest(Optional.of(bucket))).value();
    }

    private static ReplicationRun run(Replication state, ReplicationRun begun) throws IOException {
        return state.runs().stream()
                .filter(each -> each.bucket().equals(begun.bucket()))
                .filter(each -> each.started().equals(begun.started()))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IOException(
                                        "another run of "
                                                + begun.bucket()
                                                + " has begun, or the bucket is gone"));
    }

    /** Says how a run ended, and what of it is still on its way. */
    private int end(AdminClient client, ReplicationRun run)
            throws IOException, InterruptedException {
        Replication state = state(client, run.bucket());
        long waiting = state.targets().stream().mapToLong(ReplicationTarget::waiting).sum();
        long refused = state.targets().stream().mapToLong(ReplicationTarget::refused).sum();
        int done =
                server.done(
                        run,
                        run.state()
                                + ": "
                                + AnswerFormat.count(run.sent(), "version")
                                + " sent, "
                                + run.leftOut()
                                + " left out; "
                                + AnswerFormat.count(waiting, "change")
                                + " of the bucket still on the way, "
                                + refused
                                + " refused");
        return run.state().equals("finished") && refused == 0 ? done : ServerOptions.FOUND_WRONG;
    }

    @Example(
            value = "volute replication cancel photos",
            does = "End the run of volute replication start.")
    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = "Ends the run that sends the earlier versions of a bucket.")
    Integer cancel(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "The bucket.")
                    String bucket)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<ReplicationRun> answer =
                            client.ask(Routes.STOP_REPLICATION, new ReplicatedBucket(bucket));
                    return said(answer, answer.value().state());
                });
    }

    @Example(value = "volute replication retry photos", does = "Send the refused changes again.")
    @Command(
            name = "retry",
            mixinStandardHelpOptions = true,
            description = {
                "Sends the refused changes of a bucket again: versions with the status FAILED.",
                "First mend the reason, which the log of the server has."
            })
    Integer retry(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "The bucket.")
                    String bucket)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<RefusedChanges> answer =
                            client.ask(Routes.RETRY_REPLICATION, new ReplicatedBucket(bucket));
                    return said(answer, refused(answer.value()) + " sent again");
                });
    }

    @Example(value = "volute replication forget photos", does = "Give the refused changes up.")
    @Command(
            name = "forget",
            mixinStandardHelpOptions = true,
            description = "Removes the refused changes of a bucket; the copy stays without them.")
    Integer forget(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "The bucket.")
                    String bucket,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return server.run(
                client -> {
                    confirmation.require(() -> loss(client, bucket));
                    Answer<RefusedChanges> answer =
                            client.ask(Routes.FORGET_REPLICATION, new ReplicatedBucket(bucket));
                    return said(answer, refused(answer.value()) + " forgotten");
                });
    }

    private static String loss(AdminClient client, String bucket)
            throws IOException, InterruptedException {
        ReplicationRequest asked = new ReplicationRequest(Optional.of(bucket));
        long refused =
                client.ask(Routes.REPLICATION, asked).value().targets().stream()
                        .mapToLong(ReplicationTarget::refused)
                        .sum();
        return AnswerFormat.count(refused, "refused change")
                + " of "
                + AnswerFormat.visible(bucket)
                + " will never be sent ('volute replication status "
                + AnswerFormat.visible(bucket)
                + "' lists them). Forget them?";
    }

    private int said(Answer<?> answer, String text) {
        if (server.isJson()) {
            server.print(answer);
        } else {
            server.out().println(text);
            server.out().flush();
        }
        return ServerOptions.OK;
    }

    private static String looked(ReplicationRun run) {
        return run.total() == 0
                ? Long.toString(run.looked())
                : run.looked()
                        + " of about "
                        + run.total()
                        + AnswerFormat.percent(run.looked(), run.total());
    }

    private static String name(ReplicationTarget target) {
        return target.configured() ? target.name() : target.name() + " (not in the settings)";
    }

    private static String lag(ReplicationTarget target) {
        return Duration.ofMillis(target.lagMillis()).toSeconds() + " s";
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }

    private static String refused(RefusedChanges changes) {
        return AnswerFormat.count(changes.changes(), "change")
                + (changes.changes() == 1 ? " is" : " are");
    }
}
