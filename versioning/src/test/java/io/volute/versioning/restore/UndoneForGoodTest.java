package io.volute.versioning.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Restore.Author;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Plan;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No order or repetition of undos brings back what one of them condemned. */
class UndoneForGoodTest extends PastFixture {
    private static final Caller ADMIN = new Caller("root", "key-r", "console");
    private static final Caller NIGHTLY = new Caller("job", "key-j", "nightly");
    private static final Caller STOLEN = new Caller("job", "key-j", "curl");
    private static final Caller REPORT = new Caller("report", "key-p", "report");

    @Override
    protected StoreOptions.HistorySettings historySettings() {
        return StoreOptions.HistorySettings.DEFAULTS;
    }

    private static Request request(Goal goal, OnConflict onConflict) {
        return new Request(BUCKET, "", goal, onConflict);
    }

    private Run run(Goal goal, OnConflict onConflict) throws IOException {
        Run run = ended(store.restore().start(ADMIN, request(goal, onConflict)).id());
        assertThat(run.phase()).as(run.message()).isEqualTo(Phase.DONE);
        tick();
        return run;
    }

    private Run run(Goal goal) throws IOException {
        return run(goal, OnConflict.SKIP);
    }

    private Plan plan(Goal goal) throws IOException {
        return store.restore().plan(ADMIN, request(goal, OnConflict.SKIP), Optional.empty(), 100);
    }

    private void write(Caller caller, String key, String text) throws IOException {
        put(caller, key, text);
        tick();
    }

    private void see(Caller caller, String key) throws IOException {
        assertThat(read(caller, key)).isNotEmpty();
        tick();
    }

    /** A thief overwrites three documents; a report reads one of them and overwrites another. */
    private Instant theft() throws IOException {
        for (int i = 0; i < 6; i++) {
            write(NIGHTLY, "doc/" + i, "right " + i);
        }
        Instant since = tick();
        for (int i = 0; i < 3; i++) {
            write(STOLEN, "doc/" + i, "wrong " + i);
        }
        see(REPORT, "doc/0");
        write(REPORT, "report", "of wrong 0");
        write(REPORT, "doc/2", "of wrong 0");
        return since;
    }

    private void assertRight() throws IOException {
        assertThat(contents(store).values()).allMatch(text -> text.startsWith("right "));
        assertThat(contents(store)).hasSize(6);
    }

    private Goal version(String key, Instant since) throws IOException {
        long number =
                store
                        .history()
                        .states(ADMIN, BUCKET, new ObjectKey(key), Optional.empty(), 100)
                        .entries()
                        .stream()
                        .filter(state -> state.began().isAfter(since))
                        .toList()
                        .getLast()
                        .number();
        return Goal.undo(
                new Source.Version(
                        BUCKET,
                        new ObjectKey(key),
                        Optional.of(new VersionSelector.Numbered(number)),
                        Optional.empty()),
                Instant.EPOCH);
    }

    private static Goal.Undo key(Instant since, boolean withDerived) {
        return new Goal.Undo(List.of(new Source.AccessKey("key-j")), List.of(), since, withDerived);
    }

    @ParameterizedTest
    @EnumSource(
            value = VersioningState.class,
            names = {"UNVERSIONED", "ENABLED"})
    void oneGoalUndoesTheKeyAndWhatCameOfIt(VersioningState versioning) throws IOException {
        setVersioning(versioning);
        Instant since = theft();
        assertThat(plan(key(since, true)).entries())
                .extracting(line -> line.key().value())
                .containsExactly("doc/0", "doc/1", "doc/2", "report");
        Run run = run(key(since, true));
        assertThat(List.of(run.restored(), run.removed(), run.skipped(), run.unknown()))
                .containsExactly(4L, 1L, 0L, 0L);
        assertRight();
        assertThat(run(key(since, true)).restored()).isZero();
    }

    private void setVersioning(VersioningState versioning) throws IOException {
        if (versioning != VersioningState.UNVERSIONED) {
            store.setVersioning(ALICE, BUCKET, versioning);
        }
    }

