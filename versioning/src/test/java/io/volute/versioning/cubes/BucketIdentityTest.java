package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.PendingBlob;
import io.volute.versioning.BucketSettings;
import io.volute.versioning.History;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BodyHash;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.MetadataChange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Tests that each call for a bucket that was deleted reaches no later bucket of its name, in
 * whichever cube, and that a bucket which moves or is divided is still the same one.
 */
final class BucketIdentityTest extends MovesFixture {
    private static final String KEY = "k";

    /** The known value for a parameter of a type. */
    private Object argument(Class<?> type, Method method, BucketRef bucket) throws Exception {
        Map<Class<?>, Object> simple = new HashMap<>();
        simple.put(Caller.class, ALICE);
        simple.put(BucketRef.class, bucket);
        simple.put(ObjectKey.class, key(KEY));
        simple.put(VersionSelector.class, VersionSelector.LATEST);
        simple.put(VersioningState.class, VersioningState.ENABLED);
        simple.put(BucketLock.class, BucketLock.PLAIN);
        simple.put(HistoryPolicy.class, HistoryPolicy.NONE);
        simple.put(OptionalLong.class, OptionalLong.empty());
        simple.put(OptionalInt.class, OptionalInt.empty());
        simple.put(BodyHash.class, BodyHash.UNKNOWN);
        simple.put(ObjectAttributes.class, StoreFixture.attributes("text"));
        simple.put(WriteCondition.class, WriteCondition.NONE);
        simple.put(MetadataChange.class, new MetadataChange.Tags(Map.of("a", "b")));
        simple.put(
                ObjectLock.Change.class,
                new ObjectLock.Change.OfLegalHold(ObjectLock.LegalHold.ON));
        simple.put(
                DeleteTarget.class,
                new DeleteTarget(key(KEY), VersionSelector.LATEST, WriteCondition.NONE));
        simple.put(
                List.class,
                method.getName().equals("deleteAll")
                        ? List.of(
                                new DeleteTarget(
                                        key(KEY), VersionSelector.LATEST, WriteCondition.NONE))
                        : List.of(new PartChoice(1, "etag", Optional.empty())));
        simple.put(Map.class, Map.of("a", "b"));
        simple.put(String.class, "1-1");
        simple.put(
                PartInfo.class,
                new PartInfo(1, 0, StoreFixture.md5("text"), Instant.EPOCH, Optional.empty()));
        simple.put(int.class, 10);
        simple.put(ObjectQuery.class, new ObjectQuery("", "", "", 10));
        simple.put(VersionQuery.class, new VersionQuery("", "", "", Optional.empty(), 10));
        simple.put(UploadQuery.class, new UploadQuery("", "", "", "", 10));
        simple.put(
                ObjectStore.Source.class,
                new ObjectStore.Source(name(BUCKET), key(KEY), VersionSelector.LATEST));
        Consumer<ObjectVersion> anySource = source -> {};
        simple.put(Consumer.class, anySource);
        Function<ObjectVersion, ObjectAttributes> same = ObjectVersion::attributes;
        simple.put(Function.class, same);
        ObjectStore.Completion completion = (info, chosen) -> ObjectAttributes.ofEtag("abc-1");
        simple.put(ObjectStore.Completion.class, completion);
        simple.put(
                ObjectVersion.class,
                store.head(ALICE, name(BUCKET), key(KEY), VersionSelector.LATEST).orElseThrow());
        simple.put(UnaryOperator.class, UnaryOperator.identity());
        simple.put(BucketDocument.class, BucketDocument.TAGGING);
        simple.put(Optional.class, Optional.empty());
        simple.put(Instant.class, Instant.EPOCH);
        if (type == PendingBlob.class) {
            return body(BUCKET, KEY, "text");
        }
        if (type == History.Erasure.class) {
            return new History.Erasure() {
                @Override
                public boolean covers(ObjectAttributes state) {
                    return true;
                }

                @Override
                public SortedSet<Long> run(List<ObjectAttributes> states) {
                    throw new AssertionError("states of another bucket are erased");
                }
            };
        }
        assertThat(simple).as("a value for " + type + " of " + method).containsKey(type);
        return simple.get(type);
    }

