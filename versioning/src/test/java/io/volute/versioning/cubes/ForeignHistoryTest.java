package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.History;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Step;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Selection;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Plan;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.SharedReads;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The history over the cubes of two servers, and restores that follow it. */
class ForeignHistoryTest extends PartFixture {
    @BeforeEach
    void twoOwners() throws Exception {
        cubes.create("one");
        bucket(BUCKET, "one");
        bucket("here", StoreCubes.SYSTEM);
        for (String each : List.of(BUCKET, "here")) {
            store.setHistoryPolicy(ALICE, name(each), HistoryPolicy.EVERY_WRITE);
        }
        giveAway("one");
        cubes.reads().setShared(true);
        part.reads().setShared(true);
    }

    private static Set<String> traced(
            VersionedStore of, Direction direction, String bucket, String key) throws IOException {
        Set<String> found = new TreeSet<>();
        Optional<String> from = Optional.empty();
        do {
            // Pages of one step: each continues the walk of the one before.
            Page<Step> page =
                    of.history()
                            .trace(direction, name(bucket), key(key), Optional.empty(), from, 1);
            for (Step step : page.entries()) {
                if (step.node() instanceof Node.OfObject object) {
                    found.add(object.place().bucket() + "/" + object.place().key().value());
                }
            }
            from = page.next();
        } while (from.isPresent());
        return found;
    }

    /** A read at the owner of the source, which the owner of the target knows before the write. */
    private void readThere(Caller caller, String key) throws IOException {
        assertThat(get(part.store(), caller, BUCKET, key)).isNotEmpty();
        assertThat(cubes.reads().add(part.reads().since(SharedReads.Position.START)).hasMore())
                .isFalse();
    }

    @Test
    void aTraceLeadsThroughTheCubesOfAllNodes() throws Exception {
        put(part.store(), BUCKET, "origin", "1");
        copy(BOB, BUCKET, "origin", "here", "copy");
        assertThat(traced(store, Direction.BACK, "here", "copy")).contains(BUCKET + "/origin");
        for (VersionedStore each : List.of(store, part.store())) {
            assertThat(traced(each, Direction.FORWARD, BUCKET, "origin")).contains("here/copy");
        }
        readThere(BOB, "origin");
        put(BOB, "here", "derived", "2");
        assertThat(traced(store, Direction.FORWARD, BUCKET, "origin"))
                .contains("here/copy", "here/derived");
        assertThat(uses).as("views in use").hasValue(0);
    }

    @Test
    void actorsAndActivitiesAreThoseOfAllNodes() throws Exception {
        put(part.store(), BUCKET, "k", "1");
        put(BOB, "here", "k", "2");
        for (VersionedStore each : List.of(store, part.store())) {
            assertThat(
                            each
                                    .history()
                                    .actors(ActorFilter.ALL, Optional.empty(), 100)
                                    .entries()
                                    .stream()
                                    .map(actor -> actor.user()))
                    .contains("alice", "bob");
            assertThat(
                            each
                                    .history()
                                    .activity(
                                            new ActivityFilter(
                                                    Optional.empty(),
                                                    ActorFilter.ALL,
                                                    Optional.empty(),
                                                    Optional.empty()),
                                            Optional.empty(),
                                            100)
                                    .entries()
                                    .stream()
                                    .map(Activity::bucket))
                    .contains(BUCKET, "here");
        }
    }

    private Request beforeTaint(String bucket, String tainted, String key) {
        return new Request(
                name(bucket),
                "",
                Restore.Goal.undo(
                        new Restore.Source.Version(
                                name(tainted), key(key), Optional.empty(), Optional.empty()),
                        Instant.EPOCH),
                OnConflict.SKIP);
    }

    private static Run awaitEnd(VersionedStore of, Run run) {
        while (of.restore().run(run.id()).phase() == Phase.RUNNING) {
            Thread.onSpinWait();
        }
        return of.restore().run(run.id());
    }

    @Test
    void aRestoreFollowsADerivationFromTheCubeOfAnotherNode() throws Exception {
        put(ALICE, "here", "victim", "good");
        put(part.store(), BUCKET, "bad", "poison");
        copy(BOB, BUCKET, "bad", "here", "victim");
        Request request = beforeTaint("here", BUCKET, "bad");
        Plan plan = store.restore().plan(ALICE, request, Optional.empty(), 10);
        assertThat(plan.entries()).hasSize(1);
        assertThat(plan.elsewhere()).extracting(Restore.Elsewhere::bucket).containsExactly(BUCKET);
        Run run = awaitEnd(store, store.restore().start(ALICE, request));
        assertThat(run.phase()).isEqualTo(Phase.DONE);
        assertThat(get(ALICE, "here", "victim")).isEqualTo("good");
        assertThat(store.restore().runs()).extracting(Run::id).containsExactly(run.id());
    }

