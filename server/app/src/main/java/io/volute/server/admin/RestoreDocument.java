package io.volute.server.admin;

import io.volute.adminapi.RestoreApi;
import io.volute.adminapi.RestoreApi.Restoration;
import io.volute.adminapi.Words;
import io.volute.server.Limits;
import io.volute.versioning.Restore.Author;
import io.volute.versioning.Restore.Authors;
import io.volute.versioning.Restore.Elsewhere;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Plan;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

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
    private static final String UNDO = "undo";
    private static final String UNDO_RESTORE = "undo-restore";
    private static final String DERIVED = "derived";

    /** Between the ids of the runs of a restore over several cubes. */
    private static final String AND = "-";

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
                            BEFORE_TAINT, RestoreDocument::beforeTaint,
                            UNDO, RestoreDocument::undo,
                            UNDO_RESTORE, RestoreDocument::undoRestore));

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
        return request.goal() instanceof Goal.Undo undo
                && undo.sources().stream()
                        .filter(Source.Version.class::isInstance)
                        .map(Source.Version.class::cast)
                        .anyMatch(
                                version ->
                                        version.cause().isPresent()
                                                || !version.bucket().equals(request.bucket())
                                                || !version.key()
                                                        .value()
                                                        .startsWith(request.prefix()));
    }

    private static Goal toInstant(Arguments goal) {
        goal.only(KIND, RestoreApi.ToInstant.class);
        return new Goal.ToInstant(goal.neededInstant("instant"));
    }

    private static Goal undoActor(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoActor.class);
        return since(goal, new Source.Actor(goal.neededNumber("actor")));
    }

    private static Goal undoName(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoName.class);
        return since(goal, new Source.Name(goal.neededText("name"), goal.text(USER)));
    }

    private static Goal undoUser(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoUser.class);
        return since(goal, new Source.User(goal.neededText(USER)));
    }

    private static Goal undoAccessKey(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoAccessKey.class);
        return since(goal, new Source.AccessKey(goal.neededText("accessKey")));
    }

    private static Goal since(Arguments goal, Source source) {
        return Goal.undo(source, goal.neededInstant(SINCE));
    }

    private static Goal undo(Arguments goal) {
        goal.only(KIND, RestoreApi.Undo.class);
        List<Source> sources = new ArrayList<>();
        goal.numbers("actors").forEach(id -> sources.add(new Source.Actor(id)));
        goal.texts("names").forEach(name -> sources.add(new Source.Name(name, goal.text(USER))));
        goal.texts("accessKeys").forEach(key -> sources.add(new Source.AccessKey(key)));
        goal.texts("users").forEach(user -> sources.add(new Source.User(user)));
        Instant since = goal.neededInstant(SINCE);
        if (sources.isEmpty() || sources.size() > Limits.UNDO_SOURCES_MAX) {
            throw AdminException.badRequest(
                    "write 1 to "
                            + Limits.UNDO_SOURCES_MAX
                            + " actors, names, accessKeys and users");
        }
        return new Goal.Undo(sources, List.of(), since, !goal.has(DERIVED) || goal.flag(DERIVED));
    }

    private static Goal undoRestore(Arguments goal) {
        goal.only(KIND, RestoreApi.UndoRestore.class);
        return Goal.undoRestores(List.of(goal.neededText("id").split(AND, -1)));
    }

    private static Goal beforeTaint(Arguments goal) {
        goal.only(KIND, RestoreApi.BeforeTaint.class);
        List<Source> causes = new ArrayList<>();
        goal.text(CAUSE_NAME)
                .map(name -> new Source.Name(name, Optional.empty()))
                .ifPresent(causes::add);
        goal.text(CAUSE_KEY).map(Source.AccessKey::new).ifPresent(causes::add);
        goal.text(CAUSE_USER).map(Source.User::new).ifPresent(causes::add);
        if (causes.size() > 1) {
            throw AdminException.badRequest(
                    "write one of " + CAUSE_NAME + ", " + CAUSE_KEY + " and " + CAUSE_USER);
        }
        Source.Version version =
                new Source.Version(
                        goal.neededBucket(),
                        goal.key(),
                        goal.version(),
                        causes.stream().findFirst());
        return Goal.undo(version, Instant.EPOCH);
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
            case Goal.Undo undo -> goal(undo);
        };
    }

    /** Returns the goal of the kind for one source, if there is one. */
    private static RestoreApi.Goal goal(Goal.Undo undo) {
        List<String> runs = all(undo, Source.Run.class).stream().map(Source.Run::id).toList();
        if (!runs.isEmpty()) {
            return new RestoreApi.UndoRestore(String.join(AND, runs));
        }
        if (undo.sources().size() > 1 || !undo.withDerived()) {
            return several(undo);
        }
        return switch (undo.sources().getFirst()) {
            case Source.Actor actor -> new RestoreApi.UndoActor(actor.id(), undo.since());
            case Source.Name name ->
                    new RestoreApi.UndoName(name.name(), name.user(), undo.since());
            case Source.User user -> new RestoreApi.UndoUser(user.user(), undo.since());
            case Source.AccessKey key ->
                    new RestoreApi.UndoAccessKey(key.accessKey(), undo.since());
            case Source.Version version -> taint(undo, version);
            case Source.Run run -> new RestoreApi.UndoRestore(run.id());
        };
    }

    private static RestoreApi.Goal several(Goal.Undo undo) {
        List<Source.Name> names = all(undo, Source.Name.class);
        return new RestoreApi.Undo(
                given(all(undo, Source.Actor.class).stream().map(Source.Actor::id).toList()),
                given(names.stream().map(Source.Name::name).toList()),
                names.stream().flatMap(name -> name.user().stream()).findFirst(),
                given(
                        all(undo, Source.AccessKey.class).stream()
                                .map(Source.AccessKey::accessKey)
                                .toList()),
                given(all(undo, Source.User.class).stream().map(Source.User::user).toList()),
                undo.since(),
                Optional.of(undo.withDerived()));
    }

    private static <S extends Source> List<S> all(Goal.Undo undo, Class<S> kind) {
        return undo.sources().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static <T> Optional<List<T>> given(List<T> list) {
        return Optional.of(list).filter(each -> !each.isEmpty());
    }

    /** A cause was resolved to the version when the restore began, and is avoided since. */
    private static RestoreApi.Goal taint(Goal.Undo undo, Source.Version version) {
        Optional<Source> cause = version.cause().or(() -> undo.avoided().stream().findFirst());
        return new RestoreApi.BeforeTaint(
                version.bucket().value(),
                version.key().value(),
                version.version().flatMap(RestoreDocument::versionId),
                cause(cause, Source.Name.class, Source.Name::name),
                cause(cause, Source.AccessKey.class, Source.AccessKey::accessKey),
                cause(cause, Source.User.class, Source.User::user));
    }

    private static <S extends Source> Optional<String> cause(
            Optional<Source> cause, Class<S> kind, Function<S, String> text) {
        return cause.filter(kind::isInstance).map(kind::cast).map(text);
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
                authors.sessions(),
                given(plan.warnings()));
    }

    private static RestoreApi.Author author(Author author) {
        return new RestoreApi.Author(
                HistoryDocument.actor(author.actor()),
                author.actor().user(),
                author.writes(),
                Optional.of(author.first()),
                Optional.of(author.last()),
                author.isDerived());
    }

    private static RestoreApi.Elsewhere elsewhere(Elsewhere other) {
        return new RestoreApi.Elsewhere(other.bucket(), other.writes());
    }

    private static RestoreApi.Line line(Line line) {
        return new RestoreApi.Line(
                line.key().value(),
                line.now().map(each -> HistoryDocument.state(each, UnaryOperator.identity())),
                line.then().map(each -> HistoryDocument.state(each, UnaryOperator.identity())),
                line.why(),
                line.exact(),
                line.lost(),
                line.conflict(),
                line.undoneBy());
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
                run.removed(),
                run.skipped(),
                run.unknown(),
                run.message());
    }
}
