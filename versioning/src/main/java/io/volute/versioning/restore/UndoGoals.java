package io.volute.versioning.restore;

import static io.volute.versioning.rows.Families.RESTORES;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.ActorSearch;
import io.volute.versioning.history.CatalogHistory;
import io.volute.versioning.restore.Condemned.What;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.RestoreRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The goals of undos: completes the names and versions of a new one, and finds the earlier ones of
 * a bucket, whose states a restore does not choose. Thread-safe.
 *
 * @param cube the cube of the bucket
 */
record UndoGoals(Cube cube, CatalogHistory history) {
    private static final byte[] OPEN_END = {};

    /**
     * A restore with its id.
     *
     * @param last time of the last change of its row, at its end if it has ended
     */
    record Numbered(long id, RestoreRow row, Instant last) {
        private Optional<Goal.Undo> undo() {
            return row.request().goal() instanceof Goal.Undo undo
                    ? Optional.of(undo)
                    : Optional.empty();
        }

        /** Returns whether it has put keys back, or will. */
        private boolean isEffective() {
            return row.phase() == Phase.RUNNING || row.phase() == Phase.DONE || row.restored() > 0;
        }

        /** Returns the instant of the last writes that it condemns. */
        private Instant until() {
            return row.phase() == Phase.RUNNING ? Instant.MAX : last;
        }

        /** Returns the actor of its writes, whose id and begin are not known here. */
        private ActorInfo actor() {
            return new ActorInfo(
                    0,
                    row.principal(),
                    row.accessKey(),
                    row.parent(),
                    new ActorName(ActorName.Kind.SERVER, KeyRestoring.actor(id), ""),
                    row.began());
        }
    }

    /** Returns the same goal with whole names, and with versions by their ids. */
    Goal.Undo settled(BucketName bucket, Goal.Undo undo, MergedEvents all) throws IOException {
        if (undo.sources().isEmpty()) {
            throw new StoreException(Reason.INVALID_ARGUMENT, "nothing to undo: name a source");
        }
        List<Source> sources = new ArrayList<>();
        List<Source> avoided = new ArrayList<>(undo.avoided());
        Instant since = undo.since();
        boolean isOfAuthors = undo.sources().stream().anyMatch(UndoGoals::isAuthor);
        Optional<Instant> firstRun = Optional.empty();
        for (Source source : undo.sources()) {
            switch (source) {
                case Source.Name name -> sources.add(settled(name, all));
                case Source.Version version when version.cause().isPresent() -> {
                    Source cause = settledCause(version.cause().get(), all);
                    Event.Wrote first = history.firstBy(all, matches(cause)::test, version);
                    sources.add(
                            new Source.Version(
                                    new BucketName(bucketName(all, first)),
                                    first.object().key(),
                                    Optional.of(new VersionSelector.Numbered(first.number())),
                                    Optional.empty()));
                    avoided.add(cause);
                    since = isOfAuthors && since.isBefore(first.at()) ? since : first.at();
                }
                case Source.Version version ->
                        sources.add(
                                new Source.Version(
                                        version.bucket(),
                                        version.key(),
                                        Optional.of(
                                                new VersionSelector.Numbered(
                                                        history.anywhere(all, version).number())),
                                        Optional.empty()));
                case Source.Run run -> {
                    sources.add(run);
                    Instant began = began(bucket, run, all);
                    firstRun = firstRun.filter(began::isAfter).or(() -> Optional.of(began));
                }
                case Source.Actor actor -> sources.add(settled(actor, all));
                default -> sources.add(source);
            }
        }
        return new Goal.Undo(sources, avoided, firstRun.orElse(since), undo.withDerived());
    }

    /** Returns whether an ancestor of a version has to be found first. */
    static boolean hasCause(Goal.Undo undo) {
        return undo.sources().stream()
                .anyMatch(
                        source ->
                                source instanceof Source.Version version
                                        && version.cause().isPresent());
    }

    private static boolean isAuthor(Source source) {
        return !(source instanceof Source.Version || source instanceof Source.Run);
    }

    private String bucketName(MergedEvents all, Event.Wrote wrote) {
        return history.bucketName(all, wrote.object().bucketId());
    }

