package io.volute.admin.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Restores: planned, refused because of conflicts, run, followed, ended. */
class RestoreCommandTest {
    private static final String PLAN = "POST restore/plan";
    private static final String START = "POST restore";
    private static final String RUNS = "GET restore";
    private static final String CLEAN_PLAN =
            "{\"lines\": [{\"key\": \"k\", \"why\": \"w\", \"exact\": true}]}";

    private static final String REMOVING_PLAN =
            """
            {"lines": [{"key": "k", "now": {"bytes": 5, "began": "2026-11-20T15:00:00Z"},
             "why": "w", "exact": true}]}\
            """;

    @RegisterExtension private final FakeServer server = new FakeServer();

    private static String run(String phase, int looked, String message) {
        return """
        {"id": "r1", "request": {"bucket": "bucket", "prefix": "p/",
          "goal": {"kind": "undo-name", "name": "evil", "since": "2026-11-20T14:05:00Z"},
          "onConflict": "skip"},
         "phase": "%s", "began": "2026-11-21T10:00:00Z", "actor": "restore r1", "looked": %d,
         "restored": 3, "removed": 1, "skipped": 1, "unknown": 0, "message": "%s"}\
        """
                .formatted(phase, looked, message);
    }

    private Outcome restore(String... more) {
        List<String> all = new ArrayList<>(List.of("restore", "bucket"));
        all.addAll(Arrays.asList(more));
        return server.run(all.toArray(String[]::new));
    }

    private static String conflicts(int begin, int end, String next) {
        StringBuilder lines = new StringBuilder();
        for (int i = begin; i < end; i++) {
            lines.append(i == begin ? "" : ",")
                    .append("{\"key\": \"k\\n" + i + "\", \"why\": \"w\", \"exact\": true,")
                    .append("\"conflict\": \"written by alice\"}");
        }
        return "{\"lines\": [" + lines + "]" + next + "}";
    }

    private static String time(String instant) {
        return DateTimeFormatter.ofPattern("MM-dd HH:mm", Locale.ROOT)
                .format(Instant.parse(instant).atZone(ZoneId.of("Europe/Berlin")));
    }

    /** Long keys and many bytes do not make a plan wider than a terminal. */
    @Test
    void aPlanFitsEightyColumns() {
        server.atTerminal();
        String state = "{\"bytes\": 1099511627775, \"began\": \"2026-11-20T14:00:00Z\"}";
        server.answer(
                PLAN,
                "{\"lines\": [{\"key\": \""
                        + "a-long-key/".repeat(20)
                        + "\", \"now\": "
                        + state
                        + ", \"then\": "
                        + state.replace("1099511627775", "1099511627774")
                        + ", \"why\": \"w\", \"exact\": true}]}");
        assertThat(restore("--at", "-2h", "--dry-run").out().lines())
                .hasSize(4)
                .allMatch(line -> line.length() <= 80);
    }

