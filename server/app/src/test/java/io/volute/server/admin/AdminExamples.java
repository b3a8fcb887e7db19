package io.volute.server.admin;

import static io.volute.adminapi.Routes.ACTIVITY;
import static io.volute.adminapi.Routes.ACTORS;
import static io.volute.adminapi.Routes.CANCEL_RESTORE;
import static io.volute.adminapi.Routes.HISTORY;
import static io.volute.adminapi.Routes.LIFECYCLE;
import static io.volute.adminapi.Routes.PLAN_RESTORE;
import static io.volute.adminapi.Routes.POLICY;
import static io.volute.adminapi.Routes.PURGE;
import static io.volute.adminapi.Routes.RESTORES;
import static io.volute.adminapi.Routes.SET_POLICY;
import static io.volute.adminapi.Routes.SHRED;
import static io.volute.adminapi.Routes.START_RESTORE;
import static io.volute.adminapi.Routes.TRACE;
import static io.volute.adminapi.Routes.USAGE;

import io.volute.adminapi.Route;
import io.volute.versioning.History.Action;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.Kept;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Place;
import io.volute.versioning.History.Step;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Example arguments for each route about the past, and example data for their answers. */
final class AdminExamples {
    static final String BUCKET = "bucket";

    private static final String AT = "2026-11-20T14:05:00Z";
    private static final Caller ROOT = new Caller("root", "ROOTKEY", "test");

    private AdminExamples() {}

    /**
     * Returns all arguments of each route. Restores are started before they are read and cancelled.
     */
    static Map<Route<?, ?>, Map<String, Object>> asked() {
        Map<Route<?, ?>, Map<String, Object>> asked = new LinkedHashMap<>();
        asked.put(HISTORY, paged(Map.of("bucket", BUCKET, "key", "k")));
        asked.put(ACTORS, paged(Map.of("accessKey", "ALICE", "user", "alice", "name", "n")));
        asked.put(
                ACTIVITY,
                paged(
                        Map.of(
                                "actor",
                                7,
                                "accessKey",
                                "ALICE",
                                "user",
                                "alice",
                                "name",
                                "n",
                                "since",
                                AT,
                                "until",
                                AT)));
        asked.put(
                TRACE,
                paged(
                        Map.of(
                                "direction",
                                "back",
                                "bucket",
                                BUCKET,
                                "key",
                                "k",
                                "versionId",
                                "null")));
        asked.put(POLICY, Map.of("bucket", BUCKET));
        asked.put(
                SET_POLICY, Map.of("bucket", BUCKET, "policy", "every-write", "resolution", "1s"));
        asked.put(
                LIFECYCLE,
                Map.of("bucket", BUCKET, "at", "2027-01-01T00:00:00Z", "max", 1, "from", "0v"));
        asked.put(USAGE, Map.of("bucket", BUCKET));
        asked.put(SHRED, Map.of("bucket", BUCKET, "key", "k"));
        asked.put(PURGE, Map.of("bucket", BUCKET, "before", AT));
        Map<String, Object> request =
                Map.of(
                        "bucket",
                        BUCKET,
                        "prefix",
                        "a/",
                        "goal",
                        Map.of("kind", "to-instant", "instant", AT),
                        "onConflict",
                        "skip");
        Map<String, Object> plan = new LinkedHashMap<>(Map.of("request", request));
        plan.put("max", 1);
        plan.put("from", "0");
        asked.put(PLAN_RESTORE, plan);
        asked.put(START_RESTORE, Map.of("request", request));
        asked.put(RESTORES, Map.of("id", "run-1"));
        asked.put(CANCEL_RESTORE, Map.of("id", "run-1"));
        return asked;
    }

    private static Map<String, Object> paged(Map<String, Object> asked) {
        Map<String, Object> more = new LinkedHashMap<>(asked);
        more.put("max", 1);
        more.put("from", "0");
        return more;
    }

    /** Two entries of each kind, unlike each other, and one run. */
    static void fill(AdminTestBed bed) throws IOException {
        BucketName bucket = new BucketName(BUCKET);
        if (bed.store.bucket(bucket).isEmpty()) {
            bucket = bed.store.createBucket(ROOT, bucket).name();
        }
        bed.store
                .settings()
                .setDocument(
                        bucket,
                        BucketDocument.LIFECYCLE,
                        Optional.of(LifecycleRoutesTest.RULES.formatted("r")));
        ObjectKey key = new ObjectKey("k");
        Instant at = Instant.parse(AT);
        ActorInfo who =
                new ActorInfo(
                        7,
                        "alice",
                        "ALICE",
                        Optional.of(new Caller.Parent("bob", "BOB")),
                        ActorName.of("n"),
                        at);
        ActorVersion actor = new ActorVersion(who, 3);
        Place place = new Place(BUCKET, key, 4);
        FakeHistory history = bed.history;
        history.states.add(HistoryRoutesTest.state("k", 9, Optional.empty()));
        history.states.add(HistoryRoutesTest.state("k", 8, Optional.of(at)));
        history.actors.add(who);
        history.actors.add(who);
        history.activity.add(
                new Activity(at, actor, Action.PUT, BUCKET, key, 4, Optional.of(place)));
        history.activity.add(
                new Activity(at, actor, Action.DELETE_MARKER, BUCKET, key, 4, Optional.empty()));
        history.steps.add(
                new Step(at, new Node.OfActor(actor), new Node.OfObject(place), Action.PUT));
        history.steps.add(
                new Step(at, new Node.OfObject(place), new Node.OfActor(actor), Action.READ));
        history.kept.put(BUCKET, new Kept(2, 1234));
        bed.restore.lines.add(
                new Line(
                        key,
                        Optional.of(history.states.getFirst()),
                        Optional.of(history.states.getLast()),
                        "written by alice",
                        false,
                        Optional.of("not kept"),
                        Optional.of("written since"),
                        Optional.empty()));
        bed.restore.lines.add(
                new Line(
                        key,
                        Optional.empty(),
                        Optional.empty(),
                        "gone",
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
        bed.restore.authors =
                new Restore.Authors(List.of(new Restore.Author(who, 3, at, at, true)), 1, 1);
        bed.restore.warnings.add("the bucket did not exist");
        bed.restore.elsewhere.add(new Restore.Elsewhere("b-2", 3));
        bed.restore.start(ROOT, new Request(bucket, "", new Goal.ToInstant(at), OnConflict.SKIP));
        bed.restore.asked.clear();
    }
}