    /** Behind a take-over the standbys of the node have to catch up first. */
    @Test
    void aRestoreWaitsForTheCubesOfOtherNodes() throws Exception {
        put(part.store(), BUCKET, "victim", "good");
        put(ALICE, "here", "bad", "poison");
        assertThat(part.store().sources(Optional.empty()).bucket(name("here"))).isPresent();
        assertThat(
                        part.store()
                                .copy(
                                        BOB,
                                        new ObjectStore.Source(
                                                name("here"), key("bad"), VersionSelector.LATEST),
                                        name(BUCKET),
                                        key("victim"),
                                        version -> {},
                                        version -> version.attributes(),
                                        WriteCondition.NONE))
                .isNotNull();
        Request request = beforeTaint(BUCKET, "here", "bad");
        AtomicBoolean isBehind = new AtomicBoolean();
        beforeView =
                () -> {
                    if (isBehind.get()) {
                        throw new CubeUnavailableException(
                                CubeUnavailableException.Reason.NOT_OPEN, "it catches up");
                    }
                    return true;
                };
        Run started = part.store().restore().start(ALICE, request);
        isBehind.set(true);
        part.release("one");
        cubes.take("one");
        cubes.release("one");
        part.take("one");
        isBehind.set(false);
        assertThat(awaitEnd(part.store(), started).phase()).isEqualTo(Phase.DONE);
        assertThat(get(part.store(), ALICE, BUCKET, "victim")).isEqualTo("good");
        assertThat(store.restore().runs()).extracting(Run::id).containsExactly(started.id());
    }

    @Test
    void aBucketOfAnotherNodeHasItsSize() throws Exception {
        put(part.store(), BUCKET, "k", "12345");
        for (VersionedStore each : List.of(store, part.store())) {
            History.BucketSize size = each.history().size(name(BUCKET));
            assertThat(size.objects()).isEqualTo(1);
            assertThat(size.bytes()).isEqualTo(5);
        }
        assertThat(uses).as("views in use").hasValue(0);
    }

    @Test
    void theHistoryOfADeletedBucketIsFoundInTheCubeOfAnotherNode() throws Exception {
        put(part.store(), BUCKET, "k", "1");
        assertThat(store.history().kept(name(BUCKET)).states()).isZero();
        delete(part.store(), BUCKET, "k");
        store.deleteBucket(ALICE, name(BUCKET));
        assertThat(
                        store.history()
                                .states(ALICE, name(BUCKET), key("k"), Optional.empty(), 10)
                                .entries())
                .isNotEmpty();
    }

    /** The cube of the last bucket of a name, whichever was deleted first. */
    @Test
    void aPastBucketIsChangedByTheOwnerOfItsCube() throws Exception {
        put(part.store(), BUCKET, "k", "1");
        put(part.store(), BUCKET, "k", "2");
        Instant then = clock.instant();
        delete(part.store(), BUCKET, "k");
        bucket("twice", StoreCubes.SYSTEM);
        store.deleteBucket(ALICE, name("twice"));
        bucket("twice", "one");
        for (String each : List.of(BUCKET, "twice")) {
            store.deleteBucket(ALICE, name(each));
            assertThat(store.history().cubeOf(name(each), true)).contains("one");
            assertThat(part.store().history().cubeOf(name(each), true)).contains("one");
        }
        bucket("twice", StoreCubes.SYSTEM);
        store.deleteBucket(ALICE, name("twice"));
        assertThat(part.store().history().cubeOf(name("twice"), true)).contains(StoreCubes.SYSTEM);
        assertThat(store.history().cubeOf(name("none"), true)).isEmpty();
        assertThat(store.history().cubeOf(name(BUCKET), false)).isEmpty();
        assertThat(part.store().history().cubeOf(name(BUCKET), false)).contains("one");
        ObjectReader past = part.store().asOf(then);
        assertThat(past.bucket(name(BUCKET))).isPresent();
        assertThat(get(past, ALICE, BUCKET, "k")).isEqualTo("2");
        assertThat(past.listObjects(ALICE, name(BUCKET), new ObjectQuery("", "", "", 10)).objects())
                .hasSize(1);
        assertThat(part.store().sources(Optional.empty()).bucket(name(BUCKET))).isEmpty();
        Instant now = clock.instant();
        Range range = new Range(Optional.of(name(BUCKET)), "", false);
        for (ThrowingCallable elsewhere :
                List.<ThrowingCallable>of(
                        () -> store.history().purge(ALICE, name(BUCKET), now),
                        () -> store.provenance().orElseThrow().of(range))) {
            assertThatThrownBy(elsewhere)
                    .isInstanceOfSatisfying(
                            CubeUnavailableException.class,
                            e -> assertThat(e.cube()).contains("one"));
        }
        ByteArrayOutputStream export = new ByteArrayOutputStream();
        assertThat(part.store().provenance().orElseThrow().export(range, Selection.ALL, export))
                .isPositive();
        assertThat(part.store().history().purge(ALICE, name(BUCKET), now)).isPositive();
        assertThat(uses).as("views in use").hasValue(0);
    }

