package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.json.Json;
import io.volute.versioning.History.Action;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.Kept;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Place;
import io.volute.versioning.History.Step;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.ActorName.Kind;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the requests about the past: their answers and their refusals. */
@Tag("slow")
class HistoryRoutesTest extends AdminTestCase {
    private static final String HISTORY = "/_volute/v1/history";
    private static final String ACTORS = "/_volute/v1/actors";
    private static final String ACTIVITY = "/_volute/v1/activity";
    private static final String TRACE = "/_volute/v1/trace";
    private static final String POLICY = "/_volute/v1/policy";
    private static final String BUCKETS = "/_volute/v1/buckets";
    private static final String USAGE = "/_volute/v1/usage";
    private static final String PURGE = "/_volute/v1/purge";

    /** Everything that a document, a query or a terminal could stumble over. */
    private static final String ODD = "a \"q\"\\\n\t<b>&é\u0001日本\uD83D\uDE00+%2F?=#/'";

    private static final Instant BEGAN = Instant.parse("2026-11-20T14:05:00.250Z");
    private static final Instant ENDED = Instant.parse("2026-11-20T15:00:00Z");
    private static final ActorVersion ACTOR =
            new ActorVersion(
                    new ActorInfo(
                            7,
                            "alice",
                            "ALICE",
                            Optional.of(new Parent("bob", "BOB")),
                            new ActorName(Kind.CHOSEN, "backup " + ODD, "192.0.2.7"),
                            BEGAN),
                    3);

    static KeyState state(String key, long number, Optional<Instant> ended) {
        return new KeyState(
                new ObjectKey(key),
                number,
                false,
                number + 1,
                false,
                ended.isEmpty(),
                BEGAN,
                BEGAN,
                ended,
                1234,
                "etag",
                Optional.of(ACTOR));
    }

    private Answer refused(String path, Map<String, String> parameters) throws IOException {
        Answer answer = bed.get(path, parameters);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("InvalidRequest");
        return answer;
    }

    private static String json(Answer answer) {
        return new String(Json.write(answer.document()), StandardCharsets.UTF_8);
    }

    @Test
    void tellsTheStatesOfAKeyInPages() throws IOException {
        bed.history.states.add(state(ODD, 9, Optional.empty()));
        bed.history.states.add(state(ODD, 8, Optional.of(ENDED)));
        Answer first = bed.get(HISTORY, Map.of("bucket", "bucket", "key", ODD, "max", "1"));
        assertThat(first.status()).as(first.toString()).isEqualTo(200);
        assertThat(first.document()).containsEntry("next", "1");
        assertThat(bed.history.asked)
                .containsExactly("states of bucket/" + ODD + " for 127.0.0.1 ");
        Map<?, ?> state = (Map<?, ?>) ((List<?>) first.document().get("states")).getFirst();
        assertThat(state)
                .isEqualTo(
                        Map.ofEntries(
                                Map.entry("key", ODD),
                                Map.entry("versionId", VersionId.format(9, false)),
                                Map.entry("stateId", VersionId.format(9, false)),
                                Map.entry("causalVersion", 10L),
                                Map.entry("deleteMarker", false),
                                Map.entry("visible", true),
                                Map.entry("began", "2026-11-20T14:05:00.250Z"),
                                Map.entry("written", "2026-11-20T14:05:00.250Z"),
                                Map.entry("bytes", 1234L),
                                Map.entry("etag", "etag"),
                                Map.entry(
                                        "actor",
                                        Map.of(
                                                "id",
                                                7L,
                                                "version",
                                                3L,
                                                "principal",
                                                "alice",
                                                "parentAccessKey",
                                                "BOB",
                                                "parentPrincipal",
                                                "bob",
                                                "naming",
                                                "chosen",
                                                "address",
                                                "192.0.2.7",
                                                "accessKey",
                                                "ALICE",
                                                "name",
                                                "backup " + ODD,
                                                "began",
                                                "2026-11-20T14:05:00.250Z"))));
        Answer last = bed.get(HISTORY, Map.of("bucket", "bucket", "key", ODD, "from", "1"));
        assertThat(last.document()).doesNotContainKey("next");
        assertThat(json(last)).contains("\"ended\":\"2026-11-20T15:00:00Z\"", "\"visible\":false");
    }

