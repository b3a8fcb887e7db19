package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Transaction;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A restore reports unknown states, and does not treat them as absent. */
@Tag("slow")
class RestoreDoubtsTest extends PastFixture {
    private static final Caller BOB = new Caller("bob", "key-b", "bob");

    /** Why commits of restores are refused; empty when they are not. */
    private volatile Optional<CubeUnavailableException.Reason> refused = Optional.empty();

    /** Makes the cube also refuse commits that take space. */
    private volatile boolean isFull;

    @Override
    public Cube openCube() {
        return refusing(
                transaction ->
                        refused.filter(reason -> isRefused(transaction))
                                .map(reason -> new CubeUnavailableException(reason, "no room")));
    }

    /**
     * Returns whether to refuse a commit of a running restore. Its first row is written by the
     * caller.
     */
    private boolean isRefused(Transaction transaction) {
        boolean isRunning = Thread.currentThread().getName().startsWith("restore-");
        return isRunning && isOfRestore(transaction) || isFull && !transaction.makesRoom();
    }

    private Restore restore() {
        return store.restore();
    }

    private static Request request(Goal goal) {
        return new Request(BUCKET, "", goal, OnConflict.SKIP);
    }

    private static Request to(Instant instant) {
        return request(new Goal.ToInstant(instant));
    }

    private List<Line> plan(Request request) throws IOException {
        return restore().plan(BOB, request, Optional.empty(), 1000).entries();
    }

    private Run until(String id, Predicate<Run> isSo) {
        Run run = restore().run(id);
        while (!isSo.test(run)) {
            Thread.onSpinWait();
            run = restore().run(id);
        }
        return run;
    }

    private Run done(Request request) throws IOException {
        Run run = until(restore().start(BOB, request).id(), now -> now.phase() != Phase.RUNNING);
        assertThat(run.phase()).isEqualTo(Phase.DONE);
        return run;
    }

    /** Begins one that finds no room. */
    private Run waiting(Request request) throws IOException {
        refused = Optional.of(CubeUnavailableException.Reason.FULL);
        Run run = until(restore().start(BOB, request).id(), now -> !now.message().isEmpty());
        assertThat(run.phase()).isEqualTo(Phase.RUNNING);
        assertThat(run.message()).contains("no room");
        return run;
    }

    private void assertStaysWhatIsWritten(Goal goal) throws IOException {
        Run run = waiting(request(goal));
        tick();
        put(BOB, "a", "written meanwhile");
        delete(BOB, "b");
        put(BOB, "b", "again");
        tick();
        refused = Optional.empty();
        run = until(run.id(), now -> now.phase() != Phase.RUNNING);
        assertThat(run.phase()).isEqualTo(Phase.DONE);
        assertThat(run.message()).isEmpty();
        assertThat(run.skipped()).isEqualTo(2);
        assertThat(run.restored()).isEqualTo(1);
        assertThat(contents(store))
                .containsEntry("a", "written meanwhile")
                .containsEntry("b", "again")
                .containsEntry("c", "good");
    }

    private Instant spoiled() throws IOException {
        for (String key : List.of("a", "b", "c")) {
            put(ALICE, key, "good");
        }
        Instant good = tick();
        for (String key : List.of("a", "b", "c")) {
            put(THIEF, key, "bad");
        }
        tick();
        return good;
    }

    @Test
    void whatIsWrittenWhileItGoesBackToAnInstantStays() throws IOException {
        assertStaysWhatIsWritten(new Goal.ToInstant(spoiled()));
    }

    @Test
    void whatIsWrittenWhileItUndoesSomebodyStays() throws IOException {
        assertStaysWhatIsWritten(
                Restore.Goal.undo(new Restore.Source.Name("thief", Optional.empty()), spoiled()));
    }

    @Test
    void whatIsWrittenBetweenPagesOfAPlanIsAConflict() throws IOException {
        Instant good = spoiled();
        Request undo =
                request(
                        Restore.Goal.undo(
                                new Restore.Source.Name("thief", Optional.empty()), good));
        var first = restore().plan(BOB, undo, Optional.empty(), 1);
        put(BOB, "b", "written meanwhile");
        List<Line> rest = restore().plan(BOB, undo, first.next(), 10).entries();
        assertThat(rest).extracting(line -> line.key().value()).containsExactly("b", "c");
        assertThat(rest.get(0).conflict().orElseThrow()).contains("written by bob");
        assertThat(rest.get(1).conflict()).isEmpty();
    }

