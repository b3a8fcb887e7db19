package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.admin.output.TableOutput;
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
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The plan of a restore, as the server computed it. */
final class RestorePlan {

    /** Conflicts that are named; more are counted. */
    private static final int NAMED = 20;

    private final Pages.Source source;

    /** Set when keys with conflicts are changed as well. */
    private final boolean isForced;

    private Scope scope = new Scope(List.of(), 0, 0, List.of(), List.of());
    private Counts seen;
    private boolean isSeenWhole;

    /** The authors of the writes that the restore undoes, and the buckets that it leaves alone. */
    private record Scope(
            List<Author> authors,
            long authorsTotal,
            long sessions,
            List<Elsewhere> elsewhere,
            List<String> warnings) {}

    RestorePlan(AdminClient client, Restoration request, boolean isForced) {
        this.isForced = isForced;
        this.seen = new Counts(isForced);
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
                                    plan.elsewhere().orElse(List.of()),
                                    plan.warnings().orElse(List.of()));
                    if (!page.containsKey(Pages.FROM)) {
                        seen = new Counts(isForced);
                    }
                    seen.take(plan.lines());
                    isSeenWhole = plan.next().isEmpty();
                    return answer;
                };
    }

    /** The effect of a restore on a key. */
    private enum Change {
        PUT_BACK,
        REMOVE,
        LEAVE,
        UNKNOWN,
        /** The key has that state already, but perhaps had another at the time. */
        SAME;

        static Change of(Line line, boolean isForced) {
            if (line.lost().isPresent()) {
                return UNKNOWN;
            }
            if (line.conflict().isPresent() && !isForced) {
                return LEAVE;
            }
            if (line.now().equals(line.then())) {
                return SAME;
            }
            return line.then().isPresent() ? PUT_BACK : REMOVE;
        }

        private boolean isNeeded() {
            return this == PUT_BACK || this == REMOVE;
        }

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** The keys by what becomes of them, and some of those that stay. */
    static final class Counts {
        private final List<Line> named = new ArrayList<>();
        private final Map<Change, Long> counts = new EnumMap<>(Change.class);

        /** Number of keys that get back what an undo condemned, by its description. */
        private final Map<String, Long> undone = new TreeMap<>();

        private final boolean isForced;

        Counts(boolean isForced) {
            this.isForced = isForced;
        }

        private void take(List<Line> lines) {
            for (Line line : lines) {
                Change change = Change.of(line, isForced);
                counts.merge(change, 1L, Long::sum);
                if ((change == Change.LEAVE || change == Change.UNKNOWN) && named.size() < NAMED) {
                    named.add(line);
                }
                if (change.isNeeded()) {
                    line.undoneBy().ifPresent(by -> undone.merge(by, 1L, Long::sum));
                }
            }
        }

        private long count(Change change) {
            return counts.getOrDefault(change, 0L);
        }

        /** Returns the number of keys that are left or unknown. */
        long conflicts() {
            return count(Change.LEAVE) + unknown();
        }

        long unknown() {
            return count(Change.UNKNOWN);
        }

        /** Describes what the restore brings back although an undo condemned it. */
        List<String> broughtBack() {
            return undone.entrySet().stream()
                    .map(
                            each ->
                                    "brings back the states that "
                                            + AnswerFormat.visible(each.getKey())
                                            + " undid ("
                                            + AnswerFormat.count(each.getValue(), "key")
                                            + ")")
                    .toList();
        }

        /** Describes the same and what the restore removes; empty when there is neither. */
        Optional<String> risks() {
            List<String> risks = new ArrayList<>(broughtBack());
            if (count(Change.REMOVE) > 0) {
                risks.add("removes " + AnswerFormat.count(count(Change.REMOVE), "key"));
            }
            return Optional.of(String.join(" and ", risks)).filter(text -> !text.isEmpty());
        }

        /** Describes what becomes of the keys. */
        String summary() {
            return "would put back "
                    + count(Change.PUT_BACK)
                    + ", remove "
                    + count(Change.REMOVE)
                    + ", leave "
                    + count(Change.LEAVE)
                    + ", unknown "
                    + unknown();
        }

        /** Describes the conflicts by kind. */
        String kinds() {
            long left = count(Change.LEAVE);
            String written =
                    left == 0
                            ? ""
                            : "keys that somebody else has written since, or whose state of then"
                                    + " was undone: "
                                    + left
                                    + "; --overwrite puts them back as well, --skip leaves them";
            return unknown() == 0
                    ? written
                    : written
                            + (written.isEmpty() ? "" : "; ")
                            + "keys that are unknown, because their content of then was not kept: "
                            + unknown()
                            + "; --skip leaves them and restores the others";
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("conflicts", named);
            document.put("moreConflicts", conflicts() - named.size());
            document.put("lost", unknown());
            return document;
        }

        void show(TableOutput output) {
            Table<Line> table =
                    new Table<>(
                            Line.class,
                            new Column<>("KEY", Line::key),
                            new Column<>("CONFLICT", RestorePlan::conflict));
            table.print(named, output);
            if (conflicts() > named.size()) {
                output.out().println("and " + (conflicts() - named.size()) + " more");
            }
            output.out().flush();
        }
    }

    /** Looks through all of the plan, unless all of it has been shown. */
    Counts counts() throws IOException, InterruptedException {
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
                        Column.whole(
                                new Column<>("CHANGE", line -> Change.of(line, isForced).text())),
                        Column.whole(Column.withTime("NOW", (line, to) -> state(line.now(), to))),
                        Column.whole(
                                Column.withTime(
                                        "THEN",
                                        (line, to) ->
                                                (to.isFull() || line.exact() ? "" : "~")
                                                        + state(line.then(), to))),
                        Column.fullOnly(new Column<>("WHY", Line::why)),
                        Column.fullOnly(new Column<>("STATE", RestorePlan::certainty)),
                        Column.fullOnly(new Column<>("CONFLICT", RestorePlan::conflict)));
        table.whenEmpty(() -> "nothing to restore: no key would change");
        list.show(server, source, "lines", table, () -> AdminJson.fields(scope));
        if (!server.isJson() && !server.tables().isFull() && !seen.named.isEmpty()) {
            seen.show(server.tables());
        }
    }

    private static String certainty(Line line) {
        if (line.lost().isPresent()) {
            return "unknown";
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
    void showScope(PrintWriter err, TableOutput output) {
        scope.warnings().forEach(each -> err.println("volute: " + AnswerFormat.visible(each)));
        long sessions = scope.sessions();
        if (sessions > 0) {
            err.println(
                    "volute: this key began "
                            + sessions
                            + (sessions == 1 ? " session" : " sessions")
                            + ", and their writes are undone as well");
        }
        if (!scope.authors().isEmpty()) {
            err.println("volute: undoes these clients (--undo-actor ID undoes some of them)");
        }
        scope.authors().stream().limit(NAMED).forEach(author -> show(author, err, output));
        long more = scope.authorsTotal() - NAMED;
        if (more > 0) {
            err.println("volute: and the writes of " + more + " more clients");
        }
        scope.elsewhere().forEach(other -> err.println(elsewhere(other)));
        err.flush();
    }

    private static void show(Author author, PrintWriter err, TableOutput output) {
        err.println(
                "  actor "
                        + author.actor().id()
                        + ": "
                        + AnswerFormat.count(author.writes(), "write")
                        + author.first().map(first -> ", " + output.time(first)).orElse("")
                        + author.last().map(last -> " to " + output.time(last)).orElse("")
                        + (author.derived() ? ", derived" : ""));
        err.println("    " + AnswerFormat.visible(AnswerFormat.client(author.actor())));
        err.println("    " + AnswerFormat.visible(AnswerFormat.credential(author.actor())));
    }

    private static String elsewhere(Elsewhere other) {
        return "volute: writes in the bucket "
                + other.bucket()
                + " that this restore leaves as they are: "
                + other.writes()
                + "; the same with bucket "
                + other.bucket()
                + " undoes them";
    }

    private static String state(Optional<State> state, TableOutput output) {
        if (state.isEmpty()) {
            return "nothing";
        }
        State some = state.get();
        String what = some.deleteMarker() ? "marker" : AnswerFormat.bytes(some.bytes());
        return output.isFull()
                ? (some.deleteMarker() ? "delete " : "") + what + " of " + some.began()
                : what + " " + output.time(some.began());
    }
}
