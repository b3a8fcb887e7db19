package io.volute.admin.history;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.Pages;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plan of a restore, as the server computed it. */
final class RestorePlan {
    private static final String CONFLICT = "conflict";
    private static final String ELSEWHERE = "elsewhere";
    private static final String AUTHORS = "authors";
    private static final String AUTHORS_TOTAL = "authorsTotal";
    private static final String SESSIONS = "sessions";
    private static final String LOST = "lost";

    /** Conflicts that are named; more are counted. */
    private static final int NAMED = 20;

    private final Pages.Source source;
    private List<Map<String, Object>> elsewhere = List.of();
    private List<Map<String, Object>> authors = List.of();
    private long authorsTotal;
    private long sessions;
    private Conflicts seen = new Conflicts();
    private boolean isSeenWhole;

    /**
     * @param request as the server takes it
     */
    RestorePlan(AdminClient client, Map<String, Object> request) {
        Pages.Source asked =
                Pages.ofPost(client, "/_volute/v1/restore/plan", Map.of("request", request));
        this.source =
                page -> {
                    Map<String, Object> answer = asked.ask(page);
                    elsewhere = AnswerFormat.maps(answer, ELSEWHERE);
                    authors = AnswerFormat.maps(answer, AUTHORS);
                    authorsTotal = AnswerFormat.number(answer, AUTHORS_TOTAL);
                    sessions = AnswerFormat.number(answer, SESSIONS);
                    if (!page.containsKey(Pages.FROM)) {
                        seen = new Conflicts();
                    }
                    seen.take(AnswerFormat.maps(answer, "lines"));
                    isSeenWhole = !answer.containsKey(Pages.NEXT);
                    return answer;
                };
    }

    /**
     * The keys that somebody else has written since, or of which it is not known what they held.
     */
    static final class Conflicts {
        private final List<Map<String, Object>> named = new ArrayList<>();
        private long count;
        private long lost;

        private void take(List<Map<String, Object>> lines) {
            for (Map<String, Object> line : lines) {
                boolean isLost = line.containsKey(LOST);
                if ((isLost || line.containsKey(CONFLICT)) && count++ < NAMED) {
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
            Table table =
                    new Table(
                            new Column("KEY", line -> AnswerFormat.text(line, "key")),
                            new Column("CONFLICT", RestorePlan::conflict));
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
        Table table =
                new Table(
                        new Column("KEY", line -> AnswerFormat.text(line, "key")),
                        new Column("NOW", line -> state(line, "now")),
                        new Column("THEN", line -> state(line, "then")),
                        new Column("WHY", line -> AnswerFormat.text(line, "why")),
                        new Column("STATE", RestorePlan::certainty),
                        new Column("CONFLICT", RestorePlan::conflict));
        list.show(server, source, "lines", table, this::besides);
    }

    private static String certainty(Map<String, Object> line) {
        if (line.containsKey(LOST)) {
            return "LOST";
        }
        return AnswerFormat.isTrue(line, "exact") ? "exact" : "approximate";
    }

    private static String conflict(Map<String, Object> line) {
        return AnswerFormat.text(line, line.containsKey(CONFLICT) ? CONFLICT : LOST);
    }

    private Map<String, Object> besides() {
        Map<String, Object> besides = new LinkedHashMap<>();
        besides.put(AUTHORS, authors);
        besides.put(AUTHORS_TOTAL, authorsTotal);
        besides.put(SESSIONS, sessions);
        besides.put(ELSEWHERE, elsewhere);
        return besides;
    }

    /**
     * Prints whose writes are undone, and which other buckets the goal concerns. Call it when some
     * of the plan has been asked for.
     */
    void showScope(PrintWriter err) {
        if (sessions > 0) {
            err.println(
                    "volute: this key began "
                            + sessions
                            + (sessions == 1 ? " session" : " sessions")
                            + ", and their writes are undone as well");
        }
        authors.stream().limit(NAMED).forEach(author -> err.println(author(author)));
        if (authorsTotal > NAMED) {
            err.println("volute: and the writes of " + (authorsTotal - NAMED) + " more clients");
        }
        elsewhere.forEach(other -> err.println(elsewhere(other)));
        err.flush();
    }

    private static String author(Map<String, Object> author) {
        Map<String, Object> actor = AnswerFormat.map(author, "actor");
        return "volute: undoes writes: "
                + AnswerFormat.number(author, "writes")
                + " by "
                + AnswerFormat.visible(
                        AnswerFormat.client(actor) + " (" + AnswerFormat.credential(actor) + ")");
    }

    private static String elsewhere(Map<String, Object> other) {
        String bucket = AnswerFormat.text(other, "bucket");
        return "volute: writes in the bucket "
                + bucket
                + " that this restore leaves as they are: "
                + AnswerFormat.number(other, "writes")
                + "; the same with --bucket "
                + bucket
                + " undoes them";
    }

    private static String state(Map<String, Object> line, String name) {
        Map<String, Object> state = AnswerFormat.map(line, name);
        if (state.isEmpty()) {
            return "nothing";
        }
        String what =
                AnswerFormat.isTrue(state, "deleteMarker")
                        ? "delete marker"
                        : AnswerFormat.bytes(AnswerFormat.number(state, "bytes"));
        return what + " of " + AnswerFormat.text(state, "began");
    }
}
