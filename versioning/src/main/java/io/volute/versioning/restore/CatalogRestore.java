package io.volute.versioning.restore;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.Restore;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.event.Membership;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.ActorSearch;
import io.volute.versioning.history.CatalogHistory;
import io.volute.versioning.history.NameCache;
import io.volute.versioning.history.Taint;
import io.volute.versioning.read.PastInstants;
import io.volute.versioning.rows.RestoreRow;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.HistoryHorizon;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The restores of the object store on one cube. Thread-safe. */
public final class CatalogRestore implements Restore {
    private final Cube cube;
    private final PastInstants instants;
    private final BucketDirectory buckets;
    private final CatalogHistory history;
    private final MergedEvents events;
    private final RestoreRuns runs;

    /** The last plan with more pages, kept so that its events are walked once. */
    private final AtomicReference<Optional<Going>> going = new AtomicReference<>(Optional.empty());

    public CatalogRestore(
            Cube cube,
            PastInstants instants,
            BucketDirectory buckets,
            CatalogHistory history,
            Membership membership,
            MergedEvents events,
            KeyRestoring restoring) {
        this.cube = cube;
        this.instants = instants;
        this.buckets = buckets;
        this.history = history;
        this.events = events;
        this.runs =
                new RestoreRuns(
                        cube,
                        membership.ids(cube),
                        row -> plan(row.request(), CommitTime.lastAt(row.began())),
                        restoring);
    }

    /** Resumes the restores that were running at the last close. */
    public void resume() {
        runs.resume();
    }

    /** Stops running restores between two commits. The next start resumes them. */
    public void close() {
        runs.close();
    }

    private RestorePlan plan(Request request, long began) throws IOException {
        // A plan to an instant needs the events of this cube alone.
        boolean isAlone = request.goal() instanceof Goal.ToInstant;
        MergedEvents all = isAlone ? events : events.everywhere();
        if (request.goal() instanceof Goal.BeforeTaint) {
            // A derivation can lead through any cube: without one the restore would miss states.
            all.membership().store().requireAll();
        }
        all.flush();
        BucketEntry bucket = buckets.require(request.bucket());
        return RestorePlan.of(
                cube,
                all,
                new NameCache(cube, buckets, all.membership()),
                actors(all),
                bucket,
                request,
                new RestorePlan.Kept(
                        Math.max(
                                HistoryHorizon.upTo(cube, bucket.id()),
                                buckets.rows().nothingKeptUpTo(bucket.info())),
                        history.statesMax(),
                        request.goal() instanceof Goal.ToInstant to
                                && buckets.settings().isExact(bucket.info(), to.instant())),
                began,
                taint(all, request));
    }

    private ActorSearch actors(MergedEvents of) {
        return new ActorSearch(cube, of.membership());
    }

    private Optional<Taint.Forward> taint(MergedEvents all, Request request) {
        return request.goal() instanceof Goal.BeforeTaint taint
                ? Optional.of(history.taint(all, taint.bucket(), taint.key(), taint.version()))
                : Optional.empty();
    }

    /** A plan with more pages, and its request. */
    private record Going(Request request, RestorePlan plan) {}

    @Override
    public Plan plan(Caller caller, Request request, Optional<String> from, int max)
            throws IOException {
        CatalogHistory.requirePage(max);
        // The plan is not thread-safe: the taker owns it.
        BucketEntry bucket = buckets.require(request.bucket());
        Optional<Going> known =
                going.getAndSet(Optional.empty())
                        .filter(each -> from.isPresent() && each.request().equals(request))
                        .filter(each -> each.plan().isOf(bucket));
        RestorePlan plan =
                known.isPresent() ? known.get().plan() : plan(settled(request), PastStates.NEVER);
        Plan page = page(plan, from, max);
        if (page.next().isPresent()) {
            going.set(Optional.of(new Going(request, plan)));
        }
        return page;
    }

    private static Plan page(RestorePlan plan, Optional<String> from, int max) throws IOException {
        List<Line> lines = new ArrayList<>();
        String after = from.orElse("");
        List<ObjectKey> keys = plan.keys(after, max);
        while (!keys.isEmpty()) {
            for (ObjectKey key : keys) {
                Optional<RestorePlan.Change> change = plan.change(key);
                if (change.isPresent()) {
                    if (lines.size() == max) {
                        return new Plan(
                                lines, Optional.of(after), plan.elsewhere(), plan.authors());
                    }
                    lines.add(change.get().line());
                }
                after = key.value();
            }
            keys = plan.keys(after, max);
        }
        return new Plan(lines, Optional.empty(), plan.elsewhere(), plan.authors());
    }

    @Override
    public Run start(Caller caller, Request request) throws IOException {
        buckets.require(request.bucket());
        RestoreRow row =
                new RestoreRow(
                        settled(request),
                        Phase.RUNNING,
                        began(),
                        caller.principal(),
                        caller.accessKey(),
                        caller.parent(),
                        0,
                        0,
                        0,
                        "",
                        "");
        return runs.start(row);
    }

    /** Returns the begin of a new restore: not before the last commit, even after a clock step. */
    private Instant began() {
        Instant last = CommitTime.of(cube.lastSequence());
        Instant now = instants.now();
        return last.isAfter(now) ? last : now;
    }

    /** Resolves "the current version", actor names and instants of a goal, once. */
    private Request settled(Request request) throws IOException {
        Goal goal =
                switch (request.goal()) {
                    case Goal.ToInstant to ->
                            new Goal.ToInstant(CommitTime.of(instants.lastAt(to.instant())));
                    case Goal.BeforeTaint taint when taint.cause().isPresent() ->
                            beforeCause(taint, taint.cause().get());
                    case Goal.BeforeTaint taint ->
                            new Goal.BeforeTaint(
                                    taint.bucket(),
                                    taint.key(),
                                    Optional.of(
                                            history.selector(
                                                    taint.bucket(), taint.key(), taint.version())));
                    case Goal.UndoActor undo -> undo;
                    case Goal.UndoName undo -> {
                        MergedEvents all = events.flushedEverywhere();
                        yield actors(all).settled(undo);
                    }
                    case Goal.UndoAccessKey undo -> undo;
                    case Goal.UndoUser undo -> undo;
                };
        return new Request(request.bucket(), request.prefix(), goal, request.onConflict());
    }

    private Goal beforeCause(Goal.BeforeTaint taint, Cause cause) throws IOException {
        MergedEvents all = events.flushedEverywhere();
        all.membership().store().requireAll();
        ActorFilter isCause =
                switch (cause) {
                    case Cause.ByName by ->
                            ActorFilter.ofName(actors(all).wholeName(by.name(), Optional.empty()));
                    case Cause.ByAccessKey by -> ActorFilter.ofAccessKey(by.accessKey());
                    case Cause.ByUser by -> ActorFilter.ofUser(by.user());
                };
        return history.firstBy(all, isCause::matches, taint.bucket(), taint.key(), taint.version());
    }

    @Override
    public Run run(String id) {
        return runs.find(id);
    }

    @Override
    public List<Run> runs() {
        return runs.all();
    }

    @Override
    public Run cancel(String id) {
        return runs.cancel(id);
    }
}
