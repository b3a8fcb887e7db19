package io.volute.admin.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the requests and the output of the commands about history. */
class HistoryCommandsTest {
    /** The odd text as a JSON string: quotes, line breaks, terminal colours, other scripts. */
    private static final String ODD_JSON = "a \\\"q\\\"\\n<b>\\u001b[31m\\u202eé日";

    private static final String ODD = "a \"q\"\n<b>\u001b[31m\u202eé日";
    private static final String ODD_SHOWN = "a \"q\"\\n<b>\\u001b[31m\\u202eé日";

    private static final String ACTOR =
            """
            {"id": 7, "principal": "alice", "accessKey": "ALICE", "name": "backup",
             "began": "2026-11-20T14:00:00Z", "version": 3}\
            """;

    private static final String BEGAN = "\"began\":\"2026-11-20T14:00:00Z\"";

    private static final String ACTORS =
            "{\"actors\": [{\"id\": %d, BEGAN}, {\"id\": %d, BEGAN}]%s}".replace("BEGAN", BEGAN);

    /** An act at some minute past two. */
    private static final String ACTIVITY =
            "{\"at\": \"2026-11-20T14:0%d:00.5Z\", \"action\": \"put\", \"actor\": ACTOR}"
                    .replace("ACTOR", ACTOR);

    private static final String STATES =
            """
            {"states": [
              {"key": "%s", "versionId": "null", "stateId": "v2", "causalVersion": 5,
               "deleteMarker": true, "visible": true, "began": "2026-11-20T15:00:00Z",
               "written": "2026-11-20T15:00:00Z", "bytes": 0, "etag": "", "actor": %s},
              {"key": "%s", "versionId": "v1", "stateId": "v1", "causalVersion": 4,
               "deleteMarker": false, "visible": false, "began": "2026-11-20T14:05:00Z",
               "written": "2026-11-20T14:05:00Z", "ended": "2026-11-20T15:00:00Z",
               "bytes": 2048, "etag": "e"}]}\
            """
                    .formatted(ODD_JSON, ACTOR, ODD_JSON);

    @RegisterExtension private final FakeServer server = new FakeServer();

    /** A list without them would look complete. */
    @Test
    void namesTheCubesThatAListLeavesOut() {
        server.answer("GET actors", "{\"actors\": [], \"notOpen\": [\"sick\"]}");
        server.answer("GET activity", "{\"activity\": [], \"notOpen\": [\"sick\"]}");
        for (String list : List.of("actors", "activity")) {
            Outcome outcome = server.run(list);
            assertThat(outcome.code()).as(outcome.err()).isZero();
            assertThat(outcome.err()).contains("cubes that are not open are left out: sick");
        }
    }

    @Test
    void showsTheStatesOfAKey() {
        server.atTerminal().answer("GET history", STATES);
        Outcome outcome = server.run("history", "s3://bucket/a b/\u00e9&=+\n");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .containsExactly(
                        "times  Europe/Berlin",
                        "",
                        "BEGAN        STATE            SIZE     VERSION ID  BY",
                        "11-20 16:00  current, marker  0 B      null        actor 7.3 backup",
                        "11-20 15:05  hidden           2.0 KiB  v1");
        assertThat(server.asked())
                .containsExactly(
                        "GET history?bucket=bucket&key=a%20b%2F%C3%A9%26%3D%2B%0A&max=1000");
    }

    @Test
    void printsTheServersEntriesAsJson() throws IOException {
        server.answer("GET history", STATES);
        Outcome outcome = server.run("history", "s3://bucket/key", "--json");
        assertThat(outcome.out().lines()).hasSize(1);
        Map<String, Object> document = outcome.json();
        assertThat(document).containsEntry("more", false);
        assertThat((List<?>) document.get("states"))
                .isEqualTo(AdminJson.fields(STATES.getBytes(StandardCharsets.UTF_8)).get("states"))
                .asString()
                .contains(ODD);
    }

