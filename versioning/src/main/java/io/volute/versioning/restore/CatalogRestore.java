package io.volute.versioning.restore;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.versioning.Restore;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.event.Membership;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.ActorSearch;
import io.volute.versioning.history.CatalogHistory;
import io.volute.versioning.history.NameCache;
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
    private final UndoGoals goals;

    /** The rules of undos; only tests change them. */
    volatile UndoRules rules = UndoRules.ALL;

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
        this.goals = new UndoGoals(cube, history);
        this.runs =
                new RestoreRuns(
                        cube,
                        membership.ids(cube),
                        (id, row) ->
                                plan(
                                        row.request(),
                                        Optional.of(id),
                                        row.accessKey(),
                                        CommitTime.lastAt(row.began())),
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

    /**
     * Makes a plan.
     *
     * @param self the restore; empty for one that has not begun
     * @param accessKey access key of its caller
     * @param began last sequence at the request of the restore
     */
    private RestorePlan plan(Request request, Optional<Long> self, String accessKey, long began)
            throws IOException {
        MergedEvents all = events.everywhere();
        UndoGoals.Earlier earlier =
                rules.honoursEarlierUndos()
                        ? goals.earlier(request, self, accessKey, all, rules)
                        : UndoGoals.Earlier.NONE;
        List<Condemned.What> condemned = new ArrayList<>();
        if (request.goal() instanceof Goal.Undo undo) {
            condemned.addAll(goals.condemned(request, undo, all));
        }
        earlier.inForce().forEach(each -> condemned.add(goals.condemned(each, all, rules)));
        List<Condemned.What> lifted =
                earlier.lifted().stream().map(each -> goals.condemned(each, all, rules)).toList();
        if (!condemned.isEmpty()) {
            // A derivation can lead through any cube, and the bucket may have been in any: without
            // one of them the restore would miss states.
            all.membership().store().requireAll();
        }
        all.flush();
        BucketEntry bucket = buckets.require(request.bucket());
        long horizon =
                Math.max(
                        HistoryHorizon.upTo(cube, bucket.id()),
                        buckets.rows().nothingKeptUpTo(bucket.info()));
        boolean isExact =
                request.goal() instanceof Goal.ToInstant to
                        && buckets.settings().isExact(bucket.info(), to.instant());
        return RestorePlan.of(
                cube,
                all,
                new NameCache(cube, buckets, all.membership()),
                history.naming(),
                bucket,
                request,
                new RestorePlan.Kept(horizon, history.statesMax(), isExact),
                began,
                condemned,
                lifted,
                rules);
    }

    private Authors withSessions(RestorePlan plan, Goal goal) {
        long sessions = 0;
        if (goal instanceof Goal.Undo undo) {
            ActorSearch actors = new ActorSearch(cube, events.everywhere().membership());
            for (Source source : undo.sources()) {
                sessions +=
                        source instanceof Source.AccessKey key
                                ? actors.sessions(key.accessKey())
                                : 0;
            }
        }
        return plan.authors(sessions);
    }

    /** A plan with more pages, and its request. */
    private record Going(Request request, RestorePlan plan, Authors authors) {}

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
        Going plan = known.isPresent() ? known.get() : made(caller, request);
        Plan page = page(plan, from, max);
        if (page.next().isPresent()) {
            going.set(Optional.of(plan));
        }
        return page;
    }

    private Going made(Caller caller, Request request) throws IOException {
        Request settled = settled(request);
        RestorePlan plan = plan(settled, Optional.empty(), caller.accessKey(), PastStates.NEVER);
        return new Going(request, plan, withSessions(plan, settled.goal()));
    }

    private static Plan page(Going going, Optional<String> from, int max) throws IOException {
        RestorePlan plan = going.plan();
        List<Line> lines = new ArrayList<>();
        String after = from.orElse("");
        List<ObjectKey> keys = plan.keys(after, max);
        while (!keys.isEmpty()) {
            for (ObjectKey key : keys) {
                Optional<RestorePlan.Change> change = plan.change(key);
                if (change.isPresent()) {
                    if (lines.size() == max) {
                        return page(going, lines, Optional.of(after));
                    }
                    lines.add(change.get().line());
                }
                after = key.value();
            }
            keys = plan.keys(after, max);
        }
        return page(going, lines, Optional.empty());
    }

    private static Plan page(Going going, List<Line> lines, Optional<String> next) {
        RestorePlan plan = going.plan();
        return new Plan(lines, next, plan.elsewhere(), going.authors(), plan.warnings());
    }

    @Override
    public Run start(Caller caller, Request request) throws IOException {
        buckets.require(request.bucket());
        return runs.start(RestoreRow.begin(settled(request), began(), caller));
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
                    case Goal.Undo undo -> {
                        instants.requireKnown(undo.since());
                        MergedEvents all = events.flushedEverywhere();
                        if (UndoGoals.hasCause(undo)) {
                            all.membership().store().requireAll();
                        }
                        yield goals.settled(request.bucket(), undo, all);
                    }
                };
        return new Request(request.bucket(), request.prefix(), goal, request.onConflict());
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
