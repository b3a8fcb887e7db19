package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.ClusterApi.MissingOwner;
import io.volute.adminapi.RestoreApi.Run;
import io.volute.adminapi.RestoreApi.Runs;
import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.admin.OpenApi.Schema;
import io.volute.server.admin.OtherAnswers.Part;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.json.Json;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.storage.report.CheckReport.Progress;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the description of the admin API against the routes: their arguments and their answers.
 */
class OpenApiTest {
    /** A point of the prime order: the base point. */
    private static final String ED25519 = "WGZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmY=";

    private static final BucketName MOVING = new BucketName("moving");
    private static final BucketName DIVIDED = new BucketName("divided");
    private static final String AT = "2026-11-20T14:05:00Z";

    /** Fields that no answer in this test has, with the reason. */
    private static final Set<String> NOT_MET =
            Set.of(
                    // Of a check that fails, or finds something.
                    "Check.failure",
                    "Problem.kind",
                    "Problem.where",
                    "Problem.what",
                    "Problem.concerns",
                    "Problem.moreConcerns",
                    // Of a part of an upload, and of a repair without the right bytes.
                    "Damaged.what",
                    "Repaired.failure",
                    "Replication.missing",
                    // A cube that cannot be opened.
                    "Bucket.why",
                    "CubeInfo.why",
                    // A clock that went back: CubeClockTest.
                    "CubeInfo.clock",
                    "ClockInfo.behindSeconds",
                    "ClockInfo.unknown",
                    "UnknownPast.from",
                    "UnknownPast.until",
                    // A move that ends at once is in no list, and this one does not fail.
                    "Move.why",
                    // A split within a part that has another one behind it.
                    "Move.end",
                    // A plan that brings back what an undo condemned.
                    "Line.undoneBy",
                    // While the chains do not continue the last checkpoint.
                    "Checkpoints.refused");

    /**
     * Routes with further possible answers: only the fields of the answers in this test are
     * compared.
     */
    private static final Set<Route<?, ?>> IN_PART =
            Set.of(
                    Routes.ENTRIES,
                    Routes.KEYS,
                    Routes.ROTATE,
                    Routes.PRINCIPALS,
                    Routes.START_AUDIT,
                    Routes.AUDIT,
                    Routes.CANCEL_AUDIT);

    /** The lists in these answers depend on how far an audit is. */
    private static final Set<Route<?, ?>> RACING =
            Set.of(Routes.START_AUDIT, Routes.AUDIT, Routes.CANCEL_AUDIT);

    /** Answer no JSON. */
    private static final Set<Route<?, ?>> BYTES =
            Set.of(
                    Routes.EXPORT,
                    Routes.OPENINGS,
                    Routes.KEY_LIST,
                    Routes.CHECKPOINT,
                    Routes.HEADS);

    @TempDir private Path directory;
    private AdminTestBed bed;
    private OpenApi api;
    private SchemaCheck check;

    /** Routes whose answers were compared, or have no schema. */
    private final Set<Route<?, ?>> compared = new HashSet<>(BYTES);

    /** The forms of the answers that were met. */
    private final Set<String> forms = new TreeSet<>();

    /** A route and its arguments. */
    private record Asked(Route<?, ?> route, Map<String, ?> arguments) {}

