package io.volute.versioning.restore;

import static io.volute.versioning.rows.Families.RESTORES;

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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The goals of undos: completes the names and versions of a new one, and finds the earlier ones of
 * a bucket, whose states a restore does not choose. Thread-safe.
 *
 * @param cube the cube of the bucket
 */
record UndoGoals(Cube cube, CatalogHistory history) {
    private static final byte[] OPEN_END = {};

    /** A restore with its id. */
    record Numbered(long id, RestoreRow row) {
        private Optional<Goal.Undo> undo() {
            return row.request().goal() instanceof Goal.Undo undo
                    ? Optional.of(undo)
                    : Optional.empty();
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
                    since = began(bucket, run, all).orElse(since);
                }
                default -> sources.add(source);
            }
        }
        return new Goal.Undo(sources, avoided, since, undo.withDerived());
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
        return earliest(all).stream()
                .filter(each -> KeyRestoring.actor(each.id()).equals(whole.name()))
                .findFirst()
                .<Source>map(each -> new Source.Run(Long.toString(each.id())))
                .orElse(whole);
    }

    private Source settledCause(Source cause, MergedEvents all) {
        return cause instanceof Source.Name name
                ? new Source.Name(
                        new ActorSearch(cube, all.membership()).wholeName(name.name(), name.user()),
                        name.user())
                : cause;
    }

    private Optional<Instant> began(BucketName bucket, Source.Run run, MergedEvents all) {
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
        return Optional.of(found.row().began());
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
                                RestoreRow.decode(cursor.record().summary())));
            }
        }
    }

    /**
     * Returns the undos of a bucket that began before another restore and were not undone since.
     *
     * @param self the restore; empty for one that has not begun
     */
    List<Numbered> earlier(Request request, Optional<Long> self, MergedEvents all) {
        Set<String> undone = new HashSet<>();
        List<Numbered> standing = new ArrayList<>();
        if (request.goal() instanceof Goal.Undo undo) {
            undone.addAll(runs(undo));
        }
        for (Numbered each : earliest(all).reversed()) {
            boolean isAlive =
                    each.row().phase() == Phase.RUNNING || each.row().phase() == Phase.DONE;
            boolean isEarlier =
                    each.row().request().bucket().equals(request.bucket())
                            && self.filter(id -> id == each.id()).isEmpty();
            if (isAlive
                    && isEarlier
                    && each.undo().isPresent()
                    && !undone.contains(Long.toString(each.id()))) {
                undone.addAll(runs(each.undo().get()));
                standing.add(each);
            }
        }
        return standing;
    }

    private static List<String> runs(Goal.Undo undo) {
        return undo.sources().stream()
                .filter(Source.Run.class::isInstance)
                .map(run -> ((Source.Run) run).id())
                .toList();
    }

    /** Returns what a new undo condemns, and what it avoids. */
    List<What> condemned(Goal.Undo undo, MergedEvents all) {
        List<What> condemned = new ArrayList<>();
        condemned.add(what(undo, undo.sources(), Instant.MAX, true, "this undo", all));
        if (!undo.avoided().isEmpty()) {
            condemned.add(what(undo, undo.avoided(), Instant.MAX, false, "this undo", all));
        }
        return condemned;
    }

    /** Returns what an earlier undo condemned. */
    List<What> condemned(Numbered earlier, MergedEvents all) {
        Goal.Undo undo = earlier.undo().orElseThrow();
        List<Source> sources = new ArrayList<>(undo.sources());
        sources.addAll(undo.avoided());
        String label = "restore " + earlier.id();
        return List.of(what(undo, sources, earlier.row().began(), false, label, all));
    }

    private What what(
            Goal.Undo undo,
            List<Source> sources,
            Instant until,
            boolean isChosen,
            String label,
            MergedEvents all) {
        Predicate<ActorInfo> isAuthor = actor -> false;
        List<Federation.Found> starts = new ArrayList<>();
        for (Source source : sources) {
            if (source instanceof Source.Version version) {
                start(version, isChosen, all).ifPresent(starts::add);
            } else {
                isAuthor = isAuthor.or(matches(source));
            }
        }
        return new What(isAuthor, starts, undo.since(), until, undo.withDerived(), isChosen, label);
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
