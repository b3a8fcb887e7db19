package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.MetadataChange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Buckets that move to another cube with all that they have. */
class BucketMoveTest extends MovesFixture {
    @BeforeEach
    void cubes() throws Exception {
        cubes.create("one");
        cubes.create("two");
    }

    private void move(String cube) throws Exception {
        Move begun = cubes.moves().start(name(BUCKET), cube);
        assertThat(begun.to()).isEqualTo(cube);
        awaitMoves();
        assertThat(cubes.cubeOf(name(BUCKET))).contains(cube);
    }

    private void fill() throws Exception {
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        store.settings().setDocument(name(BUCKET), BucketDocument.TAGGING, Optional.of("<T/>"));
        for (int i = 0; i < 5; i++) {
            put(ALICE, BUCKET, "versions", "version " + i);
        }
        put(ALICE, BUCKET, "big", "b".repeat(700_000));
        put(ALICE, BUCKET, "tagged", "with tags");
        tag("tagged", "color", "red");
        tag("tagged", "color", "blue");
        put(ALICE, BUCKET, "deleted", "was here");
        store.delete(
                ALICE, name(BUCKET), key("deleted"), VersionSelector.LATEST, WriteCondition.NONE);
        ObjectVersion gone = put(ALICE, BUCKET, "purged", "gone for good");
        store.delete(
                ALICE, name(BUCKET), key("purged"), StoreFixture.number(gone), WriteCondition.NONE);
        String upload = upload("parts");
        PartInfo one = part(upload, "parts", 1, "p".repeat(5 << 20));
        PartInfo two = part(upload, "parts", 2, "the end");
        complete(upload, "parts", one, two);
    }

