package io.volute.admin.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
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

    @RegisterExtension private final FakeServer server = new FakeServer();

    private static String run(String phase, int looked, String message) {
        return """
        {"id": "r1", "request": {"bucket": "bucket", "prefix": "p/",
          "goal": {"kind": "undo-name", "name": "evil", "since": "2026-11-20T14:05:00Z"},
          "onConflict": "skip"},
         "phase": "%s", "began": "2026-11-21T10:00:00Z", "actor": "restore r1", "looked": %d,
         "restored": 3, "skipped": 1, "message": "%s"}\
        """
                .formatted(phase, looked, message);
    }

    private Outcome restore(String... more) {
        List<String> all = new ArrayList<>(List.of("restore", "--bucket", "bucket"));
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

    @Test
    void showsThePlan() {
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
        Outcome outcome = restore("--to", "-2h", "--dry-run");
        assertThat(outcome.code()).as("as the restore would end").isEqualTo(4);
        assertThat(outcome.out().lines().map(line -> line.replaceAll(" {2,}", "|")))
                .containsExactly(
                        "KEY|NOW|THEN|WHY|STATE|CONFLICT",
                        "gone\"<é>|nothing|2.0 KiB of 2026-11-20T14:00:00Z|removed by evil"
                                + "|approximate",
                        "new|5 B of 2026-11-20T15:00:00Z|nothing|made by evil|exact|written"
                                + " by alice",
                        "marked|delete marker of 2026-11-20T15:00:00Z|nothing|w|exact");
        assertThat(outcome.err())
                .isEqualToNormalizingNewlines(
                        "volute: writes in the bucket backup that this restore leaves as they are:"
                                + " 12; the same with --bucket backup undoes them\n"
                                + "volute: the restore would change nothing: keys that somebody"
                                + " else has written since: 1; --overwrite puts them back as well,"
                                + " --skip leaves them\n");
        assertThat(server.asked()).hasSize(1);
        assertThat(server.asked().getFirst())
                .startsWith(PLAN + "{")
                .contains("\"prefix\":\"\"", "\"onConflict\":\"skip\"", "\"max\":1000")
                .contains(
                        "\"goal\":{\"kind\":\"to-instant\","
                                + "\"instant\":\"2026-11-21T08:00:00Z\"}");
        assertThat(restore("--to", "-2h", "--dry-run", "--json").out())
                .startsWith("{\"lines\":[{\"key\":\"gone\\\"<é>\"");
    }

    /** A plan names the authors of the writes that it undoes first, for people and for programs. */
    @Test
    void aPlanSaysWhoseWritesAreUndone() throws IOException {
        server.answer(
                PLAN,
                """
                {"lines": [], "sessions": 1, "authorsTotal": 22, "authors": [
                  {"writes": 19, "user": "alice", "actor": {"id": 7, "principal": "deployer",
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
                        "volute: undoes writes: 19 by \"\\u001bn\" from 192.0.2.7 (deployer, VT"
                                + " begun by K of alice)",
                        "volute: undoes writes: 1 by 192.0.2.7 curl (alice, K)",
                        "volute: and the writes of 2 more clients");
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
        Outcome planned = restore("--to", "-2h", "--dry-run");
        assertThat(planned.code()).isEqualTo(4);
        assertThat(planned.out()).contains("LOST   not kept");
        assertThat(planned.err())
                .contains("would change nothing: keys that are LOST", "not kept: 1;");
        Outcome outcome = restore("--to", "-2h");
        assertThat(outcome.code()).as("as the plan said").isEqualTo(4);
        assertThat(outcome.out()).contains("k", "not kept");
        assertThat(outcome.err()).contains("nothing was changed: keys that are LOST");
        assertThat(server.asked()).allMatch(question -> question.startsWith(PLAN));
        assertThat(restore("--to", "-2h", "--dry-run", "--skip").code()).isZero();
    }

    /** The end of a dry run is that of the whole plan, however much of it is shown. */
    @Test
    void aPlanIsLookedThroughForItsEnd() {
        server.answer(
                PLAN,
                CLEAN_PLAN.replace("]}", "],\"next\":\"1\"}"),
                CLEAN_PLAN.replace("]}", "],\"next\":\"1\"}"),
                conflicts(0, 1, ""));
        Outcome outcome = restore("--to", "-2h", "--dry-run", "--max", "1");
        assertThat(outcome.code()).isEqualTo(4);
        assertThat(outcome.err()).contains("written since: 1");
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
                .contains("nothing was changed: keys that somebody else has written since: 25;")
                .contains("--overwrite", "--skip");
        assertThat(server.asked()).hasSize(2).allMatch(question -> question.startsWith(PLAN));
        assertThat(server.asked().getLast()).contains("\"from\":\"3\"");

        Outcome json = restore("--to", "-1d", "--json");
        assertThat(json.code()).isEqualTo(4);
        Map<String, Object> document =
                AdminJson.fields(json.out().getBytes(StandardCharsets.UTF_8));
        assertThat((List<?>) document.get("conflicts")).hasSize(20);
        assertThat(document).containsEntry("moreConflicts", 2);
    }

    @Test
    void runsAndWaitsForTheEnd() {
        server.answer(PLAN, CLEAN_PLAN)
                .answer(START, run("running", 0, ""))
                .answer(RUNS, run("running", 10, ""), run("running", 20, ""), run("done", 30, ""));
        Outcome outcome = restore("--prefix", "p/", "--to", "2026-11-20T14:05:00Z");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .containsExactly(
                        "restoring: 10 keys looked at, 3 restored, 1 skipped",
                        "restore r1 done: 30 keys looked at, 3 restored, 1 skipped",
                        "  in the history as \"restore r1\" since 2026-11-21T10:00:00Z: undo it"
                                + " with --undo-name");
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
                        run("done", 4, "").replace("\"restored\": 3", "\"restored\": 0"),
                        run("done", 4, "")
                                .replace(
                                        "\"restored\": 3, \"skipped\": 1",
                                        "\"restored\": 0, \"skipped\": 0"));
        assertThat(restore("--to", "-1d", "--dry-run").out())
                .isEqualTo("nothing to restore: no key would change\n");
        assertThat(restore("--to", "-1d", "--skip").out())
                .contains("nothing was restored: the skipped keys have conflicts");
        assertThat(restore("--to", "-1d", "--skip").out())
                .contains("nothing to restore: the keys already have that state");
    }

    @Test
    void aDecisionAboutConflictsNeedsNoPlan() {
        server.answer(START, run("done", 1, ""));
        assertThat(restore("--to", "-1d", "--overwrite").code()).isZero();
        assertThat(server.asked().getLast()).contains("\"onConflict\":\"overwrite\"");
        assertThat(restore("--to", "-1d", "--skip", "--json").out()).startsWith("{\"id\":\"r1\"");
        assertThat(server.asked().getLast()).contains("\"onConflict\":\"skip\"");
        assertThat(server.asked()).noneMatch(question -> question.startsWith(PLAN));
        assertThat(restore("--to", "-1d", "--skip", "--overwrite").code()).isEqualTo(2);
    }

    @Test
    void needNotWait() {
        server.answer(START, run("running", 0, ""));
        Outcome outcome = restore("--to", "-1d", "--skip", "--no-wait");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).startsWith("restore r1 running: ");
        assertThat(server.pauses()).isZero();
    }

    @Test
    void aRestoreThatEndsOtherwiseHasFailed() {
        for (String phase : List.of("failed", "cancelled")) {
            server.answer(START, run(phase, 5, "disk \\\"full\\\"\\u001b"));
            Outcome outcome = restore("--to", "-1d", "--skip");
            assertThat(outcome.code()).isEqualTo(1);
            assertThat(outcome.out()).contains("disk \"full\"\\u001b");
            assertThat(outcome.err()).contains("did not finish");
        }
    }

    @Test
    void everyGoalIsSaidToTheServer() {
        server.answer(START, run("done", 1, ""));
        Map<List<String>, String> goals = new LinkedHashMap<>();
        String since = "\"since\":\"2026-11-20T14:05:00Z\"}";
        goals.put(
                List.of("--undo-actor", "7", "--since", "20261120t140500z"),
                "{\"kind\":\"undo-actor\",\"actor\":7," + since);
        goals.put(
                List.of("--undo-name", "a \"b\"", "--since", "20261120t140500z"),
                "{\"kind\":\"undo-name\",\"name\":\"a \\\"b\\\"\"," + since);
        goals.put(
                List.of("--undo-name", "n", "--user", "u", "--since", "20261120t140500z"),
                "{\"kind\":\"undo-name\",\"name\":\"n\",\"user\":\"u\"," + since);
        goals.put(
                List.of("--undo-access-key", "K", "--since", "20261120t140500z"),
                "{\"kind\":\"undo-access-key\",\"accessKey\":\"K\"," + since);
        goals.put(
                List.of("--undo-user", "u", "--since", "20261120t140500z"),
                "{\"kind\":\"undo-user\",\"user\":\"u\"," + since);
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
                    all.add("--skip");
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
                        List.of("--to", "-1d"),
                        List.of("--bucket", "b"),
                        List.of("--bucket", "b", "--status"),
                        List.of("--status", "--cancel", "r1"),
                        List.of("--bucket", "b", "--to", "yesterday"),
                        List.of("--bucket", "b", "--to", "-1d", "--since", "-1d"),
                        List.of("--bucket", "b", "--to", "-1d", "--undo-name", "n"),
                        List.of("--bucket", "b", "--undo-name", "n"),
                        List.of("--bucket", "b", "--undo-actor", "me", "--since", "-1d"),
                        List.of("--bucket", "b", "--to", "-1d", "--version-id", "v1"),
                        List.of("--bucket", "b", "--to", "-1d", "--caused-by", "n"),
                        List.of(
                                "--bucket",
                                "b",
                                "--before-taint",
                                "s3://b/k",
                                "--caused-by",
                                "n",
                                "--caused-by-access-key",
                                "K"),
                        List.of("--bucket", "b", "--undo-user", "u"),
                        List.of("--bucket", "b", "--to", "-1d", "--user", "u"),
                        List.of("--bucket", "b", "--before-taint", "b/k"));
        for (List<String> each : wrong) {
            List<String> all = new ArrayList<>(List.of("restore"));
            all.addAll(each);
            Outcome outcome = server.run(all.toArray(String[]::new));
            assertThat(outcome.code()).as(each + outcome.err()).isEqualTo(2);
        }
        assertThat(server.asked()).isEmpty();
    }
}
