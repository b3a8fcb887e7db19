package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.Outbox;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Buckets in several cubes, and cubes that fail alone. */
@CubesFixture.OnDisk
@Tag("slow")
class CubedStoreTest extends CubesFixture {
    private List<String> names() {
        return store.listBuckets(Optional.empty(), "", "", 100).stream()
                .map(bucket -> bucket.name().value())
                .toList();
    }

    @Test
    void aBucketLivesInTheCubeOfItsCreator() throws Exception {
        cubes.create("fast");
        bucket("a-photos", "fast");
        store.createBucket(ALICE, name("b-docs"));
        put(ALICE, "a-photos", "k", "in fast");
        put(ALICE, "b-docs", "k", "in default");
        assertThat(names()).containsExactly("a-photos", "b-docs");
        assertThat(cubes.cubeOf(name("a-photos"))).contains("fast");
        assertThat(cubes.cubeOf(name("b-docs"))).contains("default");
        assertThat(cubes.cubeOf(name("nothing"))).isEmpty();
        restart();
        assertThat(get(ALICE, "a-photos", "k")).isEqualTo("in fast");
        assertThat(get(ALICE, "b-docs", "k")).isEqualTo("in default");
        assertThat(info("fast").buckets()).isEqualTo(1);
        // Names are unique over all cubes.
        StoreException taken =
                catchThrowableOfType(StoreException.class, () -> bucket("b-docs", "fast"));
        assertThat(taken.reason()).isEqualTo(Reason.BUCKET_OWNED_BY_CALLER);
    }

    @Test
    void idsOfBucketsAreUniqueInTheStore() throws Exception {
        cubes.create("one");
        cubes.create("two");
        long first = bucket("in-one", "one").id();
        long second = bucket("in-two", "two").id();
        assertThat(first >>> 48).isEqualTo(1);
        assertThat(second >>> 48).isEqualTo(2);
        assertThat(store.createBucket(ALICE, name("in-default")).id()).isLessThan(1L << 48);
    }

