package io.volute.server.admin;

import io.volute.versioning.History.Page;
import io.volute.versioning.Restore.Author;
import io.volute.versioning.Restore.Authors;
import io.volute.versioning.Restore.Cause;
import io.volute.versioning.Restore.Elsewhere;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Plan;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Restores as JSON, both ways. Schemas: docs/reference/openapi.yaml. */
final class RestoreDocument {
    private static final String KIND = "kind";
    private static final String SINCE = "since";
    private static final String TO_INSTANT = "to-instant";
    private static final String UNDO_ACTOR = "undo-actor";
    private static final String UNDO_NAME = "undo-name";
    private static final String UNDO_ACCESS_KEY = "undo-access-key";
    private static final String UNDO_USER = "undo-user";
    private static final String USER = "user";
    private static final String BEFORE_TAINT = "before-taint";
    private static final String CAUSE_NAME = "causeName";
    private static final String CAUSE_KEY = "causeAccessKey";
    private static final String CAUSE_USER = "causeUser";

    private static final Map<String, Function<Arguments, Goal>> GOALS =
            new TreeMap<>(
                    Map.of(
                            TO_INSTANT, RestoreDocument::toInstant,
                            UNDO_ACTOR, RestoreDocument::undoActor,
                            UNDO_NAME, RestoreDocument::undoName,
                            UNDO_ACCESS_KEY, RestoreDocument::undoAccessKey,
                            UNDO_USER, RestoreDocument::undoUser,
                            BEFORE_TAINT, RestoreDocument::beforeTaint));

    private static final Map<String, OnConflict> ON_CONFLICT =
            new TreeMap<>(Map.of("skip", OnConflict.SKIP, "overwrite", OnConflict.OVERWRITE));

    private RestoreDocument() {}

    static Request request(Arguments asked) {
        asked.only("bucket", "prefix", "goal", "onConflict");
        BucketName bucket = asked.neededBucket();
        String prefix = asked.text("prefix").orElse("");
        if (prefix.getBytes(StandardCharsets.UTF_8).length > ObjectKey.BYTES_MAX) {
            throw AdminException.badRequest("no key is as long as request.prefix");
        }
        Arguments goal = asked.neededObject("goal");
        return new Request(
                bucket,
                prefix,
                goal.neededWord(KIND, GOALS).apply(goal),
                // Without a decision of the client, conflicting keys are not overwritten.
                asked.has("onConflict")
                        ? asked.neededWord("onConflict", ON_CONFLICT)
                        : OnConflict.SKIP);
    }

    private static Goal toInstant(Arguments goal) {
        goal.only(KIND, "instant");
        return new Goal.ToInstant(goal.neededInstant("instant"));
    }

    private static Goal undoActor(Arguments goal) {
        goal.only(KIND, "actor", SINCE);
        return new Goal.UndoActor(goal.neededNumber("actor"), goal.neededInstant(SINCE));
    }

    private static Goal undoName(Arguments goal) {
        goal.only(KIND, "name", USER, SINCE);
        return new Goal.UndoName(
                goal.neededText("name"), goal.text(USER), goal.neededInstant(SINCE));
    }

    private static Goal undoUser(Arguments goal) {
        goal.only(KIND, USER, SINCE);
        return new Goal.UndoUser(goal.neededText(USER), goal.neededInstant(SINCE));
    }

    private static Goal undoAccessKey(Arguments goal) {
        goal.only(KIND, "accessKey", SINCE);
        return new Goal.UndoAccessKey(goal.neededText("accessKey"), goal.neededInstant(SINCE));
    }

    private static Goal beforeTaint(Arguments goal) {
        goal.only(KIND, "bucket", "key", "versionId", CAUSE_NAME, CAUSE_KEY, CAUSE_USER);
        List<Cause> causes = new ArrayList<>();
        goal.text(CAUSE_NAME).map(Cause.ByName::new).ifPresent(causes::add);
        goal.text(CAUSE_KEY).map(Cause.ByAccessKey::new).ifPresent(causes::add);
        goal.text(CAUSE_USER).map(Cause.ByUser::new).ifPresent(causes::add);
        if (causes.size() > 1) {
            throw AdminException.badRequest(
                    "write one of " + CAUSE_NAME + ", " + CAUSE_KEY + " and " + CAUSE_USER);
        }
        return new Goal.BeforeTaint(
                goal.neededBucket(), goal.key(), goal.version(), causes.stream().findFirst());
    }

