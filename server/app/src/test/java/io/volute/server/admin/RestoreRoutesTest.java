package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.json.Json;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Tests that requests for restores arrive, and are shown again in the same words, or are refused.
 */
class RestoreRoutesTest extends AdminTestCase {
    private static final String RESTORE = "/_volute/v1/restore";
    private static final String PLAN = "/_volute/v1/restore/plan";
    private static final String CANCEL = "/_volute/v1/restore/cancel";
    private static final String SINCE = "2026-11-20T14:05:00Z";
    private static final Instant THEN = Instant.parse(SINCE);
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final Map<String, Object> TO_INSTANT =
            Map.of("kind", "to-instant", "instant", SINCE);

    private static Map<String, Object> request(Map<String, Object> goal) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("bucket", "bucket");
        request.put("prefix", "a/\"b\"\n");
        request.put("goal", goal);
        request.put("onConflict", "overwrite");
        return request;
    }

    @Test
    void everyGoalIsTakenAndToldInTheSameWords() throws IOException {
        Map<String, Object> taint = Map.of("kind", "before-taint", "bucket", "bucket", "key", "k");
        String number = VersionId.format(5, false);
        Map<Goal, Map<String, Object>> goals = new HashMap<>();
        goals.put(new Goal.ToInstant(THEN), TO_INSTANT);
        goals.put(
                Restore.Goal.undo(new Restore.Source.Actor(7), THEN),
                Map.of("kind", "undo-actor", "actor", 7L, "since", SINCE));
        goals.put(
                Restore.Goal.undo(new Restore.Source.Name("n", Optional.empty()), THEN),
                Map.of("kind", "undo-name", "name", "n", "since", SINCE));
        goals.put(
                Restore.Goal.undo(new Restore.Source.AccessKey("K"), THEN),
                Map.of("kind", "undo-access-key", "accessKey", "K", "since", SINCE));
        goals.put(
                Restore.Goal.undo(new Restore.Source.Name("n", Optional.of("u")), THEN),
                Map.of("kind", "undo-name", "name", "n", "user", "u", "since", SINCE));
        goals.put(
                Restore.Goal.undo(new Restore.Source.User("u"), THEN),
                Map.of("kind", "undo-user", "user", "u", "since", SINCE));
        goals.put(
                new Goal.Undo(
                        List.of(
                                new Restore.Source.Actor(7),
                                new Restore.Source.Actor(8),
                                new Restore.Source.AccessKey("K")),
                        List.of(),
                        THEN,
                        false),
                Map.of(
                        "kind",
                        "undo",
                        "actors",
                        List.of(7L, 8L),
                        "accessKeys",
                        List.of("K"),
                        "since",
                        SINCE,
                        "derived",
                        false));
        goals.put(
                Goal.undoRestores(List.of("7", "8")), Map.of("kind", "undo-restore", "id", "7-8"));
        goals.put(caused(new Restore.Source.User("u")), with(taint, "causeUser", "u"));
        goals.put(
                Restore.Goal.undo(
                        new Restore.Source.Version(
                                BUCKET, new ObjectKey("k<é"), Optional.empty(), Optional.empty()),
                        Instant.EPOCH),
                Map.of("kind", "before-taint", "bucket", "bucket", "key", "k<é"));
        goals.put(of(new VersionSelector.Numbered(5)), with(taint, "versionId", number));
        goals.put(of(VersionSelector.NULL), with(taint, "versionId", "null"));
        goals.put(
                caused(new Restore.Source.Name("n", Optional.empty())),
                with(taint, "causeName", "n"));
        goals.put(caused(new Restore.Source.AccessKey("K")), with(taint, "causeAccessKey", "K"));
        for (Map.Entry<Goal, Map<String, Object>> each : goals.entrySet()) {
            Map<String, Object> request = request(each.getValue());
            Answer answer = bed.post(RESTORE, Map.of("request", request));
            assertThat(answer.status()).as(answer.toString()).isEqualTo(202);
            assertThat(bed.restore.asked.getLast())
                    .isEqualTo(
                            new Request(BUCKET, "a/\"b\"\n", each.getKey(), OnConflict.OVERWRITE));
            assertThat(answer.document()).containsEntry("request", request);
        }
    }

    private static Goal of(VersionSelector version) {
        return Restore.Goal.undo(
                new Restore.Source.Version(
                        BUCKET, new ObjectKey("k"), Optional.of(version), Optional.empty()),
                Instant.EPOCH);
    }

    private static Goal caused(Restore.Source cause) {
        return Restore.Goal.undo(
                new Restore.Source.Version(
                        BUCKET, new ObjectKey("k"), Optional.empty(), Optional.of(cause)),
                Instant.EPOCH);
    }

    private static Map<String, Object> with(Map<String, Object> map, String name, String value) {
        Map<String, Object> more = new HashMap<>(map);
        more.put(name, value);
        return more;
    }

    @Test
    void oneCauseIsEnough() throws IOException {
        Map<String, Object> taint =
                Map.of("kind", "before-taint", "bucket", "bucket", "key", "k", "causeName", "n");
        Answer answer =
                bed.post(RESTORE, Map.of("request", request(with(taint, "causeAccessKey", "K"))));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.toString())
                .contains("write one of causeName, causeAccessKey and causeUser");
    }

    @Test
    void plansInPagesAndChangesNothing() throws IOException {
        bed.restore.lines.add(
                new Line(
                        new ObjectKey("gone \"now\""),
                        Optional.empty(),
                        Optional.of(HistoryRoutesTest.state("gone \"now\"", 4, Optional.of(THEN))),
                        "removed by backup",
                        false,
                        Optional.empty(),
                        Optional.of("written by alice"),
                        Optional.empty()));
        bed.restore.lines.add(
                new Line(
                        new ObjectKey("new"),
                        Optional.of(HistoryRoutesTest.state("new", 5, Optional.empty())),
                        Optional.empty(),
                        "made since",
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
        Map<String, Object> request = Map.of("bucket", "bucket", "goal", TO_INSTANT);
        Answer first = bed.post(PLAN, Map.of("request", request, "max", 1));
        assertThat(first.status()).as(first.toString()).isEqualTo(200);
        assertThat(new String(Json.write(first.document()), StandardCharsets.UTF_8))
                .contains("\"lines\":[{\"key\":\"gone \\\"now\\\"\",\"then\":{")
                .contains("\"why\":\"removed by backup\",\"exact\":false")
                .contains("\"conflict\":\"written by alice\"}],\"next\":\"1\"")
                .doesNotContain("\"now\":", "elsewhere");
        bed.restore.elsewhere.add(new Restore.Elsewhere("other", 3));
        // The defaults apply: all keys, and conflicts are skipped.
        assertThat(bed.restore.asked)
                .containsExactly(
                        new Request(BUCKET, "", new Goal.ToInstant(THEN), OnConflict.SKIP));
        Answer last = bed.post(PLAN, Map.of("request", request, "from", "1"));
        assertThat(last.document().toString())
                .contains("key=new", "exact=true", "elsewhere=[{bucket=other, writes=3}]")
                .doesNotContain("conflict=", "then=", "next=");
        assertThat(bed.restore.runs()).isEmpty();
        assertThat(bed.post(PLAN, Map.of("request", request, "max", "1")).message())
                .contains("max is a number");
    }

    @Test
    void followsAndCancelsRuns() throws IOException {
        assertThat(bed.get(RESTORE, Map.of()).document()).isEqualTo(Map.of("runs", List.of()));
        Map<String, Object> request = Map.of("bucket", "bucket", "goal", TO_INSTANT);
        for (int i = 1; i <= 2; i++) {
            assertThat(bed.post(RESTORE, Map.of("request", request)).document())
                    .containsEntry("id", "run-" + i)
                    .containsEntry("phase", "running")
                    .containsEntry("actor", "restore run-" + i)
                    .containsEntry("looked", 5L)
                    .containsEntry("restored", 3L)
                    .containsEntry("skipped", 1L)
                    .containsEntry("message", "one \"key\" is <skipped>");
        }
        assertThat((List<?>) bed.get(RESTORE, Map.of()).document().get("runs")).hasSize(2);
        Answer cancelled = bed.post(CANCEL, Map.of("id", "run-1"));
        assertThat(cancelled.status()).isEqualTo(200);
        assertThat(cancelled.document()).containsEntry("phase", "cancelled");
        assertThat(bed.get(RESTORE, Map.of("id", "run-1")).document())
                .isEqualTo(cancelled.document());
        for (Answer none :
                List.of(
                        bed.get(RESTORE, Map.of("id", "run-3")),
                        bed.post(CANCEL, Map.of("id", "run-3")))) {
            assertThat(none.status()).isEqualTo(404);
            assertThat(none.code()).isEqualTo("NoSuchRestore");
        }
        assertThat(bed.post(CANCEL, Map.of()).message()).isEqualTo("id is missing");
    }

    @Test
    void refusesWhatCannotBeUnderstood() throws IOException {
        Map<String, String> wrong = new LinkedHashMap<>();
        wrong.put("{}", "request is missing");
        wrong.put("{\"request\": 1}", "request is an object");
        wrong.put("{\"request\": {}, \"max\": 1}", "unknown property \"max\"");
        wrong.put("{\"request\": {\"goal\": {}}}", "request.bucket is missing");
        wrong.put("{\"request\": {\"bucket\": \"bucket\"}}", "request.goal is missing");
        wrong.put(goal("{}"), "request.goal.kind is missing");
        wrong.put(
                goal("{\"kind\": \"undone\"}"),
                "request.goal.kind is one of before-taint, to-instant, undo, undo-access-key,"
                        + " undo-actor, undo-name, undo-restore, undo-user");
        wrong.put(goal("{\"kind\": \"to-instant\"}"), "request.goal.instant is missing");
        wrong.put(
                goal("{\"kind\": \"to-instant\", \"instant\": \"-2h\"}"),
                "request.goal.instant is an instant in UTC");
        wrong.put(
                goal("{\"kind\": \"to-instant\", \"since\": \"" + SINCE + "\"}"),
                "unknown property \"request.goal.since\": this takes kind, instant");
        wrong.put(goal("{\"kind\": \"undo-actor\", \"actor\": \"7\"}"), "actor is a number");
        wrong.put(goal("{\"kind\": \"undo-actor\", \"actor\": -7}"), "not negative");
        wrong.put(goal("{\"kind\": \"undo-name\", \"name\": 7}"), "name is a text");
        wrong.put(goal("{\"kind\": \"before-taint\", \"bucket\": \"bucket\"}"), "key is missing");
        wrong.put(
                goal(
                        "{\"kind\": \"before-taint\", \"bucket\": \"bucket\", \"key\":"
                                + " \"\\ud800\"}"),
                "request.goal.key is not valid Unicode");
        wrong.put(
                "{\"request\": {\"bucket\": \"bucket\", \"onConflict\": \"force\", \"goal\":"
                        + " {\"kind\": \"to-instant\", \"instant\": \""
                        + SINCE
                        + "\"}}}",
                "request.onConflict is one of overwrite, skip");
        wrong.put(
                "{\"request\": {\"bucket\": \"bucket\", \"prefix\": \""
                        + "x".repeat(1025)
                        + "\", \"goal\": {}}}",
                "no key is as long");
        for (Map.Entry<String, String> each : wrong.entrySet()) {
            Answer answer = bed.root("POST", RESTORE, each.getKey());
            assertThat(answer.status()).as(each.getKey()).isEqualTo(400);
            assertThat(answer.message()).as(each.getKey()).contains(each.getValue());
        }
        assertThat(bed.restore.asked).isEmpty();
    }

    private static String goal(String goal) {
        return "{\"request\": {\"bucket\": \"bucket\", \"goal\": " + goal + "}}";
    }

    @Test
    void aKeyOfTheLongestKindFitsIntoABody() throws IOException {
        Map<String, Object> request =
                Map.of(
                        "bucket",
                        "bucket",
                        "prefix",
                        "\u0001".repeat(1024),
                        "goal",
                        Map.of(
                                "kind",
                                "before-taint",
                                "bucket",
                                "bucket",
                                "key",
                                "\u0001".repeat(1024)));
        Answer answer = bed.post(RESTORE, Map.of("request", request));
        assertThat(answer.status()).as(answer.toString()).isEqualTo(202);
    }
}
