package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.Listing;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.restore.UndoModel.Command;
import io.volute.versioning.restore.UndoModel.State;
import io.volute.versioning.rows.Event;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random schedules of honest clients, a thief, readers that derive, deletes, versions, copies,
 * restores, undos, and undos of restores. After each command the store is as its model: no key has
 * a condemned state, and nothing honest is gone. {@code -Dundo.seeds=N} tries more schedules.
 */
class UndoScheduleTest extends PastFixture {
    private static final int SEEDS = Integer.getInteger("undo.seeds", 60);
    private static final int PLANTED_SEEDS = 100;
    private static final int STEPS = 60;
    private static final int KEYS = 5;
    private static final Caller ADMIN = new Caller("root", "key-r", "console");

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
    private final List<String> restores = new ArrayList<>();
    private Random random;
    private UndoModel model;
    private boolean isVersioned;
    private boolean isPurged;

    @Override
    protected StoreOptions.HistorySettings historySettings() {
        return StoreOptions.HistorySettings.DEFAULTS;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private String key() {
        return "k" + random.nextInt(KEYS);
    }

    private static String name(Caller caller) {
        return caller.actor().label();
    }

    private void begin(int seed, boolean isOfVersions) throws IOException {
        close();
        clock.set(START);
        open();
        tick();
        if (isOfVersions) {
            store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        }
        random = new Random(seed);
        isVersioned = isOfVersions;
        isPurged = false;
        model = new UndoModel(isOfVersions);
        log.clear();
        instants.clear();
        restores.clear();
        instants.add(tick());
    }

    private void act(int step) throws IOException {
        int kind = random.nextInt(10);
        Caller caller = kind < 3 ? one(WRITERS) : kind < 6 ? one(THIEVES) : one(READERS);
        String key = key();
        Instant now = clock.get();
        boolean isThere = model.visible(key).text().isPresent();
        int what = random.nextInt(12);
        if (what < 2 && isThere) {
            delete(caller, key);
            model.delete(caller, key, now);
            log.add(now + " " + name(caller) + " deletes " + key);
        } else if (what < 4 && isThere && isVersioned && model.versions(key) > 0) {
            removeVersion(caller, key);
            model.removeVersion(caller, key, now);
            log.add(now + " " + name(caller) + " removes the version of " + key);
        } else if (what < 6 && isThere && !isOwn(caller, key)) {
            assertThat(read(caller, key)).isNotEmpty();
            model.read(caller, key, now);
            log.add(now + " " + name(caller) + " reads " + key);
        } else if (what < 7 && isThere) {
            String to = "c" + random.nextInt(2);
            copy(caller, key, to);
            model.copy(caller, key, to, now);
            log.add(now + " " + name(caller) + " copies " + key + " to " + to);
        } else {
            String text = "step " + step + " by " + name(caller);
            put(caller, key, text);
            model.put(caller, key, text, now);
            log.add(now + " " + name(caller) + " writes " + key);
        }
        instants.add(tick());
    }

    /** Returns whether a client would read its own state, which records nothing. */
    private boolean isOwn(Caller caller, String key) {
        return model.content(key).author().filter(caller::equals).isPresent();
    }

    private void removeVersion(Caller caller, String key) throws IOException {
        ObjectVersion current =
                store.listVersions(
                                ALICE,
                                BUCKET,
                                new Listing.VersionQuery(key, "", "", Optional.empty(), 1))
                        .versions()
                        .getFirst();
        assertThat(
                        store.delete(
                                caller,
                                BUCKET,
                                current.key(),
                                StoreFixture.number(current),
                                WriteCondition.NONE))
                .isNotNull();
    }

    private void copy(Caller caller, String from, String to) throws IOException {
        var copied =
                store.copy(
                        caller,
                        new ObjectStore.Source(
                                BUCKET,
                                new ObjectKey(from),
                                VersionSelector.LATEST,
                                Optional.empty()),
                        BUCKET,
                        new ObjectKey(to),
                        version -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        assertThat(copied.target().latest()).isTrue();
    }

    private Run run(Goal goal, OnConflict onConflict) throws IOException {
        String id = store.restore().start(ADMIN, new Request(BUCKET, "", goal, onConflict)).id();
        Run run = ended(id);
        assertThat(run.phase()).as(run.message()).isEqualTo(Phase.DONE);
        restores.add(id);
        return run;
    }

    /** A goal, and the same for the model. */
    private record Undo(Goal.Undo goal, Command command) {}

    private static Predicate<State> by(Predicate<Caller> isAuthor) {
        return state -> state.author().filter(isAuthor).isPresent();
    }

    private Optional<Undo> chosen() throws IOException {
        Instant since = one(instants);
        boolean withDerived = random.nextInt(4) > 0;
        return switch (random.nextInt(6)) {
            case 0, 1 ->
                    of(
                            List.of(new Source.AccessKey("key-stolen")),
                            by(THIEVES::contains),
                            since,
                            withDerived);
            case 2 ->
                    of(
                            List.of(new Source.User("deployer"), new Source.User("backup")),
                            by(THIEVES::contains),
                            since,
                            withDerived);
            case 3 -> version();
            case 4 -> undoneRestore();
            default -> {
                Caller one = one(THIEVES);
                Caller other = one(READERS);
                Set<String> known = actors();
                yield known.contains(name(one)) && known.contains(name(other))
                        ? of(
                                List.of(
                                        new Source.Name(name(one), Optional.empty()),
                                        new Source.Name(name(other), Optional.empty())),
                                by(List.of(one, other)::contains),
                                since,
                                withDerived)
                        : Optional.empty();
            }
        };
    }

    private Set<String> actors() throws IOException {
        return Set.copyOf(
                store.history().actors(ActorFilter.ALL, Optional.empty(), 1000).entries().stream()
                        .map(actor -> actor.name())
                        .toList());
    }

    private Optional<Undo> of(
            List<Source> sources, Predicate<State> isSource, Instant since, boolean withDerived) {
        return Optional.of(
                new Undo(
                        new Goal.Undo(sources, List.of(), since, withDerived),
                        new Command(isSource, since, Instant.MAX, withDerived, Set.of(), "")));
    }

    /** A state of the thief, by its id. */
    private Optional<Undo> version() throws IOException {
        String key = key();
        List<State> stolen =
                model.timeline(key).stream()
                        .filter(by(THIEVES::contains))
                        .filter(state -> state.text().isPresent() && state.base().isEmpty())
                        .toList();
        if (stolen.isEmpty()) {
            return Optional.empty();
        }
        State bad = one(stolen);
        Optional<KeyState> kept =
                store
                        .history()
                        .states(ADMIN, BUCKET, new ObjectKey(key), Optional.empty(), 1000)
                        .entries()
                        .stream()
                        .filter(state -> state.began().equals(bad.at()))
                        .findFirst();
        return kept.flatMap(
                state ->
                        of(
                                List.of(
                                        new Source.Version(
                                                BUCKET,
                                                new ObjectKey(key),
                                                Optional.of(
                                                        new VersionSelector.Numbered(
                                                                state.number())),
                                                Optional.empty())),
                                each -> each.equals(bad),
                                Instant.EPOCH,
                                true));
    }

    private Optional<Undo> undoneRestore() {
        if (restores.isEmpty()) {
            return Optional.empty();
        }
        String id = one(restores);
        Predicate<State> isOfRestore = state -> state.restore().filter(id::equals).isPresent();
        return Optional.of(
                new Undo(
                        Goal.undoRestores(List.of(id)),
                        new Command(
                                isOfRestore, Instant.EPOCH, Instant.MAX, false, Set.of(id), "")));
    }

    private void command() throws IOException {
        Instant now = clock.get();
        if (!isPurged && random.nextInt(4) == 0) {
            Instant then = one(instants);
            boolean isForced = random.nextBoolean();
            Run run =
                    run(
                            new Goal.ToInstant(then),
                            isForced ? OnConflict.OVERWRITE : OnConflict.SKIP);
            model.restoreTo(then, isForced, now, run.id());
            log.add(now + " restore " + run.id() + " to " + then + (isForced ? " forced" : ""));
        } else {
            Optional<Undo> undo = chosen();
            if (undo.isPresent()) {
                undo(undo.get(), now);
            }
        }
        instants.add(tick());
    }

    /** Undoes, and expects that keys whose state to put back is not kept stay and are counted. */
    private void undo(Undo undo, Instant now) throws IOException {
        Map<String, State> targets = model.targets(undo.command());
        Map<String, State> known = new TreeMap<>();
        for (Map.Entry<String, State> each : targets.entrySet()) {
            if (isKept(each.getValue())) {
                known.put(each.getKey(), each.getValue());
            }
        }
        Run run = run(undo.goal(), OnConflict.SKIP);
        log.add(now + " restore " + run.id() + " " + run.request().goal());
        Map<String, String> after = contents(store);
        if (isPurged) {
            // Whether an absence is known depends on what else was kept.
            known.entrySet()
                    .removeIf(
                            each ->
                                    each.getValue().text().isEmpty()
                                            && after.containsKey(each.getKey()));
        } else {
            assertThat(run.unknown()).as("all is kept").isZero();
        }
        long stay =
                targets.entrySet().stream()
                        .filter(each -> !known.containsKey(each.getKey()))
                        .filter(each -> model.visible(each.getKey()).text().isPresent())
                        .count();
        assertThat(run.unknown())
                .as(() -> "unknown\n" + String.join("\n", log))
                .isGreaterThanOrEqualTo(stay);
        assertThat(run.looked()).isGreaterThanOrEqualTo(run.restored() + run.skipped());
        model.undo(undo.command(), known, now, run.id());
    }

    private boolean isKept(State state) throws IOException {
        return state.text().isEmpty()
                || store
                        .history()
                        .states(ADMIN, BUCKET, new ObjectKey(state.key()), Optional.empty(), 1000)
                        .entries()
                        .stream()
                        .anyMatch(kept -> kept.began().equals(state.at()));
    }

    /** Removes the kept states that ended before an instant, as their retention does. */
    private void purge() throws IOException {
        Instant before = one(instants);
        log.add(
                clock.get()
                        + " purge "
                        + before
                        + ": "
                        + store.history().purge(ALICE, BUCKET, before));
        isPurged = true;
        instants.add(tick());
    }

    private void schedule(int seed, boolean isOfVersions) throws IOException {
        schedule(seed, isOfVersions, false, UndoRules.ALL);
    }

    private void schedule(int seed, boolean isOfVersions, boolean isOfPurges, UndoRules rules)
            throws IOException {
        begin(seed, isOfVersions);
        ((CatalogRestore) store.restore()).rules = rules;
        for (int step = 0; step < STEPS; step++) {
            if (step > 10 && random.nextInt(6) == 0) {
                command();
                assertThat(contents(store))
                        .as(() -> "seed " + seed + "\n" + String.join("\n", log))
                        .isEqualTo(model.contents());
                tick();
            } else if (isOfPurges && random.nextInt(20) == 0) {
                purge();
            } else {
                act(step);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theStoreIsAsItsModel(boolean isOfVersions) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            schedule(seed, isOfVersions);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsNotKeptIsUnknownAndStays(boolean isOfVersions) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            schedule(seed, isOfVersions, true, UndoRules.ALL);
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
                });

        private final UndoRules rules;

        Mistake(UndoRules rules) {
            this.rules = rules;
        }
    }

    @ParameterizedTest
    @EnumSource
    void plantedMistakesAreFound(Mistake mistake) {
        int seed = 0;
        boolean isFound = false;
        while (!isFound && seed < PLANTED_SEEDS) {
            isFound = isFound(seed++, mistake.rules);
        }
        assertThat(isFound).as("found within %d seeds", seed).isTrue();
    }

    private boolean isFound(int seed, UndoRules rules) {
        try {
            schedule(seed, false, false, rules);
            return false;
        } catch (AssertionError | IOException e) {
            return true;
        }
    }
}