    @Test
    void refusesWhatNamesNoKey() throws IOException {
        assertThat(refused(HISTORY, Map.of("key", "k")).message()).isEqualTo("bucket is missing");
        assertThat(refused(HISTORY, Map.of("bucket", "b_", "key", "k")).message())
                .contains("bucket is the name of a bucket");
        assertThat(refused(HISTORY, Map.of("bucket", "bucket")).message())
                .isEqualTo("key is missing");
        for (String key : List.of("", "x".repeat(1025))) {
            assertThat(refused(HISTORY, Map.of("bucket", "bucket", "key", key)).message())
                    .contains("1 to 1024 bytes");
        }
        assertThat(refused(HISTORY, Map.of("bucket", "bucket", "key", "k", "kye", "k")).message())
                .isEqualTo("unknown property \"kye\": this takes bucket, key, max, from");
    }

    @Test
    void pagesHaveBounds() throws IOException {
        for (String max : List.of("0", "1001", "-1", "ten", "", "1e2", "99999999999999999999")) {
            Map<String, String> parameters = Map.of("bucket", "bucket", "key", "k", "max", max);
            assertThat(refused(HISTORY, parameters).message()).contains("max is a number");
        }
        for (int i = 0; i < 1001; i++) {
            bed.history.states.add(state("k", i + 1, Optional.of(ENDED)));
        }
        Answer answer = bed.get(HISTORY, Map.of("bucket", "bucket", "key", "k"));
        assertThat((List<?>) answer.document().get("states")).hasSize(1000);
        Answer nowhere = bed.get(HISTORY, Map.of("bucket", "bucket", "key", "k", "from", "x"));
        assertThat(nowhere.status()).isEqualTo(400);
        assertThat(nowhere.code()).isEqualTo("InvalidArgument");
        assertThat(nowhere.message()).isEqualTo("no page begins there");
    }

    @Test
    void aGetSaysItInTheQueryAndOthersInTheBody() throws IOException {
        Answer get = bed.root("GET", HISTORY, "{\"bucket\": \"bucket\"}");
        assertThat(get.status()).isEqualTo(400);
        assertThat(get.message()).contains("goes in the query");
        Answer put = bed.putWithQuery(POLICY, Map.of("bucket", "bucket"));
        assertThat(put.status()).isEqualTo(400);
        assertThat(put.message()).contains("goes in the body");
        assertThat(refused("/_volute/v1/space", Map.of("cube", "default")).message())
                .contains("this takes none");
    }

    /** Callers who may list a key's versions may see its history. */
    private static Map<String, String> view(Route<?, ?> route) {
        return new AdminRoute(route).isForListers()
                ? Map.of("bucket", "bucket", "key", "k")
                : Map.of();
    }

    @Test
    void isForRootOnly() throws IOException {
        for (Route<?, ?> route : Routes.all()) {
            Answer alice = bed.ask(AdminTestBed.ALICE, route, view(route));
            assertThat(alice.status()).as(route.name()).isEqualTo(403);
        }
        assertThat(bed.history.asked).isEmpty();
    }

    @Test
    void tellsActors() throws IOException {
        bed.history.actors.add(ACTOR.actor());
        Answer answer = bed.get(ACTORS, Map.of("accessKey", "ALICE", "name", ODD));
        assertThat(answer.document().toString()).contains("id=7", "principal=alice", ODD);
        assertThat(bed.history.asked)
                .containsExactly("actors Optional[ALICE] Optional.empty Optional[" + ODD + "]");
        assertThat(bed.get(ACTORS, Map.of()).status()).isEqualTo(200);
        assertThat(bed.history.asked)
                .contains("actors Optional.empty Optional.empty Optional.empty");
    }

    @Test
    void tellsWhatWasDone() throws IOException {
        bed.history.activity.add(
                new Activity(
                        BEGAN,
                        ACTOR,
                        Action.DELETE_MARKER,
                        "bucket",
                        new ObjectKey(ODD),
                        4,
                        Optional.of(new Place("other", new ObjectKey("source"), 2))));
        Answer answer =
                bed.get(
                        ACTIVITY,
                        Map.of(
                                "actor", "7",
                                "accessKey", "ALICE",
                                "name", "n",
                                "since", "2026-11-20T14:00:00Z",
                                "until", "2026-11-20T15:00:00Z"));
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        assertThat(bed.history.lastFilter())
                .isEqualTo(
                        new ActivityFilter(
                                Optional.of(7L),
                                new ActorFilter(
                                        Optional.of("ALICE"), Optional.empty(), Optional.of("n")),
                                Optional.of(Instant.parse("2026-11-20T14:00:00Z")),
                                Optional.of(ENDED)));
        assertThat(json(answer))
                .contains("\"action\":\"delete-marker\"", "\"at\":\"2026-11-20T14:05:00.250Z\"")
                .contains(
                        "\"source\":{\"bucket\":\"other\",\"key\":\"source\",\"causalVersion\":2}");
    }