    @BeforeEach
    void open() throws IOException {
        bed = ProvenanceRoutesTest.bed(directory, Construction.ONE_LINK);
        api = OpenApi.read();
        check = new SchemaCheck(api);
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    @Test
    void hasEveryRouteAndNoOther() {
        Set<String> routes = new TreeSet<>();
        for (Route<?, ?> route : Routes.all()) {
            routes.add(route.method() + " " + route.path());
            assertThat(api.status(route)).as(route.name()).isEqualTo(route.status());
        }
        assertThat(api.routes()).isEqualTo(routes);
    }

    /** Returns the arguments that a route accepts, from its refusal of unknown ones. */
    private Set<String> taken(Route<?, ?> route, Map<String, ?> arguments) throws IOException {
        Answer refused = bed.ask(AdminTestBed.ROOT, route, arguments);
        String known = " this takes ";
        assertThat(refused.message()).as(route.name()).contains("unknown property", known);
        assertThat(check.problems(api.refused(route), refused.document())).isEmpty();
        String names =
                refused.message().substring(refused.message().indexOf(known) + known.length());
        return names.equals("none") ? Set.of() : Set.of(names.split(", "));
    }

    @Test
    void routesTakeWhatIsDescribed() throws IOException {
        for (Route<?, ?> route : Routes.all()) {
            assertThat(api.taken(route).properties().keySet())
                    .as(route.name())
                    .isEqualTo(taken(route, Map.of("other", "1")));
        }
    }

    private Schema inner(Schema of, String name) {
        return api.schema(OpenApi.map(of.properties().get(name)), name);
    }

    private static Map<String, Object> request(Map<String, ?> goal) {
        return Map.of("bucket", AdminExamples.BUCKET, "goal", goal);
    }

    @Test
    void restoresTakeWhatIsDescribed() throws IOException {
        for (Route<?, ?> route : List.of(Routes.PLAN_RESTORE, Routes.START_RESTORE)) {
            Schema request = inner(api.taken(route), "request");
            assertThat(request.properties().keySet())
                    .isEqualTo(taken(route, Map.of("request", Map.of("other", 1))));
            Set<String> kinds = new TreeSet<>();
            for (Object option : OpenApi.list(inner(request, "goal").is().get("oneOf"))) {
                Schema goal = api.schema(OpenApi.map(option), "Goal");
                String kind = inner(goal, "kind").text("const");
                kinds.add(kind);
                Map<String, Object> asked =
                        Map.of("request", request(Map.of("kind", kind, "other", 1)));
                assertThat(goal.properties().keySet()).as(kind).isEqualTo(taken(route, asked));
            }
            Answer wrong =
                    bed.ask(
                            AdminTestBed.ROOT,
                            route,
                            Map.of("request", request(Map.of("kind", "other"))));
            assertThat(wrong.message()).endsWith(" is one of " + String.join(", ", kinds));
        }
    }

    /**
     * A route refuses a request without one of its arguments exactly if that argument is required.
     */
    @Test
    void whatIsRequiredIsNeeded() throws IOException {
        AdminExamples.fill(bed);
        for (Map.Entry<Route<?, ?>, Map<String, Object>> each : AdminExamples.asked().entrySet()) {
            Route<?, ?> route = each.getKey();
            Schema taken = api.taken(route);
            assertThat(each.getValue().keySet()).isEqualTo(taken.properties().keySet());
            assertRequired(taken, each.getValue(), some -> bed.ask(AdminTestBed.ROOT, route, some));
            if (each.getValue().containsKey("request")) {
                assertRequired(
                        inner(taken, "request"),
                        OpenApi.map(each.getValue().get("request")),
                        some -> bed.ask(AdminTestBed.ROOT, route, Map.of("request", some)));
            }
        }
    }

    private interface Question {
        Answer ask(Map<String, ?> arguments) throws IOException;
    }

    private static void assertRequired(Schema taken, Map<String, Object> all, Question question)
            throws IOException {
        for (String name : taken.properties().keySet()) {
            Map<String, Object> some = new LinkedHashMap<>(all);
            some.remove(name);
            Answer answer = question.ask(some);
            assertThat(answer.status() == 400)
                    .as("%s without %s: %s", taken.name(), name, answer)
                    .isEqualTo(taken.required().contains(name));
        }
    }

    private Answer answered(Asked asked) throws IOException {
        Route<?, ?> route = asked.route();
        compared.add(route);
        Answer answer = bed.ask(AdminTestBed.ROOT, route, asked.arguments());
        assertThat(answer.status()).as("%s: %s", asked, answer).isEqualTo(route.status());
        assertThat(check.problems(api.answered(route), answer.document()))
                .as("%s: %s", asked, answer)
                .isEmpty();
        assertThat(answer.document()).isEqualTo(writtenBack(answer.document(), route.answer()));
        if (!RACING.contains(route)) {
            forms.add(route.name() + " " + form(answer.document()));
        }
        return answer;
    }

    /** Returns what is left of a document in the record that clients read it as. */
    private static Map<String, Object> writtenBack(Map<String, Object> document, Class<?> answer)
            throws IOException {
        Class<?> record = answer == Runs.class && document.containsKey("id") ? Run.class : answer;
        return Json.read(AdminJson.write(AdminJson.as(document, record)));
    }

    /** Returns a document with the types of its values in their place, each type of a list once. */
    private static String form(Object value) {
        return switch (value) {
            case Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(each -> each.getKey() + ":" + form(each.getValue()))
                            .collect(Collectors.joining(",", "{", "}"));
            case List<?> list ->
                    list.stream()
                            .map(OpenApiTest::form)
                            .distinct()
                            .sorted()
                            .collect(Collectors.joining("|", "[", "]"));
            default -> value.getClass().getSimpleName();
        };
    }

    @Test
    void answersAreAsDescribed() throws Exception {
        AdminExamples.fill(bed);
        ProvenanceRoutesTest.put(bed, "k", "text");
        assertThat(ProvenanceRoutesTest.upload(bed, "k")).isNotNull();
        bed.requests.answered(
                new HttpHead("GET", "/b", "", new HeaderList(List.of()), false, "::1", 0, "id"),
                new Answered(
                        new About("ListObjects", "ann", "AK", "", "b", "", ""),
                        200,
                        true,
                        new Bytes(0, 345),
                        new Times(0, 1, 150_000)));
        bed.damage(new BucketName("bucket"), "k");
        bed.scrubber.status =
                new Scrubber.Status(
                        Duration.ofDays(1),
                        Optional.of(
                                new Scrubber.Running(
                                        AdminTestBed.NOW, new Progress(1, 2, 3, 4, 5), 6, 7)),
                        Optional.of(
                                new Scrubber.Pass(
                                        AdminTestBed.NOW, AdminTestBed.NOW, 2, 1, List.of("one"))),
                        "the disk is gone");
        bed.others((route, caller, arguments) -> parts(route));
        for (Asked each :
                Stream.of(ofThePast(), ofTheStore(), ofPeople(), ofProvenance())
                        .flatMap(List::stream)
                        .toList()) {
            if (each.route().equals(Routes.SPLIT_BUCKET)) {
                bed.store.createBucket(Caller.ofTask("owner", "test"), DIVIDED);
            } else if (each.route().equals(Routes.BUCKET_PARTS)) {
                while (!bed.cubes.moves().list().isEmpty()) {
                    Thread.onSpinWait();
                }
            } else if (each.route().equals(Routes.MOVE_BUCKET)) {
                bed.store.createBucket(Caller.ofTask("owner", "test"), MOVING);
                bed.store
                        .settings()
                        .setDocument(MOVING, BucketDocument.REPLICATION, Optional.of("<a/>"));
            } else if (each.route().equals(Routes.DELETE_CUBE)) {
                bed.cubes.awaitOpened(Duration.ofMinutes(1));
                while (!bed.cubes.moves().list().isEmpty()) {
                    Thread.onSpinWait();
                }
                bed.store.deleteBucket(Caller.ofTask("owner", "test"), MOVING);
            }
            assertThat(answered(each)).isNotNull();
        }
        assertThat(compared).containsExactlyInAnyOrderElementsOf(Routes.all());
        assertThat(forms).containsExactlyElementsOf(golden());
        Set<String> described = new TreeSet<>();
        for (Route<?, ?> route : Routes.all()) {
            if (!IN_PART.contains(route) && !BYTES.contains(route)) {
                check.describe(api.answered(route), described);
            }
        }
        described.removeAll(check.met());
        assertThat(described).containsExactlyInAnyOrderElementsOf(NOT_MET);
    }

    /** Returns the part of one other owner, and one that is missing. */
    private static List<Part> parts(Route<?, ?> route) {
        Map<String, ?> running =
                Map.of(
                        "began",
                        AdminTestBed.NOW,
                        "segments",
                        1,
                        "segmentsTotal",
                        2,
                        "bytesRead",
                        3,
                        "chains",
                        4,
                        "found",
                        5);
        Map<String, ?> last =
                Map.of(
                        "began",
                        AdminTestBed.NOW,
                        "ended",
                        AdminTestBed.NOW,
                        "problems",
                        1,
                        "findings",
                        1,
                        "found",
                        List.of("one"),
                        "moreFound",
                        1);
        byte[] scrub =
                AdminJson.write(
                        Map.of(
                                "intervalSeconds",
                                1,
                                "running",
                                running,
                                "last",
                                last,
                                "next",
                                AdminTestBed.NOW,
                                "failure",
                                "the disk is gone"));
        List<String> cubes = List.of("papers");
        Part missing =
                new Part.Missing(new MissingOwner(Optional.of("node3"), cubes, "it is lost"));
        return route.answer() == Scrub.class
                ? List.of(new Part.Given("node2", cubes, scrub), missing)
                : List.of(missing);
    }

    /** Returns the forms that all versions have answered: clients depend on names and types. */
    private static List<String> golden() throws IOException {
        try (InputStream file = OpenApiTest.class.getResourceAsStream("/admin-answers.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static List<Asked> ofThePast() {
        List<Asked> all = new ArrayList<>();
        AdminExamples.asked().forEach((route, arguments) -> all.add(new Asked(route, arguments)));
        for (Route<?, ?> route : List.of(Routes.ACTIVITY, Routes.ACTORS, Routes.RESTORES)) {
            all.add(new Asked(route, Map.of()));
        }
        for (String direction : List.of("back", "forward")) {
            Map<String, String> trace =
                    Map.of("direction", direction, "bucket", "bucket", "key", "k");
            all.add(new Asked(Routes.TRACE, trace));
        }
        all.add(
                new Asked(
                        Routes.LIFECYCLE,
                        Map.of("bucket", "bucket", "at", "2027-01-01T00:00:00Z")));
        all.add(new Asked(Routes.HISTORY, Map.of("bucket", "bucket", "key", "k")));
        for (Map<String, ?> goal :
                List.of(
                        Map.of("kind", "undo-actor", "actor", 7, "since", AT),
                        Map.of("kind", "undo-name", "name", "n", "user", "u", "since", AT),
                        Map.of("kind", "undo-user", "user", "u", "since", AT),
                        Map.of("kind", "undo-access-key", "accessKey", "K", "since", AT),
                        Map.of(
                                "kind",
                                "undo",
                                "actors",
                                List.of(7),
                                "names",
                                List.of("n"),
                                "user",
                                "u",
                                "accessKeys",
                                List.of("K"),
                                "users",
                                List.of("u"),
                                "since",
                                AT,
                                "derived",
                                false),
                        Map.of("kind", "undo-restore", "id", "7"),
                        taint("causeUser"),
                        taint("causeName"),
                        taint("causeAccessKey"))) {
            all.add(new Asked(Routes.START_RESTORE, Map.of("request", request(goal))));
        }
        return all;
    }

    private static Map<String, ?> taint(String cause) {
        return Map.of(
                "kind",
                "before-taint",
                "bucket",
                "b-2",
                "key",
                "k",
                "versionId",
                "null",
                cause,
                "n");
    }

    private static List<Asked> ofTheStore() {
        return List.of(
                // Before a check, which makes the list anew.
                new Asked(Routes.DAMAGE, Map.of()),
                new Asked(Routes.REPAIR_DAMAGE, Map.of("from", "noncurrent")),
                new Asked(Routes.ROTATE_ENCRYPTION_KEY, Map.of("name", "aws/s3")),
                new Asked(Routes.ENCRYPTION_KEYS, Map.of()),
                new Asked(Routes.NOTIFICATION_TARGETS, Map.of()),
                new Asked(Routes.REPLICATION, Map.of("bucket", "b-1")),
                new Asked(Routes.STOP_REPLICATION, Map.of("bucket", "b-1")),
                new Asked(Routes.RETRY_REPLICATION, Map.of("bucket", "b-1")),
                new Asked(Routes.FORGET_REPLICATION, Map.of("bucket", "b-1")),
                new Asked(Routes.VERSION, Map.of()),
                new Asked(Routes.SPACE, Map.of()),
                new Asked(Routes.CLUSTER, Map.of()),
                new Asked(Routes.MOVE_STORE, Map.of("node", "node2", "cube", "one")),
                new Asked(Routes.DRAIN_NODE, Map.of("node", "node1", "off", false)),
                new Asked(Routes.REQUESTS, Map.of()),
                new Asked(Routes.CLEAN, Map.of("level", "compact")),
                new Asked(Routes.CHECK, Map.of()),
                new Asked(Routes.START_CHECK, Map.of("bytesPerSecond", 1 << 20)),
                new Asked(Routes.CHECK, Map.of()),
                new Asked(Routes.CREATE_CUBE, Map.of("cube", "one")),
                new Asked(Routes.LIST_CUBES, Map.of()),
                new Asked(Routes.LIST_MOVES, Map.of()),
                new Asked(
                        Routes.SPLIT_BUCKET,
                        Map.of("bucket", DIVIDED.value(), "key", "m", "cube", "one")),
                new Asked(Routes.LIST_BUCKETS, Map.of("max", 1, "from", "a")),
                new Asked(Routes.BUCKET_PARTS, Map.of("bucket", DIVIDED.value())),
                new Asked(Routes.MERGE_BUCKET, Map.of("bucket", DIVIDED.value(), "key", "m")),
                new Asked(Routes.MOVE_BUCKET, Map.of("bucket", MOVING.value(), "cube", "one")),
                new Asked(
                        Routes.START_REPLICATION,
                        Map.of("bucket", MOVING.value(), "again", false, "rate", 5)),
                new Asked(Routes.MIGRATE_CUBE, Map.of("cube", "one", "to", "bookkeeper")),
                new Asked(Routes.REOPEN_CUBE, Map.of("cube", "one", "rebuildIndex", true)),
                new Asked(Routes.DELETE_CUBE, Map.of("cube", "one")),
                new Asked(Routes.START_SCRUB, Map.of()),
                new Asked(Routes.SCRUB, Map.of()),
                new Asked(Routes.START_BACKUP, Map.of("to", "/b")),
                new Asked(Routes.BACKUP, Map.of()));
    }

    /** Returns requests that create, change, show and remove identities. */
    private List<Asked> ofPeople() throws IOException {
        Map<String, ?> policy =
                Map.of("Statement", Map.of("Effect", "Allow", "Action", "s3:*", "Resource", "*"));
        Map<String, ?> trust =
                Map.of(
                        "Statement",
                        Map.of("Effect", "Allow", "Principal", "*", "Action", "sts:AssumeRole"));
        List<Asked> all = new ArrayList<>();
        all.add(new Asked(Routes.CREATE_USER, Map.of("name", "carol")));
        all.add(new Asked(Routes.CREATE_GROUP, Map.of("name", "ops")));
        all.add(new Asked(Routes.CREATE_ROLE, Map.of("name", "job", "trust", trust)));
        all.add(new Asked(Routes.CREATE_GROUP, Map.of("name", "rest")));
        all.add(new Asked(Routes.CREATE_ROLE, Map.of("name", "other", "trust", trust)));
        all.add(new Asked(Routes.PUT_POLICY, Map.of("name", "p", "document", policy)));
        Map<String, String> holders = Map.of("user", "carol", "group", "ops", "role", "job");
        holders.forEach(
                (kind, name) -> {
                    all.add(
                            new Asked(
                                    Routes.ATTACH_POLICY,
                                    Map.of("policy", "p", kind, name, "attached", true)));
                    all.add(
                            new Asked(
                                    Routes.PUT_INLINE_POLICY,
                                    Map.of("policy", "own", kind, name, "document", policy)));
                });
        Map<String, ?> member = Map.of("group", "ops", "user", "carol", "member", true);
        all.add(new Asked(Routes.SET_MEMBER, member));
        all.add(new Asked(Routes.CREATE_KEY, Map.of("user", "carol")));
        for (Asked each : all) {
            assertThat(answered(each)).isNotNull();
        }
        Answer made = answered(new Asked(Routes.CREATE_KEY, Map.of("user", "carol")));
        String key = made.document().get("accessKey").toString();
        return List.of(
                new Asked(Routes.PROVISION_USER, Map.of("name", "dave", "policy", "readwrite")),
                new Asked(Routes.LIST_USERS, Map.of("max", 1)),
                new Asked(Routes.LIST_GROUPS, Map.of("max", 1)),
                new Asked(Routes.LIST_ROLES, Map.of("max", 1)),
                new Asked(Routes.LIST_POLICIES, Map.of("max", 1)),
                new Asked(Routes.LIST_IDENTITY_CHANGES, Map.of("max", 1)),
                new Asked(Routes.SET_KEY, Map.of("accessKey", key, "active", false)),
                new Asked(Routes.DELETE_KEY, Map.of("accessKey", key)),
                new Asked(Routes.DELETE_USER, Map.of("name", "carol")),
                new Asked(Routes.DELETE_GROUP, Map.of("name", "ops")),
                new Asked(Routes.DELETE_ROLE, Map.of("name", "job")),
                new Asked(Routes.DELETE_POLICY, Map.of("name", "p")));
    }

    private static List<Asked> ofProvenance() {
        byte[] point = new byte[32];
        Arrays.fill(point, (byte) 9);
        String key = Base64.getEncoder().encodeToString(point);
        Map<String, ?> auditor = Map.of("name", "auditor", "publicKey", key);
        Map<String, ?> principal =
                Map.of("principal", "alice", "algorithm", "ed25519", "publicKey", ED25519);
        Map<String, ?> hidden =
                Map.of("bucket", "bucket", "encrypt", List.of("actor"), "commit", List.of());
        return List.of(
                new Asked(Routes.ENTRIES, Map.of("bucket", "bucket", "key", "k")),
                new Asked(Routes.KEYS, Map.of()),
                new Asked(Routes.ROTATE, Map.of()),
                new Asked(Routes.SET_AUDITOR, auditor),
                new Asked(Routes.SET_AUDITOR, Map.of("name", "auditor", "end", true)),
                new Asked(Routes.AUDITORS, Map.of()),
                new Asked(Routes.PRINCIPALS, principal),
                new Asked(Routes.SET_HIDDEN, hidden),
                new Asked(Routes.HIDDEN, Map.of("bucket", "bucket")),
                new Asked(Routes.MAKE_CHECKPOINT, Map.of()),
                new Asked(Routes.MAKE_CHECKPOINT, Map.of()),
                new Asked(Routes.CHECKPOINTS, Map.of("max", 1)),
                new Asked(Routes.AUDIT, Map.of()),
                new Asked(Routes.START_AUDIT, Map.of()),
                new Asked(Routes.AUDIT, Map.of()),
                new Asked(Routes.CANCEL_AUDIT, Map.of()));
    }
}
