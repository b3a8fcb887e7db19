package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Instants;
import io.volute.admin.grammar.OldSpelling;
import io.volute.adminapi.RestoreApi.CancelRequest;
import io.volute.adminapi.RestoreApi.Goal;
import io.volute.adminapi.RestoreApi.Restoration;
import io.volute.adminapi.RestoreApi.Run;
import io.volute.adminapi.RestoreApi.StartRequest;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts keys back to what they were. */
@OldSpelling(value = "--bucket BUCKET", now = "BUCKET")
@Example(
        value = "volute restore photos --at -2h --dry-run",
        does = "Show the effect of a restore to two hours ago.")
@Example(
        value = "volute restore photos --at \"2026-11-20 14:05\" --prefix 2026/",
        does = "Restore some keys to a local time.")
@Example(
        value = "volute restore photos --undo-access-key VUEXAMPLE --since -24h --skip",
        does = "Undo a stolen key, and keep later writes of others.")
@Example(value = "volute restore --undo 17", does = "Undo an earlier restore.")
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = {
            "Restores the keys of a bucket to an earlier state. Adds states and removes none, so"
                    + " it can be undone like any other write.",
            "Waits for the end without --no-wait. The restore goes on in the server when this"
                    + " command is ended.",
            Instants.FORMS
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:restored, begun or shown",
            "1:the server cannot be reached, refused, or did not finish",
            "2:wrong usage",
            "4:others have written keys since, and nothing was changed; or the content of keys was"
                    + " not kept, and they were left"
        })
public final class RestoreCommand implements Callable<Integer> {
    private static final String STATUS = "--status";

    @Spec private CommandSpec spec;

    @Mixin private ServerOptions server;

    @Mixin private ListOptions list;

    @Mixin private RestoreGoal goal;

    @Parameters(
            arity = "0..1",
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket.")
    private Optional<String> bucket = Optional.empty();

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            defaultValue = "",
            description = "Prefix of the keys (default: all keys).")
    private String prefix;

    @ArgGroup(exclusive = true)
    private OnConflict onConflict = new OnConflict();

    /** One of them, or none to be refused. */
    private static final class OnConflict {
        @Option(
                names = "--overwrite",
                description = "Put back keys as well that somebody else has written since.")
        private boolean overwrite;

        @Option(names = "--skip", description = "Leave such keys as they are.")
        private boolean skip;
    }

    @Option(names = "--dry-run", description = "Show the changes, and make none.")
    private boolean dryRun;

    @Mixin private WaitOption wait;

    @Option(
            names = STATUS,
            arity = "0..1",
            paramLabel = "ID",
            description = "Show how far a restore is, or all.")
    private String status = "";

    @Option(
            names = "--cancel",
            paramLabel = "ID",
            description = "End a restore; keys that it has restored stay so.")
    private Optional<String> cancelled = Optional.empty();

    @Mixin private Confirmation confirmation;

    @Override
    public Integer call() throws InterruptedException {
        boolean isStatus = spec.commandLine().getParseResult().hasMatchedOption(STATUS);
        boolean isRestore = bucket.isPresent() || goal.isGiven();
        int questions = (isStatus ? 1 : 0) + (cancelled.isPresent() ? 1 : 0) + (isRestore ? 1 : 0);
        boolean isUndo = goal.undoneRestore().isPresent();
        if (questions != 1 || isRestore && bucket.isPresent() == isUndo) {
            throw new ParameterException(
                    spec.commandLine(),
                    isUndo
                            ? "--undo needs no BUCKET: the restore has one"
                            : "write one of BUCKET, --undo, --status and --cancel");
        }
        if (isUndo && !prefix.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--undo needs no --prefix: the restore has one");
        }
        if (isRestore) {
            return restore();
        }
        return server.run(
                client -> {
                    RestoreRuns runs = new RestoreRuns(server, client);
                    if (cancelled.isPresent()) {
                        runs.show(
                                client.ask(
                                        Routes.CANCEL_RESTORE, new CancelRequest(cancelled.get())));
                    } else if (status.isEmpty()) {
                        runs.showAll();
                    } else {
                        runs.show(runs.get(status));
                    }
                    return ServerOptions.OK;
                });
    }