    /** Two restores of one key would not respect each other. */
    @Test
    void aSecondRestoreOfTheSameKeysIsRefused() throws IOException {
        Instant good = spoiled();
        Run run = waiting(to(good));
        for (String prefix : List.of("", "a")) {
            assertThatThrownBy(() -> restore().start(BOB, of(prefix, to(START))))
                    .hasMessageContaining("restore " + run.id() + " of the same keys is running");
        }
        assertThatThrownBy(() -> plan(request(Restore.Goal.undoRestores(List.of(run.id())))))
                .hasMessageContaining("is running: wait for its end, or cancel it");
        refused = Optional.empty();
        assertThat(until(run.id(), now -> now.phase() != Phase.RUNNING).restored()).isEqualTo(3);
        assertThat(done(to(good)).restored()).isZero();
    }

    private static Request of(String prefix, Request request) {
        return new Request(request.bucket(), prefix, request.goal(), request.onConflict());
    }

    @Test
    void restoresOfOtherKeysRunBesideEachOther() throws IOException {
        Instant good = spoiled();
        Run one = waiting(of("a", to(good)));
        Run other = waiting(of("b", to(good)));
        refused = Optional.empty();
        assertThat(until(one.id(), now -> now.phase() != Phase.RUNNING).restored()).isEqualTo(1);
        assertThat(until(other.id(), now -> now.phase() != Phase.RUNNING).restored()).isEqualTo(1);
    }

    /** The server stopped during an undo, and the thief wrote on. */
    @Test
    void whatAResumedUndoCondemnedStaysCondemned() throws IOException {
        Instant good = spoiled();
        Run run =
                waiting(
                        request(
                                Restore.Goal.undo(
                                        new Restore.Source.Name("thief", Optional.empty()), good)));
        tick();
        put(THIEF, "a", "worse");
        Instant worse = tick();
        store.close();
        refused = Optional.empty();
        store = openStore();
        assertThat(until(run.id(), now -> now.phase() != Phase.RUNNING).restored()).isEqualTo(3);
        assertThat(contents(store).values()).containsOnly("good");
        tick();
        assertThat(plan(to(worse)))
                .hasSize(3)
                .allMatch(line -> line.conflict().orElse("").contains("is undone by restore"));
    }

    @Test
    void whoWaitsForRoomCanBeCancelled() throws IOException {
        Run run = waiting(to(spoiled()));
        refused = Optional.empty();
        assertThat(restore().cancel(run.id()).phase()).isIn(Phase.CANCELLED, Phase.DONE);
        run = waiting(to(START));
        assertThat(restore().cancel(run.id()).phase()).isEqualTo(Phase.FAILED);
    }

    @Test
    void aStoreThatIsReadOnlyEndsIt() throws IOException {
        Instant good = spoiled();
        refused = Optional.of(CubeUnavailableException.Reason.READ_ONLY);
        String id = restore().start(BOB, to(good)).id();
        Run run = until(id, now -> now.phase() != Phase.RUNNING);
        assertThat(run.phase()).isEqualTo(Phase.FAILED);
        assertThat(run.message()).contains("next start resumes it");
        refused = Optional.empty();
        store.close();
        store = openStore();
        assertThat(until(id, now -> now.phase() != Phase.RUNNING).restored()).isEqualTo(3);
        assertThat(contents(store).values()).containsOnly("good");
    }

    private void assertUnknown(Request request, String key, String why) throws IOException {
        String now = contents(store).get(key);
        assertThat(plan(request))
                .singleElement()
                .satisfies(
                        line -> {
                            assertThat(line.key().value()).isEqualTo(key);
                            assertThat(line.then()).isEmpty();
                            assertThat(line.exact()).isFalse();
                            assertThat(line.conflict().orElseThrow()).contains(why);
                        });
        Run run = done(request);
        assertThat(run.restored()).isZero();
        assertThat(run.skipped()).isEqualTo(1);
        assertThat(contents(store)).containsEntry(key, now);
    }