    @Test
    void followsPagesToTheEnd() {
        server.answer(
                "GET actors",
                ACTORS.formatted(1, 2, ", \"next\": \"a/b=\""),
                ACTORS.formatted(3, 4, ", \"next\": \"c\""),
                ACTORS.formatted(5, 6, ""));
        Outcome all = server.run("actors", "--json");
        assertThat(all.out().lines())
                .containsExactly(
                        "{\"actors\":["
                                + IntStream.rangeClosed(1, 6)
                                        .mapToObj(id -> "{\"id\":" + id + "," + BEGAN + "}")
                                        .collect(Collectors.joining(","))
                                + "],\"more\":false}");
        assertThat(server.asked())
                .containsExactly(
                        "GET actors?max=1000",
                        "GET actors?from=a%2Fb%3D&max=1000",
                        "GET actors?from=c&max=1000");
    }

    @Test
    void followsPagesUntilThereAreEnough() throws IOException {
        server.answer("GET actors", ACTORS.formatted(1, 2, ", \"next\": \"x\""));
        Outcome some = server.run("actors", "--max", "2");
        assertThat(some.out()).contains("and more: --max 2 was reached");
        assertThat(server.asked()).containsExactly("GET actors?max=2");
        assertThat(server.run("actors", "--max", "2", "--json").json()).containsEntry("more", true);
        assertThat(server.run("actors", "--max", "0").code()).isEqualTo(2);
    }

    @Test
    void anEmptyListIsSaidToBeOne() throws IOException {
        server.answer("GET actors", "{\"actors\": []}");
        assertThat(server.run("actors").out()).isEqualTo("no actors" + System.lineSeparator());
        assertThat(server.run("actors", "--json").json())
                .isEqualTo(Map.of("actors", List.of(), "more", false));
    }

