package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.RestoreApi.Restoration;
import io.volute.adminapi.RestoreApi.Run;
import io.volute.adminapi.RestoreApi.Runs;
import io.volute.adminapi.RestoreApi.RunsRequest;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;

/** The restores in the server's list, running and finished. */
final class RestoreRuns {
    private static final String RUNNING = "running";

    private final ServerOptions server;
    private final AdminClient client;

    RestoreRuns(ServerOptions server, AdminClient client) {
        this.server = server;
        this.client = client;
    }

    Answer<Run> get(String id) throws IOException, InterruptedException {
        return client.ask(Routes.RESTORE, new RunsRequest(Optional.of(id)));
    }

    /** Asks until it is over. */
    Answer<Run> follow(Answer<Run> begun, WaitOption wait)
            throws IOException, InterruptedException {
        Progress progress = server.progress("restoring");
        Answer<Run> last =
                wait.await(
                        work(begun.value()),
                        begun,
                        answer -> answer.value().phase().equals(RUNNING),
                        () -> {
                            Answer<Run> now = get(begun.value().id());
                            show(progress, now.value());
                            return now;
                        });
        progress.end();
        return last;
    }

    private WaitOption.Work work(Run run) {
        return new WaitOption.Work(
                server.command("restore", "--status", run.id()),
                Optional.of(server.command("restore", "--cancel", run.id())));
    }

    private static void show(Progress progress, Run run) {
        String message = run.message().isEmpty() ? "" : "; " + AnswerFormat.visible(run.message());
        progress.at(run.looked(), run.total(), "key", outcomes(run) + message);
    }

    private static String figures(Run run) {
        return AnswerFormat.count(run.looked(), "key") + " looked at: " + outcomes(run);
    }

    private static String outcomes(Run run) {
        return (run.restored() - run.removed())
                + " put back, "
                + run.removed()
                + " removed, "
                + (run.looked() - run.restored() - run.skipped())
                + " unchanged, "
                + (run.skipped() - run.unknown())
                + " left, "
                + run.unknown()
                + " unknown";
    }

    /** Prints one restore and the next step: how to follow it, correct it or undo it. */
    void show(Answer<Run> answer) {
        if (server.isJson()) {
            server.print(answer);
            return;
        }
        Run run = answer.value();
        PrintWriter out = server.out();
        String id = AnswerFormat.visible(run.id());
        out.println("restore " + id + " " + run.phase() + ": " + figures(run));
        if (!run.message().isEmpty()) {
            out.println("  " + AnswerFormat.visible(run.message()));
        }
        if (run.phase().equals(RUNNING)) {
            out.println("  " + work(run).advice());
        } else if (run.restored() == 0) {
            out.println("  " + whyNothing(run));
            out.flush();
            return;
        }
        out.println(
                "  in the history as \""
                        + AnswerFormat.visible(run.actor())
                        + "\" since "
                        + run.began()
                        + "; undo it with:");
        out.println("  " + server.command("restore", "--undo", run.id()));
        out.flush();
    }

    private static String whyNothing(Run run) {
        if (run.looked() == 0) {
            return "no key had changed: check the bucket, the prefix, the time and whose writes"
                    + " you meant (volute actors lists all)";
        }
        return run.skipped() == 0
                ? "nothing to restore: the keys already have that state"
                : "nothing was restored: the keys that were left have conflicts, and of the unknown"
                        + " ones the content was not kept; the same command with --dry-run names"
                        + " each";
    }

    void showAll() throws IOException, InterruptedException {
        Answer<Runs> all = client.ask(Routes.RESTORES, new RunsRequest(Optional.empty()));
        if (server.isJson()) {
            server.print(all);
            return;
        }
        Table<Run> table =
                new Table<>(
                        Run.class,
                        Column.whole(new Column<>("ID", Run::id)),
                        new Column<>("PHASE", Run::phase),
                        Column.time("BEGAN", run -> run.began()),
                        Column.once(new Column<>("KEYS", run -> keys(run.request()))),
                        Column.once(
                                new Column<>(
                                        "GOAL", run -> RestoreGoal.shown(run.request().goal()))),
                        Column.fullOnly(Column.number("LOOKED AT", run -> run.looked())),
                        new Column<>(
                                "PUT BACK", run -> Long.toString(run.restored() - run.removed())),
                        Column.number("REMOVED", run -> run.removed()),
                        Column.fullOnly(
                                new Column<>(
                                        "LEFT",
                                        run -> Long.toString(run.skipped() - run.unknown()))),
                        Column.fullOnly(Column.number("UNKNOWN", run -> run.unknown())),
                        Column.once(new Column<>("MESSAGE", Run::message)));
        table.print(all.value().runs(), server.tables());
        if (table.isEmpty()) {
            server.out().println("none");
        }
        server.out().flush();
    }

    private static String keys(Restoration request) {
        return request.bucket() + "/" + AnswerFormat.text(request.prefix());
    }

    /** Returns the exit code of a restore that was waited for, or was only begun. */
    static int end(Run run) throws IOException {
        if (run.phase().equals("done") && run.unknown() > 0) {
            return ServerOptions.CONFLICTS;
        }
        if (!run.phase().equals(RUNNING) && !run.phase().equals("done")) {
            throw new IOException("the restore did not finish: it is " + run.phase());
        }
        return ServerOptions.OK;
    }
}