    /** The two steps of the earlier guide, in both orders. */
    @ParameterizedTest
    @CsvSource({"UNVERSIONED,true", "UNVERSIONED,false", "ENABLED,true", "ENABLED,false"})
    void twoStepsBringNothingBack(VersioningState versioning, boolean isKeyFirst)
            throws IOException {
        setVersioning(versioning);
        Instant since = theft();
        Goal version = version("doc/0", since);
        Goal key = key(since, !isKeyFirst);
        assertThat(run(isKeyFirst ? key : version).restored()).isPositive();
        assertThat(run(isKeyFirst ? version : key).restored()).isPositive();
        assertRight();
        assertThat(run(version).restored()).isZero();
        assertThat(run(key).restored()).isZero();
        assertRight();
    }

    @Test
    void aCauseIsNotBroughtBackByTheUndoOfWhatItCaused() throws IOException {
        Instant since = theft();
        Goal caused =
                Goal.undo(
                        new Source.Version(
                                BUCKET,
                                new ObjectKey("report"),
                                Optional.empty(),
                                Optional.of(new Source.AccessKey("key-j"))),
                        Instant.EPOCH);
        assertThat(plan(caused).entries())
                .extracting(line -> line.key().value())
                .containsExactly("doc/0", "doc/2", "report");
        assertThat(run(caused).restored()).isEqualTo(3);
        assertThat(contents(store))
                .containsEntry("doc/0", "right 0")
                .containsEntry("doc/2", "right 2");
        assertThat(contents(store)).as("its other writes").containsEntry("doc/1", "wrong 1");
        assertThat(since).isNotNull();
    }

    @Test
    void anUndoIsUndoneByItsIdAndThisAsWell() throws IOException {
        Instant since = theft();
        Map<String, String> before = contents(store);
        Run undo = run(key(since, true));
        Run back = run(Goal.undoRestores(List.of(undo.id())));
        assertThat(back.restored()).isEqualTo(4);
        assertThat(contents(store)).isEqualTo(before);
        Run again = run(Goal.undoRestores(List.of(back.id())));
        assertThat(again.restored()).isEqualTo(4);
        assertRight();
    }

    /** A state that a restore brought back counts as the write of the thief that made it. */
    @Test
    void theftThatARestoreBroughtBackIsUndoneAgain() throws IOException {
        write(NIGHTLY, "deleted", "right");
        write(NIGHTLY, "changed", "right");
        Instant since = tick();
        delete(STOLEN, "deleted");
        write(STOLEN, "changed", "wrong");
        Instant bad = tick();
        assertThat(run(key(since, true)).restored()).isEqualTo(2);
        Goal to = new Goal.ToInstant(bad);
        assertThat(plan(to).entries())
                .hasSize(2)
                .extracting(Line::conflict)
                .allSatisfy(
                        conflict ->
                                assertThat(conflict.orElseThrow())
                                        .contains("its state of then is undone by restore"));
        assertThat(run(to).skipped()).isEqualTo(2);
        assertThat(run(to, OnConflict.OVERWRITE).restored()).isEqualTo(2);
        assertThat(contents(store)).isEqualTo(Map.of("changed", "wrong"));
        assertThat(run(key(since, true)).restored()).isEqualTo(2);
        assertThat(contents(store)).isEqualTo(Map.of("changed", "right", "deleted", "right"));
    }

