package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.CausalityStats;
import io.volute.versioning.History;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.event.EventIndex;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.write.Causality;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/** The history of the object store on one cube. Thread-safe. */
public final class CatalogHistory implements History {
    private static final Comparator<ActorInfo> BY_BEGIN =
            Comparator.comparing(ActorInfo::began).thenComparingLong(ActorInfo::id);

    private final RecordStore cube;
    private final BucketDirectory buckets;
    private final Causality causality;
    private final EventIndex index;
    private final Traces traces = new Traces();
    private final Membership membership;
    private final MergedEvents events;
    private final HistoryTrim trim;
    private final KeyErasure erasure;

    public CatalogHistory(
            RecordStore cube,
            BucketDirectory buckets,
            Causality causality,
            EventIndex index,
            Membership membership,
            MergedEvents events,
            HistoryTrim trim,
            KeyErasure erasure) {
        this.cube = cube;
        this.buckets = buckets;
        this.causality = causality;
        this.index = index;
        this.membership = membership;
        this.events = events;
        this.trim = trim;
        this.erasure = erasure;
    }

    @Override
    public CausalityStats stats() {
        return causality.stats();
    }

    @Override
    public Page<KeyState> states(
            Caller caller, BucketName bucket, ObjectKey key, Optional<String> from, int max) {
        requirePage(max);
        long before = from.map(CatalogHistory::number).orElse(Long.MAX_VALUE);
        return new KeyStates(cube, names(), requireId(bucket), key).page(before, max);
    }

    @Override
    public Page<ActorInfo> actors(ActorFilter filter, Optional<String> from, int max)
            throws IOException {
        requirePage(max);
        MergedEvents all = events.flushedEverywhere();
        Optional<ActorInfo> before =
                from.map(CatalogHistory::number).map(last -> names(all).actor(last));
        // The latest are wanted: of all that pass, earlier ones are dropped again.
        PriorityQueue<ActorInfo> found = new PriorityQueue<>(BY_BEGIN);
        new ActorSearch(cube, all.membership())
                .forEach(
                        actor -> {
                            boolean isWanted =
                                    before.filter(last -> BY_BEGIN.compare(actor, last) >= 0)
                                            .isEmpty();
                            if (isWanted && filter.matches(actor)) {
                                found.add(actor);
                                if (found.size() > max + 1) {
                                    found.remove();
                                }
                            }
                        });
        List<ActorInfo> latest = found.stream().sorted(BY_BEGIN.reversed()).limit(max).toList();
        return new Page<>(
                latest,
                found.size() > max
                        ? Optional.of(Long.toString(latest.getLast().id()))
                        : Optional.empty());
    }

    @Override
    public Page<Activity> activity(ActivityFilter filter, Optional<String> from, int max)
            throws IOException {
        requirePage(max);
        MergedEvents all = events.flushedEverywhere();
        return new ActivityScan(all, names(all), filter).page(from, max);
    }

    @Override
    public Page<Step> trace(
            Direction direction,
            BucketName bucket,
            ObjectKey key,
            Optional<VersionSelector> version,
            Optional<String> from,
            int max,
            TraceScope scope)
            throws IOException {
        requirePage(max);
        MergedEvents all = events.flushedEverywhere();
        Federation.Found found = anywhere(all, bucket, key, version);
        // An edge leads from the first period of a version to the one in which it returned.
        KeyVersion start = direction == Direction.FORWARD ? found.first() : found.object();
        Traces.Place place =
                new Traces.Place(start, direction, from.map(CatalogHistory::number).orElse(0L));
        if (membership.isOpen()) {
            index.extend();
        }
        NameCache names = names(all);
        Traces.Beginning fromStart = () -> walk(all, taint(start, direction, names, scope));
        boolean isWhole = scope == TraceScope.ALL;
        // The rights of a reader can change between two pages: such a walk begins anew.
        Walk walk = isWhole ? traces.take(place, fromStart) : Traces.repeated(place, fromStart);
        walk.reach(max + 1);
        List<Step> steps = new ArrayList<>();
        Optional<Taint.Reached> reached = walk.next();
        while (reached.isPresent()) {
            steps.add(step(names, reached.get()));
            reached = steps.size() < max ? walk.next() : Optional.empty();
        }
        if (!walk.hasNext()) {
            return new Page<>(List.copyOf(steps), Optional.empty());
        }
        Traces.Place next = place.further(steps.size());
        if (isWhole) {
            traces.keep(next, walk);
        }
        return new Page<>(List.copyOf(steps), Optional.of(Long.toString(next.returned())));
    }