    @Test
    void aRefusalStandsAlone() {
        server.answer(
                "GET history",
                404,
                "{\"code\": \"NoSuchBucket\", \"message\": \"no bucket b\", \"requestId\": \"R\"}");
        for (String format : List.of("--json", "--max=5")) {
            Outcome outcome = server.run("history", "s3://bucket/key", format);
            assertThat(outcome.code()).isEqualTo(1);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.err()).contains("NoSuchBucket: no bucket b (request R)");
        }
    }

    @Test
    void idsOfStatesAreShownWhenAskedFor() {
        server.atTerminal();
        server.answer("GET history", STATES);
        assertThat(server.run("history", "s3://bucket/key", "--wide").out())
                .contains("STATE ID  CAUSAL")
                .contains("v2        5");
    }

    @Test
    void aKeyWithoutStatesHasAReason() {
        server.answer("GET history", "{\"states\": []}")
                .answer("GET policy", "{\"bucket\": \"b\", \"policy\": \"none\"}");
        assertThat(server.run("history", "s3://b/key").out())
                .contains("nothing of it is kept (policy of the bucket: none)");
    }

    /** A read is written down with the next write of its actor. */
    @Test
    void showsActivityInTheOrderOfTime() throws IOException {
        server.answer(
                "GET activity",
                "{\"activity\": [%s, %s], \"next\": \"x\"}"
                        .formatted(ACTIVITY.formatted(3), ACTIVITY.formatted(4)),
                "{\"activity\": [%s, %s]}".formatted(ACTIVITY.formatted(1), ACTIVITY.formatted(5)));
        Outcome all = server.run("activity");
        assertThat(all.out().lines().skip(1).map(line -> line.substring(11, 16)))
                .containsExactly("14:01", "14:03", "14:04", "14:05");
    }

    @Test
    void theEarliestActivityIsShownWhereNotAllIsAskedFor() {
        server.answer(
                "GET activity",
                "{\"activity\": [%s], \"next\": \"x\"}".formatted(ACTIVITY.formatted(3)),
                "{\"activity\": [%s]}".formatted(ACTIVITY.formatted(1)));
        assertThat(server.run("activity", "--max", "1").out())
                .contains("14:01")
                .doesNotContain("14:03")
                .contains("and more: --max 1 was reached");
    }

    @Test
    void showsActorsAndChoosesThem() {
        server.answer("GET actors", "{\"actors\": [" + ACTOR + "]}");
        Outcome outcome =
                server.run("actors", "--access-key", "ALICE", "--user", "u", "--name", "b & c");
        assertThat(outcome.out()).contains("ACCESS KEY").contains("alice").contains("backup");
        assertThat(server.asked())
                .containsExactly("GET actors?accessKey=ALICE&max=1000&name=b%20%26%20c&user=u");
    }

    @Test
    void showsActivitySinceAnInstantOfAnyForm() {
        server.answer(
                "GET activity",
                """
                {"activity": [{"at": "2026-11-20T14:05:00Z", "action": "delete-marker",
                 "bucket": "bucket", "key": "%s", "causalVersion": 4, "actor": %s,
                 "source": {"bucket": "other", "key": "k", "causalVersion": 2}}]}\
                """
                        .formatted(ODD_JSON, ACTOR));
        Outcome outcome =
                server.run(
                        "activity",
                        "--actor",
                        "7",
                        "--since",
                        "-2h",
                        "--until",
                        "20261121t093000z");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains(
                        "bucket/" + ODD_SHOWN + " @4  other/k @2  backup (alice, ALICE, actor 7.3)")
                .doesNotContain("\u001b", "\u202e");
        assertThat(server.asked())
                .containsExactly(
                        "GET activity?actor=7&max=1000&since=2026-11-21T08%3A00%3A00Z"
                                + "&until=2026-11-21T09%3A30%3A00Z");
        Outcome wrong = server.run("activity", "--since", "yesterday");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err())
                .contains("--since: \"yesterday\" is no time; write a time like")
                .contains("-24h");
    }

    @Test
    void showsAndSetsThePolicy() {
        String policy = "{\"bucket\": \"b\", \"policy\": \"open-close\"}";
        server.answer("GET policy", policy).answer("PUT policy", policy);
        assertThat(server.run("history", "policy", "bucket").out().strip()).isEqualTo("open-close");
        assertThat(server.run("history", "policy", "bucket", "open-close", "--json").out())
                .startsWith("{\"bucket\":\"b\"");
        assertThat(server.asked().getFirst()).isEqualTo("GET policy?bucket=bucket");
        assertThat(server.asked().getLast())
                .startsWith("PUT policy{")
                .contains("\"policy\":\"open-close\"", "\"bucket\":\"bucket\"");
        assertThat(server.run("history", "policy").code()).isEqualTo(2);
    }

    @Test
    void showsAndSetsTheResolution() {
        String answer = "{\"policy\": \"open-close\", \"resolutionMillis\": %d}";
        server.answer("GET policy", answer.formatted(1000))
                .answer("PUT policy", answer.formatted(250));
        assertThat(server.run("history", "policy", "b").out().strip())
                .isEqualTo("open-close, exact every 1 s");
        assertThat(server.run("history", "policy", "b", "--resolution", "250ms").out().strip())
                .isEqualTo("open-close, exact every 250 ms");
        assertThat(server.asked().getLast())
                .contains("\"resolution\":\"250ms\"")
                .doesNotContain("\"policy\"");
        assertThat(server.run("history", "policy", "b", "none", "--resolution=inherit").code())
                .isZero();
        assertThat(server.asked().getLast())
                .contains("\"resolution\":\"inherit\"", "\"policy\":\"none\"");
    }

    @Test
    void showsHowMuchIsKept() {
        server.answer(
                "GET usage",
                """
                {"buckets": [{"bucket": "one", "states": 3, "bytes": 2048}], "states": 3,
                 "bytes": 2048}\
                """);
        Outcome outcome = server.run("history", "usage");
        assertThat(outcome.out()).contains("one", "3 states, 2.0 KiB");
        assertThat(server.run("history", "usage", "one").code()).isZero();
        assertThat(server.asked()).containsExactly("GET usage", "GET usage?bucket=one");
    }

    @Test
    void shredsWhenThatIsConfirmed() {
        server.atTerminal().answer("POST shred", "{\"shreddedStates\": 3}");
        String[] shred = {"shred", "s3://bucket/a/key"};
        assertThat(server.runWith("no", shred).code()).isEqualTo(1);
        assertThat(server.runWith("y\n", shred).out()).contains("3 states shredded");
        assertThat(server.run("shred", "--yes", "s3://bucket/a/key").out())
                .contains("3 states shredded");
        assertThat(server.run("shred", "--yes", "bucket/a/key").code()).isEqualTo(2);
    }

    @Test
    void purgesWhenThatIsConfirmed() {
        server.atTerminal().answer("POST purge", "{\"purgedStates\": 42}");
        String[] purge = {"history", "purge", "bucket", "--until", "-7d"};
        for (String answer : List.of("", "n\n", "\n", "yep\n")) {
            Outcome refused = server.runWith(answer, purge);
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.out()).isEmpty();
            assertThat(refused.err())
                    .contains("The states of bucket that ended before 2026-11-14T10:00:00")
                    .contains("not confirmed: nothing was changed");
        }
        assertThat(server.asked()).isEmpty();
        assertThat(server.runWith(" Yes\n", purge).out()).contains("42 states removed");
        assertThat(
                        server.run(
                                        "history",
                                        "purge",
                                        "bucket",
                                        "--until",
                                        "20261120t140500z",
                                        "--yes")
                                .code())
                .isZero();
        assertThat(server.asked().getLast())
                .startsWith("POST purge{")
                .contains("\"before\":\"2026-11-20T14:05:00Z\"", "\"bucket\":\"bucket\"");
        assertThat(server.run("history", "purge", "bucket").code()).isEqualTo(2);
    }

    /** Guards against a purge on another server than the named one. */
    @Test
    void aServerNamedBeforeTheSubCommandIsAsked() {
        server.answer("POST purge", "{\"purgedStates\": 1}");
        Outcome outcome =
                server.runExactly(
                        "",
                        "history",
                        "--endpoint",
                        server.endpoint(),
                        "--json",
                        "purge",
                        "bucket",
                        "--until",
                        "-1d",
                        "--yes");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().strip()).isEqualTo("{\"purgedStates\":1}");
    }

    @Test
    void aKeyThatTheLocaleCannotExpressIsNotLookedFor() {
        server.answer("GET history", "{\"states\": []}");
        String[] arguments = {
            "history", "s3://bucket/\uFFFD\uFFFD", "--endpoint", server.endpoint()
        };
        Outcome mangled = server.runExactly(StandardCharsets.US_ASCII, "", arguments);
        assertThat(mangled.code()).isEqualTo(2);
        assertThat(mangled.err()).contains("US-ASCII").contains("LC_ALL=C.UTF-8");
        assertThat(server.asked()).isEmpty();
        assertThat(server.runExactly("", arguments).code()).isZero();
    }

    @Test
    void wrongUsageIsSaidToBe() {
        assertThat(server.run("history").code()).isEqualTo(2);
        assertThat(server.run("history", "bucket/key").err()).contains("write s3://BUCKET/KEY");
        assertThat(server.run("activity", "--actor", "me").code()).isEqualTo(2);
        for (String command : List.of("history", "actors", "activity", "trace", "restore")) {
            Outcome help = server.run(command, "--help");
            assertThat(help.code()).isZero();
            assertThat(help.out())
                    .contains("Usage: volute " + command, "--endpoint", "Exit codes:");
        }
        for (String command : List.of("policy", "usage", "purge")) {
            Outcome help = server.run("history", command, "--help");
            assertThat(help.out()).contains("Usage: volute history " + command, "--endpoint=URL");
        }
        assertThat(server.asked()).isEmpty();
    }
}