    private int restore() throws InterruptedException {
        Goal wanted = goal.goal(spec);
        return server.run(
                client -> {
                    Restoration request = request(client, wanted);
                    RestorePlan plan = new RestorePlan(client, request, onConflict.overwrite);
                    if (dryRun) {
                        plan.show(server, list);
                        RestorePlan.Counts counts = plan.counts();
                        if (!server.isJson()) {
                            plan.showScope(spec.commandLine().getErr(), server.tables());
                            summarise(counts);
                        }
                        return end(counts);
                    }
                    if (!isDecided() || !confirmation.isGiven()) {
                        RestorePlan.Counts counts = plan.counts();
                        if (!isDecided() && counts.conflicts() > 0) {
                            plan.showScope(spec.commandLine().getErr(), server.tables());
                            return refuse(counts);
                        }
                        confirm(plan, counts);
                    }
                    return run(client, request);
                });
    }

    /**
     * Returns the request. Without a choice there are no conflicts, or nothing is begun; those that
     * arise meanwhile are left, because nobody has decided about them.
     */
    private Restoration request(AdminClient client, Goal wanted)
            throws IOException, InterruptedException {
        String decision = onConflict.overwrite ? "overwrite" : "skip";
        if (goal.undoneRestore().isPresent()) {
            String id = goal.undoneRestore().get();
            Restoration undone = new RestoreRuns(server, client).get(id).value().request();
            return new Restoration(undone.bucket(), undone.prefix(), wanted, Optional.of(decision));
        }
        return new Restoration(
                bucket.orElseThrow(), Optional.of(prefix), wanted, Optional.of(decision));
    }

    /** Asks before a restore removes keys, or brings back what an undo condemned. */
    private void confirm(RestorePlan plan, RestorePlan.Counts counts)
            throws IOException, InterruptedException {
        plan.showScope(spec.commandLine().getErr(), server.tables());
        summarise(counts);
        Optional<String> risks = counts.risks();
        if (risks.isPresent()) {
            confirmation.require(() -> "This " + risks.get() + ". Go on?");
        }
    }

    private void summarise(RestorePlan.Counts counts) {
        tell("volute: " + counts.summary());
        counts.broughtBack().forEach(each -> tell("volute: this " + each));
    }

    /** Returns true if an option decides how to handle conflicts. */
    private boolean isDecided() {
        return onConflict.overwrite || onConflict.skip;
    }

    /** Returns the exit code of a dry run, the same as that of the restore itself. */
    private int end(RestorePlan.Counts counts) {
        if (counts.conflicts() == 0 || isDecided() && counts.unknown() == 0) {
            return ServerOptions.OK;
        }
        if (!isDecided()) {
            tell("volute: the restore would change nothing: " + counts.kinds());
        }
        return ServerOptions.CONFLICTS;
    }

    private void tell(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }

    private int refuse(RestorePlan.Counts counts) {
        if (server.isJson()) {
            server.print(counts.document());
        } else {
            counts.show(server.tables());
            tell("volute: " + counts.summary());
            tell("volute: nothing was changed: " + counts.kinds());
        }
        return ServerOptions.CONFLICTS;
    }

    private int run(AdminClient client, Restoration request)
            throws IOException, InterruptedException {
        RestoreRuns runs = new RestoreRuns(server, client);
        Answer<Run> run = client.ask(Routes.START_RESTORE, new StartRequest(request));
        if (wait.isAwaited(true)) {
            run = runs.follow(run, wait);
        }
        runs.show(run);
        return RestoreRuns.end(run.value());
    }
}