    private Taint taint(KeyVersion start, Direction direction, NameCache names, TraceScope scope) {
        Taint taint = Taint.from(start, direction, causality::node);
        if (scope != TraceScope.ALL) {
            taint.limit(
                    scope.nodesMax(),
                    (object, at) ->
                            scope.has(
                                    names.bucket(object.bucketId()),
                                    object.bucketId(),
                                    object.key(),
                                    at));
        }
        return taint;
    }

    private Walk walk(MergedEvents all, Taint taint) throws IOException {
        return all.isAlone()
                ? new GraphWalk(new EventScan(cube), index, taint)
                : new MergedWalk(all, taint);
    }

    /** Returns the maximum number of kept states per key; 0 for no limit. */
    public int statesMax() {
        return causality.settings().statesMax();
    }

    /** Returns the function that maps a state to its node in memory. */
    public Function<KeyVersion, VersionNode> naming() {
        return causality::node;
    }

    /**
     * Returns the first write by one of these actors among the ancestors of a version, the version
     * included. Walks over all events.
     *
     * @param all events of the cubes to look in
     * @throws StoreException INVALID_ARGUMENT when there is none
     */
    public Event.Wrote firstBy(
            MergedEvents all, Predicate<ActorInfo> isWanted, Source.Version version)
            throws IOException {
        KeyVersion from = anywhere(all, version).object();
        Taint taint = Taint.from(from, Direction.BACK, causality::node);
        NameCache names = names(all);
        AtomicReference<Event.Wrote> first = new AtomicReference<>();
        all.backward(
                row -> {
                    for (Event event : row.rows().events()) {
                        if (event instanceof Event.Wrote wrote
                                && wrote.change() != ChangeKind.REMOVE
                                && taint.isReached(wrote.object())
                                && isWanted.test(names.actor(wrote.actor()))) {
                            first.set(wrote);
                        }
                        taint.see(event);
                    }
                    return true;
                });
        Event.Wrote wrote = first.get();
        if (wrote == null) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "none of these actors wrote an ancestor of "
                            + version.key().value()
                            + ": list the ancestors with a trace"
                            + " back");
        }
        return wrote;
    }

    /** Returns the name of a bucket in any of the cubes whose events these are. */
    public String bucketName(MergedEvents all, long bucketId) {
        return names(all).bucket(bucketId);
    }

    /** Returns an actor, of any of the cubes whose events these are. */
    public ActorInfo actor(MergedEvents all, long id) {
        return names(all).actor(id);
    }

    /** Returns the state of a version, in any of the cubes whose events these are. */
    public Federation.Found anywhere(MergedEvents all, Source.Version version) {
        return anywhere(all, version.bucket(), version.key(), version.version());
    }

    private Federation.Found anywhere(
            MergedEvents all, BucketName bucket, ObjectKey key, Optional<VersionSelector> version) {
        return find(bucket, key, version)
                .or(() -> all.membership().stateElsewhere(bucket, key, version))
                .orElseThrow(() -> StoreException.noSuchBucket(bucket));
    }

    /** Finds a state of this cube; see {@link Federation.States}. */
    public Optional<Federation.Found> find(
            BucketName bucket, ObjectKey key, Optional<VersionSelector> version) {
        return buckets.findLast(bucket)
                .filter(info -> buckets.rangeOf(info).contains(key))
                .map(
                        info -> {
                            KeyState state = state(bucket, key, version);
                            long first = new KeyStates(cube, names(), info.id(), key).first(state);
                            return new Federation.Found(
                                    new KeyVersion(info.id(), key, state.causalVersion()),
                                    new KeyVersion(info.id(), key, first),
                                    state.number());
                        });
    }

    /** Returns whether this cube has a kept state of a key of a present or past bucket. */
    public boolean has(BucketName bucket, ObjectKey key) {
        return !new KeyStates(cube, names(), requireId(bucket), key)
                .page(Long.MAX_VALUE, 1)
                .entries()
                .isEmpty();
    }

    private KeyState state(BucketName bucket, ObjectKey key, Optional<VersionSelector> version) {
        VersionSelector selector = version.orElse(VersionSelector.LATEST);
        return new KeyStates(cube, names(), requireId(bucket), key)
                .find(selector)
                .orElseThrow(() -> ObjectReads.missing(key, selector));
    }

    private static Step step(NameCache names, Taint.Reached reached) {
        Taint.Predecessor predecessor = reached.predecessor();
        return new Step(
                reached.event().at(),
                node(names, reached.actor(), reached.object()),
                node(names, predecessor.actor(), predecessor.object()),
                predecessor.action());
    }

    private static Node node(
            NameCache names, Optional<Taint.ActorNode> actor, Optional<KeyVersion> object) {
        return actor.<Node>map(who -> new Node.OfActor(names.actor(who.id(), who.version())))
                .or(() -> object.map(state -> new Node.OfObject(names.place(state))))
                .orElseGet(Node.Closed::new);
    }

    @Override
    public Kept kept(BucketName bucket) {
        long states = 0;
        long bytes = 0;
        BucketInfo info = require(bucket);
        byte[] from = RowKeys.start(info.id(), buckets.rangeOf(info));
        byte[] to = RowKeys.end(info.id(), buckets.rangeOf(info));
        try (RecordCursor cursor = cube.scan(HISTORY, from, to)) {
            while (cursor.next()) {
                states++;
                bytes += HistoryRow.decode(cursor.record().summary()).state().bytes();
            }
        }
        return new Kept(states, bytes);
    }

    @Override
    public BucketSize size(BucketName bucket) {
        BucketInfo info = require(bucket);
        byte[] from = RowKeys.start(info.id(), buckets.rangeOf(info));
        byte[] to = RowKeys.end(info.id(), buckets.rangeOf(info));
        Kept current = measure(CURRENT, from, to, false);
        Kept noncurrent = measure(VERSIONS, from, to, true);
        return new BucketSize(
                current.states(),
                current.bytes(),
                noncurrent.states(),
                noncurrent.bytes(),
                kept(bucket));
    }

    private Kept measure(Family family, byte[] from, byte[] to, boolean isWithMarkers) {
        long states = 0;
        long bytes = 0;
        try (RecordCursor cursor = cube.scan(family, from, to)) {
            while (cursor.next()) {
                byte[] summary = cursor.record().summary();
                states += isWithMarkers || !ObjectRow.isDeleteMarker(summary) ? 1 : 0;
                bytes += ObjectRow.decode(summary).bytes();
            }
        }
        return new Kept(states, bytes);
    }

    @Override
    public long purge(Caller caller, BucketRef bucket, Instant before) throws IOException {
        return trim.purge(caller, require(bucket), before);
    }

    @Override
    public int shred(Caller caller, BucketRef bucket, ObjectKey key, Erasure what)
            throws IOException {
        Optional<BucketEntry> present =
                buckets.entry(bucket.name()).filter(entry -> bucket.means(entry.id()));
        if (present.isEmpty()) {
            return erasure.shred(caller, require(bucket), key, what);
        }
        // As for a write: a bucket that is handed over takes no entry behind the last comparison.
        BucketEntry entry = buckets.require(bucket, key);
        try (ScopedHold shared = entry.share()) {
            return erasure.shred(caller, entry.info(), key, what);
        }
    }

    private NameCache names() {
        return names(events);
    }

    private NameCache names(MergedEvents of) {
        return new NameCache(cube, buckets, of.membership());
    }

    long requireId(BucketName bucket) {
        return require(bucket).id();
    }

    private BucketInfo require(BucketRef bucket) {
        return buckets.findLast(bucket.name())
                .filter(found -> bucket.means(found.id()))
                .orElseThrow(() -> StoreException.noSuchBucket(bucket.name()));
    }

    /**
     * Parses a page token.
     *
     * @throws StoreException INVALID_ARGUMENT when it is none
     */
    public static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT, "'" + text + "' is not a page token of this listing");
        }
    }

    public static void requirePage(int max) {
        if (max < 1 || max > StoreOptions.Limits.PAGE_ENTRIES_MAX) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "page of " + max + " entries; 1 to " + StoreOptions.Limits.PAGE_ENTRIES_MAX);
        }
    }
}
