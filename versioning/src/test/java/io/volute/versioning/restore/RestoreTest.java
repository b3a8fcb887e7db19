package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.FakeCube;
import io.volute.versioning.History;
import io.volute.versioning.Listing;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.StoreException;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

public class RestoreTest extends PastFixture {
    private static final Caller HELPER = new Caller("alice", "key-h", "helper");
    private static final Caller BOB = new Caller("bob", "key-b", "bob");
    private static final Caller ADMIN = new Caller("root", "key-r", "admin");

    private static Request request(Goal goal) {
        return new Request(BUCKET, "", goal, OnConflict.SKIP);
    }

    private Restore restore() {
        return store.restore();
    }

    private List<Line> plan(Request request, int max) throws IOException {
        List<Line> all = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            var page = restore().plan(ADMIN, request, from, max);
            all.addAll(page.entries());
            from = page.next();
        } while (from.isPresent());
        return all;
    }

    private List<String> keys(Request request) throws IOException {
        return plan(request, 1).stream().map(line -> line.key().value()).toList();
    }

    /** Cancelling waits for the run; of one that is done it changes nothing. */
    private Run run(Request request) throws IOException {
        Run run = ended(restore().start(ADMIN, request).id());
        assertThat(run.message()).isEmpty();
        assertThat(run.phase()).isEqualTo(Phase.DONE);
        return run;
    }

    @Test
    void toAnInstantMovesNoBytesAndCanBeUndone() throws IOException {
        put(ALICE, "changed", "good");
        put(ALICE, "deleted", "there");
        put(ALICE, "same", "same");
        Instant good = tick();
        put(THIEF, "changed", "bad");
        delete(THIEF, "deleted");
        put(THIEF, "new", "ransom note");
        Instant bad = tick();
        Request back = request(new Goal.ToInstant(good));
        List<Line> plan = plan(back, 1000);
        assertThat(plan)
                .extracting(line -> line.key().value())
                .containsExactly("changed", "deleted", "new");
        assertThat(plan).allMatch(line -> line.exact() && line.conflict().isEmpty());
        assertThat(plan.get(0).now().orElseThrow().actor().orElseThrow().actor().name())
                .isEqualTo("thief");
        assertThat(plan.get(1).now()).isEmpty();
        assertThat(plan.get(2).then()).isEmpty();
        int blobs = liveBlobs();
        Run run = run(back);
        assertThat(run.restored()).isEqualTo(3);
        tick();
        Map<String, String> all = Map.of("changed", "good", "deleted", "there", "same", "same");
        assertThat(
                        store.history()
                                .trace(
                                        History.Direction.BACK,
                                        BUCKET,
                                        new ObjectKey("changed"),
                                        Optional.empty(),
                                        Optional.empty(),
                                        10)
                                .entries())
                .as("what was put back comes from what was there")
                .anyMatch(
                        step ->
                                step.node() instanceof History.Node.OfActor who
                                        && who.actor().actor().name().equals("laptop"));
        assertThat(contents(store)).isEqualTo(all);
        assertThat(liveBlobs()).isEqualTo(blobs);
        assertThat(plan(back, 10)).isEmpty();
        assertThat(past(bad)).containsEntry("changed", "bad").doesNotContainKey("deleted");
        Request undone =
                request(
                        Restore.Goal.undo(
                                new Restore.Source.Name(run.actor(), Optional.empty()), good));
        assertThat(keys(undone)).containsExactly("changed", "deleted", "new");
        assertThat(run(undone).restored()).isEqualTo(3);
        assertThat(contents(store))
                .isEqualTo(Map.of("changed", "bad", "same", "same", "new", "ransom note"));
    }

    @Test
    void onlyKeysWithThePrefix() throws IOException {
        Instant empty = tick();
        put(ALICE, "a/1", "1");
        put(ALICE, "b/1", "1");
        tick();
        Request request = new Request(BUCKET, "a/", new Goal.ToInstant(empty), OnConflict.SKIP);
        assertThat(keys(request)).containsExactly("a/1");
        assertThat(run(request).restored()).isEqualTo(1);
        assertThat(contents(store)).isEqualTo(Map.of("b/1", "1"));
    }

    /** The expected content is that of a store without the thief. */
    @Test
    void undoneAsIfTheActorHadNeverBeen() throws IOException {
        Map<String, String> without = new TreeMap<>();
        for (int i = 0; i < 600; i++) {
            put(ALICE, "k" + i, "v" + i);
            without.put("k" + i, "v" + i);
        }
        Instant since = tick();
        for (int i = 0; i < 600; i += 2) {
            if (i % 4 == 0) {
                put(THIEF, "k" + i, "encrypted");
            } else {
                delete(THIEF, "k" + i);
            }
        }
        put(THIEF, "note", "pay");
        tick();
        put(ALICE, "k1", "still working");
        without.put("k1", "still working");
        put(ALICE, "k4", "overwritten the encrypted");
        tick();
        Request undo =
                request(
                        Restore.Goal.undo(
                                new Restore.Source.Name("thief", Optional.empty()), since));
        List<Line> plan = plan(undo, 7);
        assertThat(plan).hasSize(301);
        assertThat(plan.stream().filter(line -> line.conflict().isPresent()).toList())
                .singleElement()
                .satisfies(
                        line -> {
                            assertThat(line.key().value()).isEqualTo("k4");
                            assertThat(line.conflict().orElseThrow()).contains("laptop");
                        });
        Run run = run(undo);
        assertThat(run.restored()).isEqualTo(300);
        assertThat(run.skipped()).isEqualTo(1);
        without.put("k4", "overwritten the encrypted");
        assertThat(contents(store)).isEqualTo(without);
        Request all =
                new Request(
                        BUCKET,
                        "",
                        Restore.Goal.undo(new Restore.Source.AccessKey(THIEF.accessKey()), since),
                        OnConflict.OVERWRITE);
        assertThat(keys(all)).contains("k1", "k4");
    }

    @Test
    void everythingDerivedIsPutBackToBefore() throws IOException {
        put(ALICE, "config", "good");
        put(ALICE, "report", "good report");
        put(ALICE, "other", "other");
        tick();
        put(THIEF, "config", "bad");
        tick();
        assertThat(read(HELPER, "config")).isEqualTo("bad");
        put(HELPER, "report", "bad report");
        put(HELPER, "summary", "bad summary");
        tick();
        put(ALICE, "other", "new");
        tick();
        Request request =
                request(
                        Restore.Goal.undo(
                                new Restore.Source.Version(
                                        BUCKET,
                                        new ObjectKey("config"),
                                        Optional.empty(),
                                        Optional.empty()),
                                Instant.EPOCH));
        assertThat(keys(request)).containsExactly("config", "report", "summary");
        assertThat(run(request).restored()).isEqualTo(3);
        assertThat(contents(store))
                .isEqualTo(Map.of("config", "good", "report", "good report", "other", "new"));
    }

    /** From what is known to be wrong, back to the first of what they wrote, and forward again. */
    @Test
    void aCauseIsLookedForInWhatAVersionWasMadeFrom() throws IOException {
        put(ALICE, "input", "good");
        put(ALICE, "other", "good");
        put(HELPER, "sum", "good");
        put(HELPER, "report", "good");
        tick();
        put(THIEF, "unrelated", "bad");
        put(THIEF, "input", "bad");
        put(THIEF, "input too", "bad");
        assertThat(read(HELPER, "input")).isEqualTo("bad");
        put(HELPER, "sum", "bad");
        assertThat(read(BOB, "sum")).isEqualTo("bad");
        assertThat(read(BOB, "input too")).isEqualTo("bad");
        put(BOB, "report", "bad");
        tick();
        Goal from =
                Restore.Goal.undo(
                        new Restore.Source.Version(
                                BUCKET,
                                new ObjectKey("report"),
                                Optional.empty(),
                                Optional.of(new Restore.Source.Name("thie", Optional.empty()))),
                        Instant.EPOCH);
        assertThat(keys(request(from))).containsExactly("input", "report", "sum");
        Run run = run(request(from));
        assertThat(run.restored()).isEqualTo(3);
        assertThat(run.request().goal())
                .isInstanceOfSatisfying(
                        Goal.Undo.class,
                        undo -> {
                            assertThat(undo.sources())
                                    .singleElement()
                                    .isInstanceOfSatisfying(
                                            Restore.Source.Version.class,
                                            root ->
                                                    assertThat(root.key().value())
                                                            .isEqualTo("input"));
                            assertThat(undo.avoided())
                                    .containsExactly(
                                            new Restore.Source.Name("thief", Optional.empty()));
                        });
        assertThat(contents(store))
                .containsAllEntriesOf(Map.of("input", "good", "report", "good", "sum", "good"));
        Goal nobody =
                Restore.Goal.undo(
                        new Restore.Source.Version(
                                BUCKET,
                                new ObjectKey("other"),
                                Optional.empty(),
                                Optional.of(new Restore.Source.AccessKey("key-h"))),
                        Instant.EPOCH);
        assertThatThrownBy(() -> plan(request(nobody), 10))
                .hasMessageContaining("none of these actors wrote an ancestor of other");
    }

    @Test
    void versionedBucketsGetNewVersions() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        put(ALICE, "a", "one");
        Instant one = tick();
        put(THIEF, "a", "two");
        put(THIEF, "b", "new");
        tick();
        assertThat(run(request(new Goal.ToInstant(one))).restored()).isEqualTo(2);
        assertThat(contents(store)).isEqualTo(Map.of("a", "one"));
        assertThat(
                        store.listVersions(
                                        ALICE,
                                        BUCKET,
                                        new Listing.VersionQuery("", "", "", Optional.empty(), 10))
                                .versions())
                .hasSize(5);
    }

    /** After a crash in the middle it goes on where it was. */
    @Test
    void goesOnAfterARestart() throws IOException {
        Instant empty = tick();
        for (int i = 0; i < 2000; i++) {
            put(ALICE, "k" + i, "v");
        }
        tick();
        Run begun = restore().start(ADMIN, request(new Goal.ToInstant(empty)));
        store.close();
        store = openStore();
        Run run = ended(begun.id());
        assertThat(run.phase()).isEqualTo(Phase.DONE);
        assertThat(run.looked()).isEqualTo(2000);
        assertThat(run.restored()).isEqualTo(2000);
        assertThat(contents(store)).isEmpty();
        assertThat(restore().runs()).containsExactly(run);
        assertThat(restore().cancel(run.id())).isEqualTo(run);
    }

    @Test
    void inexactStatesAreMarked() throws IOException {
        put(ALICE, "a", "one");
        Instant one = tick();
        put(ALICE, "a", "two");
        tick();
        put(THIEF, "a", "three");
        tick();
        assertThat(plan(request(new Goal.ToInstant(one)), 10))
                .singleElement()
                .matches(line -> !line.exact());
    }

    /** Under a policy that keeps no states it is unknown whether a key had content. */
    @ParameterizedTest
    @EnumSource(HistoryPolicy.class)
    void whatARestoreReplacesIsKeptUnderEveryPolicy(HistoryPolicy policy) throws IOException {
        policy(policy);
        put(ALICE, "key", "first");
        Instant then = tick();
        put(ALICE, "key", "second");
        Instant now = tick();
        Request back = request(new Goal.ToInstant(then));
        if (policy == HistoryPolicy.NONE) {
            assertThat(plan(back, 10))
                    .singleElement()
                    .matches(line -> line.then().isEmpty() && !line.exact());
        }
        long restored = run(back).restored();
        tick();
        assertThat(run(request(new Goal.ToInstant(now))).restored()).isEqualTo(restored);
        assertThat(contents(store)).containsEntry("key", "second");
    }

    @Test
    void aNameNeedsToBeSaidUntilItIsClear() throws IOException {
        put(new Caller("alice", "key-a", "10.0.0.1 aws-cli/2"), "a", "one");
        put(new Caller("alice", "key-a", "10.0.0.12 aws-cli/2"), "b", "two");
        put(new Caller("alice", "key-a", "job"), "c", "three");
        put(new Caller("alice", "key-a", "job 2"), "d", "four");
        tick();
        assertThat(
                        keys(
                                request(
                                        Restore.Goal.undo(
                                                new Restore.Source.Name(
                                                        "10.0.0.12", Optional.empty()),
                                                START))))
                .containsExactly("b");
        assertThat(
                        keys(
                                request(
                                        Restore.Goal.undo(
                                                new Restore.Source.Name("job", Optional.empty()),
                                                START))))
                .containsExactly("c");
        Run run =
                run(
                        request(
                                Restore.Goal.undo(
                                        new Restore.Source.Name("10.0.0.12", Optional.empty()),
                                        START)));
        assertThat(run.request().goal())
                .isEqualTo(
                        Restore.Goal.undo(
                                new Restore.Source.Name("10.0.0.12 aws-cli/2", Optional.empty()),
                                START));
        assertThatThrownBy(
                        () ->
                                plan(
                                        request(
                                                Restore.Goal.undo(
                                                        new Restore.Source.Name(
                                                                "10.0.0.1", Optional.empty()),
                                                        START)),
                                        10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("2 names")
                .hasMessageContaining("'10.0.0.1 aws-cli/2', '10.0.0.12 aws-cli/2'");
        assertThatThrownBy(
                        () ->
                                restore()
                                        .start(
                                                ADMIN,
                                                request(
                                                        Restore.Goal.undo(
                                                                new Restore.Source.Name(
                                                                        "nobody", Optional.empty()),
                                                                START))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no actor");
    }

    @Test
    void thePagesOfAPlanAreFoundInOneWalk() throws IOException {
        Instant since = tick();
        for (int i = 0; i < 5; i++) {
            put(THIEF, "stolen-" + i, "by the thief");
        }
        if (cube instanceof FakeCube fake) {
            Request undo =
                    request(
                            Restore.Goal.undo(
                                    new Restore.Source.Name("thief", Optional.empty()), since));
            long before = fake.scans(Families.EVENTS);
            assertThat(plan(undo, 10)).hasSize(5);
            long forOnePage = fake.scans(Families.EVENTS) - before;
            assertThat(plan(undo, 1)).hasSize(5);
            assertThat(fake.scans(Families.EVENTS)).isLessThan(before + 3 * forOnePage);
            // A new request for the first page makes a new plan, which includes later events.
            put(THIEF, "stolen-later", "by the thief");
            assertThat(plan(undo, 1)).hasSize(6);
        }
    }

    @Test
    void anInstantOfThisMillisecondIsNotOver() {
        clock.set(START.plusNanos(900_000));
        assertThatThrownBy(() -> plan(request(new Goal.ToInstant(START)), 10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("not over");
    }

    @Test
    void wrongRequestsAreRefused() {
        assertThatThrownBy(() -> plan(request(new Goal.ToInstant(clock.get())), 10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("not over");
        assertThatThrownBy(() -> restore().run("77"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("77");
    }
}