    @Test
    void aBrokenCubeFailsAloneAndCanBeRepaired() throws Exception {
        cubes.create("sick");
        bucket("of-sick", "sick");
        store.createBucket(ALICE, name("of-default"));
        put(ALICE, "of-sick", "k", "kept");
        failures.put("sick", new IOException("the disk is gone"));
        restart();
        assertThat(info("sick").phase()).isEqualTo(Phase.FAILED);
        assertThat(info("sick").why()).contains("the disk is gone");
        CubeUnavailableException refused =
                catchThrowableOfType(
                        CubeUnavailableException.class, () -> get(ALICE, "of-sick", "k"));
        assertThat(refused.reason()).isEqualTo(CubeUnavailableException.Reason.NOT_OPEN);
        assertThat(refused.cube()).contains("sick");
        assertThatThrownBy(() -> store.bucket(name("of-sick")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("cube sick");
        put(ALICE, "of-default", "k", "served");
        assertThat(get(ALICE, "of-default", "k")).isEqualTo("served");
        assertThat(names()).containsExactly("of-default", "of-sick");
        assertThatThrownBy(() -> bucket("another", "sick"))
                .isInstanceOf(CubeUnavailableException.class);
        assertThat(names()).hasSize(2);
        failures.clear();
        assertThat(cubes.reopen("sick", true).phase()).isIn(Phase.OPENING, Phase.OPEN);
        assertThat(awaitOpened("sick").phase()).isEqualTo(Phase.OPEN);
        assertThat(get(ALICE, "of-sick", "k")).isEqualTo("kept");
    }

    /** Messages of other cubes are delivered once, and not again at each attempt. */
    @Test
    void deliveredMessagesLeaveTheCubesThatTakeWrites() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket("in-one", "one");
        bucket("in-two", "two");
        Outbox outbox = store.outbox();
        for (String each : List.of("in-one", "in-two")) {
            outbox.addAll(name(each), "mail", List.of(new byte[] {1}));
        }
        List<Outbox.Message> all = outbox.next("mail", 10);
        assertThat(all).extracting(Outbox.Message::cube).containsExactlyInAnyOrder("one", "two");
        faulty.add("one");
        assertThatThrownBy(() -> outbox.remove("mail", all)).isInstanceOf(IOException.class);
        assertThat(outbox.queue("mail").messages()).isEqualTo(1);
        faulty.clear();
    }

    @Test
    void aDamagedIndexIsRebuiltWhileTheOthersServe() throws Exception {
        cubes.create("one");
        bucket("in-one", "one");
        store.createBucket(ALICE, name("in-default"));
        for (int i = 0; i < 50; i++) {
            put(ALICE, "in-one", "k" + i, "text " + i);
        }
        close();
        try (Stream<Path> files = Files.walk(cube("one").resolve("index"))) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                Files.write(each, new byte[] {1, 2, 3});
            }
        }
        open();
        gates.put("one", new CountDownLatch(1));
        cubes.reopen("one", true);
        assertThat(info("one").phase()).isEqualTo(Phase.OPENING);
        put(ALICE, "in-default", "k", "served meanwhile");
        assertThat(get(ALICE, "in-default", "k")).isEqualTo("served meanwhile");
        CubeUnavailableException refused =
                catchThrowableOfType(
                        CubeUnavailableException.class, () -> get(ALICE, "in-one", "k1"));
        assertThat(refused.reason()).isEqualTo(CubeUnavailableException.Reason.NOT_OPEN);
        assertThat(refused).hasMessageContaining("cube one is in recovery");
        gates.get("one").countDown();
        assertThat(awaitOpened("one").phase()).isEqualTo(Phase.OPEN);
        for (int i = 0; i < 50; i++) {
            assertThat(get(ALICE, "in-one", "k" + i)).isEqualTo("text " + i);
        }
    }

    @Test
    void aMissingCubeAndOneOfAnotherStoreAreNamed() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket("in-one", "one");
        close();
        Files.move(cube("one"), directory.resolve("aside"));
        Path mark = cube("two").resolve("cube.mark");
        Files.copy(cube("default").resolve("cube.mark"), mark, StandardCopyOption.REPLACE_EXISTING);
        open();
        assertThat(info("one").why()).contains("cubes/one is missing").contains("put it back");
        assertThat(info("two").why()).contains("of another store");
        assertThat(Files.exists(cube("one"))).isFalse();
        Files.move(directory.resolve("aside"), cube("one"));
        cubes.reopen("one", false);
        assertThat(awaitOpened("one").phase()).isEqualTo(Phase.OPEN);
    }

    @Test
    void aPlacementWithoutABucketIsRemoved() throws Exception {
        cubes.create("one");
        close();
        copyTree(cube("one"), directory.resolve("before"));
        open();
        bucket("lost", "one");
        close();
        // As after a crash between the placement and the creation.
        swap("one");
        open();
        assertThat(names()).isEmpty();
        bucket("lost", "one");
        restart();
        assertThat(names()).containsExactly("lost");
    }

    @Test
    void aBucketWithoutAPlacementIsFound() throws Exception {
        cubes.create("one");
        close();
        copyTree(cube("default"), directory.resolve("before"));
        open();
        bucket("found", "one");
        close();
        swap("default");
        open();
        assertThat(names()).containsExactly("found");
        assertThat(cubes.cubeOf(name("found"))).contains("one");
    }

    private void swap(String name) throws IOException {
        Files.move(cube(name), directory.resolve("after"));
        Files.move(directory.resolve("before"), cube(name));
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
    }

    @Test
    void aCopyAcrossCubesKeepsWhatACopyKeeps() throws Exception {
        cubes.create("far");
        store.createBucket(ALICE, name("near"));
        bucket("away", "far");
        ObjectVersion source = put(ALICE, "near", "k", "x".repeat(50_000));
        ObjectVersion target = copy(BOB, "near", "k", "away", "copy");
        assertThat(target.attributes()).isEqualTo(source.attributes());
        assertThat(target.bytes()).isEqualTo(50_000);
        assertThat(get(ALICE, "away", "copy")).isEqualTo("x".repeat(50_000));
        ObjectVersion small = put(ALICE, "away", "s", "small");
        assertThat(copy(BOB, "away", "s", "near", "back").attributes())
                .isEqualTo(small.attributes());
        assertThat(get(ALICE, "near", "back")).isEqualTo("small");
        StoreException missing =
                catchThrowableOfType(
                        StoreException.class, () -> copy(BOB, "near", "none", "away", "copy"));
        assertThat(missing.reason()).isEqualTo(Reason.NO_SUCH_KEY);
    }

    @Test
    void aCopyAcrossCubesKeepsTheParts() throws Exception {
        cubes.create("far");
        store.createBucket(ALICE, name("near"));
        bucket("away", "far");
        String upload =
                store.createUpload(ALICE, name("near"), key("big"), StoreFixture.uploadAttributes())
                        .uploadId();
        String first = "p".repeat(5 << 20);
        PartInfo one = part(upload, 1, first);
        PartInfo two = part(upload, 2, "the end");
        ObjectVersion whole =
                store.completeUpload(
                        ALICE,
                        name("near"),
                        key("big"),
                        upload,
                        List.of(choice(one), choice(two)),
                        (info, chosen) -> ObjectAttributes.ofEtag("abc-2"),
                        WriteCondition.NONE);
        ObjectVersion target = copy(ALICE, "near", "big", "away", "big");
        assertThat(target.parts()).isEqualTo(2);
        assertThat(target.attributes().etag()).isEqualTo(whole.attributes().etag());
        List<PartInfo> parts = store.parts(ALICE, name("away"), target);
        assertThat(parts).isEqualTo(store.parts(ALICE, name("near"), whole));
        assertThat(get(ALICE, "away", "big")).isEqualTo(first + "the end");
    }

    private PartInfo part(String upload, int number, String text) throws IOException {
        return store.putPart(
                ALICE,
                name("near"),
                key("big"),
                upload,
                new PartInfo(number, 0, StoreFixture.md5(text), Instant.EPOCH, Optional.empty()),
                body("near", "big", text));
    }

    private static PartChoice choice(PartInfo part) {
        return new PartChoice(part.number(), part.etag(), Optional.empty());
    }

    @Test
    void thePastFindsTheCubeOfThatTime() throws Exception {
        cubes.create("one");
        store.createBucket(ALICE, name("moved"));
        store.setHistoryPolicy(ALICE, name("moved"), HistoryPolicy.EVERY_WRITE);
        put(ALICE, "moved", "k", "in default");
        Instant before = clock.instant();
        store.delete(ALICE, name("moved"), key("k"), VersionSelector.LATEST, WriteCondition.NONE);
        store.deleteBucket(ALICE, name("moved"));
        bucket("moved", "one");
        put(ALICE, "moved", "k", "in one");
        Instant after = clock.instant();
        assertThat(get(store.asOf(after), ALICE, "moved", "k")).isEqualTo("in one");
        assertThat(get(store.asOf(before), ALICE, "moved", "k")).isEqualTo("in default");
        List<BucketInfo> then = store.asOf(before).listBuckets(Optional.empty(), "", "", 10);
        assertThat(then).extracting(each -> each.name().value()).containsExactly("moved");
    }

    @Test
    void onlyAnEmptyCubeCanBeDeletedAndItsFilesStay() throws Exception {
        cubes.create("old");
        bucket("photos", "old");
        assertThatThrownBy(() -> cubes.delete("old")).hasMessageContaining("has 1 buckets");
        store.deleteBucket(ALICE, name("photos"));
        Path aside = Path.of(cubes.delete("old"));
        assertThat(aside.resolve("segments")).exists();
        assertThat(cubes.list()).hasSize(1);
        restart();
        assertThat(cubes.list()).hasSize(1);
        // The number is not used again, and with it no id.
        assertThat(cubes.create("old").number()).isEqualTo(2);
        assertThatThrownBy(() -> cubes.delete("default"))
                .hasMessageContaining("is the system cube");
    }

    @Test
    void wrongNamesAreRefused() throws Exception {
        cubes.create("one");
        assertThatThrownBy(() -> cubes.create("one")).hasMessageContaining("there is a cube one");
        assertThatThrownBy(() -> cubes.create("No/Such")).hasMessageContaining("lower-case");
        assertThatThrownBy(() -> bucket("photos", "none"))
                .hasMessageContaining("no cube none: there are [default, one]");
        assertThatThrownBy(() -> cubes.reopen("default", false)).isInstanceOf(StoreException.class);
        Files.createDirectories(cube("foreign"));
        Files.copy(cube("one").resolve("cube.mark"), cube("foreign").resolve("cube.mark"));
        assertThatThrownBy(() -> cubes.create("foreign"))
                .hasMessageContaining("not in the list of this store");
    }

    @Test
    void settingsAndVersioningGoToTheCube() throws Exception {
        cubes.create("one");
        bucket("photos", "one");
        store.setVersioning(ALICE, name("photos"), BucketInfo.VersioningState.ENABLED);
        store.settings()
                .setDocument(name("photos"), BucketDocument.TAGGING, Optional.of("<Tagging/>"));
        restart();
        BucketInfo bucket = store.bucket(name("photos")).orElseThrow();
        assertThat(bucket.versioning()).isEqualTo(BucketInfo.VersioningState.ENABLED);
        assertThat(bucket.documents()).hasSize(1);
    }
}
