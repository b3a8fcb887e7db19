package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PastTest extends PastFixture {
    private static final ObjectKey A = new ObjectKey("a");

    @Test
    void everyWriteIsThereAsItWas() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        Instant empty = tick();
        put(ALICE, "a", "one");
        Instant one = tick();
        put(ALICE, "a", "two");
        put(ALICE, "b", "b");
        Instant two = tick();
        delete(ALICE, "a");
        Instant gone = tick();
        put(ALICE, "a", "three");
        Instant three = tick();
        for (int i = 0; i < 2; i++) {
            assertThat(past(empty)).isEmpty();
            assertThat(past(one)).isEqualTo(Map.of("a", "one"));
            assertThat(past(two)).isEqualTo(Map.of("a", "two", "b", "b"));
            assertThat(past(gone)).isEqualTo(Map.of("b", "b"));
            assertThat(past(three)).isEqualTo(Map.of("a", "three", "b", "b"));
            store.close();
            store = openStore();
        }
    }

    /** Only where nothing later is there yet, a commit without changes makes sure of it. */
    @Test
    void anInstantIsOrderedBehindOneCommit() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "a", "one");
        Instant one = tick();
        put(ALICE, "a", "two");
        Instant two = tick();
        long before = cube.stats().commits();
        assertThat(past(one)).isEqualTo(Map.of("a", "one"));
        assertThat(cube.stats().commits() - before).isZero();
        for (int i = 0; i < 2; i++) {
            assertThat(past(two)).isEqualTo(Map.of("a", "two"));
            assertThat(cube.stats().commits() - before).isEqualTo(1);
            // A commit after a clock step backwards is still the later one.
            clock.set(one);
            put(ALICE, "a", "three");
            clock.set(two.plusSeconds(1));
            // The write, and that the clock went back and has caught up.
            assertThat(store.clock().behind()).isZero();
            before += 3;
        }
    }

    /** Keys with one state and with many, in pages of several sizes. */
    @Test
    void manyKeysAreThereAsTheyWere() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        SplittableRandom random = new SplittableRandom(11);
        Map<String, String> now = new TreeMap<>();
        Map<Instant, Map<String, String>> then = new LinkedHashMap<>();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 700; i++) {
                String key = "k" + random.nextInt(1000);
                if (now.containsKey(key) && random.nextInt(3) == 0) {
                    delete(ALICE, key);
                    now.remove(key);
                } else {
                    String text = key + " in round " + round + ", " + i;
                    put(ALICE, key, text);
                    now.put(key, StoreFixture.md5(text));
                }
            }
            then.put(tick(), new TreeMap<>(now));
        }
        for (Map.Entry<Instant, Map<String, String>> each : then.entrySet()) {
            for (int max : List.of(1000, 333, 150)) {
                assertThat(etags(each.getKey(), max)).isEqualTo(each.getValue());
            }
        }
    }

    private Map<String, String> etags(Instant at, int max) throws IOException {
        Map<String, String> etags = new TreeMap<>();
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
            ObjectPage page =
                    store.asOf(at)
                            .listObjects(ALICE, BUCKET, new ObjectQuery("", "", after.get(), max));
            assertThat(page.objects()).hasSizeLessThanOrEqualTo(max);
            page.objects().forEach(each -> etags.put(each.key().value(), each.attributes().etag()));
            after = page.next();
        }
        return etags;
    }

    /** The paper's rule: who only writes makes one version, and what is kept is how it ended. */
    @Test
    void whatOneActorWroteIsOneVersion() throws IOException {
        put(ALICE, "a", "one");
        Instant one = tick();
        put(ALICE, "a", "two");
        Instant two = tick();
        put(THIEF, "a", "ransom");
        Instant ransom = tick();
        assertThat(past(one)).isEqualTo(Map.of("a", "two"));
        assertThat(past(two)).isEqualTo(Map.of("a", "two"));
        assertThat(past(ransom)).isEqualTo(Map.of("a", "ransom"));
        assertThat(writtenLater(one)).contains(START.plusSeconds(1));
        assertThat(writtenLater(two)).isEmpty();
    }

    private Optional<Instant> writtenLater(Instant at) throws IOException {
        ObjectReader past = store.asOf(at);
        Optional<Instant> told =
                past.head(ALICE, BUCKET, A, VersionSelector.LATEST).orElseThrow().writtenLater();
        assertThat(
                        past.listObjects(ALICE, BUCKET, new ObjectQuery("", "", "", 1000))
                                .objects()
                                .getFirst()
                                .writtenLater())
                .isEqualTo(told);
        return told;
    }

    @Test
    void whatItReadInBetweenMakesTheNextVersion() throws IOException {
        put(THIEF, "source", "s");
        put(ALICE, "a", "one");
        Instant one = tick();
        assertThat(read(ALICE, "source")).isEqualTo("s");
        put(ALICE, "a", "two");
        tick();
        assertThat(read(ALICE, "source")).isEqualTo("s");
        put(ALICE, "a", "three");
        assertThat(past(one)).containsEntry("a", "one");
        assertThat(past(tick())).containsEntry("a", "three");
        assertThat(past(START.plusSeconds(1))).containsEntry("a", "three");
    }

    /** Rule CA.self-cycle would let it vanish. */
    @Test
    void whoReadsAndOverwritesDoesNotMakeItVanish() throws IOException {
        put(ALICE, "a", "good");
        Instant good = tick();
        assertThat(read(THIEF, "a")).isEqualTo("good");
        put(THIEF, "a", "bad");
        tick();
        assertThat(past(good)).isEqualTo(Map.of("a", "good"));
    }

    @Test
    void deletedByAnotherIsKept() throws IOException {
        put(ALICE, "a", "good");
        put(ALICE, "b", "temporary");
        Instant good = tick();
        delete(THIEF, "a");
        delete(ALICE, "b");
        Instant gone = tick();
        assertThat(past(good)).isEqualTo(Map.of("a", "good"));
        assertThat(past(gone)).isEmpty();
    }

    @Test
    void anOldVersionEndsByItself() throws IOException {
        put(ALICE, "a", "one");
        Instant one = tick();
        clock.updateAndGet(now -> now.plus(Duration.ofHours(1)));
        assertThat(store.head(ALICE, BUCKET, A, VersionSelector.LATEST)).isPresent();
        put(ALICE, "a", "two");
        tick();
        assertThat(past(one)).isEqualTo(Map.of("a", "one"));
    }

    @Test
    void nothingIsKeptUnderNone() throws IOException {
        policy(HistoryPolicy.NONE);
        put(ALICE, "a", "one");
        Instant one = tick();
        put(THIEF, "a", "two");
        Instant two = tick();
        assertThat(past(one)).isEmpty();
        assertThat(past(two)).isEqualTo(Map.of("a", "two"));
        assertThat(liveBodies()).isEqualTo(1);
    }

    @Test
    void visibleVersionsTellThePastAndRemovedOnesDo() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        ObjectVersion one = put(ALICE, "a", "one");
        Instant first = tick();
        ObjectVersion two = put(ALICE, "a", "two");
        Instant second = tick();
        delete(ALICE, "a");
        Instant marked = tick();
        for (ObjectVersion each : List.of(one, two)) {
            assertThat(
                            store.delete(
                                            THIEF,
                                            BUCKET,
                                            A,
                                            new VersionSelector.Numbered(each.number()),
                                            WriteCondition.NONE)
                                    .version())
                    .isPresent();
        }
        Instant removed = tick();
        assertThat(past(first)).isEqualTo(Map.of("a", "one"));
        assertThat(past(second)).isEqualTo(Map.of("a", "two"));
        assertThat(past(marked)).isEmpty();
        assertThat(versions(first)).containsExactly(one.number() + "*");
        assertThat(versions(second)).containsExactly(two.number() + "*", "" + one.number());
        assertThat(versions(marked)).hasSize(3).contains("" + two.number(), "" + one.number());
        assertThat(versions(removed)).hasSize(1);
        assertThat(
                        store.asOf(second)
                                .head(ALICE, BUCKET, A, new VersionSelector.Numbered(one.number())))
                .get()
                .extracting(ObjectVersion::latest)
                .isEqualTo(false);
    }

    private List<String> versions(Instant at) throws IOException {
        return store
                .asOf(at)
                .listVersions(ALICE, BUCKET, new VersionQuery("", "", "", Optional.empty(), 1000))
                .versions()
                .stream()
                .map(version -> version.number() + (version.latest() ? "*" : ""))
                .toList();
    }

    /** A version that becomes current again was so at two times. */
    @Test
    void aVersionThatComesBackIsNotShownInBetween() throws IOException {
        store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        put(ALICE, "a", "one");
        Instant first = tick();
        ObjectVersion two = put(ALICE, "a", "two");
        Instant second = tick();
        assertThat(
                        store.delete(
                                        THIEF,
                                        BUCKET,
                                        A,
                                        new VersionSelector.Numbered(two.number()),
                                        WriteCondition.NONE)
                                .version())
                .isPresent();
        Instant third = tick();
        assertThat(past(first)).isEqualTo(Map.of("a", "one"));
        assertThat(past(second)).isEqualTo(Map.of("a", "two"));
        assertThat(past(third)).isEqualTo(Map.of("a", "one"));
    }

    @Test
    void tagsAreAsTheyWere() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "a", "one");
        Instant plain = tick();
        ObjectVersion tagged =
                store.setTags(ALICE, BUCKET, A, VersionSelector.LATEST, Map.of("k", "v"));
        assertThat(tagged.attributes().tags()).containsEntry("k", "v");
        Instant later = tick();
        assertThat(tags(plain)).isEmpty();
        assertThat(tags(later)).containsEntry("k", "v");
        assertThat(past(plain)).isEqualTo(Map.of("a", "one"));
    }

    private Map<String, String> tags(Instant at) throws IOException {
        return store.asOf(at)
                .head(ALICE, BUCKET, A, VersionSelector.LATEST)
                .orElseThrow()
                .attributes()
                .tags();
    }

    @Test
    void aDeletedBucketIsThereInThePast() throws IOException {
        put(ALICE, "a", "one");
        Instant full = tick();
        delete(THIEF, "a");
        tick();
        store.deleteBucket(ALICE, BUCKET);
        Instant gone = tick();
        BucketInfo again = store.createBucket(ALICE, BUCKET);
        put(ALICE, "a", "of the new bucket");
        Instant later = tick();
        assertThat(past(full)).isEqualTo(Map.of("a", "one"));
        assertThat(store.asOf(gone).bucket(BUCKET)).isEmpty();
        assertThat(store.asOf(gone).listBuckets(Optional.empty(), "", "", 10)).isEmpty();
        assertThat(store.asOf(full).listBuckets(Optional.empty(), "", "", 10)).hasSize(1);
        assertThatThrownBy(() -> past(gone))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.NO_SUCH_BUCKET));
        assertThat(store.asOf(later).bucket(BUCKET)).contains(again);
        assertThat(past(later)).isEqualTo(Map.of("a", "of the new bucket"));
    }

    @Test
    void thePastIsOverAndReadOnly() throws IOException {
        put(ALICE, "a", "one");
        Instant now = clock.get();
        assertThatThrownBy(() -> store.asOf(now))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT));
    }

    /** Whoever looked at the past has seen a commit that is later than it. */
    @Test
    void aClockThatGoesBackDoesNotChangeWhatWasShown() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        for (int i = 0; i < 10; i++) {
            assertThat(store.clock().behind()).isZero();
            assertThat(tick()).isNotNull();
        }
        put(ALICE, "a", "one");
        Instant at = tick();
        assertThat(past(at)).isEqualTo(Map.of("a", "one"));
        clock.set(at.minusSeconds(10));
        put(ALICE, "a", "two");
        clock.set(at.plusSeconds(60));
        assertThat(past(at)).isEqualTo(Map.of("a", "one"));
    }

    @Test
    void commonPrefixesAreThoseOfThePast() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "x/1", "1");
        put(ALICE, "x/2", "2");
        put(ALICE, "y", "y");
        Instant before = tick();
        delete(ALICE, "x/1");
        delete(ALICE, "x/2");
        put(ALICE, "z/1", "1");
        Instant after = tick();
        assertThat(prefixes(before)).containsExactly("x/");
        assertThat(prefixes(after)).containsExactly("z/");
    }

    private List<String> prefixes(Instant at) throws IOException {
        return store.asOf(at)
                .listObjects(ALICE, BUCKET, new ObjectQuery("", "/", "", 1000))
                .prefixes();
    }
}
