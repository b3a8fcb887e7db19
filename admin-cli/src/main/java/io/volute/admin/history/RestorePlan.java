package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.HistoryApi.State;
import io.volute.adminapi.RestoreApi.Author;
import io.volute.adminapi.RestoreApi.Elsewhere;
import io.volute.adminapi.RestoreApi.Line;
import io.volute.adminapi.RestoreApi.Plan;
import io.volute.adminapi.RestoreApi.PlanRequest;
import io.volute.adminapi.RestoreApi.Restoration;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The plan of a restore, as the server computed it. */
final class RestorePlan {

    /** Conflicts that are named; more are counted. */
    private static final int NAMED = 20;

    private final Pages.Source source;
    private Scope scope = new Scope(List.of(), 0, 0, List.of());
    private Conflicts seen = new Conflicts();
    private boolean isSeenWhole;

    /** The authors of the writes that the restore undoes, and the buckets that it leaves alone. */
    private record Scope(
            List<Author> authors, long authorsTotal, long sessions, List<Elsewhere> elsewhere) {}

    RestorePlan(AdminClient client, Restoration request) {
        Pages.Source asked =
                Pages.of(
                        client,
                        Routes.PLAN_RESTORE,
                        new PlanRequest(request, OptionalLong.empty(), Optional.empty()));
        this.source =
                page -> {
                    Map<String, Object> answer = asked.ask(page);
                    Plan plan = AdminJson.as(answer, Plan.class);
                    scope =
                            new Scope(
                                    plan.authors(),
                                    plan.authorsTotal(),
                                    plan.sessions(),
                                    plan.elsewhere().orElse(List.of()));
                    if (!page.containsKey(Pages.FROM)) {
                        seen = new Conflicts();
                    }
                    seen.take(plan.lines());
                    isSeenWhole = plan.next().isEmpty();
                    return answer;
                };
    }

    /**
     * The keys that somebody else has written since, or of which it is not known what they held.
     */
    static final class Conflicts {
        private final List<Line> named = new ArrayList<>();
        private long count;
        private long lost;

        private void take(List<Line> lines) {
            for (Line line : lines) {
                boolean isLost = line.lost().isPresent();
                if ((isLost || line.conflict().isPresent()) && count++ < NAMED) {
                    named.add(line);
                }
                lost += isLost ? 1 : 0;
            }
        }

        long count() {
            return count;
        }

        /** Describes the conflicts by kind. */
        String kinds() {
            String written =
                    count == lost
                            ? ""
                            : "keys that somebody else has written since: "
                                    + (count - lost)
                                    + "; --overwrite puts them back as well, --skip leaves them";
            return lost == 0
                    ? written
                    : written
                            + (written.isEmpty() ? "" : "; ")
                            + "keys that are LOST, because what they held then was not kept: "
                            + lost
                            + "; --skip restores the others";
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("conflicts", named);
            document.put("moreConflicts", count - named.size());
            document.put("lost", lost);
            return document;
        }

        void show(PrintWriter out) {
            Table<Line> table =
                    new Table<>(
                            Line.class,
                            new Column<>("KEY", Line::key),
                            new Column<>("CONFLICT", RestorePlan::conflict));
            table.print(named, out);
            if (count > named.size()) {
                out.println("and " + (count - named.size()) + " more");
            }
            out.flush();
        }
    }

    /** Looks through all of the plan, unless all of it has been shown. */
    Conflicts conflicts() throws IOException, InterruptedException {
        if (!isSeenWhole) {
            Pages.followAll(source, "lines", lines -> {});
        }
        return seen;
    }

    void show(ServerOptions server, ListOptions list) throws IOException, InterruptedException {
        Table<Line> table =
                new Table<>(
                        Line.class,
                        new Column<>("KEY", Line::key),
                        new Column<>("NOW", line -> state(line.now())),
                        new Column<>("THEN", line -> state(line.then())),
                        new Column<>("WHY", Line::why),
                        new Column<>("STATE", RestorePlan::certainty),
                        new Column<>("CONFLICT", RestorePlan::conflict));
        table.whenEmpty(() -> "nothing to restore: no key would change");
        list.show(server, source, "lines", table, () -> AdminJson.fields(scope));
    }

    private static String certainty(Line line) {
        if (line.lost().isPresent()) {
            return "LOST";
        }
        return line.exact() ? "exact" : "approximate";
    }

    private static String conflict(Line line) {
        return AnswerFormat.text(line.conflict().or(line::lost));
    }

    /**
     * Prints whose writes are undone, and which other buckets the goal concerns. Call it when some
     * of the plan has been asked for.
     */
    void showScope(PrintWriter err) {
        long sessions = scope.sessions();
        if (sessions > 0) {
            err.println(
                    "volute: this key began "
                            + sessions
                            + (sessions == 1 ? " session" : " sessions")
                            + ", and their writes are undone as well");
        }
        scope.authors().stream().limit(NAMED).forEach(author -> err.println(author(author)));
        long more = scope.authorsTotal() - NAMED;
        if (more > 0) {
            err.println("volute: and the writes of " + more + " more clients");
        }
        scope.elsewhere().forEach(other -> err.println(elsewhere(other)));
        err.flush();
    }

    private static String author(Author author) {
        return "volute: undoes writes: "
                + author.writes()
                + " by "
                + AnswerFormat.visible(
                        AnswerFormat.client(author.actor())
                                + " ("
                                + AnswerFormat.credential(author.actor())
                                + ")");
    }

    private static String elsewhere(Elsewhere other) {
        return "volute: writes in the bucket "
                + other.bucket()
                + " that this restore leaves as they are: "
                + other.writes()
                + "; the same with --bucket "
                + other.bucket()
                + " undoes them";
    }

    private static String state(Optional<State> state) {
        return state.map(
                        each ->
                                (each.deleteMarker()
                                                ? "delete marker"
                                                : AnswerFormat.bytes(each.bytes()))
                                        + " of "
                                        + each.began())
                .orElse("nothing");
    }
}
