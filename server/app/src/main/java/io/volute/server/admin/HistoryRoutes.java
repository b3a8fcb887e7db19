package io.volute.server.admin;

import io.volute.adminapi.CubesApi.Bucket;
import io.volute.adminapi.CubesApi.Buckets;
import io.volute.adminapi.CubesApi.Size;
import io.volute.adminapi.HistoryApi.Activities;
import io.volute.adminapi.HistoryApi.Actors;
import io.volute.adminapi.HistoryApi.Kept;
import io.volute.adminapi.HistoryApi.Policy;
import io.volute.adminapi.HistoryApi.Purged;
import io.volute.adminapi.HistoryApi.States;
import io.volute.adminapi.HistoryApi.Steps;
import io.volute.adminapi.HistoryApi.Usage;
import io.volute.adminapi.Words;
import io.volute.server.s3.error.S3Error;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.History;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Step;
import io.volute.versioning.History.TraceScope;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The routes for events, their actors, and the amount of kept history. Thread-safe. */
final class HistoryRoutes {
    private static final int BUCKETS_AT_ONCE = 1000;

    /** Rows that a page of sizes reads before it ends, in seconds at most. */
    private static final long ROWS_AT_ONCE = 1_000_000;

    private static final String ACCESS_KEY = "accessKey";
    private static final String USER = "user";
    private static final String NAME = "name";

    private static final String RESOLUTION = "resolution";
    private static final Pattern TIME = Pattern.compile("(\\d{1,8})(ms|s|m|h|d)|0");
    private static final Map<String, Duration> UNITS =
            Map.of(
                    "ms",
                    Duration.ofMillis(1),
                    "s",
                    Duration.ofSeconds(1),
                    "m",
                    Duration.ofMinutes(1),
                    "h",
                    Duration.ofHours(1),
                    "d",
                    Duration.ofDays(1));

    private static final Map<String, Direction> DIRECTIONS = Words.constants(Direction.values());

    /** Traces at once of callers without permission for the admin API. */
    private final Semaphore limitedTraces = new Semaphore(2);

    private final VersionedStore store;
    private final History history;
    private final StoreCubes cubes;

    HistoryRoutes(VersionedStore store, History history, StoreCubes cubes) {
        this.store = store;
        this.cubes = cubes;
        this.history = history;
    }

    States states(Caller caller, Arguments asked) throws IOException {
        BucketName bucket = asked.neededBucket();
        Page<KeyState> page =
                history.states(caller, bucket, asked.key(), asked.from(), asked.max());
        Optional<HistoryView> view = asked.view();
        UnaryOperator<ActorVersion> shown =
                view.map(each -> each.actorsIn(bucket)).orElse(UnaryOperator.identity());
        return new States(
                page.entries().stream()
                        .filter(state -> view.isEmpty() || view.get().has(bucket, state))
                        .map(state -> HistoryDocument.state(state, shown))
                        .toList(),
                page.next());
    }

    private static <T, R> List<R> list(Page<T> page, Function<T, R> entry) {
        return page.entries().stream().map(entry).toList();
    }

    Actors actors(Arguments asked) throws IOException {
        Read<ActorInfo> read = read(() -> history.actors(who(asked), asked.from(), asked.max()));
        Page<ActorInfo> page = read.page();
        return new Actors(list(page, HistoryDocument::actor), page.next(), read.notOpen());
    }

    private static ActorFilter who(Arguments asked) {
        return new ActorFilter(asked.text(ACCESS_KEY), asked.text(USER), asked.text(NAME));
    }

    Activities activity(Arguments asked) throws IOException {
        Optional<Instant> since = asked.instant("since");
        Optional<Instant> until = asked.instant("until");
        if (since.isPresent() && until.isPresent() && since.get().isAfter(until.get())) {
            throw AdminException.badRequest("since is later than until");
        }
        ActivityFilter filter = new ActivityFilter(asked.number("actor"), who(asked), since, until);
        Read<Activity> read = read(() -> history.activity(filter, asked.from(), asked.max()));
        Page<Activity> page = read.page();
        return new Activities(list(page, HistoryDocument::activity), page.next(), read.notOpen());
    }

    Steps trace(Arguments asked) throws IOException {
        if (asked.view().isEmpty()) {
            return trace(asked, TraceScope.ALL, UnaryOperator.identity());
        }
        // Others than operators must not keep all cores busy.
        if (!limitedTraces.tryAcquire()) {
            throw new AdminException(
                    S3Error.SLOW_DOWN.status(),
                    S3Error.SLOW_DOWN.code(),
                    "other traces are running: try again");
        }
        try {
            HistoryView view = asked.view().get();
            return trace(asked, view, view::shown);
        } finally {
            limitedTraces.release();
        }
    }

    private Steps trace(Arguments asked, TraceScope scope, UnaryOperator<ActorVersion> shown)
            throws IOException {
        Read<Step> read =
                read(
                        () ->
                                history.trace(
                                        asked.neededWord("direction", DIRECTIONS),
                                        asked.neededBucket(),
                                        asked.key(),
                                        asked.version(),
                                        asked.from(),
                                        asked.max(),
                                        scope));
        Page<Step> page = read.page();
        return new Steps(
                list(page, step -> HistoryDocument.step(step, shown)), page.next(), read.notOpen());
    }

    /** A page over all cubes, with the names of those that it leaves out. */
    private record Read<T>(Page<T> page, List<String> notOpen) {}