    private static Map<String, Object> request(Request request) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", request.bucket().value());
        document.put("prefix", request.prefix());
        document.put("goal", goal(request.goal()));
        document.put("onConflict", HistoryDocument.word(request.onConflict()));
        return document;
    }

    private static Map<String, Object> goal(Goal goal) {
        Map<String, Object> document = new LinkedHashMap<>();
        switch (goal) {
            case Goal.ToInstant to -> {
                document.put(KIND, TO_INSTANT);
                document.put("instant", to.instant());
            }
            case Goal.UndoActor undo -> {
                document.put(KIND, UNDO_ACTOR);
                document.put("actor", undo.actor());
                document.put(SINCE, undo.since());
            }
            case Goal.UndoName undo -> {
                document.put(KIND, UNDO_NAME);
                document.put("name", undo.name());
                undo.user().ifPresent(user -> document.put(USER, user));
                document.put(SINCE, undo.since());
            }
            case Goal.UndoUser undo -> {
                document.put(KIND, UNDO_USER);
                document.put(USER, undo.user());
                document.put(SINCE, undo.since());
            }
            case Goal.UndoAccessKey undo -> {
                document.put(KIND, UNDO_ACCESS_KEY);
                document.put("accessKey", undo.accessKey());
                document.put(SINCE, undo.since());
            }
            case Goal.BeforeTaint taint -> {
                document.put(KIND, BEFORE_TAINT);
                document.put("bucket", taint.bucket().value());
                document.put("key", taint.key().value());
                taint.version()
                        .flatMap(RestoreDocument::versionId)
                        .ifPresent(id -> document.put("versionId", id));
                taint.cause().ifPresent(cause -> put(document, cause));
            }
        }
        return document;
    }

    private static void put(Map<String, Object> document, Cause cause) {
        switch (cause) {
            case Cause.ByName by -> document.put(CAUSE_NAME, by.name());
            case Cause.ByAccessKey by -> document.put(CAUSE_KEY, by.accessKey());
            case Cause.ByUser by -> document.put(CAUSE_USER, by.user());
        }
    }

    private static Optional<String> versionId(VersionSelector version) {
        return switch (version) {
            case VersionSelector.Latest latest -> Optional.empty();
            case VersionSelector.NullVersion none -> Optional.of(VersionId.format(0, true));
            case VersionSelector.Numbered numbered ->
                    Optional.of(VersionId.format(numbered.number(), false));
        };
    }

    static Map<String, Object> plan(Plan plan) {
        Map<String, Object> document =
                HistoryDocument.page(
                        "lines", new Page<>(plan.entries(), plan.next()), RestoreDocument::line);
        if (!plan.elsewhere().isEmpty()) {
            document.put(
                    "elsewhere",
                    plan.elsewhere().stream().map(RestoreDocument::elsewhere).toList());
        }
        Authors authors = plan.authors();
        document.put("authors", authors.authors().stream().map(RestoreDocument::author).toList());
        document.put("authorsTotal", authors.total());
        document.put("sessions", authors.sessions());
        return document;
    }

    private static Map<String, Object> author(Author author) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("actor", HistoryDocument.actor(author.actor()));
        document.put("user", author.actor().user());
        document.put("writes", author.writes());
        return document;
    }

    private static Map<String, Object> elsewhere(Elsewhere other) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", other.bucket());
        document.put("writes", other.writes());
        return document;
    }

    static Map<String, Object> line(Line line) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", line.key().value());
        line.now().ifPresent(now -> document.put("now", HistoryDocument.state(now)));
        line.then().ifPresent(then -> document.put("then", HistoryDocument.state(then)));
        document.put("why", line.why());
        document.put("exact", line.exact());
        line.lost().ifPresent(lost -> document.put("lost", lost));
        line.conflict().ifPresent(conflict -> document.put("conflict", conflict));
        return document;
    }

    static Map<String, Object> run(Run run) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("id", run.id());
        document.put("request", request(run.request()));
        document.put("phase", HistoryDocument.word(run.phase()));
        document.put("began", run.began());
        document.put("actor", run.actor());
        document.put("looked", run.looked());
        document.put("total", run.total());
        document.put("restored", run.restored());
        document.put("skipped", run.skipped());
        document.put("message", run.message());
        return document;
    }
}
