package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.versioning.CubeViews;
import io.volute.versioning.FakeCube;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Part;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.cubes.CubeRestores;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.restore.UndoModel.Command;
import io.volute.versioning.restore.UndoModel.Kind;
import io.volute.versioning.restore.UndoModel.Order;
import io.volute.versioning.restore.UndoModel.Place;
import io.volute.versioning.restore.UndoModel.State;
import io.volute.versioning.rows.Event;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random schedules of honest clients, a thief, readers that derive, deletes, versions, tags,
 * copies, restores, undos, undos of restores, and restores and undos by the thief, over two buckets
 * in one to three cubes, between which the buckets move, are split and merged. After each command
 * the store is as its model: no key has a condemned state, and nothing honest is gone. {@code
 * -Dundo.seeds=N} tries more schedules.
 */
@Tag("slow")
class UndoScheduleTest extends PastFixture {
    private static final int SEEDS = Integer.getInteger("undo.seeds", 40);
    private static final int FIRST_SEED = Integer.getInteger("undo.first", 0);
    private static final int PLANTED_SEEDS = 400;
    private static final int STEPS = 60;
    private static final Caller ADMIN = new Caller("root", "key-r", "console");
    private static final Caller AUDITOR = new Caller("auditor", "key-x", "x");
    private static final List<String> BUCKETS = List.of(BUCKET.value(), "letters");
    private static final List<String> KEYS = List.of("a/0", "a/1", "b/0", "b/1");
    private static final List<String> COPIES = List.of("b/2", "c/0");
    private static final List<String> PREFIXES = List.of("", "", "", "a/", "b/");
    private static final List<String> CUBES = List.of(StoreCubes.SYSTEM, "one", "two");

    private static final List<Caller> WRITERS =
            List.of(new Caller("alice", "key-a", "laptop"), new Caller("job", "key-j", "nightly"));

    private static final List<Caller> READERS =
            List.of(
                    new Caller("report", "key-p", "report"),
                    new Caller("sum", "key-s", "sum"),
                    new Caller("web", "key-w", "web"));

    /** Two programs with the stolen key, and a session that it began. */
    private static final List<Caller> THIEVES =
            List.of(
                    new Caller("backup", "key-stolen", "curl"),
                    new Caller("backup", "key-stolen", "rclone"),
                    new Caller(
                            "deployer",
                            "VT1",
                            Optional.of(new Parent("backup", "key-stolen")),
                            new ActorName(ActorName.Kind.SESSION, "deploy", ""),
                            Optional.empty()));

    private final List<String> log = new ArrayList<>();
    private final List<Instant> instants = new ArrayList<>();
    private final List<Run> restores = new ArrayList<>();
    private Optional<StoreCubes> cubes = Optional.empty();
    private int cubeCount = 1;
    private int seed;
    private Random random;
    private UndoModel model;
    private boolean isPurged;

    /** The last purge: events up to here may be gone. */
    private Instant forgotten;

    @Override
    protected StoreOptions.HistorySettings historySettings() {
        return StoreOptions.HistorySettings.DEFAULTS;
    }

    private StoreOptions options(Cube of) {
        return new StoreOptions(
                of,
                clock::get,
                new SplittableRandom(3),
                StoreFixture.limits(recordBodyBytesMax()),
                historySettings());
    }

    /** Cubes in memory. */
    private final class MemoryFiles implements StoreCubes.Files {
        private final Map<String, UUID> ids = new TreeMap<>();

        @Override
        public Cube open(String name) {
            ids.put(name, new UUID(0, ids.size()));
            return new FakeCube(Runnable::run, clock::get);
        }

        @Override
        public Optional<UUID> identity(String name) {
            return Optional.ofNullable(ids.get(name));
        }

        @Override
        public void allowSeveralCubes() {}

        @Override
        public void discardIndex(String name) {}

        @Override
        public String retire(String name, int number) {
            return name;
        }

        @Override
        public CubeViews views() {
            return CubeViews.NONE;
        }
    }