    /** A read of a page. */
    @FunctionalInterface
    private interface Reading<T> {
        Page<T> page() throws IOException;
    }

    private <T> Read<T> read(Reading<T> reading) throws IOException {
        Set<String> notRead = new TreeSet<>(notRead());
        Page<T> page = reading.page();
        // Behind the page: a cube that was closed meanwhile is named, too.
        notRead.addAll(notRead());
        return new Read<>(page, List.copyOf(notRead));
    }

    /** Returns the cubes whose events are left out; those of other nodes are not. */
    private List<String> notRead() {
        return cubes.list().stream()
                .filter(cube -> cube.phase() != StoreCubes.Phase.OPEN)
                .filter(cube -> cube.phase() != StoreCubes.Phase.ELSEWHERE)
                .map(StoreCubes.CubeInfo::name)
                .toList();
    }

    Policy policy(Arguments asked) {
        return policyOf(asked.neededBucket());
    }

    private Policy policyOf(BucketName name) {
        BucketInfo bucket = store.bucket(name).orElseThrow(() -> StoreException.noSuchBucket(name));
        return new Policy(
                name.value(),
                bucket.history().text(),
                store.settings().resolution(bucket).toMillis(),
                bucket.resolution().isEmpty());
    }

    Policy setPolicy(Caller caller, Arguments asked) throws IOException {
        BucketRef bucket = asked.neededRef();
        Optional<Optional<Duration>> resolution =
                asked.text(RESOLUTION).map(HistoryRoutes::resolution);
        if (resolution.isEmpty() || asked.has("policy")) {
            store.setHistoryPolicy(caller, bucket, policy(asked.neededText("policy")));
        }
        if (resolution.isPresent()) {
            store.settings().setResolution(bucket, resolution.get());
        }
        return policyOf(bucket.name());
    }

    private static HistoryPolicy policy(String text) {
        try {
            return HistoryPolicy.parse(text);
        } catch (IllegalArgumentException e) {
            throw AdminException.badRequest(e.getMessage());
        }
    }

    /** Parses a resolution; empty means that of the settings. */
    private static Optional<Duration> resolution(String text) {
        if (text.equals("inherit")) {
            return Optional.empty();
        }
        Matcher matcher = TIME.matcher(text);
        if (matcher.matches()) {
            Duration time =
                    matcher.group(1) == null
                            ? Duration.ZERO
                            : UNITS.get(matcher.group(2))
                                    .multipliedBy(Long.parseLong(matcher.group(1)));
            if (time.compareTo(HistorySettings.RESOLUTION_MAX) <= 0) {
                return Optional.of(time);
            }
        }
        throw AdminException.badRequest(
                RESOLUTION
                        + " is "
                        + text
                        + "; write 0, 1ms to 1d, such as 500ms or 1m, or inherit");
    }

    Usage usage(Arguments asked) {
        List<Kept> buckets = new ArrayList<>();
        long states = 0;
        long bytes = 0;
        for (BucketName each : asked.bucket().map(List::of).orElseGet(this::allBuckets)) {
            History.Kept kept = history.kept(each);
            states += kept.states();
            bytes += kept.bytes();
            buckets.add(HistoryDocument.kept(each.value(), kept));
        }
        return new Usage(buckets, states, bytes);
    }

    /** Measures buckets, in the order of names. A page ends early behind a large one. */
    Buckets buckets(Arguments asked) throws IOException {
        List<Bucket> measured = new ArrayList<>();
        long rows = 0;
        int max = asked.max();
        String after = asked.from().orElse("");
        for (BucketInfo each : store.listBuckets(Optional.empty(), "", after, max)) {
            if (rows >= ROWS_AT_ONCE) {
                return new Buckets(measured, Optional.of(after));
            }
            Bucket bucket = measure(each);
            after = bucket.bucket();
            measured.add(bucket);
            rows += bucket.size().map(HistoryRoutes::rows).orElse(0L);
        }
        return new Buckets(measured, measured.size() < max ? Optional.empty() : Optional.of(after));
    }

    private static long rows(Size size) {
        return size.objects() + size.versions() + size.states();
    }

    private Bucket measure(BucketInfo bucket) throws IOException {
        Optional<Size> size = Optional.empty();
        Optional<String> why = Optional.empty();
        try {
            size = Optional.of(HistoryDocument.size(history.size(bucket.name())));
        } catch (CubeUnavailableException e) {
            why = Optional.of(String.valueOf(e.getMessage()));
        }
        List<String> names =
                cubes.moves().parts(bucket.name()).stream()
                        .map(StoreCubes.Part::cube)
                        .distinct()
                        .toList();
        return new Bucket(
                bucket.name().value(),
                bucket.owner(),
                bucket.created(),
                Words.of(bucket.versioning()),
                names,
                size,
                why);
    }

    private List<BucketName> allBuckets() {
        List<BucketName> all = new ArrayList<>();
        List<BucketInfo> some;
        String after = "";
        do {
            some = store.listBuckets(Optional.empty(), "", after, BUCKETS_AT_ONCE);
            some.forEach(bucket -> all.add(bucket.name()));
            after = some.isEmpty() ? after : some.getLast().name().value();
        } while (!some.isEmpty());
        return all;
    }

    Purged purge(Caller caller, Arguments asked) throws IOException {
        BucketRef bucket = asked.neededRef();
        Instant before = asked.neededInstant("before");
        long purged = history.purge(caller, bucket, before);
        return new Purged(bucket.name().value(), before, purged);
    }
}