    @Test
    void takesInstantsInUtcOnly() throws IOException {
        for (String since :
                List.of(
                        "",
                        "yesterday",
                        "2026-11-20",
                        "2026-11-20T14:05:00",
                        "2026-11-20T14:05:00+01:00",
                        "2026-11-20T14:05Z",
                        "2026-13-20T14:05:00Z",
                        "2026-02-30T14:05:00Z",
                        "2026-11-20t14:05:00z",
                        "20261120T140500Z",
                        "1763647500")) {
            assertThat(refused(ACTIVITY, Map.of("since", since)).message())
                    .isEqualTo("since is an instant in UTC, written like 2026-11-20T14:05:00Z");
        }
        Map<String, String> backwards =
                Map.of("since", "2026-11-20T15:00:00Z", "until", "2026-11-20T14:00:00Z");
        assertThat(refused(ACTIVITY, backwards).message()).isEqualTo("since is later than until");
        Map<String, String> fine = Map.of("since", "2026-11-20T14:05:00.123456789Z");
        assertThat(bed.get(ACTIVITY, fine).status()).isEqualTo(200);
        assertThat(refused(ACTIVITY, Map.of("actor", "me")).message())
                .isEqualTo("actor is a number, not negative");
    }

    @Test
    void traces() throws IOException {
        bed.history.steps.add(
                new Step(
                        BEGAN,
                        new Node.OfActor(ACTOR),
                        new Node.OfObject(new Place("bucket", new ObjectKey(ODD), 4)),
                        Action.PUT));
        String id = VersionId.format(5, false);
        Answer answer =
                bed.get(
                        TRACE,
                        Map.of(
                                "direction",
                                "back",
                                "bucket",
                                "bucket",
                                "key",
                                ODD,
                                "versionId",
                                id));
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        assertThat(bed.history.asked)
                .containsExactly("trace BACK bucket/" + ODD + " Numbered[number=5]");
        assertThat(json(answer))
                .contains("\"node\":{\"actor\":{\"id\":7", "\"through\":{\"object\":{\"bucket\":");
        Map<String, String> forward =
                Map.of("direction", "forward", "bucket", "bucket", "key", "k", "versionId", "null");
        assertThat(bed.get(TRACE, forward).status()).isEqualTo(200);
        assertThat(bed.history.asked).contains("trace FORWARD bucket/k NullVersion[]");
        assertThat(
                        refused(TRACE, Map.of("direction", "up", "bucket", "bucket", "key", "k"))
                                .message())
                .isEqualTo("direction is one of back, forward");
        assertThat(refused(TRACE, Map.of("bucket", "bucket", "key", "k")).message())
                .isEqualTo("direction is missing");
        Map<String, String> noVersion =
                Map.of("direction", "back", "bucket", "bucket", "key", "k", "versionId", "v1");
        assertThat(refused(TRACE, noVersion).message()).contains("or null");
    }

    private void create(String bucket) throws IOException {
        BucketInfo made =
                bed.store.createBucket(
                        new Caller("root", "ROOTKEY", "test"), new BucketName(bucket));
        assertThat(made.name().value()).isEqualTo(bucket);
    }