    /** A repeated write of one client in a versioned bucket has readers of its own. */
    @Test
    void theReaderOfARepeatedVersionIsDerived() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        Instant since = tick();
        put(STOLEN, "a", "wrong");
        put(STOLEN, "a", "wrong again");
        see(REPORT, "a");
        write(REPORT, "report", "of wrong again");
        assertThat(run(key(since, true)).restored()).isEqualTo(2);
        assertThat(contents(store)).isEmpty();
    }

    /** Tags that somebody else sets leave the content of the thief. */
    @Test
    void aTaggedStateOfTheThiefIsHisStill() throws IOException {
        write(NIGHTLY, "a", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        var tagged =
                store.setTags(
                        ALICE,
                        BUCKET,
                        new ObjectKey("a"),
                        VersionSelector.LATEST,
                        Map.of("k", "v"));
        assertThat(tagged).isNotNull();
        tick();
        assertThat(run(key(since, true)).restored()).isEqualTo(1);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right"));
    }

    /** The events of its write are gone; the state itself names its author. */
    @Test
    void anOldStateOfTheThiefIsFoundWithoutItsEvents() throws IOException {
        write(NIGHTLY, "a", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        write(STOLEN, "new", "wrong");
        write(STOLEN, "a", "worse");
        assertThat(store.retention().trimOldest(1)).isEqualTo(1);
        Plan plan = plan(key(since, true));
        assertThat(plan.entries())
                .extracting(line -> line.key().value())
                .containsExactly("a", "new");
        assertThat(plan.entries()).allMatch(line -> line.lost().isPresent());
        Run run = run(key(since, true), OnConflict.OVERWRITE);
        assertThat(run.unknown()).isEqualTo(2);
        assertThat(run.restored()).as("what is not known stays").isZero();
    }

    @Test
    void severalRunsOfClientsAreChosenFromThePlan() throws IOException {
        Instant since = tick();
        write(NIGHTLY, "right", "1");
        write(STOLEN, "a", "1");
        write(THIEF, "b", "1");
        List<Author> authors =
                plan(new Goal.Undo(
                                List.of(
                                        new Source.AccessKey("key-j"),
                                        new Source.AccessKey("key-a")),
                                List.of(),
                                since,
                                true))
                        .authors()
                        .authors();
        assertThat(authors).hasSize(3).allMatch(author -> !author.isDerived());
        assertThat(authors).allMatch(author -> author.first().equals(author.last()));
        List<Source> chosen =
                authors.stream()
                        .filter(author -> !author.actor().name().equals("nightly"))
                        .<Source>map(author -> new Source.Actor(author.actor().id()))
                        .toList();
        Run run = run(new Goal.Undo(chosen, List.of(), since, true));
        assertThat(run.removed()).isEqualTo(2);
        assertThat(contents(store)).containsOnlyKeys("right");
    }

    private Run run(Caller caller, Goal goal) throws IOException {
        Request request = request(goal, OnConflict.SKIP);
        Run run = ended(store.restore().start(caller, request).id());
        assertThat(run.phase()).as(run.message()).isEqualTo(Phase.DONE);
        tick();
        return run;
    }

    private static Goal.Undo undo(String accessKey, Instant since) {
        return Goal.undo(new Source.AccessKey(accessKey), since);
    }

    /** A thief who runs undos cannot condemn what honest clients wrote. */
    @ParameterizedTest
    @EnumSource(
            value = VersioningState.class,
            names = {"UNVERSIONED", "ENABLED"})
    void theUndoOfAThiefHasNoForce(VersioningState versioning) throws IOException {
        setVersioning(versioning);
        write(REPORT, "a", "right");
        write(REPORT, "b", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        assertThat(run(STOLEN, undo("key-p", START)).removed()).isEqualTo(1);
        assertThat(contents(store)).isEqualTo(Map.of("a", "wrong"));
        Run run = run(key(since, true));
        assertThat(List.of(run.restored(), run.unknown())).containsExactly(2L, 0L);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right", "b", "right"));
        assertThat(run(key(since, true)).restored()).isZero();
        Run lifted = run(undo("key-a", START));
        assertThat(lifted.restored()).as("it stays without force").isZero();
        assertThat(contents(store)).isEqualTo(Map.of("a", "right", "b", "right"));
    }

    /** The undo of an undo by a thief ends it, until the thief is undone. */
    @Test
    void theUndoOfAnUndoByAThiefHasNoForce() throws IOException {
        write(NIGHTLY, "a", "right");
        Instant since = tick();
        write(REPORT, "a", "wrong");
        Run honest = run(undo("key-p", since));
        assertThat(run(STOLEN, Goal.undoRestores(List.of(honest.id()))).restored()).isEqualTo(1);
        assertThat(contents(store)).isEqualTo(Map.of("a", "wrong"));
        assertThat(run(key(since, true)).restored()).isEqualTo(1);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right"));
    }

    /** The key of an operator was stolen: the undos that it ran stay in force. */
    @Test
    void anOperatorDoesNotEndItsOwnUndos() throws IOException {
        Caller thief = new Caller("root", "key-r", "curl");
        write(REPORT, "a", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        assertThat(run(key(since, true)).restored()).isEqualTo(1);
        write(thief, "b", "wrong");
        Run run = run(undo("key-r", since));
        assertThat(List.of(run.restored(), run.removed())).containsExactly(1L, 1L);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right"));
    }

    /** A restore of a divided bucket has several runs, which begin one after the other. */
    @Test
    void severalRunsAreUndoneFromTheFirstOn() throws IOException {
        write(NIGHTLY, "a", "right");
        write(NIGHTLY, "b", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        write(THIEF, "b", "wrong");
        Run first = run(undo("key-j", since));
        Run second = run(undo("key-a", since));
        Run back = run(Goal.undoRestores(List.of(first.id(), second.id())));
        assertThat(back.restored()).isEqualTo(2);
        assertThat(contents(store)).isEqualTo(Map.of("a", "wrong", "b", "wrong"));
    }

    private void tag(Caller caller, String key, String value) throws IOException {
        var tagged =
                store.setTags(
                        caller,
                        BUCKET,
                        new ObjectKey(key),
                        VersionSelector.LATEST,
                        Map.of("k", value));
        assertThat(tagged).isNotNull();
        tick();
    }

    /** Tags over those of a thief do not condemn the content, which is honest. */
    @ParameterizedTest
    @EnumSource(
            value = VersioningState.class,
            names = {"UNVERSIONED", "ENABLED"})
    void tagsOverTagsOfTheThiefLeaveTheContentHonest(VersioningState versioning)
            throws IOException {
        setVersioning(versioning);
        write(REPORT, "a", "right");
        Instant since = tick();
        tag(STOLEN, "a", "wrong");
        tag(ALICE, "a", "over it");
        Run run = run(key(since, true));
        assertThat(List.of(run.restored(), run.removed(), run.unknown()))
                .containsExactly(1L, 0L, 0L);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right"));
        assertThat(
                        store.head(ALICE, BUCKET, new ObjectKey("a"), VersionSelector.LATEST)
                                .orElseThrow()
                                .attributes()
                                .tags())
                .isEmpty();
    }

    /** The removal of a version behind that of the thief does not change what clients see. */
    @Test
    void theRemovalOfAnOldVersionIsNoConflict() throws IOException {
        setVersioning(VersioningState.ENABLED);
        write(REPORT, "a", "old");
        Optional<ObjectVersion> old =
                store.head(ALICE, BUCKET, new ObjectKey("a"), VersionSelector.LATEST);
        write(REPORT, "a", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        assertThat(
                        store.delete(
                                ALICE,
                                BUCKET,
                                new ObjectKey("a"),
                                StoreFixture.number(old.orElseThrow()),
                                WriteCondition.NONE))
                .isNotNull();
        tick();
        assertThat(plan(key(since, true)).entries())
                .singleElement()
                .matches(line -> line.conflict().isEmpty());
        assertThat(run(key(since, true)).restored()).isEqualTo(1);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right"));
    }

    /** One request removes an honest version and that of the thief, in either order. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBatchThatRemovesTheVersionOfTheThiefIsHonest(boolean isNewestFirst) throws IOException {
        setVersioning(VersioningState.ENABLED);
        write(REPORT, "a", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        write(REPORT, "a", "newer");
        List<ObjectVersion> versions =
                store.listVersions(
                                ALICE, BUCKET, new VersionQuery("a", "", "", Optional.empty(), 10))
                        .versions();
        List<DeleteTarget> batch =
                versions.subList(0, 2).stream()
                        .map(
                                each ->
                                        new DeleteTarget(
                                                each.key(),
                                                StoreFixture.number(each),
                                                WriteCondition.NONE))
                        .toList();
        assertThat(store.deleteAll(ALICE, BUCKET, isNewestFirst ? batch : batch.reversed()))
                .hasSize(2);
        tick();
        assertThat(contents(store)).isEqualTo(Map.of("a", "right"));
        Run run = run(key(since, true));
        assertThat(List.of(run.restored(), run.skipped())).containsExactly(0L, 0L);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right"));
    }

    /** The run of a restore by the id of its actor is that restore. */
    @Test
    void theActorOfARestoreIsItsRun() throws IOException {
        write(NIGHTLY, "a", "right");
        Instant since = tick();
        write(THIEF, "a", "wrong");
        Run undo = run(undo("key-a", since));
        long actor =
                store.history()
                        .actors(ActorFilter.ofName(undo.actor()), Optional.empty(), 10)
                        .entries()
                        .getFirst()
                        .id();
        Goal goal = new Goal.Undo(List.of(new Source.Actor(actor)), List.of(), since, true);
        assertThat(run(goal).restored()).isEqualTo(1);
        assertThat(contents(store)).isEqualTo(Map.of("a", "wrong"));
    }

    /** An undo of some keys does not condemn what its sources wrote to others. */
    @Test
    void anUndoOfAPrefixHasForceThereAlone() throws IOException {
        Instant since = tick();
        write(REPORT, "in/a", "right");
        write(REPORT, "out/a", "right");
        Request part = new Request(BUCKET, "in/", undo("key-p", since), OnConflict.SKIP);
        assertThat(ended(store.restore().start(ADMIN, part).id()).removed()).isEqualTo(1);
        tick();
        write(STOLEN, "out/a", "wrong");
        write(STOLEN, "in/a", "wrong");
        assertThat(run(key(since, true)).restored()).isEqualTo(2);
        assertThat(contents(store)).isEqualTo(Map.of("out/a", "right"));
    }

    /** A restore that brings back what an undo condemned names that undo. */
    @Test
    void whatAnUndoCondemnedIsNamed() throws IOException {
        write(NIGHTLY, "a", "right");
        write(NIGHTLY, "gone", "right");
        Instant since = tick();
        write(STOLEN, "a", "wrong");
        delete(STOLEN, "gone");
        Instant bad = tick();
        Run undo = run(key(since, true));
        assertThat(plan(key(since, true)).entries()).isEmpty();
        Optional<String> by = Optional.of("restore " + undo.id());
        assertThat(plan(new Goal.ToInstant(bad)).entries())
                .extracting(Line::undoneBy)
                .containsExactly(by, by);
        assertThat(plan(new Goal.ToInstant(since)).entries()).isEmpty();
        Goal back = Goal.undoRestores(List.of(undo.id()));
        assertThat(plan(back).entries()).extracting(Line::undoneBy).containsExactly(by, by);
        Run undone = run(back);
        Goal again = Goal.undoRestores(List.of(undone.id()));
        by = Optional.of("restore " + undone.id());
        assertThat(plan(again).entries()).extracting(Line::undoneBy).containsExactly(by, by);
        assertThat(run(again).restored()).isEqualTo(2);
        assertThat(contents(store)).isEqualTo(Map.of("a", "right", "gone", "right"));
    }

    @Test
    void anInstantBeforeTheBucketWarnsThatItWouldBeEmptied() throws IOException {
        write(NIGHTLY, "a", "1");
        Goal before = new Goal.ToInstant(START.minusSeconds(60));
        assertThat(plan(before).warnings())
                .singleElement()
                .asString()
                .contains("did not exist", "would remove all of its keys");
        assertThat(plan(new Goal.ToInstant(START)).warnings()).isEmpty();
    }
}
