package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.History.Direction;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies from cubes of the other server, by views. */
class ForeignCopiesTest extends PartFixture {
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

    private static ObjectVersion copy(
            VersionedStore to, ObjectStore.Source source, String bucket, String key)
            throws IOException {
        return to.copy(
                        BOB,
                        source,
                        name(bucket),
                        key(key),
                        version -> {},
                        version -> version.attributes(),
                        WriteCondition.NONE)
                .target();
    }

    private static ObjectStore.Source source(String bucket, String key) {
        return new ObjectStore.Source(name(bucket), key(key), VersionSelector.LATEST);
    }

    private static Entry entryOf(VersionedStore of, String bucket, String key) throws IOException {
        List<Entry> entries = new ArrayList<>();
        of.provenance()
                .orElseThrow()
                .entries(name(bucket), key(key), record -> entries.add(record.entry()));
        return entries.getLast();
    }

    @Test
    void aCopyHasWhatTheOtherServerHasAcknowledged() throws Exception {
        for (String text : List.of("small", "x".repeat(50_000), "small again")) {
            put(part.store(), BUCKET, "k", text);
            ObjectVersion copied = copy(store, source(BUCKET, "k"), "here", "copy");
            assertThat(get(ALICE, "here", "copy")).isEqualTo(text);
            assertThat(copied.attributes()).isEqualTo(StoreFixture.attributes(text));
            put(store, "here", "k", text);
            assertThat(copy(part.store(), source("here", "k"), BUCKET, "copy").attributes())
                    .isEqualTo(StoreFixture.attributes(text));
            assertThat(get(part.store(), ALICE, BUCKET, "copy")).isEqualTo(text);
        }
        assertThat(uses).as("views in use").hasValue(0);
    }

    @Test
    void theTargetNamesItsSourceAndTheSourceIsACause() throws Exception {
        put(part.store(), BUCKET, "k", "content");
        Entry origin = entryOf(part.store(), BUCKET, "k");
        copy(store, source(BUCKET, "k"), "here", "copy");
        Entry copied = entryOf(store, "here", "copy");
        assertThat(copied.kind()).isEqualTo(EventKind.COPY);
        assertThat(copied.source()).isPresent();
        assertThat(copied.content()).isEqualTo(origin.content());
        part.release("one");
        cubes.take("one");
        assertThat(
                        store.history()
                                .trace(
                                        Direction.BACK,
                                        name("here"),
                                        key("copy"),
                                        Optional.empty(),
                                        Optional.empty(),
                                        100)
                                .entries()
                                .toString())
                .contains("bucket=" + BUCKET);
        audit();
    }

    /** A copy that stores other bytes reads the source and writes the target. */
    @Test
    void aReadOfASourceIsACauseOfTheNextWrite() throws Exception {
        put(part.store(), BUCKET, "k", "content");
        ObjectReader sources = store.sources(Optional.empty());
        assertThat(get(sources, BOB, BUCKET, "k")).isEqualTo("content");
        put(BOB, "here", "derived", "other bytes");
        part.release("one");
        cubes.take("one");
        assertThat(
                        store.history()
                                .trace(
                                        Direction.BACK,
                                        name("here"),
                                        key("derived"),
                                        Optional.empty(),
                                        Optional.empty(),
                                        100)
                                .entries()
                                .toString())
                .contains("bucket=" + BUCKET);
    }

    @Test
    void versionsAndTheMissingAreThoseOfTheSource() throws Exception {
        part.store().setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        put(part.store(), BUCKET, "k", "first");
        VersionSelector first =
                new VersionSelector.Numbered(
                        part.store()
                                .head(ALICE, name(BUCKET), key("k"), VersionSelector.LATEST)
                                .orElseThrow()
                                .number());
        put(part.store(), BUCKET, "k", "second");
        copy(store, new ObjectStore.Source(name(BUCKET), key("k"), first), "here", "old");
        assertThat(get(ALICE, "here", "old")).isEqualTo("first");
        delete(part.store(), BUCKET, "k");
        assertThat(reason(() -> copy(store, source(BUCKET, "k"), "here", "c")))
                .isEqualTo(StoreException.Reason.NO_SUCH_KEY);
        assertThat(reason(() -> copy(store, source("none", "k"), "here", "c")))
                .isEqualTo(StoreException.Reason.NO_SUCH_BUCKET);
        assertThat(reason(() -> copy(part.store(), source("none", "k"), BUCKET, "c")))
                .isEqualTo(StoreException.Reason.NO_SUCH_BUCKET);
        assertThat(store.sources(Optional.empty()).bucket(name("none"))).isEmpty();
        assertThat(store.sources(Optional.empty()).bucket(name(BUCKET)))
                .isEqualTo(part.store().bucket(name(BUCKET)));
    }