    /** Has all restores wait for views, until the result is false. */
    private AtomicBoolean restoresWait() {
        Thread test = Thread.currentThread();
        AtomicBoolean isBehind = new AtomicBoolean(true);
        beforeView =
                () -> {
                    if (isBehind.get() && Thread.currentThread() != test) {
                        throw new CubeUnavailableException(
                                CubeUnavailableException.Reason.NOT_OPEN, "it catches up");
                    }
                    return true;
                };
        return isBehind;
    }

    private static Request of(Request request, String prefix) {
        return new Request(request.bucket(), prefix, request.goal(), request.onConflict());
    }

    /** Begins as many as a cube takes, each of other keys. */
    private List<Run> restores(Request request) throws IOException {
        List<Run> waiting = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            waiting.add(store.restore().start(ALICE, of(request, String.format("%02d/", i))));
        }
        return waiting;
    }

    /** The client gets no id of a part that has begun. */
    @Test
    @Tag("slow")
    void aRestoreOfADividedBucketBeginsInAllPartsOrInNone() throws Exception {
        cubes.create("two");
        cubes.create("three");
        bucket("wide", "two");
        bucket("narrow", "three");
        put(ALICE, "wide", "a", "1");
        put(ALICE, "wide", "z", "1");
        assertThat(cubes.moves().split(name("wide"), key("m"), "three").to()).isEqualTo("three");
        awaitMoves();
        put(part.store(), BUCKET, "bad", "poison");
        AtomicBoolean isBehind = restoresWait();
        List<Run> waiting = restores(beforeTaint("narrow", BUCKET, "bad"));
        assertThatThrownBy(() -> store.restore().start(ALICE, beforeTaint("wide", BUCKET, "bad")))
                .hasMessageContaining("64 restores are running");
        assertThat(store.restore().runs())
                .filteredOn(run -> run.request().bucket().equals(name("wide")))
                .singleElement()
                .matches(run -> run.phase() == Phase.CANCELLED);
        isBehind.set(false);
        assertThat(waiting).allMatch(run -> awaitEnd(store, run).phase() == Phase.DONE);
    }

    @Test
    @Tag("slow")
    void restoresThatWaitAreBounded() throws Exception {
        put(part.store(), BUCKET, "bad", "poison");
        Request request = beforeTaint("here", BUCKET, "bad");
        AtomicBoolean isBehind = restoresWait();
        List<Run> waiting = restores(request);
        assertThatThrownBy(() -> store.restore().start(ALICE, request))
                .hasMessageContaining("64 restores are running")
                .hasMessageContaining("cancel one");
        Run ended = store.restore().cancel(waiting.removeFirst().id());
        assertThat(ended.phase()).isEqualTo(Phase.CANCELLED);
        waiting.add(store.restore().start(ALICE, ended.request()));
        isBehind.set(false);
        assertThat(waiting).allMatch(run -> awaitEnd(store, run).phase() == Phase.DONE);
    }

    /** A trace without the events of a cube would look complete. */
    @Test
    void aCubeThatCannotBeReadIsNamed() throws Exception {
        put(ALICE, "here", "k", "1");
        part.release("one");
        assertThatThrownBy(() -> traced(store, Direction.FORWARD, "here", "k"))
                .hasCauseInstanceOf(CubeUnavailableException.class)
                .cause()
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class, e -> assertThat(e.cube()).contains("one"));
        cubes.take("one");
        assertThat(traced(store, Direction.FORWARD, "here", "k")).isEmpty();
    }
}
