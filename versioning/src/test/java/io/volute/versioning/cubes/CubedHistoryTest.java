package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.secrecy.AuditorKey;
import io.volute.versioning.History.Action;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Step;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Plan;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Causality, restores and signed history that lead from cube to cube. */
class CubedHistoryTest extends CubesFixture {
    @BeforeEach
    void buckets() throws Exception {
        cubes.create("one");
        cubes.create("two");
        store.createBucket(ALICE, name("in-default"));
        bucket("in-one", "one");
        bucket("in-two", "two");
    }

    private List<String> objects(Direction direction, String bucket, String key)
            throws IOException {
        List<String> found = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            // Pages of one step: each continues the walk of the one before.
            Page<Step> page =
                    store.history()
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

    /** The derivation leads through a cube that cannot be read. */
    @Test
    void anUndoOfADerivationNeedsAllCubes() throws Exception {
        put(ALICE, "in-two", "victim", "good");
        put(ALICE, "in-default", "bad", "poison");
        copy(BOB, "in-default", "bad", "in-one", "between");
        copy(BOB, "in-one", "between", "in-two", "victim");
        Request request =
                new Request(
                        name("in-two"),
                        "",
                        Restore.Goal.undo(
                                new Restore.Source.Version(
                                        name("in-default"),
                                        key("bad"),
                                        Optional.empty(),
                                        Optional.empty()),
                                Instant.EPOCH),
                        OnConflict.SKIP);
        failures.put("one", new IOException("the disk is gone"));
        restart();
        assertThatThrownBy(() -> store.restore().plan(ALICE, request, Optional.empty(), 10))
                .hasMessageContaining("cube one");
        Run waiting = store.restore().start(ALICE, request);
        failures.clear();
        assertThat(cubes.reopen("one", false).phase())
                .isIn(StoreCubes.Phase.OPENING, StoreCubes.Phase.OPEN);
        while (store.restore().run(waiting.id()).phase() == Phase.RUNNING) {
            Thread.onSpinWait();
        }
        assertThat(get(ALICE, "in-two", "victim")).isEqualTo("good");
    }

    private Restore.Run done(Request request) throws IOException {
        Run run = store.restore().start(ALICE, request);
        while (store.restore().run(run.id()).phase() == Phase.RUNNING) {
            Thread.onSpinWait();
        }
        Run ended = store.restore().run(run.id());
        assertThat(ended.phase()).as(ended.message()).isEqualTo(Phase.DONE);
        return ended;
    }

    /** An undo in force condemns what was derived through the missing cube. */
    @Test
    void restoresNeedAllCubesWhileAnUndoIsInForce() throws Exception {
        store.setHistoryPolicy(ALICE, name("in-two"), HistoryPolicy.EVERY_WRITE);
        put(ALICE, "in-two", "victim", "good");
        put(ALICE, "in-default", "bad", "poison");
        copy(BOB, "in-default", "bad", "in-one", "between");
        copy(BOB, "in-one", "between", "in-two", "victim");
        Instant bad = clock.instant();
        Restore.Source.Version source =
                new Restore.Source.Version(
                        name("in-default"), key("bad"), Optional.empty(), Optional.empty());
        Request to =
                new Request(name("in-two"), "", new Restore.Goal.ToInstant(bad), OnConflict.SKIP);
        assertThat(
                        done(new Request(
                                        name("in-two"),
                                        "",
                                        Restore.Goal.undo(source, Instant.EPOCH),
                                        OnConflict.SKIP))
                                .restored())
                .isEqualTo(1);
        assertThat(store.restore().plan(ALICE, to, Optional.empty(), 10).entries())
                .singleElement()
                .matches(line -> line.undoneBy().isPresent());
        failures.put("one", new IOException("the disk is gone"));
        restart();
        Request alone =
                new Request(
                        name("in-two"),
                        "",
                        new Restore.Goal.Undo(
                                List.of(new Restore.Source.AccessKey("key-b")),
                                List.of(),
                                Instant.EPOCH,
                                false),
                        OnConflict.SKIP);
        for (Request each : List.of(to, alone)) {
            assertThatThrownBy(() -> store.restore().plan(ALICE, each, Optional.empty(), 10))
                    .hasMessageContaining("cube one");
        }
        failures.clear();
        assertThat(get(ALICE, "in-two", "victim")).isEqualTo("good");
    }

    /** The event of the deletion stays in the cube where the bucket was. */
    @Test
    void whatWasDeletedUnkeptBeforeAMoveIsUnknown() throws Exception {
        store.settings().setResolution(name("in-one"), Optional.of(Duration.ZERO));
        put(ALICE, "in-one", "gone", "1");
        Instant then = clock.instant();
        store.delete(
                ALICE, name("in-one"), key("gone"), VersionSelector.LATEST, WriteCondition.NONE);
        Request to =
                new Request(name("in-one"), "", new Restore.Goal.ToInstant(then), OnConflict.SKIP);
        assertThat(done(to).unknown()).isEqualTo(1);
        assertThat(cubes.moves().start(name("in-one"), "two")).isNotNull();
        while (!cubes.moves().list().isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(done(to).unknown()).isEqualTo(1);
    }

    @Test
    void aCheckpointIsMadeInEachCube() throws Exception {
        for (String each : List.of("in-default", "in-one", "in-two")) {
            put(ALICE, each, "k", "1");
        }
        Provenance all = store.provenance().orElseThrow();
        assertThat(all.checkpoint(() -> true).body().heads()).isPositive();
        for (Opened each : cubes.opened()) {
            assertThat(each.store().provenance().orElseThrow().lastCheckpoint())
                    .as(each.name())
                    .isPresent();
        }
    }

    /** A cube that is not open may have had the last bucket of the name. */
    @Test
    void whatChangesAPastBucketNeedsAllCubes() throws Exception {
        store.setHistoryPolicy(ALICE, name("in-one"), HistoryPolicy.EVERY_WRITE);
        put(ALICE, "in-one", "k", "1");
        store.delete(
                ALICE,
                name("in-one"),
                new ObjectKey("k"),
                VersionSelector.LATEST,
                WriteCondition.NONE);
        store.deleteBucket(ALICE, name("in-one"));
        failures.put("two", new IOException("the disk is gone"));
        restart();
        Instant now = clock.instant();
        for (ThrowingCallable change :
                List.<ThrowingCallable>of(
                        () -> store.history().purge(ALICE, name("in-one"), now),
                        () ->
                                store.provenance()
                                        .orElseThrow()
                                        .of(new Range(Optional.of(name("in-one")), "", false)))) {
            assertThatThrownBy(change).hasMessageContaining("cube two");
        }
        assertThat(
                        store.history()
                                .states(ALICE, name("in-one"), key("k"), Optional.empty(), 9)
                                .entries())
                .isNotEmpty();
        failures.clear();
        restart();
        assertThat(store.history().purge(ALICE, name("in-one"), now)).isPositive();
    }

    @Test
    void aReadInOneCubeIsACauseOfAWriteInAnother() throws Exception {
        put(ALICE, "in-one", "origin", "1");
        assertThat(get(BOB, "in-one", "origin")).isEqualTo("1");
        put(BOB, "in-two", "derived", "2");
        assertThat(get(ALICE, "in-two", "derived")).isEqualTo("2");
        put(ALICE, "in-default", "last", "3");
        put(BOB, "in-two", "unrelated-reader", "4");
        assertThat(objects(Direction.FORWARD, "in-one", "origin"))
                .contains("in-two/derived", "in-default/last");
        assertThat(objects(Direction.BACK, "in-default", "last"))
                .containsExactlyInAnyOrder("in-two/derived", "in-one/origin");
        restart();
        assertThat(objects(Direction.BACK, "in-default", "last"))
                .containsExactlyInAnyOrder("in-two/derived", "in-one/origin");
    }

    @Test
    void whatWasWrittenBeforeTheReadIsNotDerived() throws Exception {
        put(ALICE, "in-one", "origin", "1");
        put(BOB, "in-two", "before", "written before the read");
        assertThat(get(BOB, "in-one", "origin")).isEqualTo("1");
        put(BOB, "in-two", "after", "2");
        assertThat(objects(Direction.FORWARD, "in-one", "origin")).containsExactly("in-two/after");
    }

    @Test
    void aCopyAcrossCubesIsAnEdgeAndAClaim() throws Exception {
        put(ALICE, "in-one", "origin", "1");
        copy(BOB, "in-one", "origin", "in-two", "copy");
        assertThat(objects(Direction.FORWARD, "in-one", "origin")).contains("in-two/copy");
        assertThat(objects(Direction.BACK, "in-two", "copy")).contains("in-one/origin");
        List<Entry> entries = new ArrayList<>();
        store.provenance()
                .orElseThrow()
                .entries(name("in-two"), key("copy"), record -> entries.add(record.entry()));
        assertThat(entries).hasSize(1);
        assertThat(entries.getFirst().kind()).isEqualTo(EventKind.COPY);
        assertThat(entries.getFirst().source()).isPresent();
        assertThat(entries.getFirst().content()).isPresent();
    }

    @Test
    void aRestoreFollowsADerivationIntoItsCube() throws Exception {
        put(ALICE, "in-two", "victim", "good");
        put(ALICE, "in-one", "bad", "poison");
        assertThat(get(BOB, "in-one", "bad")).isEqualTo("poison");
        put(BOB, "in-two", "victim", "poisoned");
        Request request =
                new Request(
                        name("in-two"),
                        "",
                        Restore.Goal.undo(
                                new Restore.Source.Version(
                                        name("in-one"),
                                        key("bad"),
                                        Optional.empty(),
                                        Optional.empty()),
                                Instant.EPOCH),
                        OnConflict.SKIP);
        Plan plan = store.restore().plan(ALICE, request, Optional.empty(), 10);
        assertThat(plan.entries()).hasSize(1);
        assertThat(plan.elsewhere())
                .extracting(Restore.Elsewhere::bucket)
                .containsExactly("in-one");
        Run run = store.restore().start(ALICE, request);
        while (store.restore().run(run.id()).phase() == Phase.RUNNING) {
            Thread.onSpinWait();
        }
        assertThat(store.restore().run(run.id()).phase()).isEqualTo(Phase.DONE);
        assertThat(get(ALICE, "in-two", "victim")).isEqualTo("good");
        assertThat(store.restore().runs()).extracting(Run::id).containsExactly(run.id());
    }

    @Test
    void actorsAndActivitiesOfAllCubesAreListedOnce() throws Exception {
        put(ALICE, "in-one", "a", "1");
        assertThat(get(BOB, "in-one", "a")).isEqualTo("1");
        put(BOB, "in-two", "b", "2");
        put(ALICE, "in-default", "c", "3");
        Page<ActorInfo> actors = store.history().actors(ActorFilter.ALL, Optional.empty(), 10);
        assertThat(actors.entries()).extracting(ActorInfo::user).contains("alice", "bob");
        ActivityFilter all =
                new ActivityFilter(
                        Optional.empty(), ActorFilter.ALL, Optional.empty(), Optional.empty());
        List<String> done = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            Page<Activity> page = store.history().activity(all, from, 1);
            page.entries().forEach(each -> done.add(each.action() + " " + each.key().value()));
            from = page.next();
        } while (from.isPresent());
        assertThat(done)
                .containsExactlyInAnyOrder(
                        Action.PUT + " a",
                        Action.READ + " a",
                        Action.PUT + " b",
                        Action.PUT + " c");
    }

    @Test
    void auditsCoverAllCubesAndKeysAreOfEach() throws Exception {
        put(ALICE, "in-one", "a", "1");
        put(ALICE, "in-two", "b", "2");
        Provenance all = store.provenance().orElseThrow();
        List<AuditReport> reports = Collections.synchronizedList(new ArrayList<>());
        long chains = all.audit(Range.ALL, Terms.USUAL, reports::add);
        assertThat(reports).allMatch(report -> report.findings().isEmpty());
        // Two keys, and the chain of the settings of each of the three cubes.
        assertThat(chains).isGreaterThanOrEqualTo(2);
        assertThat(reports)
                .extracting(AuditReport::chain)
                .anyMatch(each -> each.contains("in-one"));
        assertThat(reports)
                .extracting(AuditReport::chain)
                .anyMatch(each -> each.contains("in-two"));
        for (StoreCubes.Opened each : cubes.opened()) {
            assertThat(each.store().provenance().orElseThrow().checkpoint(() -> true)).isNotNull();
        }
        assertThat(all.auditCheckpoints(OptionalLong.empty(), () -> true)).isEmpty();
        assertThat(
                        cubes.opened().stream()
                                .map(each -> each.store().provenance().orElseThrow().keys())
                                .map(keys -> keys.storeId())
                                .distinct())
                .hasSize(3);
        assertThatThrownBy(() -> all.export(Range.ALL, new ByteArrayOutputStream()))
                .hasMessageContaining("name a bucket or a cube");
        Range one = new Range(Optional.of(name("in-one")), "", false);
        assertThat(all.export(one, new ByteArrayOutputStream())).isPositive();
    }

    @Test
    void anAuditorIsOneInAllCubesAndInNewOnes() throws Exception {
        Provenance all = store.provenance().orElseThrow();
        all.addAuditor("carol", newAuditor());
        cubes.create("three");
        assertThat(cubes.opened())
                .allMatch(
                        each ->
                                each
                                        .store()
                                        .provenance()
                                        .orElseThrow()
                                        .keys()
                                        .open(KeyRole.AUDITOR)
                                        .stream()
                                        .anyMatch(grant -> grant.owner().equals("carol")));
        // A call that failed half way can be repeated.
        PublicKey next = newAuditor();
        cubes.opened().getLast().store().provenance().orElseThrow().addAuditor("dave", next);
        all.addAuditor("dave", next);
        all.endAuditor("carol");
        assertThat(cubes.opened())
                .allMatch(
                        each ->
                                each.store()
                                                .provenance()
                                                .orElseThrow()
                                                .keys()
                                                .open(KeyRole.AUDITOR)
                                                .size()
                                        == 1);
    }

    private static PublicKey newAuditor() {
        return new PublicKey(
                SignatureAlgorithm.X25519, AuditorKey.generate(new SecureRandom()).publicKey());
    }
}