    @Test
    void aStateThatWasPurgedIsNotTakenForNothing() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "key", "one");
        Instant one = tick();
        put(ALICE, "key", "two");
        Instant two = tick();
        assertThat(store.history().purge(ALICE, BUCKET, two)).isEqualTo(1);
        tick();
        assertUnknown(to(one), "key", "not kept any more");
    }

    /** The present key has a new beginning: only the horizon shows that states were removed. */
    @Test
    void aKeyThatWasDeletedAndPurgedIsNotTakenForNothing() throws IOException {
        put(ALICE, "key", "one");
        Instant one = tick();
        delete(THIEF, "key");
        Instant gone = tick();
        store.history().purge(ALICE, BUCKET, gone);
        put(ALICE, "key", "new");
        Instant later = tick();
        assertUnknown(to(one), "key", "not kept");
        put(ALICE, "other", "newer");
        tick();
        assertThat(plan(to(later)))
                .singleElement()
                .matches(line -> line.exact() && line.conflict().isEmpty());
    }

    @Test
    void aKeyThatWasDeletedAndTrimmedIsNotTakenForNothing() throws IOException {
        put(ALICE, "key", "one");
        Instant one = tick();
        delete(THIEF, "key");
        tick();
        assertThat(store.retention().trimOldest(10)).isEqualTo(1);
        tick();
        put(ALICE, "key", "new");
        tick();
        assertUnknown(to(one), "key", "not kept any more");
    }

    /** Pending reads go to the log before the delete, also from the reserve. */
    @Test
    void whoHasReadMuchCanDeleteInAFullStore() throws IOException {
        for (int i = 0; i < 1300; i++) {
            put(ALICE, "k" + i, "text");
        }
        refused = Optional.of(CubeUnavailableException.Reason.FULL);
        isFull = true;
        for (int i = 0; i < 1300; i++) {
            assertThat(read(BOB, "k" + i)).isEqualTo("text");
        }
        delete(BOB, "k0");
        isFull = false;
        assertThat(contents(store)).doesNotContainKey("k0");
    }

    @Test
    void aFullStoreCanForget() throws IOException {
        put(ALICE, "trimmed", "one");
        put(THIEF, "trimmed", "two");
        tick();
        put(ALICE, "purged", "one");
        put(THIEF, "purged", "two");
        Instant now = tick();
        refused = Optional.of(CubeUnavailableException.Reason.FULL);
        isFull = true;
        assertThat(store.retention().trimOldest(1)).isEqualTo(1);
        assertThat(store.history().purge(ALICE, BUCKET, now)).isEqualTo(1);
        isFull = false;
    }

    @Test
    void whatWasDeletedWhileNothingWasKeptIsNotTakenForNothing() throws IOException {
        policy(HistoryPolicy.NONE);
        put(ALICE, "key", "one");
        Instant one = tick();
        delete(THIEF, "key");
        tick();
        policy(HistoryPolicy.CYCLE_AVOIDANCE);
        put(ALICE, "key", "new");
        tick();
        assertUnknown(to(one), "key", "is not kept any more");
        policy(HistoryPolicy.NONE);
        assertUnknown(to(one), "key", "keeps no states");
    }

    @Test
    void whoOverwritesItsOwnKeepsTheLastAndThePlanSaysSo() throws IOException {
        put(THIEF, "key", "bad");
        Instant bad = tick();
        put(THIEF, "key", "worse");
        tick();
        assertThat(plan(to(bad)))
                .singleElement()
                .satisfies(
                        line -> {
                            assertThat(line.now()).isEqualTo(line.then());
                            assertThat(line.exact()).isFalse();
                            assertThat(line.conflict()).isEmpty();
                        });
        assertThat(done(to(bad)).restored()).isZero();
        assertThat(contents(store)).containsEntry("key", "worse");
    }

    @Test
    void whoDeletesItsOwnKeepsNothingAndThePlanSaysSo() throws IOException {
        put(ALICE, "gone", "one");
        put(ALICE, "back", "one");
        Instant then = tick();
        delete(ALICE, "gone");
        delete(ALICE, "back");
        put(ALICE, "back", "two");
        put(ALICE, "later", "one");
        delete(ALICE, "later");
        put(ALICE, "later", "two");
        tick();
        List<Line> plan = plan(to(then));
        assertThat(plan)
                .extracting(line -> line.key().value())
                .containsExactly("back", "gone", "later");
        assertThat(plan).extracting(Line::exact).containsExactly(false, false, true);
        assertThat(plan.get(0).conflict().orElseThrow())
                .contains("deleted by laptop")
                .contains("not kept");
        assertThat(plan.get(1).now()).isEmpty();
        Run run = done(to(then));
        assertThat(run.restored()).as("of what was not there").isEqualTo(1);
        assertThat(run.skipped()).as("with the one that is lost").isEqualTo(2);
        assertThat(contents(store)).containsOnlyKeys("back").containsEntry("back", "two");
    }
}
