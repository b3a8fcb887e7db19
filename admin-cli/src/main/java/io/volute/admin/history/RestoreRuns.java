package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.Progress;
import io.volute.admin.output.Shown;
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
        Map<String, String> id = Map.of("id", Shown.text(begun, "id"));
        Map<String, Object> run = begun;
        Progress progress = server.progress("restoring", true);
        while (RUNNING.equals(run.get("phase"))) {
            server.surroundings().pause().pass();
            run = client.get(PATH, id);
            String message = Shown.text(run, "message");
            progress.at(
                    Shown.number(run, "looked"),
                    Shown.number(run, "total"),
                    figures(run) + (message.isEmpty() ? "" : "; " + Shown.visible(message)));
        }
        progress.end();
        return run;
    }

    private static String figures(Map<String, Object> run) {
        return Shown.number(run, "looked")
                + " keys looked at, "
                + Shown.number(run, "restored")
                + " restored, "
                + Shown.number(run, "skipped")
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
                        + Shown.visible(Shown.text(run, "id"))
                        + " "
                        + Shown.text(run, "phase")
                        + ": "
                        + figures(run));
        String message = Shown.text(run, "message");
        if (!message.isEmpty()) {
            out.println("  " + Shown.visible(message));
        }
        if (RUNNING.equals(run.get("phase"))) {
            out.println(
                    "  it goes on in the server: volute restore --status "
                            + Shown.visible(Shown.text(run, "id")));
        } else if (Shown.number(run, "restored") == 0) {
            out.println(
                    Shown.number(run, "looked") == 0
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
                        + Shown.visible(Shown.text(run, "actor"))
                        + "\" since "
                        + Shown.text(run, "began")
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
                        new Column("ID", run -> Shown.text(run, "id")),
                        new Column("PHASE", run -> Shown.text(run, "phase")),
                        new Column("BEGAN", run -> Shown.text(run, "began")),
                        new Column("KEYS", run -> keys(Shown.map(run, "request"))),
                        new Column("GOAL", RestoreRuns::goal),
                        new Column("LOOKED AT", run -> Shown.text(run, "looked")),
                        new Column("RESTORED", run -> Shown.text(run, "restored")),
                        new Column("SKIPPED", run -> Shown.text(run, "skipped")),
                        new Column("MESSAGE", run -> Shown.text(run, "message")));
        List<Map<String, Object>> runs = Shown.maps(all, "runs");
        table.print(runs, server.out());
        if (runs.isEmpty()) {
            server.out().println("none");
        }
        server.out().flush();
    }

    private static String keys(Map<String, Object> request) {
        return Shown.text(request, "bucket") + "/" + Shown.text(request, "prefix");
    }

    private static String goal(Map<String, Object> run) {
        return RestoreGoal.shown(Shown.map(Shown.map(run, "request"), "goal"));
    }

    /** The exit code of a restore that was waited for, or was only begun. */
    static int end(Map<String, Object> run) throws IOException {
        String phase = Shown.text(run, "phase");
        if (!phase.equals(RUNNING) && !phase.equals("done")) {
            throw new IOException("the restore did not finish: it is " + phase);
        }
        return ServerOptions.OK;
    }
}