    private static StoreException.Reason reason(ThrowingCallable call) {
        return catchThrowableOfType(StoreException.class, call).reason();
    }

    /** The placements of the server without the system cube are late until it has waited. */
    @Test
    void aBucketThatWasJustMadeIsASource() throws Exception {
        cubes.create("two");
        bucket("new", "two");
        put(store, "new", "k", "content");
        copy(part.store(), source("new", "k"), BUCKET, "copy");
        assertThat(get(part.store(), ALICE, BUCKET, "copy")).isEqualTo("content");
        assertThat(part.store().sources(Optional.empty()).bucket(name("new"))).isPresent();
    }

    /** Its keys left the cube behind the look at its placement. */
    @Test
    void aBucketThatMovesIsFoundInItsNewCube() throws Exception {
        cubes.create("two");
        bucket("moving", StoreCubes.SYSTEM);
        put(store, "moving", "k", "content");
        part.refresh();
        AtomicInteger moves = new AtomicInteger();
        beforeView =
                () -> {
                    if (moves.getAndIncrement() == 0) {
                        assertThat(cubes.moves().start(name("moving"), "two").to())
                                .isEqualTo("two");
                        awaitMoves();
                    }
                    return true;
                };
        copy(part.store(), source("moving", "k"), BUCKET, "copy");
        assertThat(get(part.store(), ALICE, BUCKET, "copy")).isEqualTo("content");
        assertThat(moves.get()).isGreaterThan(1);
    }

    @Test
    void aSourceOfThePastIsReadInItsCube() throws Exception {
        put(part.store(), BUCKET, "k", "before");
        Instant then = clock.instant();
        put(part.store(), BUCKET, "k", "after");
        ObjectStore.Source past =
                new ObjectStore.Source(
                        name(BUCKET), key("k"), VersionSelector.LATEST, Optional.of(then));
        copy(store, past, "here", "old");
        assertThat(get(ALICE, "here", "old")).isEqualTo("before");
        ObjectReader sources = store.sources(Optional.of(then));
        assertThat(sources.bucket(name(BUCKET))).isPresent();
        assertThat(get(sources, BOB, BUCKET, "k")).isEqualTo("before");
        delete(part.store(), BUCKET, "k");
        store.setHistoryPolicy(ALICE, name("here"), HistoryPolicy.EVERY_WRITE);
        Instant now = clock.instant();
        assertThatThrownBy(() -> get(store.sources(Optional.of(now)), BOB, BUCKET, "k"))
                .as("another commit of that instant may come")
                .isInstanceOf(CubeUnavailableException.class);
    }

    @Test
    void aCubeBetweenOwnersIsRefusedByItsName() throws Exception {
        put(part.store(), BUCKET, "k", "content");
        part.release("one");
        assertThatThrownBy(() -> copy(store, source(BUCKET, "k"), "here", "copy"))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e -> {
                            assertThat(e.cube()).contains("one");
                            assertThat(e.reason()).isEqualTo(Reason.NOT_OPEN);
                        });
        cubes.take("one");
        copy(store, source(BUCKET, "k"), "here", "copy");
        assertThat(get(ALICE, "here", "copy")).isEqualTo("content");
    }

    /** Other reads and writes of such buckets are the owner's. */
    @Test
    void onlySourcesOfCopiesAreReadElsewhere() throws Exception {
        put(part.store(), BUCKET, "k", "content");
        Caller alice = ALICE;
        assertThatThrownBy(() -> get(alice, BUCKET, "k"))
                .hasMessage("cube one is on another node of the cluster");
        assertThatThrownBy(() -> put(store, BUCKET, "k", "mine"))
                .isInstanceOf(CubeUnavailableException.class);
    }
}