    private void tag(String key, String name, String value) throws IOException {
        store.setMetadata(
                ALICE,
                name(BUCKET),
                key(key),
                VersionSelector.LATEST,
                new MetadataChange.Tags(Map.of(name, value)));
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

    private void complete(String upload, String key, PartInfo... parts) throws IOException {
        ObjectVersion whole =
                store.completeUpload(
                        ALICE,
                        name(BUCKET),
                        key(key),
                        upload,
                        Arrays.stream(parts)
                                .map(
                                        each ->
                                                new PartChoice(
                                                        each.number(),
                                                        each.etag(),
                                                        Optional.empty()))
                                .toList(),
                        (info, chosen) -> ObjectAttributes.ofEtag("abc-" + parts.length),
                        WriteCondition.NONE);
        assertThat(whole.parts()).isEqualTo(parts.length);
    }

    /** Each commit of the move looks how far it is. */
    @Test
    void howFarAMoveIsIsKnown() throws Exception {
        bucket(BUCKET, "one");
        for (int i = 0; i < 40; i++) {
            put(ALICE, BUCKET, "key" + i, "text " + i);
        }
        Queue<Move> seen = new ConcurrentLinkedQueue<>();
        fate =
                cube -> {
                    seen.addAll(cubes.moves().list());
                    return Outcome.COMMITTED;
                };
        move("two");
        fate = cube -> Outcome.COMMITTED;
        assertThat(seen)
                .anyMatch(each -> each.pass() == 1 && each.keys() > 0 && each.keysTotal() == 40)
                .anyMatch(each -> each.phase() == MovePhase.CLEARING && each.keysTotal() == 40)
                .allMatch(each -> each.keys() <= 40);
    }

    @Test
    @Tag("slow")
    void aBucketMovesWithAllThatItHas() throws Exception {
        bucket(BUCKET, "one");
        fill();
        Instant early = clock.instant();
        put(ALICE, BUCKET, "versions", "the last before");
        ObjectVersion undone = put(ALICE, BUCKET, "later", "later than the instant");
        assertThat(undone.bytes()).isPositive();
        String open = upload("open");
        PartInfo first = part(open, "open", 1, "q".repeat(5 << 20));
        Instant late = clock.instant();
        BucketInfo info = store.bucket(name(BUCKET)).orElseThrow();
        List<String> now = seen(store);
        List<String> thenEarly = seen(store.asOf(early));
        List<String> thenLate = seen(store.asOf(late));
        List<String> states = states("versions");
        List<String> tags = states("tagged");
        audit();
        for (String cube : List.of("two", "default", "one", "two")) {
            move(cube);
            assertThat(store.bucket(name(BUCKET))).contains(info);
            assertThat(seen(store)).isEqualTo(now);
            assertThat(seen(store.asOf(early))).isEqualTo(thenEarly);
            assertThat(seen(store.asOf(late))).isEqualTo(thenLate);
            assertThat(states("versions")).isEqualTo(states);
            assertThat(states("tagged")).hasSameSizeAs(tags);
            audit();
            restart();
            assertThat(seen(store)).isEqualTo(now);
            audit();
        }
        // The upload goes on, versions ascend, and a restore reaches behind the moves.
        PartInfo second = part(open, "open", 2, "end");
        complete(open, "open", first, second);
        put(ALICE, BUCKET, "versions", "after the moves");
        assertThat(get(ALICE, BUCKET, "versions")).isEqualTo("after the moves");
        assertThat(get(store.asOf(late), ALICE, BUCKET, "versions")).isEqualTo("the last before");
        Request request = new Request(name(BUCKET), "", new Goal.ToInstant(early), OnConflict.SKIP);
        Restore.Run run = store.restore().start(ALICE, request);
        while (store.restore().run(run.id()).phase() == Restore.Phase.RUNNING) {
            Thread.onSpinWait();
        }
        assertThat(store.restore().run(run.id()).phase()).isEqualTo(Restore.Phase.DONE);
        assertThat(get(ALICE, BUCKET, "versions")).isEqualTo("version 4");
        audit();
        assertThat(
                        store.listUploads(ALICE, name(BUCKET), new UploadQuery("", "", "", "", 10))
                                .uploads())
                .isEmpty();
    }

    @Test
    void locksMoveAndHold() throws Exception {
        store.createBucket(ALICE, name(BUCKET), true, Map.of(), Optional.of("one"));
        ObjectVersion held = put(ALICE, BUCKET, "held", "kept");
        store.setLock(
                ALICE,
                name(BUCKET),
                key("held"),
                VersionSelector.LATEST,
                new ObjectLock.Change.OfLegalHold(ObjectLock.LegalHold.ON));
        move("two");
        assertThatThrownBy(
                        () ->
                                store.delete(
                                        ALICE,
                                        name(BUCKET),
                                        key("held"),
                                        StoreFixture.number(held),
                                        WriteCondition.NONE))
                .isInstanceOf(StoreException.class)
                .extracting(e -> ((StoreException) e).reason())
                .isEqualTo(StoreException.Reason.LOCKED);
        audit();
    }

    @Test
    @Tag("slow")
    void clientsWriteMeanwhileAndLoseNothing() throws Exception {
        bucket(BUCKET, "one");
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        for (int i = 0; i < 80; i++) {
            put(ALICE, BUCKET, "k" + i % 40, "before " + i);
        }
        whileClientsWrite(
                List.of("w0-", "w1-"),
                400,
                () -> {
                    for (String cube : List.of("two", "default")) {
                        move(cube);
                    }
                });
    }

    @Test
    void aMoveIsGivenUpOrGoesOnAfterAFault() throws Exception {
        bucket(BUCKET, "one");
        fill();
        List<String> now = seen(store);
        faulty.add("two");
        cubes.moves().start(name(BUCKET), "two");
        while (cubes.moves().list().getFirst().isRunning()) {
            awaitThreads();
        }
        Move failed = cubes.moves().list().getFirst();
        assertThat(failed.phase()).isEqualTo(MovePhase.COPYING);
        assertThat(failed.why()).isNotEmpty();
        assertThat(seen(store)).isEqualTo(now);
        assertThatThrownBy(() -> cubes.delete("two")).hasMessageContaining("is being moved");
        assertThatThrownBy(() -> cubes.moves().start(name(BUCKET), "default"))
                .hasMessageContaining("give that up with a move to cube one");
        faulty.remove("two");
        cubes.reopen("two", false);
        awaitOpened("two");
        awaitMoves();
        assertThat(cubes.cubeOf(name(BUCKET))).contains("two");
        assertThat(seen(store)).isEqualTo(now);
        faulty.add("default");
        faulty.remove("default");
        faulty.add("one");
        cubes.moves().start(name(BUCKET), "one");
        while (cubes.moves().list().getFirst().isRunning()) {
            awaitThreads();
        }
        faulty.remove("one");
        cubes.moves().start(name(BUCKET), "two");
        cubes.reopen("one", true);
        awaitOpened("one");
        awaitMoves();
        assertThat(cubes.cubeOf(name(BUCKET))).contains("two");
        assertThat(seen(store)).isEqualTo(now);
        audit();
    }

    @Test
    void aBucketThatIsDeletedMeanwhileLeavesNothing() throws Exception {
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, "k", "text");
        faulty.add("two");
        cubes.moves().start(name(BUCKET), "two");
        while (cubes.moves().list().getFirst().isRunning()) {
            awaitThreads();
        }
        store.delete(ALICE, name(BUCKET), key("k"), VersionSelector.LATEST, WriteCondition.NONE);
        store.deleteBucket(ALICE, name(BUCKET));
        faulty.remove("two");
        cubes.reopen("two", false);
        awaitOpened("two");
        awaitMoves();
        assertThat(store.bucket(name(BUCKET))).isEmpty();
        bucket(BUCKET, "two");
        assertThat(seen(store)).isEmpty();
    }

    @Test
    void wrongMovesAreRefused() throws Exception {
        bucket(BUCKET, "one");
        assertThatThrownBy(() -> cubes.moves().start(name(BUCKET), "one"))
                .hasMessageContaining("is in cube one already");
        assertThatThrownBy(() -> cubes.moves().start(name(BUCKET), "none"))
                .hasMessageContaining("no cube none");
        assertThatThrownBy(() -> cubes.moves().start(name("missing"), "one"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("missing");
    }
}