    /** Returns the names of the calls that take a bucket; fails if one is not refused. */
    private List<String> refused(Class<?> type, Object target, BucketRef gone) throws Exception {
        List<String> tried = new ArrayList<>();
        for (Method method : type.getMethods()) {
            List<Class<?>> types = Arrays.asList(method.getParameterTypes());
            // The last known attributes are those of a version that was found before.
            if (types.contains(BucketRef.class) && !method.getName().equals("lastKnown")) {
                List<Object> arguments = new ArrayList<>();
                for (Class<?> each : types) {
                    arguments.add(argument(each, method, gone));
                }
                assertThatThrownBy(() -> method.invoke(target, arguments.toArray()))
                        .as(method.toString())
                        .isInstanceOf(InvocationTargetException.class)
                        .cause()
                        .isInstanceOf(StoreException.class)
                        .extracting(e -> ((StoreException) e).reason())
                        .isEqualTo(Reason.NO_SUCH_BUCKET);
                tried.add(method.getName());
            }
        }
        return tried;
    }

    private void everyCallIsRefused(BucketInfo gone) throws Exception {
        put(ALICE, BUCKET, KEY, "of the next");
        BucketInfo next = store.bucket(name(BUCKET)).orElseThrow();
        assertThat(refused(VersionedStore.class, store, gone))
                .contains("put", "copy", "deleteAll", "putPart", "open", "listVersions");
        assertThat(refused(BucketSettings.class, store.settings(), gone)).contains("setAccess");
        assertThat(refused(History.class, store.history(), gone)).contains("purge", "shred");
        assertThat(store.bucket(name(BUCKET))).contains(next);
        assertThat(get(ALICE, BUCKET, KEY)).isEqualTo("of the next");
        ObjectStore.Source source = new ObjectStore.Source(gone, key(KEY), VersionSelector.LATEST);
        assertThatThrownBy(
                        () ->
                                store.copy(
                                        ALICE,
                                        source,
                                        next,
                                        key("copied"),
                                        each -> {},
                                        ObjectVersion::attributes,
                                        WriteCondition.NONE))
                .isInstanceOf(StoreException.class);
    }

    @Test
    void theNextBucketInTheSameCubeIsAnotherOne() throws Exception {
        cubes.create("one");
        BucketInfo gone = bucket(BUCKET, "one");
        store.deleteBucket(ALICE, gone);
        bucket(BUCKET, "one");
        everyCallIsRefused(gone);
    }

    @Test
    void theNextBucketInAnotherCubeIsAnotherOne() throws Exception {
        cubes.create("one");
        cubes.create("two");
        BucketInfo gone = bucket(BUCKET, "one");
        store.deleteBucket(ALICE, gone);
        bucket(BUCKET, "two");
        everyCallIsRefused(gone);
    }

    @Test
    void theNextBucketThatIsDividedIsAnotherOne() throws Exception {
        cubes.create("one");
        cubes.create("two");
        BucketInfo gone = bucket(BUCKET, "one");
        store.deleteBucket(ALICE, gone);
        bucket(BUCKET, "one");
        assertThat(cubes.moves().split(name(BUCKET), key("j"), "two")).isNotNull();
        awaitMoves();
        everyCallIsRefused(gone);
    }

    @Test
    void thePastOfAnotherBucketIsNotRead() throws Exception {
        cubes.create("one");
        BucketInfo gone = bucket(BUCKET, "one");
        store.deleteBucket(ALICE, gone);
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, KEY, "of the next");
        Instant then = clock.instant();
        put(ALICE, BUCKET, KEY, "later");
        assertThat(store.asOf(then).bucket(name(BUCKET))).isPresent();
        assertThatThrownBy(
                        () -> store.asOf(then).open(ALICE, gone, key(KEY), VersionSelector.LATEST))
                .isInstanceOf(StoreException.class);
    }

    @Test
    void aBucketThatMovesIsTheSameOne() throws Exception {
        cubes.create("one");
        cubes.create("two");
        BucketInfo judged = bucket(BUCKET, "one");
        put(ALICE, BUCKET, KEY, "text");
        assertThat(cubes.moves().start(name(BUCKET), "two")).isNotNull();
        awaitMoves();
        write(judged, KEY, "after the move");
        assertThat(cubes.moves().split(name(BUCKET), key("j"), "one")).isNotNull();
        awaitMoves();
        write(judged, "a", "in its home");
        write(judged, "z", "in the other part");
        store.settings().setDocument(judged, BucketDocument.TAGGING, Optional.of("<Tagging/>"));
        assertThat(get(ALICE, BUCKET, "z")).isEqualTo("in the other part");
    }

    private void write(BucketInfo judged, String key, String text) throws Exception {
        ObjectVersion made =
                store.put(
                        ALICE,
                        judged,
                        key(key),
                        body(BUCKET, key, text),
                        StoreFixture.attributes(text),
                        WriteCondition.NONE);
        assertThat(made.key()).isEqualTo(key(key));
        assertThat(get(ALICE, BUCKET, key)).isEqualTo(text);
    }
}