    /** Completes a name. That of a restore means its run, so that its undo takes it back. */
    private Source settled(Source.Name name, MergedEvents all) {
        Source.Name whole = new ActorSearch(cube, all.membership()).settled(name);
        return run(whole.name(), all).orElse(whole);
    }

    /** The same for an actor by its id. */
    private Source settled(Source.Actor source, MergedEvents all) {
        ActorInfo actor = history.actor(all, source.id());
        return actor.called().kind() == ActorName.Kind.SERVER
                ? run(actor.name(), all).orElse(source)
                : source;
    }

    private Optional<Source> run(String actor, MergedEvents all) {
        return earliest(all).stream()
                .filter(each -> KeyRestoring.actor(each.id()).equals(actor))
                .findFirst()
                .map(each -> new Source.Run(Long.toString(each.id())));
    }

    private Source settledCause(Source cause, MergedEvents all) {
        return cause instanceof Source.Name name
                ? new Source.Name(
                        new ActorSearch(cube, all.membership()).wholeName(name.name(), name.user()),
                        name.user())
                : cause;
    }

    /** Returns the begin of a restore that has ended. */
    private Instant began(BucketName bucket, Source.Run run, MergedEvents all) {
        long id = CatalogHistory.number(run.id());
        Numbered found =
                earliest(all).stream()
                        .filter(each -> each.id() == id)
                        .filter(each -> each.row().request().bucket().equals(bucket))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new StoreException(
                                                Reason.INVALID_ARGUMENT,
                                                "bucket "
                                                        + bucket.value()
                                                        + " has no restore "
                                                        + run.id()));
        if (found.row().phase() == Phase.RUNNING) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "restore " + run.id() + " is running: wait for its end, or cancel it");
        }
        return found.row().began();
    }

    /** Returns the restores of all cubes, the earliest first. */
    private List<Numbered> earliest(MergedEvents all) {
        List<Numbered> found = new ArrayList<>();
        add(cube, found);
        all.membership().others().forEach(other -> add(other.cube(), found));
        found.sort(
                Comparator.comparing((Numbered each) -> each.row().began())
                        .thenComparing(Numbered::id));
        return found;
    }

    private static void add(RecordStore from, List<Numbered> found) {
        try (RecordCursor cursor = from.scan(RESTORES, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                found.add(
                        new Numbered(
                                ~RowKeys.suffix(cursor.key()),
                                RestoreRow.decode(cursor.record().summary()),
                                CommitTime.of(cursor.record().sequence())));
            }
        }
    }

    /**
     * The undos of a bucket besides a restore of it.
     *
     * @param inForce those whose states the restore does not choose
     * @param lifted those that were in force before the restore, which ends that
     */
    record Earlier(List<Numbered> inForce, List<Numbered> lifted) {
        static final Earlier NONE = new Earlier(List.of(), List.of());
    }

    /**
     * Returns the undos of a bucket besides a restore of it.
     *
     * @param self the restore; empty for one that has not begun
     * @param accessKey access key of its caller
     */
    Earlier earlier(
            Request request,
            Optional<Long> self,
            String accessKey,
            MergedEvents all,
            UndoRules rules) {
        List<Numbered> undos =
                earliest(all).reversed().stream()
                        .filter(each -> each.row().request().bucket().equals(request.bucket()))
                        .filter(each -> self.filter(id -> id == each.id()).isEmpty())
                        .filter(each -> each.isEffective() && each.undo().isPresent())
                        .toList();
        List<Ending> endings = new ArrayList<>();
        List<Numbered> before = inForce(undos, endings, rules);
        if (!(request.goal() instanceof Goal.Undo undo)) {
            return new Earlier(before, List.of());
        }
        endings.add(new Ending(undo, Instant.MAX, accessKey));
        List<Numbered> inForce = inForce(undos, endings, rules);
        return new Earlier(
                inForce, before.stream().filter(each -> !inForce.contains(each)).toList());
    }

    /**
     * Returns the undos that no later one has ended.
     *
     * @param undos the latest first
     * @param endings by undos that are later than all of them
     */
    private static List<Numbered> inForce(
            List<Numbered> undos, List<Ending> endings, UndoRules rules) {
        List<Ending> later = new ArrayList<>(endings);
        List<Numbered> inForce = new ArrayList<>();
        for (Numbered each : undos) {
            if (later.stream().noneMatch(ending -> ending.ends(each, rules))) {
                inForce.add(each);
                later.add(
                        new Ending(
                                each.undo().orElseThrow(), each.until(), each.row().accessKey()));
            }
        }
        return inForce;
    }

    /**
     * The end that an undo puts to the force of earlier ones: those that it undoes, and those that
     * were begun by a caller whose writes it undoes. A thief who runs undos would condemn honest
     * states. An operator whose own access key is undone does not end its own undos.
     *
     * @param accessKey access key of its caller
     */
    private record Ending(Goal.Undo undo, Instant until, String accessKey) {
        boolean ends(Numbered earlier, UndoRules rules) {
            Instant began = earlier.row().began();
            return runs(undo).contains(Long.toString(earlier.id()))
                    || rules.endsUndosOfSources()
                            && !earlier.row().accessKey().equals(accessKey)
                            && !began.isBefore(undo.since())
                            && !began.isAfter(until)
                            && undo.sources().stream()
                                    .filter(UndoGoals::isAuthor)
                                    .anyMatch(source -> matches(source).test(earlier.actor()));
        }
    }

    private static List<String> runs(Goal.Undo undo) {
        return undo.sources().stream()
                .filter(Source.Run.class::isInstance)
                .map(run -> ((Source.Run) run).id())
                .toList();
    }

    /** Returns what an undo condemns, and what it avoids. */
    List<What> condemned(Request request, Goal.Undo undo, MergedEvents all) {
        List<What> condemned = new ArrayList<>();
        Scope whole = new Scope(request.prefix(), Instant.MAX, "this undo", true);
        condemned.add(what(undo, undo.sources(), whole, all));
        if (!undo.avoided().isEmpty()) {
            Scope avoided = new Scope(request.prefix(), Instant.MAX, "this undo", false);
            condemned.add(what(undo, undo.avoided(), avoided, all));
        }
        return condemned;
    }

    /** Returns what an earlier undo condemned. */
    What condemned(Numbered earlier, MergedEvents all, UndoRules rules) {
        Goal.Undo undo = earlier.undo().orElseThrow();
        List<Source> sources = new ArrayList<>(undo.sources());
        sources.addAll(undo.avoided());
        String prefix = rules.prefix(earlier.row().request().prefix());
        Instant until = rules.until(earlier.until());
        String label = "restore " + earlier.id();
        return what(undo, sources, new Scope(prefix, until, label, false), all);
    }

    /**
     * The part of {@link What} that does not come from the goal.
     *
     * @param isNeeded whether all versions among the sources must be kept
     */
    private record Scope(String prefix, Instant until, String label, boolean isNeeded) {}

    private What what(Goal.Undo undo, List<Source> sources, Scope scope, MergedEvents all) {
        Predicate<ActorInfo> isAuthor = actor -> false;
        List<Federation.Found> starts = new ArrayList<>();
        for (Source source : sources) {
            if (source instanceof Source.Version version) {
                start(version, scope.isNeeded(), all).ifPresent(starts::add);
            } else {
                isAuthor = isAuthor.or(matches(source));
            }
        }
        return new What(
                isAuthor,
                starts,
                scope.prefix(),
                undo.since(),
                scope.until(),
                undo.withDerived(),
                scope.label());
    }

    /** Returns a state; empty when an earlier undo names one that is not kept any more. */
    private Optional<Federation.Found> start(
            Source.Version version, boolean isNeeded, MergedEvents all) {
        try {
            return Optional.of(history.anywhere(all, version));
        } catch (StoreException e) {
            if (isNeeded) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private static Predicate<ActorInfo> matches(Source source) {
        return switch (source) {
            case Source.Actor actor -> each -> each.id() == actor.id();
            case Source.Name name ->
                    new ActorFilter(Optional.empty(), name.user(), Optional.of(name.name()))
                            ::matches;
            case Source.AccessKey key -> each -> each.isWith(key.accessKey());
            case Source.User user -> each -> each.user().equals(user.user());
            case Source.Run run ->
                    each ->
                            each.called().kind() == ActorName.Kind.SERVER
                                    && each.called()
                                            .name()
                                            .equals(KeyRestoring.ACTOR_PREFIX + run.id());
            case Source.Version version -> each -> false;
        };
    }
}
