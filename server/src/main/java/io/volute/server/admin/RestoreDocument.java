package io.volute.server.admin;

import io.volute.adminapi.RestoreApi;
import io.volute.adminapi.RestoreApi.Restoration;
import io.volute.adminapi.Words;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Converts restores from requests of the admin API, and to its answers. */
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
        asked.only(Restoration.class);
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

    /**
     * Returns whether a restore needs the history of other keys than those that it can change: its
     * answer names what it has found there.
     */
    static boolean readsBeyond(Arguments asked) {
        Request request = request(asked);
        return request.goal() instanceof Goal.BeforeTaint taint
                && (taint.cause().isPresent()
                        || !taint.bucket().equals(request.bucket())
                        || !taint.key().value().startsWith(request.prefix()));
    }

    private static Goal toInstant(Arguments goal) {
        goal.only(KIND, RestoreApi.ToInstant.class);
        return new Goal.ToInstant(goal.neededInstant("instant"));
    }

    private static Goal undoActor(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoActor.class);
        return new Goal.UndoActor(goal.neededNumber("actor"), goal.neededInstant(SINCE));
    }

    private static Goal undoName(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoName.class);
        return new Goal.UndoName(
                goal.neededText("name"), goal.text(USER), goal.neededInstant(SINCE));
    }

    private static Goal undoUser(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoUser.class);
        return new Goal.UndoUser(goal.neededText(USER), goal.neededInstant(SINCE));
    }

    private static Goal undoAccessKey(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoAccessKey.class);
        return new Goal.UndoAccessKey(goal.neededText("accessKey"), goal.neededInstant(SINCE));
    }

    private static Goal beforeTaint(Arguments goal) {
        goal.only(KIND, RestoreApi.BeforeTaint.class);
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

    private static Restoration request(Request request) {
        return new Restoration(
                request.bucket().value(),
                Optional.of(request.prefix()),
                goal(request.goal()),
                Optional.of(Words.of(request.onConflict())));
    }

    private static RestoreApi.Goal goal(Goal goal) {
        return switch (goal) {
            case Goal.ToInstant to -> new RestoreApi.ToInstant(to.instant());
            case Goal.UndoActor undo -> new RestoreApi.UndoActor(undo.actor(), undo.since());
            case Goal.UndoName undo ->
                    new RestoreApi.UndoName(undo.name(), undo.user(), undo.since());
            case Goal.UndoUser undo -> new RestoreApi.UndoUser(undo.user(), undo.since());
            case Goal.UndoAccessKey undo ->
                    new RestoreApi.UndoAccessKey(undo.accessKey(), undo.since());
            case Goal.BeforeTaint taint ->
                    new RestoreApi.BeforeTaint(
                            taint.bucket().value(),
                            taint.key().value(),
                            taint.version().flatMap(RestoreDocument::versionId),
                            cause(taint, Cause.ByName.class, Cause.ByName::name),
                            cause(taint, Cause.ByAccessKey.class, Cause.ByAccessKey::accessKey),
                            cause(taint, Cause.ByUser.class, Cause.ByUser::user));
        };
    }

    private static <C extends Cause> Optional<String> cause(
            Goal.BeforeTaint taint, Class<C> kind, Function<C, String> text) {
        return taint.cause().filter(kind::isInstance).map(kind::cast).map(text);
    }

    private static Optional<String> versionId(VersionSelector version) {
        return switch (version) {
            case VersionSelector.Latest latest -> Optional.empty();
            case VersionSelector.NullVersion none -> Optional.of(VersionId.format(0, true));
            case VersionSelector.Numbered numbered ->
                    Optional.of(VersionId.format(numbered.number(), false));
        };
    }

    static RestoreApi.Plan plan(Plan plan) {
        Authors authors = plan.authors();
        return new RestoreApi.Plan(
                plan.entries().stream().map(RestoreDocument::line).toList(),
                plan.next(),
                plan.elsewhere().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                plan.elsewhere().stream().map(RestoreDocument::elsewhere).toList()),
                authors.authors().stream().map(RestoreDocument::author).toList(),
                authors.total(),
                authors.sessions());
    }

    private static RestoreApi.Author author(Author author) {
        return new RestoreApi.Author(
                HistoryDocument.actor(author.actor()), author.actor().user(), author.writes());
    }

    private static RestoreApi.Elsewhere elsewhere(Elsewhere other) {
        return new RestoreApi.Elsewhere(other.bucket(), other.writes());
    }

    private static RestoreApi.Line line(Line line) {
        return new RestoreApi.Line(
                line.key().value(),
                line.now().map(HistoryDocument::state),
                line.then().map(HistoryDocument::state),
                line.why(),
                line.exact(),
                line.lost(),
                line.conflict());
    }

    static RestoreApi.Run run(Run run) {
        return new RestoreApi.Run(
                run.id(),
                request(run.request()),
                Words.of(run.phase()),
                run.began(),
                run.actor(),
                run.looked(),
                run.total(),
                run.restored(),
                run.skipped(),
                run.message());
    }
}