    @Test
    void tellsAndSetsThePolicyOfABucket() throws IOException {
        create("bucket");
        assertThat(bed.get(POLICY, Map.of("bucket", "bucket")).document())
                .isEqualTo(
                        Map.of(
                                "bucket",
                                "bucket",
                                "policy",
                                "cycle-avoidance",
                                "resolutionMillis",
                                1000L,
                                "inherited",
                                true));
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            Answer set = bed.put(POLICY, Map.of("bucket", "bucket", "policy", policy.text()));
            assertThat(set.document()).containsEntry("policy", policy.text());
            assertThat(bed.get(POLICY, Map.of("bucket", "bucket")).document())
                    .isEqualTo(set.document());
        }
        Answer wrong = bed.put(POLICY, Map.of("bucket", "bucket", "policy", "all"));
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.message()).contains("open-close", "every-write");
        Answer none = bed.put(POLICY, Map.of("bucket", "nobodys", "policy", "none"));
        assertThat(none.status()).isEqualTo(404);
        assertThat(none.code()).isEqualTo("NoSuchBucket");
        assertThat(bed.get(POLICY, Map.of("bucket", "nobodys")).status()).isEqualTo(404);
    }

    @Test
    void setsTheResolutionOfABucket() throws IOException {
        create("bucket");
        Answer set = bed.put(POLICY, Map.of("bucket", "bucket", "resolution", "1m"));
        assertThat(set.document())
                .containsEntry("policy", "cycle-avoidance")
                .containsEntry("resolutionMillis", 60_000L)
                .containsEntry("inherited", false);
        assertThat(bed.put(POLICY, Map.of("bucket", "bucket", "policy", "every-write")).document())
                .containsEntry("resolutionMillis", 1L);
        assertThat(
                        bed.put(
                                        POLICY,
                                        Map.of(
                                                "bucket",
                                                "bucket",
                                                "policy",
                                                "open-close",
                                                "resolution",
                                                "inherit"))
                                .document())
                .containsEntry("policy", "open-close")
                .containsEntry("resolutionMillis", 1000L)
                .containsEntry("inherited", true);
        for (String text : List.of("25h", "-1s", "1", "soon")) {
            Answer wrong = bed.put(POLICY, Map.of("bucket", "bucket", "resolution", text));
            assertThat(wrong.status()).isEqualTo(400);
            assertThat(wrong.message()).contains("write 0, 1ms to 1d");
        }
        assertThat(bed.put(POLICY, Map.of("bucket", "bucket", "resolution", "0")).document())
                .containsEntry("resolutionMillis", 0L);
    }

    /** A bucket of a closed cube is listed without a size. */
    @Test
    void measuresBucketsPageByPage() throws IOException {
        create("one");
        create("three");
        create("two");
        bed.history.closed = "two";
        Map<String, Object> first = bed.get(BUCKETS, Map.of("max", "2")).document();
        assertThat(first).containsEntry("next", "three");
        assertThat(first.get("buckets"))
                .asInstanceOf(InstanceOfAssertFactories.list(Map.class))
                .hasSize(2)
                .first()
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("bucket", "one")
                .containsEntry("versioning", "unversioned")
                .containsEntry("cubes", List.of("default"))
                .containsEntry(
                        "size",
                        Map.of(
                                "objects",
                                2L,
                                "bytes",
                                20L,
                                "versions",
                                3L,
                                "versionBytes",
                                30L,
                                "states",
                                4L,
                                "stateBytes",
                                40L));
        Map<String, Object> last = bed.get(BUCKETS, Map.of("max", "2", "from", "three")).document();
        assertThat(last).doesNotContainKey("next");
        assertThat(last.get("buckets"))
                .asInstanceOf(InstanceOfAssertFactories.list(Map.class))
                .first()
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("bucket", "two")
                .containsEntry("why", "cube x is not open")
                .doesNotContainKey("size");
    }

    @Test
    void countsWhatIsKept() throws IOException {
        create("one");
        create("two");
        bed.history.kept.put("one", new Kept(3, 300));
        bed.history.kept.put("two", new Kept(1, 50));
        assertThat(bed.get(USAGE, Map.of("bucket", "one")).document())
                .isEqualTo(
                        Map.of(
                                "buckets",
                                List.of(Map.of("bucket", "one", "states", 3L, "bytes", 300L)),
                                "states",
                                3L,
                                "bytes",
                                300L));
        assertThat(bed.get(USAGE, Map.of()).document())
                .containsEntry("states", 4L)
                .containsEntry("bytes", 350L);
        assertThat(bed.get(USAGE, Map.of("bucket", "three")).code()).isEqualTo("NoSuchBucket");
    }

    @Test
    void purges() throws IOException {
        Answer answer = bed.post(PURGE, Map.of("bucket", "bucket", "before", ENDED));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.document())
                .isEqualTo(
                        Map.of(
                                "bucket", "bucket",
                                "before", "2026-11-20T15:00:00Z",
                                "purgedStates", 42L));
        assertThat(bed.history.asked).containsExactly("purge bucket 2026-11-20T15:00:00Z for root");
        assertThat(bed.post(PURGE, Map.of("bucket", "bucket")).message())
                .isEqualTo("before is missing");
        assertThat(bed.post(PURGE, Map.of("bucket", "bucket", "before", 5)).message())
                .isEqualTo("before is a text");
    }
}