    @Override
    protected VersionedStore openStore() throws IOException {
        if (cubeCount == 1) {
            cubes = Optional.empty();
            return super.openStore();
        }
        StoreCubes opened =
                ObjectStores.openCubes(
                        new MemoryFiles(), cube, this::options, StoreCubes.Placement.DEFAULT);
        cubes = Optional.of(opened);
        try {
            for (String name : CUBES.subList(1, cubeCount)) {
                assertThat(opened.create(name)).isNotNull();
                opened.awaitOpened(Duration.ofMinutes(1));
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return opened.store();
    }

    @Override
    @AfterEach
    protected void close() throws IOException {
        if (cubes.isPresent()) {
            cubes.get().close();
            cube.close();
        } else {
            super.close();
        }
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Place place() {
        return new Place(one(BUCKETS), one(KEYS));
    }

    private static BucketName bucket(Place place) {
        return new BucketName(place.bucket());
    }

    private static ObjectKey key(Place place) {
        return new ObjectKey(place.key());
    }

    private static String name(Caller caller) {
        return caller.actor().label();
    }

    private void note(String what) {
        log.add(clock.get() + " " + what);
    }

    private void begin(int of, int count) throws IOException {
        seed = of;
        close();
        clock.set(START);
        cubeCount = count;
        open();
        assertThat(store.createBucket(ALICE, new BucketName(BUCKETS.getLast()))).isNotNull();
        tick();
        random = new Random(seed);
        isPurged = false;
        forgotten = Instant.MIN;
        model = new UndoModel();
        log.clear();
        instants.clear();
        restores.clear();
        instants.add(tick());
    }

    private void setVersioning(String bucket, VersioningState state) throws IOException {
        note(bucket + " is " + state);
        store.setVersioning(ALICE, new BucketName(bucket), state);
        model.setVersioning(bucket, state);
    }

    private void act(int step) throws IOException {
        int kind = random.nextInt(10);
        Caller caller = kind < 3 ? one(WRITERS) : kind < 6 ? one(THIEVES) : one(READERS);
        Place place = place();
        Instant now = clock.get();
        boolean isThere = model.visible(place).text().isPresent();
        boolean isVersioned = model.versioning(place.bucket()) != VersioningState.UNVERSIONED;
        int what = random.nextInt(15);
        if (what < 2 && isThere) {
            note(name(caller) + " deletes " + place);
            assertThat(
                            store.delete(
                                    caller,
                                    bucket(place),
                                    key(place),
                                    VersionSelector.LATEST,
                                    WriteCondition.NONE))
                    .isNotNull();
            model.delete(caller, place, now);
        } else if (what < 4 && isVersioned && model.versions(place) > 0) {
            removeVersions(caller, place, now);
        } else if (what < 7 && isThere && !isOwn(caller, place)) {
            note(name(caller) + " reads " + place);
            assertThat(read(caller, place)).isNotEmpty();
            model.read(caller, place, now);
        } else if (what < 9 && isThere) {
            Place to = new Place(one(BUCKETS), one(COPIES));
            note(name(caller) + " copies " + place + " to " + to);
            copy(caller, place, to);
            model.copy(caller, place, to, now);
        } else if (what < 10 && isThere) {
            tag(caller, place, "t" + step, now);
        } else {
            String text = "step " + step + " by " + name(caller);
            note(name(caller) + " writes " + place);
            put(caller, place, text);
            model.put(caller, place, text, now);
        }
        instants.add(tick());
    }

    /** Returns whether a client would read its own state, which records nothing. */
    private boolean isOwn(Caller caller, Place place) {
        State content = model.content(place);
        return content.restore().isEmpty() && content.author().filter(caller::equals).isPresent();
    }

    private void put(Caller caller, Place place, String text) throws IOException {
        byte[] bytes = StoreFixture.utf8(text);
        try (BlobWriter writer =
                store.newBody(bucket(place), key(place), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            ObjectVersion made =
                    store.put(
                            caller,
                            bucket(place),
                            key(place),
                            writer.finish(),
                            StoreFixture.attributes(text),
                            WriteCondition.NONE);
            assertThat(made.latest()).isTrue();
        }
    }

    private String read(Caller caller, Place place) throws IOException {
        OpenObject object = store.open(caller, bucket(place), key(place), VersionSelector.LATEST);
        try (BlobReader reader = object.reader()) {
            return StoreFixture.content(reader);
        }
    }

    /** Returns what clients see, with tags, of both buckets. */
    private Map<String, String> contents() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (String bucket : BUCKETS) {
            for (ObjectVersion object :
                    store.listObjects(
                                    ALICE, new BucketName(bucket), new ObjectQuery("", "", "", 100))
                            .objects()) {
                Place place = new Place(bucket, object.key().value());
                Optional<ObjectVersion> head =
                        store.head(AUDITOR, bucket(place), key(place), VersionSelector.LATEST);
                found.put(
                        place.toString(),
                        text(read(AUDITOR, place), head.orElseThrow().attributes().tags()));
            }
        }
        return found;
    }

    private static String text(String content, Map<String, String> tags) {
        return tags.isEmpty() ? content : content + " #" + tags.get("t");
    }

    /** Replaces the tags of an object, also those of a copy. */
    private void tag(Caller caller, Place place, String tag, Instant now) throws IOException {
        note(name(caller) + " tags " + place);
        assertThat(
                        store.setTags(
                                caller,
                                bucket(place),
                                key(place),
                                VersionSelector.LATEST,
                                Map.of("t", tag)))
                .isNotNull();
        String content = model.visible(place).text().orElseThrow().split(" #")[0];
        model.tag(caller, place, text(content, Map.of("t", tag)), now);
    }

    /** Removes versions or markers by their ids, one or two in one request. */
    private void removeVersions(Caller caller, Place place, Instant now) throws IOException {
        List<ObjectVersion> versions =
                store.listVersions(
                                ALICE,
                                bucket(place),
                                new VersionQuery(place.key(), "", "", Optional.empty(), 100))
                        .versions();
        assertThat(versions).as(this::story).hasSize(model.versions(place));
        Set<Integer> behind = new TreeSet<>();
        behind.add(random.nextBoolean() ? 0 : random.nextInt(versions.size()));
        if (random.nextInt(3) == 0) {
            behind.add(random.nextInt(versions.size()));
        }
        note(name(caller) + " removes the versions " + behind + " behind " + place);
        List<DeleteTarget> targets =
                new ArrayList<>(
                        behind.stream()
                                .map(versions::get)
                                .map(
                                        each ->
                                                new DeleteTarget(
                                                        each.key(),
                                                        StoreFixture.number(each),
                                                        WriteCondition.NONE))
                                .toList());
        Collections.shuffle(targets, random);
        assertThat(store.deleteAll(caller, bucket(place), targets)).hasSize(behind.size());
        model.removeVersions(caller, place, behind, now);
    }

    private void copy(Caller caller, Place from, Place to) throws IOException {
        var copied =
                store.copy(
                        caller,
                        new ObjectStore.Source(
                                bucket(from), key(from), VersionSelector.LATEST, Optional.empty()),
                        bucket(to),
                        key(to),
                        version -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        assertThat(copied.target().latest()).isTrue();
    }

    private Run run(Order order, Goal goal, OnConflict onConflict) throws IOException {
        BucketName bucket = new BucketName(order.bucket());
        Request request = new Request(bucket, order.prefix(), goal, onConflict);
        Run run = ended(store.restore().start(order.caller(), request).id());
        assertThat(run.phase()).as(run.message()).isEqualTo(Phase.DONE);
        restores.add(run);
        return run;
    }

    /** A goal, and the same for the model. */
    private record Undo(Goal.Undo goal, Command command) {}

    private static Predicate<State> by(Predicate<Caller> isAuthor) {
        return state -> state.author().filter(isAuthor).isPresent();
    }

    private Optional<Undo> chosen(Order order) throws IOException {
        Instant since = one(instants);
        boolean withDerived = random.nextInt(4) > 0;
        if (THIEVES.contains(order.caller())) {
            // A thief undoes what the honest did.
            return random.nextBoolean()
                    ? undoneRestore(order)
                    : of(
                            order,
                            List.of(new Source.AccessKey("key-a"), new Source.AccessKey("key-j")),
                            WRITERS::contains,
                            since,
                            withDerived);
        }
        return switch (random.nextInt(6)) {
            case 0, 1 ->
                    of(
                            order,
                            List.of(new Source.AccessKey("key-stolen")),
                            THIEVES::contains,
                            since,
                            withDerived);
            case 2 ->
                    of(
                            order,
                            List.of(new Source.User("deployer"), new Source.User("backup")),
                            THIEVES::contains,
                            since,
                            withDerived);
            case 3 -> version(order);
            case 4 -> undoneRestore(order);
            default -> ofNames(order, since, withDerived);
        };
    }

    private Set<String> actors() throws IOException {
        return new TreeSet<>(
                store.history().actors(ActorFilter.ALL, Optional.empty(), 1000).entries().stream()
                        .map(actor -> actor.name())
                        .toList());
    }

    /** Names do not find restores. */
    private Optional<Undo> ofNames(Order order, Instant since, boolean withDerived)
            throws IOException {
        Caller one = one(THIEVES);
        Caller other = one(READERS);
        if (!actors().containsAll(List.of(name(one), name(other)))) {
            return Optional.empty();
        }
        List<Source> names =
                List.of(
                        new Source.Name(name(one), Optional.empty()),
                        new Source.Name(name(other), Optional.empty()));
        Predicate<State> isBy = by(List.of(one, other)::contains);
        Command command =
                new Command(
                        order,
                        isBy.and(state -> state.restore().isEmpty()),
                        caller -> false,
                        since,
                        Instant.MAX,
                        withDerived,
                        Set.of(),
                        "");
        return Optional.of(new Undo(new Goal.Undo(names, List.of(), since, withDerived), command));
    }

    private static Optional<Undo> of(
            Order order,
            List<Source> sources,
            Predicate<Caller> isSource,
            Instant since,
            boolean withDerived) {
        return Optional.of(
                new Undo(
                        new Goal.Undo(sources, List.of(), since, withDerived),
                        new Command(
                                order,
                                by(isSource),
                                isSource,
                                since,
                                Instant.MAX,
                                withDerived,
                                Set.of(),
                                "")));
    }

    /** A state of the thief in either bucket, by its id. */
    private Optional<Undo> version(Order order) throws IOException {
        Place place = place();
        List<State> stolen =
                model.timeline(place).stream()
                        .filter(by(THIEVES::contains))
                        .filter(state -> state.text().isPresent() && state.kind() == Kind.WRITE)
                        .toList();
        if (stolen.isEmpty()) {
            return Optional.empty();
        }
        State bad = one(stolen);
        Optional<KeyState> kept =
                states(place).stream().filter(state -> state.began().equals(bad.at())).findFirst();
        return kept.map(
                state ->
                        new Undo(
                                Goal.undo(
                                        new Source.Version(
                                                bucket(place),
                                                key(place),
                                                Optional.of(
                                                        new VersionSelector.Numbered(
                                                                state.number())),
                                                Optional.empty()),
                                        Instant.EPOCH),
                                new Command(
                                        order,
                                        bad::equals,
                                        caller -> false,
                                        Instant.EPOCH,
                                        Instant.MAX,
                                        true,
                                        Set.of(),
                                        "")));
    }

    private List<KeyState> states(Place place) throws IOException {
        return store.history()
                .states(ADMIN, bucket(place), key(place), Optional.empty(), 1000)
                .entries();
    }

    private Optional<Undo> undoneRestore(Order order) {
        List<Run> some =
                restores.stream()
                        .filter(run -> run.request().bucket().value().equals(order.bucket()))
                        .toList();
        if (some.isEmpty()) {
            return Optional.empty();
        }
        Run undone = one(some);
        String id = undone.id();
        Predicate<State> isOfRestore = state -> state.restore().filter(id::equals).isPresent();
        return Optional.of(
                new Undo(
                        Goal.undoRestores(Arrays.asList(id.split("-"))),
                        new Command(
                                order,
                                isOfRestore,
                                caller -> false,
                                Instant.EPOCH,
                                Instant.MAX,
                                false,
                                Set.of(id),
                                "")));
    }

    /** Gives a command; returns false when its effect depends on what events were purged. */
    private boolean command() throws IOException {
        Instant now = clock.get();
        Caller caller = random.nextInt(6) == 0 ? one(THIEVES) : ADMIN;
        Order order = new Order(one(BUCKETS), one(PREFIXES), caller);
        if (!isPurged && random.nextInt(4) == 0) {
            Instant then = one(instants);
            boolean isForced = random.nextBoolean();
            note("restore of " + order + " to " + then + (isForced ? " forced" : ""));
            Run run =
                    run(
                            order,
                            new Goal.ToInstant(then),
                            isForced ? OnConflict.OVERWRITE : OnConflict.SKIP);
            note("restored by " + run.id());
            model.restoreTo(order, then, isForced, now, run.id());
        } else {
            Optional<Undo> undo = chosen(order);
            if (undo.isPresent() && !undo(undo.get(), now)) {
                return false;
            }
        }
        instants.add(tick());
        return true;
    }

    /**
     * Undoes, and expects that keys whose state to put back is not kept stay and are counted.
     * Returns false when its effect depends on what events were purged.
     */
    private boolean undo(Undo undo, Instant now) throws IOException {
        Map<Place, State> targets = model.targets(undo.command(), each -> true, Instant.MIN);
        if (!targets.equals(model.targets(undo.command(), this::isKept, forgotten))) {
            // It depends on what events were purged.
            return false;
        }
        Map<Place, State> known = new TreeMap<>();
        for (Map.Entry<Place, State> each : targets.entrySet()) {
            if (isKept(each.getValue())) {
                known.put(each.getKey(), each.getValue());
            }
        }
        note("undo of " + undo.command().order() + " " + undo.goal());
        Run run = run(undo.command().order(), undo.goal(), OnConflict.SKIP);
        note("undone by " + run.id() + ": " + known);
        Map<String, String> after = contents();
        if (isPurged) {
            // Whether an absence is known depends on what else was kept.
            known.entrySet()
                    .removeIf(
                            each ->
                                    each.getValue().text().isEmpty()
                                            && after.containsKey(each.getKey().toString()));
        } else {
            assertThat(run.unknown()).as(() -> "all is kept\n" + story()).isZero();
        }
        long stay =
                targets.entrySet().stream()
                        .filter(each -> !known.containsKey(each.getKey()))
                        .filter(each -> model.visible(each.getKey()).text().isPresent())
                        .count();
        assertThat(run.unknown()).as(() -> "unknown\n" + story()).isGreaterThanOrEqualTo(stay);
        assertThat(run.looked()).isGreaterThanOrEqualTo(run.restored() + run.skipped());
        assertThat(run.restored()).isGreaterThanOrEqualTo(run.removed());
        assertThat(run.skipped()).isGreaterThanOrEqualTo(run.unknown());
        model.undo(undo.command(), known, now, run.id());
        return true;
    }

    private boolean isKept(State state) {
        try {
            return state.text().isEmpty()
                    || states(state.place()).stream()
                            .anyMatch(kept -> kept.began().equals(state.at()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes the kept states that ended before an instant, as their retention does. */
    private void purge() throws IOException {
        Instant before = one(instants);
        for (String bucket : BUCKETS) {
            note(
                    "purge "
                            + before
                            + ": "
                            + store.history().purge(ALICE, new BucketName(bucket), before));
        }
        isPurged = true;
        forgotten = before.isAfter(forgotten) ? before : forgotten;
        instants.add(tick());
    }

    /** Moves a whole bucket, or splits it, or merges two parts. */
    private void relocate() throws IOException {
        StoreCubes.Moves moves = cubes.orElseThrow().moves();
        BucketName bucket = new BucketName(one(BUCKETS));
        List<Part> parts = moves.parts(bucket);
        Set<String> free = new TreeSet<>(CUBES.subList(0, cubeCount));
        parts.forEach(part -> free.remove(part.cube()));
        ObjectKey at = new ObjectKey(one(KEYS));
        if (parts.size() == 1 && random.nextBoolean()) {
            String target = one(List.copyOf(free));
            note("move of " + bucket.value() + " to " + target);
            assertThat(moves.start(bucket, target)).isNotNull();
        } else if (parts.size() > 1 && random.nextBoolean()) {
            ObjectKey first =
                    parts.get(1 + random.nextInt(parts.size() - 1)).range().first().orElseThrow();
            note("merge of " + bucket.value() + " at " + first.value());
            assertThat(moves.merge(bucket, first)).isNotNull();
        } else if (!free.isEmpty() && !free.equals(Set.of(StoreCubes.SYSTEM))) {
            free.remove(StoreCubes.SYSTEM);
            boolean isFirst =
                    parts.stream().anyMatch(part -> part.range().first().equals(Optional.of(at)));
            if (!isFirst) {
                String target = one(List.copyOf(free));
                note("split of " + bucket.value() + " at " + at.value() + " to " + target);
                assertThat(moves.split(bucket, at, target)).isNotNull();
            }
        }
        while (!moves.list().isEmpty()) {
            assertThat(moves.list()).as(this::story).allMatch(each -> each.why().isEmpty());
            Thread.onSpinWait();
        }
        instants.add(tick());
    }

    private String story() {
        return "seed " + seed + "\n" + String.join("\n", log);
    }

    /** The kinds of schedules. */
    private enum Variant {
        UNVERSIONED,
        VERSIONED,
        /** Versioning is enabled and suspended meanwhile. */
        SUSPENDED,
        PURGED,
        VERSIONED_AND_PURGED;

        private boolean isPurged() {
            return this == PURGED || this == VERSIONED_AND_PURGED;
        }
    }

    private void schedule(int of, int count, Variant variant, UndoRules rules) throws IOException {
        begin(of, count);
        List<Restore> all =
                cubes.isPresent() ? CubeRestores.of(cubes.get()) : List.of(store.restore());
        all.forEach(each -> ((CatalogRestore) each).rules = rules);
        if (variant == Variant.VERSIONED || variant == Variant.VERSIONED_AND_PURGED) {
            setVersioning(BUCKETS.getFirst(), VersioningState.ENABLED);
            setVersioning(BUCKETS.getLast(), VersioningState.ENABLED);
        }
        boolean isCertain = true;
        for (int step = 0; isCertain && step < STEPS; step++) {
            if (step > 10 && random.nextInt(6) == 0) {
                isCertain = command();
                assertThat(contents()).as(this::story).isEqualTo(model.contents());
                tick();
            } else if (variant.isPurged() && random.nextInt(20) == 0) {
                purge();
            } else if (count > 1 && random.nextInt(8) == 0) {
                relocate();
            } else if (variant == Variant.SUSPENDED && random.nextInt(8) == 0) {
                setVersioning(
                        one(BUCKETS),
                        random.nextBoolean() ? VersioningState.ENABLED : VersioningState.SUSPENDED);
            } else {
                act(step);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, UNVERSIONED",
        "1, VERSIONED",
        "1, SUSPENDED",
        "1, PURGED",
        "1, VERSIONED_AND_PURGED",
        "2, UNVERSIONED",
        "2, VERSIONED",
        "2, SUSPENDED",
        "2, PURGED",
        "3, UNVERSIONED",
        "3, VERSIONED",
        "3, SUSPENDED",
        "3, VERSIONED_AND_PURGED"
    })
    void theStoreIsAsItsModel(int count, Variant variant) throws IOException {
        for (int each = FIRST_SEED; each < FIRST_SEED + SEEDS; each++) {
            try {
                schedule(each, count, variant, UndoRules.ALL);
            } catch (IOException | RuntimeException e) {
                throw new AssertionError(story(), e);
            }
        }
    }

    /** Mistakes that the schedules must find, one at a time. */
    private enum Mistake {
        STOPS_AT_THE_FIRST_PREDECESSOR(
                new UndoRules() {
                    @Override
                    boolean goesBehind(int steps) {
                        return steps <= 1;
                    }
                }),
        IGNORES_WHAT_A_READER_MADE(
                new UndoRules() {
                    @Override
                    boolean spreads(Event.Read read) {
                        return false;
                    }
                }),
        IGNORES_WHERE_A_RESTORED_STATE_CAME_FROM(
                new UndoRules() {
                    @Override
                    boolean spreads(Event.Copied copied) {
                        return false;
                    }
                }),
        IGNORES_WHERE_A_RESTORED_ABSENCE_CAME_FROM(
                new UndoRules() {
                    @Override
                    boolean hasOrigin(Event.Restored restored) {
                        return false;
                    }
                }),
        FORGETS_DELETES(
                new UndoRules() {
                    @Override
                    boolean isCondemnable(Event.Wrote wrote) {
                        return false;
                    }
                }),
        FORGETS_EARLIER_UNDOS(
                new UndoRules() {
                    @Override
                    boolean honoursEarlierUndos() {
                        return false;
                    }
                }),
        OBEYS_THE_UNDOS_OF_A_THIEF(
                new UndoRules() {
                    @Override
                    boolean endsUndosOfSources() {
                        return false;
                    }
                }),
        CONDEMNS_FOR_EVER(
                new UndoRules() {
                    @Override
                    Instant until(Instant end) {
                        return Instant.MAX;
                    }
                }),
        CONDEMNS_OTHER_KEYS(
                new UndoRules() {
                    @Override
                    String prefix(String prefix) {
                        return "";
                    }
                }),
        FORGETS_OTHER_CUBES(
                new UndoRules() {
                    @Override
                    boolean sees(MergedEvents.CubeRows rows) {
                        return rows.cube() == 0;
                    }
                });

        private final UndoRules rules;

        Mistake(UndoRules rules) {
            this.rules = rules;
        }
    }

    @ParameterizedTest
    @EnumSource
    void plantedMistakesAreFound(Mistake mistake) {
        int tried = 0;
        boolean isFound = false;
        while (!isFound && tried < PLANTED_SEEDS) {
            isFound = isFound(tried++, mistake);
        }
        assertThat(isFound).as("found within %d seeds", tried).isTrue();
    }

    private boolean isFound(int of, Mistake mistake) {
        try {
            Variant variant = of % 2 == 0 ? Variant.UNVERSIONED : Variant.VERSIONED;
            schedule(of, 2, variant, mistake.rules);
            return false;
        } catch (AssertionError e) {
            return true;
        } catch (IOException e) {
            return fail(e);
        }
    }
}
