package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** The restores in the server's list, running and finished. */
final class RestoreRuns {
    static final String PATH = "/_volute/v1/restore";

    private static final String RUNNING = "running";

    private final ServerOptions server;
    private final AdminClient client;

    RestoreRuns(ServerOptions server, AdminClient client) {
        this.server = server;
        this.client = client;
    }

    /** Asks until it is over. */
    Map<String, Object> follow(Map<String, Object> begun) throws IOException, InterruptedException {
        Map<String, String> id = Map.of("id", AnswerFormat.text(begun, "id"));
        Map<String, Object> run = begun;
        Progress progress = server.progress("restoring", true);
        while (RUNNING.equals(run.get("phase"))) {
            server.context().pause().pass();
            run = client.get(PATH, id);
            String message = AnswerFormat.text(run, "message");
            progress.at(
                    AnswerFormat.number(run, "looked"),
                    AnswerFormat.number(run, "total"),
                    figures(run) + (message.isEmpty() ? "" : "; " + AnswerFormat.visible(message)));
        }
        progress.end();
        return run;
    }

    private static String figures(Map<String, Object> run) {
        return AnswerFormat.number(run, "looked")
                + " keys looked at, "
                + AnswerFormat.number(run, "restored")
                + " restored, "
                + AnswerFormat.number(run, "skipped")
                + " skipped";
    }

    /** Prints one restore and the next step: how to follow it, correct it or undo it. */
    void show(Map<String, Object> run) {
        if (server.isJson()) {
            server.print(run);
            return;
        }
        PrintWriter out = server.out();
        out.println(
                "restore "
                        + AnswerFormat.visible(AnswerFormat.text(run, "id"))
                        + " "
                        + AnswerFormat.text(run, "phase")
                        + ": "
                        + figures(run));
        String message = AnswerFormat.text(run, "message");
        if (!message.isEmpty()) {
            out.println("  " + AnswerFormat.visible(message));
        }
        if (RUNNING.equals(run.get("phase"))) {
            out.println(
                    "  it goes on in the server: volute restore --status "
                            + AnswerFormat.visible(AnswerFormat.text(run, "id")));
        } else if (AnswerFormat.number(run, "restored") == 0) {
            out.println(
                    AnswerFormat.number(run, "looked") == 0
                            ? "  no key had changed: check the bucket, the prefix, the time and"
                                    + " whose writes you meant (volute actors lists all)"
                            : "  nothing was put back: the keys were left as they are, or their"
                                    + " content at that time was not kept; the same command with"
                                    + " --dry-run names each");
            out.flush();
            return;
        }
        out.println(
                "  in the history as \""
                        + AnswerFormat.visible(AnswerFormat.text(run, "actor"))
                        + "\" since "
                        + AnswerFormat.text(run, "began")
                        + ": undo it with --undo-name");
        out.flush();
    }

    void showAll() throws IOException, InterruptedException {
        Map<String, Object> all = client.get(PATH, Map.of());
        if (server.isJson()) {
            server.print(all);
            return;
        }
        Table table =
                new Table(
                        new Column("ID", run -> AnswerFormat.text(run, "id")),
                        new Column("PHASE", run -> AnswerFormat.text(run, "phase")),
                        new Column("BEGAN", run -> AnswerFormat.text(run, "began")),
                        new Column("KEYS", run -> keys(AnswerFormat.map(run, "request"))),
                        new Column("GOAL", RestoreRuns::goal),
                        new Column("LOOKED AT", run -> AnswerFormat.text(run, "looked")),
                        new Column("RESTORED", run -> AnswerFormat.text(run, "restored")),
                        new Column("SKIPPED", run -> AnswerFormat.text(run, "skipped")),
                        new Column("MESSAGE", run -> AnswerFormat.text(run, "message")));
        List<Map<String, Object>> runs = AnswerFormat.maps(all, "runs");
        table.print(runs, server.out());
        if (runs.isEmpty()) {
            server.out().println("none");
        }
        server.out().flush();
    }

    private static String keys(Map<String, Object> request) {
        return AnswerFormat.text(request, "bucket") + "/" + AnswerFormat.text(request, "prefix");
    }

    private static String goal(Map<String, Object> run) {
        return RestoreGoal.shown(AnswerFormat.map(AnswerFormat.map(run, "request"), "goal"));
    }

    /** The exit code of a restore that was waited for, or was only begun. */
    static int end(Map<String, Object> run) throws IOException {
        String phase = AnswerFormat.text(run, "phase");
        if (!phase.equals(RUNNING) && !phase.equals("done")) {
            throw new IOException("the restore did not finish: it is " + phase);
        }
        return ServerOptions.OK;
    }
}