    @Test
    void asksBeforeItRemovesKeys() {
        server.answer(PLAN, REMOVING_PLAN).answer(START, run("done", 5, ""));
        Outcome unasked = restore("--at", "-2h");
        assertThat(unasked.code()).isEqualTo(2);
        assertThat(unasked.err())
                .contains("would put back 0, remove 1, leave 0, unknown 0")
                .contains("no terminal to ask at. Add --yes");
        server.atTerminal();
        Outcome refused = restore("--at", "-2h");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err())
                .contains("would put back 0, remove 1, leave 0, unknown 0")
                .contains("This removes 1 key. Go on? [y/N]")
                .contains("not confirmed: nothing was changed");
        assertThat(restore("--at", "-2h", "--skip").code()).isEqualTo(1);
        assertThat(server.asked()).allMatch(question -> question.startsWith(PLAN));
        assertThat(restore("--at", "-2h", "--yes").code()).isZero();
        assertThat(restore("--at", "-2h", "--skip", "--yes").code()).isZero();
    }

    /** A restore that brings back what an undo condemned names that undo, and asks. */
    @Test
    void whatAnUndoCondemnedIsNotBroughtBackWithoutAQuestion() {
        String plan =
                """
                {"lines": [
                  {"key": "a", "now": {"bytes": 1, "began": "2026-11-20T15:00:00Z"},
                   "then": {"bytes": 2, "began": "2026-11-20T14:00:00Z"},
                   "why": "w", "exact": true, "conflict": "undone by restore 7",
                   "undoneBy": "restore 7"},
                  {"key": "b", "now": {"bytes": 1, "began": "2026-11-20T15:00:00Z"},
                   "why": "w", "exact": true, "conflict": "undone by restore 7",
                   "undoneBy": "restore 7"}]}\
                """;
        server.atTerminal()
                .answer(RUNS, run("done", 5, ""))
                .answer(
                        PLAN,
                        plan,
                        plan,
                        plan,
                        plan.replace("\"conflict\": \"undone by restore 7\",", ""))
                .answer(START, run("done", 5, ""));
        Outcome outcome = restore("--at", "-2h", "--overwrite");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("would put back 1, remove 1, leave 0, unknown 0")
                .contains(
                        "This brings back the states that restore 7 undid (2 keys) and removes 1"
                                + " key. Go\non?");
        assertThat(restore("--at", "-2h", "--overwrite", "--dry-run").out())
                .contains("put back", "remove")
                .doesNotContain("leave");
        Outcome left = restore("--at", "-2h", "--skip", "--dry-run");
        assertThat(left.out()).contains("leave").doesNotContain("put back");
        assertThat(left.err()).doesNotContain("brings back");
        assertThat(server.asked()).allMatch(question -> question.startsWith(PLAN));
        assertThat(restore("--at", "-2h", "--overwrite", "--yes").code()).isZero();
        Outcome undo = server.run("restore", "--undo", "r1");
        assertThat(undo.code()).isEqualTo(1);
        assertThat(undo.err()).contains("the states that restore 7 undid (2 keys) and");
    }

    @Test
    void aWarningAboutTheWholePlanComesFirst() {
        server.answer(PLAN, "{\"lines\": [], \"warnings\": [\"the bucket did not exist\"]}");
        assertThat(restore("--at", "-2h", "--dry-run").err())
                .startsWith("volute: the bucket did not exist\n");
    }

    /** The advice of a restore works as it is printed. */
    @Test
    void aRestoreIsUndoneByItsId() {
        server.answer(RUNS, run("done", 5, ""))
                .answer(PLAN, CLEAN_PLAN)
                .answer(START, run("done", 5, ""));
        Outcome outcome = server.run("restore", "--undo", "r1");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("volute restore --undo r1");
        assertThat(server.asked().getFirst()).isEqualTo("GET restore?id=r1");
        assertThat(server.asked().getLast())
                .startsWith(START)
                .contains(
                        "\"bucket\":\"bucket\"",
                        "\"prefix\":\"p/\"",
                        "\"goal\":{\"kind\":\"undo-restore\",\"id\":\"r1\"}");
        assertThat(restore("--undo", "r1").code()).isEqualTo(2);
        assertThat(server.run("restore", "--undo", "r1", "--prefix", "a/").err())
                .contains("--undo needs no --prefix: the restore has one");
    }

    @Test
    void showsThePlan() {
        server.atTerminal();
        server.answer(
                PLAN,
                """
                {"lines": [
                  {"key": "gone\\"<é>", "then": {"bytes": 2048, "began": "2026-11-20T14:00:00Z"},
                   "why": "removed by evil", "exact": false},
                  {"key": "new", "now": {"bytes": 5, "began": "2026-11-20T15:00:00Z"},
                   "why": "made by evil", "exact": true, "conflict": "written by alice"},
                  {"key": "marked", "now": {"deleteMarker": true, "bytes": 0,
                   "began": "2026-11-20T15:00:00Z"}, "why": "w", "exact": true}],
                 "elsewhere": [{"bucket": "backup", "writes": 12}]}\
                """);
        Outcome outcome = restore("--at", "-2h", "--dry-run");
        assertThat(outcome.code()).as("as the restore would end").isEqualTo(4);
        assertThat(outcome.out().lines().map(line -> line.replaceAll(" {2,}", "|")))
                .containsExactly(
                        "times|Europe/Berlin",
                        "",
                        "KEY|CHANGE|NOW|THEN",
                        "gone\"<é>|put back|nothing|~2.0 KiB " + time("2026-11-20T14:00:00Z"),
                        "new|leave|5 B " + time("2026-11-20T15:00:00Z") + "|nothing",
                        "marked|remove|marker " + time("2026-11-20T15:00:00Z") + "|nothing",
                        "KEY|CONFLICT",
                        "new|written by alice");
        assertThat(outcome.err())
                .isEqualToNormalizingNewlines(
                        "volute: writes in the bucket backup that this restore leaves as they are:"
                                + " 12; the same with bucket backup undoes them\n"
                                + "volute: would put back 1, remove 1, leave 1, unknown 0\n"
                                + "volute: the restore would change nothing: keys that somebody"
                                + " else has written since, or whose state of then was undone: 1;"
                                + " --overwrite puts them back as well, --skip leaves them\n");
        assertThat(restore("--at", "-2h", "--dry-run", "--wide").out().lines())
                .first()
                .asString()
                .matches("KEY +CHANGE +NOW +THEN +WHY +STATE +CONFLICT");
        assertThat(server.asked()).hasSize(2);
        assertThat(server.asked().getFirst())
                .startsWith(PLAN + "{")
                .contains("\"prefix\":\"\"", "\"onConflict\":\"skip\"", "\"max\":1000")
                .contains(
                        "\"goal\":{\"kind\":\"to-instant\","
                                + "\"instant\":\"2026-11-21T08:00:00Z\"}");
        assertThat(restore("--at", "-2h", "--dry-run", "--json").out())
                .startsWith("{\"lines\":[{\"key\":\"gone\\\"<é>\"");
    }

    /** A plan names the authors of the writes that it undoes first, for people and for programs. */
    @Test
    void aPlanSaysWhoseWritesAreUndone() throws IOException {
        server.atTerminal();
        server.answer(
                PLAN,
                """
                {"lines": [], "sessions": 1, "authorsTotal": 22, "authors": [
                  {"writes": 19, "user": "alice", "first": "2026-11-20T14:00:00Z",
                   "last": "2026-11-20T15:00:00Z", "derived": true,
                   "actor": {"id": 7, "principal": "deployer",
                   "accessKey": "VT", "parentAccessKey": "K", "parentPrincipal": "alice",
                   "name": "\\u001bn", "naming": "chosen", "address": "192.0.2.7"}},
                  {"writes": 1, "user": "alice", "actor": {"id": 8, "principal": "alice",
                   "accessKey": "K", "name": "192.0.2.7 curl", "naming": "program",
                   "address": "192.0.2.7"}}]}\
                """);
        String[] undo = {"--undo-access-key", "K", "--since", "-1d", "--dry-run"};
        Outcome outcome = restore(undo);
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.err().lines())
                .containsExactly(
                        "volute: this key began 1 session, and their writes are undone as well",
                        "volute: undoes these clients (--undo-actor ID undoes some of them)",
                        "  actor 7: 19 writes, "
                                + time("2026-11-20T14:00:00Z")
                                + " to "
                                + time("2026-11-20T15:00:00Z")
                                + ", derived",
                        "    \"\\u001bn\" from 192.0.2.7",
                        "    deployer, VT begun by K of alice",
                        "  actor 8: 1 write",
                        "    192.0.2.7 curl",
                        "    alice, K",
                        "volute: and the writes of 2 more clients",
                        "volute: would put back 0, remove 0, leave 0, unknown 0");
        List<String> json = new ArrayList<>(List.of(undo));
        json.add("--json");
        Outcome document = restore(json.toArray(String[]::new));
        assertThat(document.err()).isEmpty();
        assertThat(document.json().toString())
                .contains("sessions=1", "authorsTotal=22", "parentAccessKey=K", "elsewhere=[]");
    }

    @Test
    void whatWasNotKeptIsLost() {
        server.answer(
                PLAN,
                """
                {"lines": [{"key": "k", "why": "w", "exact": false, "lost": "not kept"}]}\
                """);
        Outcome planned = restore("--at", "-2h", "--dry-run");
        assertThat(planned.code()).isEqualTo(4);
        assertThat(planned.out()).contains("unknown", "not kept");
        assertThat(planned.err())
                .contains("would change nothing: keys that are unknown", "not kept: 1;");
        Outcome outcome = restore("--at", "-2h");
        assertThat(outcome.code()).as("as the plan said").isEqualTo(4);
        assertThat(outcome.out()).contains("k", "not kept");
        assertThat(outcome.err()).contains("nothing was changed: keys that are unknown");
        assertThat(server.asked()).allMatch(question -> question.startsWith(PLAN));
        assertThat(restore("--at", "-2h", "--dry-run", "--skip").code()).isEqualTo(4);
    }

    /** The end of a dry run is that of the whole plan, however much of it is shown. */
    @Test
    void aPlanIsLookedThroughForItsEnd() {
        server.answer(
                PLAN,
                CLEAN_PLAN.replace("]}", "],\"next\":\"1\"}"),
                CLEAN_PLAN.replace("]}", "],\"next\":\"1\"}"),
                conflicts(0, 1, ""));
        Outcome outcome = restore("--at", "-2h", "--dry-run", "--max", "1");
        assertThat(outcome.code()).isEqualTo(4);
        assertThat(outcome.err()).contains("state of then was undone: 1;");
    }

    @Test
    void conflictsAreRefusedAndNothingIsBegun() throws IOException {
        server.answer(PLAN, conflicts(0, 3, ",\"next\":\"3\""), conflicts(3, 25, ""));
        Outcome outcome = restore("--undo-name", "evil", "--since", "20261120t140500z");
        assertThat(outcome.code()).isEqualTo(4);
        assertThat(outcome.out())
                .contains("k\\n0 ", "k\\n19 ", "written by alice", "and 5 more")
                .doesNotContain("k\\n20 ");
        assertThat(outcome.err())
                .contains("nothing was changed: keys that somebody else has written since", ": 25;")
                .contains("--overwrite", "--skip");
        assertThat(server.asked()).hasSize(2).allMatch(question -> question.startsWith(PLAN));
        assertThat(server.asked().getLast()).contains("\"from\":\"3\"");

        Outcome json = restore("--at", "-1d", "--json");
        assertThat(json.code()).isEqualTo(4);
        Map<String, Object> document =
                AdminJson.fields(json.out().getBytes(StandardCharsets.UTF_8));
        assertThat((List<?>) document.get("conflicts")).hasSize(20);
        assertThat(document).containsEntry("moreConflicts", 2);
    }

    @Test
    void runsAndWaitsForTheEnd() {
        server.eachTimeLater(40);
        server.answer(PLAN, CLEAN_PLAN)
                .answer(START, run("running", 0, ""))
                .answer(RUNS, run("running", 10, ""), run("running", 20, ""), run("done", 30, ""));
        Outcome outcome = restore("--prefix", "p/", "--at", "2026-11-20T14:05:00Z");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .containsExactly(
                        "restore r1 done: 30 keys looked at: 2 put back, 1 removed, 26 unchanged,"
                                + " 1 left, 0 unknown",
                        "  in the history as \"restore r1\" since 2026-11-21T10:00:00Z; undo it"
                                + " with:",
                        "  volute restore --undo r1 --endpoint " + server.endpoint());
        assertThat(outcome.err())
                .contains("restoring: 20 ", "0.3 keys/s", ", 2 put back, 1 removed, 16 unchanged");
        assertThat(server.pauses()).isEqualTo(3);
        assertThat(server.asked().getLast()).isEqualTo("GET restore?id=r1");
        assertThat(server.asked().get(1))
                .startsWith(START + "{\"request\":{")
                .contains("\"prefix\":\"p/\"", "\"onConflict\":\"skip\"");
    }

    @Test
    void aRestoreThatChangesNothingNamesTheReason() {
        server.answer(PLAN, "{\"lines\": []}")
                .answer(
                        START,
                        run("done", 4, "")
                                .replace(
                                        "\"restored\": 3, \"removed\": 1",
                                        "\"restored\": 0, \"removed\": 0"),
                        run("done", 4, "")
                                .replace(
                                        "\"restored\": 3, \"removed\": 1, \"skipped\": 1",
                                        "\"restored\": 0, \"removed\": 0, \"skipped\": 0"));
        assertThat(restore("--at", "-1d", "--dry-run").out())
                .isEqualTo("nothing to restore: no key would change\n");
        assertThat(restore("--at", "-1d", "--skip").out())
                .contains("nothing was restored: the keys that were left have conflicts");
        assertThat(restore("--at", "-1d", "--skip").out())
                .contains("nothing to restore: the keys already have that state");
    }

    @Test
    void aDecisionAboutConflictsNeedsNoPlan() {
        server.answer(START, run("done", 1, ""));
        assertThat(restore("--at", "-1d", "--overwrite", "--yes").code()).isZero();
        assertThat(server.asked().getLast()).contains("\"onConflict\":\"overwrite\"");
        assertThat(restore("--at", "-1d", "--skip", "--yes", "--json").out())
                .startsWith("{\"id\":\"r1\"");
        assertThat(server.asked().getLast()).contains("\"onConflict\":\"skip\"");
        assertThat(server.asked()).noneMatch(question -> question.startsWith(PLAN));
        assertThat(restore("--at", "-1d", "--skip", "--yes", "--overwrite", "--yes").code())
                .isEqualTo(2);
    }

    @Test
    void needNotWait() {
        server.answer(START, run("running", 0, ""));
        Outcome outcome = restore("--at", "-1d", "--skip", "--yes", "--no-wait");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).startsWith("restore r1 running: ");
        assertThat(server.pauses()).isZero();
    }

    @Test
    void aRestoreThatEndsOtherwiseHasFailed() {
        for (String phase : List.of("failed", "cancelled")) {
            server.answer(START, run(phase, 5, "disk \\\"full\\\"\\u001b"));
            Outcome outcome = restore("--at", "-1d", "--skip", "--yes");
            assertThat(outcome.code()).isEqualTo(1);
            assertThat(outcome.out()).contains("disk \"full\"\\u001b");
            assertThat(outcome.err()).contains("did not finish");
        }
    }

    @Test
    void everyGoalIsSaidToTheServer() {
        server.answer(START, run("done", 1, ""));
        Map<List<String>, String> goals = new LinkedHashMap<>();
        String since = "\"since\":\"2026-11-20T14:05:00Z\",\"derived\":true}";
        String undo = "{\"kind\":\"undo\",";
        goals.put(
                List.of("--undo-actor", "7", "--undo-actor", "8", "--since", "20261120t140500z"),
                undo + "\"actors\":[7,8]," + since);
        goals.put(
                List.of("--undo-name", "a \"b\"", "--since", "20261120t140500z"),
                undo + "\"names\":[\"a \\\"b\\\"\"]," + since);
        goals.put(
                List.of("--undo-name", "n", "--user", "u", "--since", "20261120t140500z"),
                undo + "\"names\":[\"n\"],\"user\":\"u\"," + since);
        goals.put(
                List.of(
                        "--undo-access-key",
                        "K",
                        "--undo-user",
                        "u",
                        "--since",
                        "20261120t140500z"),
                undo + "\"accessKeys\":[\"K\"],\"users\":[\"u\"]," + since);
        goals.put(
                List.of("--undo-user", "u", "--keep-derived", "--since", "20261120t140500z"),
                undo + "\"users\":[\"u\"]," + since.replace("true", "false"));
        goals.put(
                List.of("--before-taint", "s3://other/k/\u00e9"),
                "{\"kind\":\"before-taint\",\"bucket\":\"other\",\"key\":\"k/\u00e9\"}");
        String taint = "{\"kind\":\"before-taint\",\"bucket\":\"other\",\"key\":\"k\",";
        goals.put(
                List.of("--before-taint", "s3://other/k", "--version-id", "v1"),
                taint + "\"versionId\":\"v1\"}");
        goals.put(
                List.of("--before-taint", "s3://other/k", "--caused-by", "n"),
                taint + "\"causeName\":\"n\"}");
        goals.put(
                List.of("--before-taint", "s3://other/k", "--caused-by-access-key", "K"),
                taint + "\"causeAccessKey\":\"K\"}");
        goals.put(
                List.of("--before-taint", "s3://other/k", "--caused-by-user", "u"),
                taint + "\"causeUser\":\"u\"}");
        goals.forEach(
                (arguments, goal) -> {
                    List<String> all = new ArrayList<>(arguments);
                    all.addAll(List.of("--skip", "--yes"));
                    Outcome outcome = restore(all.toArray(String[]::new));
                    assertThat(outcome.code()).as(outcome.err()).isZero();
                    assertThat(server.asked().getLast()).contains("\"goal\":" + goal);
                });
    }

    @Test
    void showsAndEndsRuns() {
        server.answer(RUNS, "{\"runs\": [" + run("running", 5, "") + "]}");
        Outcome all = server.run("restore", "--status");
        assertThat(all.code()).as(all.err()).isZero();
        assertThat(all.out())
                .contains("bucket/p/", "undo-name name evil since 2026-11-20T14:05:00Z");
        assertThat(server.run("restore", "--status", "--json").out()).startsWith("{\"runs\":[");
        server.answer("POST restore/cancel", run("cancelled", 5, ""));
        Outcome ended = server.run("restore", "--cancel", "r1");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).startsWith("restore r1 cancelled: ");
        assertThat(server.asked())
                .containsExactly(
                        "GET restore", "GET restore", "POST restore/cancel{\"id\":\"r1\"}");
    }

    @Test
    void showsOneRun() {
        server.answer(RUNS, run("failed", 5, "why"));
        Outcome one = server.run("restore", "--status", "r1");
        assertThat(one.code()).isZero();
        assertThat(one.out()).contains("restore r1 failed: 5 keys looked at").contains("  why");
        assertThat(server.asked()).containsExactly("GET restore?id=r1");
    }

    @Test
    void wrongUsageIsSaidToBe() {
        List<List<String>> wrong =
                List.of(
                        List.of(),
                        List.of("--at", "-1d"),
                        List.of("b"),
                        List.of("b", "--status"),
                        List.of("--status", "--cancel", "r1"),
                        List.of("b", "--at", "yesterday"),
                        List.of("b", "--at", "-1d", "--since", "-1d"),
                        List.of("b", "--at", "-1d", "--undo-name", "n"),
                        List.of("b", "--undo-name", "n"),
                        List.of("b", "--undo-actor", "me", "--since", "-1d"),
                        List.of("b", "--at", "-1d", "--version-id", "v1"),
                        List.of("b", "--at", "-1d", "--caused-by", "n"),
                        List.of(
                                "b",
                                "--before-taint",
                                "s3://b/k",
                                "--caused-by",
                                "n",
                                "--caused-by-access-key",
                                "K"),
                        List.of("b", "--undo-user", "u"),
                        List.of("b", "--at", "-1d", "--user", "u"),
                        List.of("b", "--before-taint", "b/k"));
        for (List<String> each : wrong) {
            List<String> all = new ArrayList<>(List.of("restore"));
            all.addAll(each);
            Outcome outcome = server.run(all.toArray(String[]::new));
            assertThat(outcome.code()).as(each + outcome.err()).isEqualTo(2);
        }
        assertThat(server.asked()).isEmpty();
    }
}
