package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.History;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A bucket that is divided over cubes by ranges of keys. {@code -Dvolute.moveWrites=4000} is the
 * long form: so many writes of each client beside the moves.
 */
class BucketSplitTest extends MovesFixture {
    private static final int WRITES_MAX = Integer.getInteger("volute.moveWrites", 200);

    @BeforeEach
    void cubes() throws Exception {
        for (String cube : List.of("one", "two", "three")) {
            cubes.create(cube);
        }
    }

    private void split(String at, String cube) throws Exception {
        Move begun = cubes.moves().split(name(BUCKET), key(at), cube);
        assertThat(begun.to()).isEqualTo(cube);
        awaitMoves();
    }

    private void merge(String at) throws Exception {
        assertThat(cubes.moves().merge(name(BUCKET), key(at)).range().first()).contains(key(at));
        awaitMoves();
    }

    private List<String> parts() {
        return cubes.moves().parts(name(BUCKET)).stream()
                .map(
                        part ->
                                part.range().first().map(first -> first.value()).orElse("")
                                        + ":"
                                        + part.cube())
                .toList();
    }

    @Test
    void aPartWithoutKeysHasNothingToAudit() throws Exception {
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, "a", "text");
        split("m", "two");
        audit();
        split("k", "three");
        audit();
    }

    private void fill() throws Exception {
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        for (String each : List.of("a", "g/1", "m", "m/x", "m\u0000", "s", "z")) {
            put(ALICE, BUCKET, each, "first of " + each);
            put(BOB, BUCKET, each, "second of " + each);
        }
        for (String each : List.of("g/1", "s")) {
            store.delete(
                    ALICE, name(BUCKET), key(each), VersionSelector.LATEST, WriteCondition.NONE);
        }
        put(ALICE, BUCKET, "y-big", "b".repeat(700_000));
    }

    private String upload(String key) throws IOException {
        return store.createUpload(ALICE, name(BUCKET), key(key), StoreFixture.uploadAttributes())
                .uploadId();
    }

    private PartInfo part(String upload, String key, int number, String text) throws IOException {
        return store.putPart(
                ALICE,
                name(BUCKET),
                key(key),
                upload,
                new PartInfo(number, 0, StoreFixture.md5(text), Instant.EPOCH, Optional.empty()),
                body(BUCKET, key, text));
    }

    private Restore.Run restored(Request request) throws Exception {
        Restore.Run run = store.restore().start(ALICE, request);
        while (store.restore().run(run.id()).phase() == Restore.Phase.RUNNING) {
            Thread.onSpinWait();
        }
        Restore.Run end = store.restore().run(run.id());
        assertThat(end.phase()).as(end.message()).isEqualTo(Restore.Phase.DONE);
        return end;
    }

    @Test
    @Tag("slow")
    void keysMoveWithAllThatTheyHaveAndBack() throws Exception {
        for (String home : List.of("one", "default")) {
            bucket(BUCKET, home);
            fill();
            Instant early = clock.instant();
            put(ALICE, BUCKET, "z", "the last before");
            put(ALICE, BUCKET, "a", "the last before");
            String open = upload("q-open");
            PartInfo first = part(open, "q-open", 1, "q".repeat(5 << 20));
            BucketInfo info = store.bucket(name(BUCKET)).orElseThrow();
            List<String> now = seen(store);
            List<String> then = seen(store.asOf(early));
            List<String> states = states("z");
            History.BucketSize size = store.history().size(name(BUCKET));
            audit();
            List<Thrower> steps =
                    List.of(
                            () -> split("m", "two"),
                            () -> split("s", "three"),
                            () -> merge("s"),
                            () -> split("z", "three"),
                            () -> merge("m"));
            List<List<String>> parts =
                    List.of(
                            List.of(":" + home, "m:two"),
                            List.of(":" + home, "m:two", "s:three"),
                            List.of(":" + home, "m:two"),
                            List.of(":" + home, "m:two", "z:three"),
                            List.of(":" + home, "z:three"));
            for (int i = 0; i < steps.size(); i++) {
                steps.get(i).run();
                assertThat(parts()).isEqualTo(parts.get(i));
                assertThat(cubes.moves().divided()).containsExactly(name(BUCKET));
                assertThat(store.bucket(name(BUCKET))).contains(info);
                for (int again = 0; again < 2; again++) {
                    assertThat(seen(store)).isEqualTo(now);
                    assertThat(seen(store.asOf(early))).isEqualTo(then);
                    assertThat(states("z")).isEqualTo(states);
                    assertThat(store.history().size(name(BUCKET))).isEqualTo(size);
                    assertThat(store.listBuckets(Optional.empty(), "", "", 10)).hasSize(1);
                    assertThat(store.asOf(early).listBuckets(Optional.empty(), "", "", 10))
                            .hasSize(1);
                    audit();
                    restart();
                }
            }
            PartInfo second = part(open, "q-open", 2, "end");
            assertThat(
                            store.completeUpload(
                                            ALICE,
                                            name(BUCKET),
                                            key("q-open"),
                                            open,
                                            List.of(choice(first), choice(second)),
                                            (each, chosen) -> ObjectAttributes.ofEtag("abc-2"),
                                            WriteCondition.NONE)
                                    .parts())
                    .isEqualTo(2);
            Request back =
                    new Request(name(BUCKET), "", new Goal.ToInstant(early), OnConflict.SKIP);
            List<Restore.Line> plan = new ArrayList<>();
            Optional<String> from = Optional.empty();
            do {
                Restore.Plan page = store.restore().plan(ALICE, back, from, 1);
                plan.addAll(page.entries());
                from = page.next();
            } while (from.isPresent());
            // States of keys that moved are approximate, so they have lines without a change.
            assertThat(plan.stream().map(Restore.Line::key)).isSorted().doesNotHaveDuplicates();
            assertThat(
                            plan.stream()
                                    .filter(
                                            line ->
                                                    !line.now()
                                                            .map(KeyState::etag)
                                                            .equals(
                                                                    line.then()
                                                                            .map(KeyState::etag)))
                                    .map(line -> line.key().value()))
                    .containsExactly("a", "q-open", "z");
            assertThat(restored(back).restored()).isEqualTo(3);
            assertThat(get(ALICE, BUCKET, "a")).isEqualTo("second of a");
            assertThat(get(ALICE, BUCKET, "z")).isEqualTo("second of z");
            audit();
            merge("z");
            assertThat(parts()).containsExactly(":" + home);
            assertThat(cubes.moves().divided()).isEmpty();
            assertThat(get(ALICE, BUCKET, "z")).isEqualTo("second of z");
            empty();
            store.deleteBucket(ALICE, name(BUCKET));
        }
    }

    private interface Thrower {
        void run() throws Exception;
    }

    private static PartChoice choice(PartInfo part) {
        return new PartChoice(part.number(), part.etag(), Optional.empty());
    }

    private void empty() throws IOException {
        List<DeleteTarget> all =
                store
                        .listVersions(
                                ALICE,
                                name(BUCKET),
                                new VersionQuery("", "", "", Optional.empty(), 1000))
                        .versions()
                        .stream()
                        .map(
                                each ->
                                        new DeleteTarget(
                                                each.key(),
                                                StoreFixture.number(each),
                                                WriteCondition.NONE))
                        .toList();
        List<DeleteOutcome> outcomes = store.deleteAll(ALICE, name(BUCKET), all);
        assertThat(outcomes).hasSameSizeAs(all);
        for (int i = 0; i < all.size(); i++) {
            assertThat(outcomes.get(i)).isInstanceOf(DeleteOutcome.Deleted.class);
            assertThat(((DeleteOutcome.Deleted) outcomes.get(i)).result().version().orElseThrow())
                    .extracting(ObjectVersion::key)
                    .isEqualTo(all.get(i).key());
        }
    }

    @Test
    void settingsAreThoseOfTheBucketInAllParts() throws Exception {
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, "a", "plain");
        put(ALICE, BUCKET, "z", "plain");
        split("m", "two");
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.settings().setDocument(name(BUCKET), BucketDocument.TAGGING, Optional.of("<T/>"));
        for (String each : List.of("a", "z")) {
            put(ALICE, BUCKET, each, "versioned");
            assertThat(seen(store).stream().filter(line -> line.contains("[value=" + each + "]")))
                    .hasSize(2);
        }
        BucketInfo info = store.bucket(name(BUCKET)).orElseThrow();
        assertThat(
                        cubes.opened().stream()
                                .flatMap(open -> open.store().bucket(name(BUCKET)).stream()))
                .containsExactly(info, info);
        // The part fails behind the home cube: the next opening makes them equal.
        faulty.add("two");
        assertThatThrownBy(
                        () -> store.setVersioning(ALICE, name(BUCKET), VersioningState.SUSPENDED))
                .isInstanceOf(IOException.class);
        faulty.remove("two");
        restart();
        assertThat(
                        cubes.opened().stream()
                                .flatMap(open -> open.store().bucket(name(BUCKET)).stream())
                                .map(BucketInfo::versioning))
                .containsExactly(VersioningState.SUSPENDED, VersioningState.SUSPENDED);
        audit();
    }

    @Test
    void allPartsAreDeletedTogether() throws Exception {
        bucket(BUCKET, "one");
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        put(ALICE, BUCKET, "a", "low");
        put(ALICE, BUCKET, "z", "high");
        Instant then = clock.instant();
        split("m", "two");
        List<String> seen = seen(store.asOf(then));
        assertThatThrownBy(() -> store.deleteBucket(ALICE, name(BUCKET)))
                .extracting(e -> ((StoreException) e).reason())
                .isEqualTo(StoreException.Reason.BUCKET_NOT_EMPTY);
        assertThat(get(ALICE, BUCKET, "a")).isEqualTo("low");
        assertThatThrownBy(() -> cubes.delete("two")).hasMessageContaining("has 1 buckets");
        empty();
        assertThat(upload("q")).isNotEmpty();
        store.deleteBucket(ALICE, name(BUCKET));
        assertThat(store.bucket(name(BUCKET))).isEmpty();
        assertThat(cubes.opened().stream().filter(o -> o.store().bucket(name(BUCKET)).isPresent()))
                .isEmpty();
        assertThat(seen(store.asOf(then))).isEqualTo(seen);
        assertThat(states("z")).hasSize(1);
        assertThat(states("a")).hasSize(1);
        bucket(BUCKET, "three");
        assertThat(seen(store)).isEmpty();
        assertThat(
                        store.listUploads(ALICE, name(BUCKET), new UploadQuery("", "", "", "", 10))
                                .uploads())
                .isEmpty();
        assertThat(seen(store.asOf(then))).isEqualTo(seen);
    }

    @Test
    void aDeletionThatEndedBetweenThePartsIsFinished() throws Exception {
        bucket(BUCKET, "one");
        split("m", "two");
        faulty.add("two");
        assertThatThrownBy(() -> store.deleteBucket(ALICE, name(BUCKET)))
                .isInstanceOf(IOException.class);
        assertThat(store.bucket(name(BUCKET))).isEmpty();
        faulty.remove("two");
        restart();
        assertThat(cubes.opened().stream().filter(o -> o.store().bucket(name(BUCKET)).isPresent()))
                .isEmpty();
        bucket(BUCKET, "three");
        put(ALICE, BUCKET, "z", "new");
        assertThat(get(ALICE, BUCKET, "z")).isEqualTo("new");
    }

    @Test
    void copiesTracesAndUndosCrossTheParts() throws Exception {
        bucket(BUCKET, "one");
        fill();
        split("m", "two");
        put(ALICE, BUCKET, "z", "the origin");
        assertThat(copy(BOB, BUCKET, "z", BUCKET, "b").attributes().etag())
                .isEqualTo(StoreFixture.md5("the origin"));
        assertThat(get(BOB, BUCKET, "b")).isEqualTo("the origin");
        put(BOB, BUCKET, "zz", "derived");
        List<History.Step> steps =
                store.history()
                        .trace(
                                History.Direction.FORWARD,
                                name(BUCKET),
                                key("z"),
                                Optional.empty(),
                                Optional.empty(),
                                100)
                        .entries();
        assertThat(steps.toString()).contains("[value=b]", "[value=zz]");
        Request undo =
                new Request(
                        name(BUCKET),
                        "",
                        Restore.Goal.undo(
                                new Restore.Source.Version(
                                        name(BUCKET), key("z"), Optional.empty(), Optional.empty()),
                                Instant.EPOCH),
                        OnConflict.OVERWRITE);
        Restore.Run run = restored(undo);
        assertThat(run.id()).contains("-");
        assertThat(run.restored()).isEqualTo(3);
        assertThat(get(ALICE, BUCKET, "z")).isEqualTo("second of z");
        assertThatThrownBy(() -> get(ALICE, BUCKET, "b")).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> get(ALICE, BUCKET, "zz")).isInstanceOf(StoreException.class);
        audit();
    }

    @Test
    void wrongOnesAreRefused() throws Exception {
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, "z", "text");
        refused("the system cube", () -> split("m", "default"));
        refused("has keys of bucket pictures already", () -> split("m", "one"));
        refused("no cube none", () -> split("m", "none"));
        refused("no part of bucket pictures begins at key m", () -> merge("m"));
        split("m", "two");
        refused("begins at key m", () -> split("m", "three"));
        refused("has keys of bucket pictures already", () -> split("s", "two"));
        refused("merge its parts", () -> cubes.moves().start(name(BUCKET), "three"));
        refused("parts begin at [m]", () -> merge("s"));
        assertThatThrownBy(() -> cubes.moves().split(name("missing"), key("m"), "two"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("missing");
        var provenance = store.provenance().orElseThrow();
        var range = new Range(Optional.of(name(BUCKET)), "", false);
        refused("is divided over cubes [one, two]", () -> provenance.of(range));
        assertThat(provenance.of(Range.ofKey(name(BUCKET), key("z")))).isNotNull();
    }

    private static void refused(String why, Thrower call) {
        assertThatThrownBy(call::run).isInstanceOf(StoreException.class).hasMessageContaining(why);
    }

    @Test
    void aSplitIsGivenUpAndAMergeToo() throws Exception {
        bucket(BUCKET, "one");
        fill();
        List<String> now = seen(store);
        faulty.add("two");
        cubes.moves().split(name(BUCKET), key("m"), "two");
        awaitStopped();
        refused(
                "are being moved",
                () ->
                        store.restore()
                                .start(
                                        ALICE,
                                        new Request(
                                                name(BUCKET),
                                                "",
                                                new Goal.ToInstant(
                                                        Instant.ofEpochMilli(1_700_000_000_010L)),
                                                OnConflict.SKIP)));
        refused("is being moved to cube two", () -> split("s", "three"));
        refused("is being moved to cube two", () -> cubes.moves().start(name(BUCKET), "three"));
        faulty.remove("two");
        cubes.reopen("two", false);
        awaitOpened("two");
        awaitMoves();
        assertThat(parts()).containsExactly(":one", "m:two");
        faulty.add("one");
        cubes.moves().merge(name(BUCKET), key("m"));
        awaitStopped();
        faulty.remove("one");
        assertThat(cubes.moves().split(name(BUCKET), key("m"), "two").phase())
                .isEqualTo(MovePhase.ABANDONING);
        cubes.reopen("one", false);
        awaitOpened("one");
        awaitMoves();
        assertThat(parts()).containsExactly(":one", "m:two");
        assertThat(seen(store)).isEqualTo(now);
        faulty.add("three");
        cubes.moves().split(name(BUCKET), key("s"), "three");
        awaitStopped();
        faulty.remove("three");
        assertThat(cubes.moves().merge(name(BUCKET), key("s")).phase())
                .isEqualTo(MovePhase.ABANDONING);
        cubes.reopen("three", false);
        awaitOpened("three");
        awaitMoves();
        assertThat(parts()).containsExactly(":one", "m:two");
        assertThat(seen(store)).isEqualTo(now);
        audit();
    }

    private BucketEntry entryIn(int cube) throws IOException {
        CubeSlot slot = ((CubeRegistry) cubes).find(cube).orElseThrow();
        return BucketMoves.side(slot).buckets().require(name(BUCKET));
    }

    @Test
    void writersThatWaitForAHandOverFailAndOthersGoOn() throws Exception {
        bucket(BUCKET, "one");
        BucketEntry before = entryIn(1);
        split("m", "two");
        // A writer that compared its key with the old range must not write.
        assertThatThrownBy(() -> before.share().close()).isInstanceOf(StoreException.class);
        BucketEntry rest = entryIn(1);
        assertThat(rest.range()).isEqualTo(new KeyRange(Optional.empty(), Optional.of(key("m"))));
        merge("m");
        assertThat(entryIn(1)).isSameAs(rest);
        assertThat(rest.range()).isEqualTo(KeyRange.ALL);
    }

    @Test
    void aSplitAndARestoreExcludeEachOther() throws Exception {
        bucket(BUCKET, "one");
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        put(ALICE, BUCKET, "a", "first");
        Instant then = clock.instant();
        put(ALICE, BUCKET, "a", "second");
        CountDownLatch gate = new CountDownLatch(1);
        atClock =
                () -> {
                    if (Thread.currentThread().getName().startsWith("restore")) {
                        try {
                            gate.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                };
        Request back = new Request(name(BUCKET), "", new Goal.ToInstant(then), OnConflict.SKIP);
        Restore.Run run = store.restore().start(ALICE, back);
        try {
            refused(
                    "restore " + run.id() + " of bucket pictures is running",
                    () -> cubes.moves().split(name(BUCKET), key("m"), "two"));
            refused(
                    "restore " + run.id() + " of bucket pictures is running",
                    () -> cubes.moves().start(name(BUCKET), "two"));
        } finally {
            gate.countDown();
        }
        while (store.restore().run(run.id()).phase() == Restore.Phase.RUNNING) {
            Thread.onSpinWait();
        }
        split("m", "two");
        assertThat(get(ALICE, BUCKET, "a")).isEqualTo("first");
    }

    private VersionedStore storeOf(String cube) {
        return cubes.opened().stream()
                .filter(open -> open.name().equals(cube))
                .findFirst()
                .orElseThrow()
                .store();
    }

    private static List<String> keys(VersionedStore store) throws IOException {
        return store
                .listObjects(ALICE, name(BUCKET), new ObjectQuery("", "", "", 10))
                .objects()
                .stream()
                .map(each -> each.key().value())
                .toList();
    }

    @Test
    void rowsThatAreNotErasedYetAreNotSeen() throws Exception {
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, "a", "low");
        put(ALICE, BUCKET, "z", "high");
        // The erasure fails, the copy does not.
        faulty.add("one");
        assertThat(cubes.moves().split(name(BUCKET), key("m"), "two").from()).isEqualTo("one");
        awaitStopped();
        assertThat(cubes.moves().list().getFirst().phase()).isEqualTo(MovePhase.CLEARING);
        assertThat(keys(storeOf("one"))).containsExactly("a");
        assertThat(get(ALICE, BUCKET, "z")).isEqualTo("high");
        faulty.remove("one");
        failures.put("two", new IOException("gone for a while"));
        restart();
        // The move waits for cube two.
        assertThat(cubes.moves().list().getFirst().phase()).isEqualTo(MovePhase.CLEARING);
        assertThat(keys(storeOf("one"))).containsExactly("a");
        assertThatThrownBy(
                        () ->
                                storeOf("one")
                                        .head(
                                                ALICE,
                                                name(BUCKET),
                                                key("z"),
                                                VersionSelector.LATEST))
                .extracting(e -> ((StoreException) e).reason())
                .isEqualTo(StoreException.Reason.NO_SUCH_BUCKET);
        assertThat(get(ALICE, BUCKET, "a")).isEqualTo("low");
        assertThatThrownBy(() -> get(ALICE, BUCKET, "z"))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("cube two");
        failures.clear();
        cubes.reopen("two", false);
        awaitOpened("two");
        awaitMoves();
        assertThat(get(ALICE, BUCKET, "z")).isEqualTo("high");
        assertThat(keys(store)).containsExactly("a", "z");
        audit();
    }

    private void awaitStopped() {
        while (cubes.moves().list().getFirst().isRunning()) {
            awaitThreads();
        }
    }

    @Test
    @Tag("slow")
    void clientsWriteThroughSplitsAndMergesAndLoseNothing() throws Exception {
        bucket(BUCKET, "one");
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        for (int i = 0; i < 80; i++) {
            put(ALICE, BUCKET, "k" + i % 40, "before " + i);
        }
        whileClientsWrite(
                List.of("a-", "p-", "w-"),
                WRITES_MAX,
                () -> {
                    split("p-5", "two");
                    split("w-1", "three");
                    merge("p-5");
                    merge("w-1");
                    split("a-3", "two");
                });
    }
}
