package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.Part;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random writes, splits, merges and restarts, with listings in small pages compared with a map.
 * {@code -Dsplit.seed=N} repeats a run.
 */
@Tag("slow")
class SplitModelTest extends MovesFixture {
    private static final List<String> NAMES =
            List.of(
                    "a",
                    "a/",
                    "a/b",
                    "a/b/c",
                    "a/c",
                    "b",
                    "b/x",
                    "b/y/z",
                    "c",
                    "\u00e9",
                    "\uffee",
                    "\ud83d\ude00");

    private static final List<String> PREFIXES = List.of("", "a", "a/", "a/b", "b/", "\u00e9", "x");
    private static final int STEPS = 60;

    private final TreeMap<ObjectKey, String> present = new TreeMap<>();
    private final TreeMap<ObjectKey, Integer> versions = new TreeMap<>();
    private static final Pattern TAKEN =
            Pattern.compile(
                    "the multipart upload (\\w+) of bucket .* has the number of an upload in the"
                            + " other cube");

    private final TreeSet<ObjectKey> uploads = new TreeSet<>();

    @Test
    void listingsAreThoseOfAMap() throws Exception {
        long seed = Long.getLong("split.seed", System.currentTimeMillis());
        System.out.println("SplitModelTest: -Dsplit.seed=" + seed);
        Random random = new Random(seed);
        for (String cube : List.of("one", "two", "three")) {
            cubes.create(cube);
        }
        bucket(BUCKET, random.nextBoolean() ? "one" : "default");
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        for (int step = 0; step < STEPS; step++) {
            step(random, step);
            compare(store, random, present, Optional.of(versions));
            compareUploads(random);
        }
        Instant then = clock.instant();
        TreeMap<ObjectKey, String> past = new TreeMap<>(present);
        for (int step = 0; step < 10; step++) {
            step(random, STEPS + step);
            compare(store.asOf(then), random, past, Optional.empty());
        }
        audit();
    }

    private void step(Random random, int step) throws Exception {
        ObjectKey key = key(NAMES.get(random.nextInt(NAMES.size())));
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> {
                put(ALICE, BUCKET, key.value(), "step " + step);
                present.put(key, "step " + step);
                versions.merge(key, 1, Integer::sum);
            }
            case 3 -> {
                store.delete(ALICE, name(BUCKET), key, VersionSelector.LATEST, WriteCondition.NONE);
                present.remove(key);
                versions.merge(key, 1, Integer::sum);
            }
            case 4 -> {
                assertThat(
                                store.createUpload(
                                        ALICE, name(BUCKET), key, StoreFixture.uploadAttributes()))
                        .isNotNull();
                uploads.add(key);
            }
            case 5, 6 -> divide(random, key);
            default -> {
                if (random.nextInt(4) == 0) {
                    restart();
                }
            }
        }
    }

    private void divide(Random random, ObjectKey at) throws Exception {
        List<Part> parts = cubes.moves().parts(name(BUCKET));
        Set<String> free = new TreeSet<>(Set.of("one", "two", "three"));
        parts.forEach(part -> free.remove(part.cube()));
        boolean begins =
                parts.stream().anyMatch(part -> part.range().first().equals(Optional.of(at)));
        if (begins || parts.size() > 1 && random.nextInt(3) == 0) {
            ObjectKey first =
                    begins
                            ? at
                            : parts.get(1 + random.nextInt(parts.size() - 1)).range().first().get();
            move(() -> cubes.moves().merge(name(BUCKET), first));
        } else if (!free.isEmpty()) {
            move(() -> cubes.moves().split(name(BUCKET), at, free.iterator().next()));
        }
    }

    /** Moves keys; follows the advice to abort an upload whose number the other cube has, too. */
    private void move(CubeSlot.Task<Move> beginning) throws IOException {
        assertThat(beginning.run()).isNotNull();
        List<Move> left = afterThreads();
        while (!left.isEmpty()) {
            String why = left.getFirst().why();
            Matcher taken = TAKEN.matcher(why);
            assertThat(taken.lookingAt()).as(why).isTrue();
            abort(taken.group(1));
            assertThat(beginning.run()).isNotNull();
            left = afterThreads();
        }
    }

    private List<Move> afterThreads() {
        List<Move> moves = cubes.moves().list();
        while (moves.stream().anyMatch(each -> each.why().isEmpty())) {
            awaitThreads();
            moves = cubes.moves().list();
        }
        return moves;
    }

    private void abort(String id) throws IOException {
        UploadPage page =
                store.listUploads(ALICE, name(BUCKET), new UploadQuery("", "", "", "", 1000));
        for (UploadInfo upload : page.uploads()) {
            if (upload.uploadId().equals(id)) {
                store.abortUpload(ALICE, name(BUCKET), upload.key(), id);
                boolean isLast =
                        page.uploads().stream()
                                        .filter(each -> each.key().equals(upload.key()))
                                        .count()
                                == 1;
                if (isLast) {
                    uploads.remove(upload.key());
                }
            }
        }
    }

    /** Returns what a listing has of keys: those and the common prefixes. */
    private static List<String> expected(
            Iterable<ObjectKey> keys, String prefix, String delimiter) {
        List<String> entries = new ArrayList<>();
        for (ObjectKey key : keys) {
            String value = key.value();
            if (value.startsWith(prefix)) {
                int at = delimiter.isEmpty() ? -1 : value.indexOf(delimiter, prefix.length());
                String entry = at < 0 ? value : value.substring(0, at + delimiter.length()) + " ..";
                if (entries.isEmpty() || at < 0 || !entries.getLast().equals(entry)) {
                    entries.add(entry);
                }
            }
        }
        return entries.stream().sorted(SplitModelTest::order).toList();
    }

    private static int order(String one, String other) {
        return new ObjectKey(one).compareTo(new ObjectKey(other));
    }

    private void compare(
            ObjectReader from,
            Random random,
            TreeMap<ObjectKey, String> objects,
            Optional<TreeMap<ObjectKey, Integer>> counts)
            throws IOException {
        String prefix = PREFIXES.get(random.nextInt(PREFIXES.size()));
        String delimiter = random.nextBoolean() ? "/" : "";
        int max = 1 + random.nextInt(4);
        List<String> all = expected(objects.keySet(), prefix, delimiter);
        List<String> found = new ArrayList<>();
        String after = "";
        boolean hasMore = true;
        while (hasMore) {
            ObjectPage page =
                    from.listObjects(
                            ALICE, name(BUCKET), new ObjectQuery(prefix, delimiter, after, max));
            assertThat(page.objects().size() + page.prefixes().size()).isLessThanOrEqualTo(max);
            List<String> entries = new ArrayList<>();
            page.objects().forEach(each -> entries.add(each.key().value()));
            page.prefixes().forEach(each -> entries.add(each + " .."));
            found.addAll(entries.stream().sorted(SplitModelTest::order).toList());
            assertThat(found).hasSizeLessThanOrEqualTo(all.size());
            hasMore = page.next().isPresent();
            after = page.next().orElse("");
            assertThat(hasMore && entries.size() < max).isFalse();
        }
        assertThat(found).isEqualTo(all);
        if (counts.isPresent()) {
            compareVersions(prefix, delimiter, max, counts.get());
        }
        for (ObjectKey key : objects.keySet()) {
            assertThat(get(from, ALICE, BUCKET, key.value())).isEqualTo(objects.get(key));
        }
    }

    private void compareVersions(
            String prefix, String delimiter, int max, TreeMap<ObjectKey, Integer> counts)
            throws IOException {
        List<ObjectKey> versions = new ArrayList<>();
        counts.forEach(
                (key, count) -> {
                    for (int i = 0; i < count; i++) {
                        versions.add(key);
                    }
                });
        List<String> all = expected(versions, prefix, delimiter);
        List<String> found = new ArrayList<>();
        String key = "";
        Optional<VersionSelector> version = Optional.empty();
        boolean hasMore = true;
        while (hasMore) {
            VersionPage page =
                    store.listVersions(
                            ALICE,
                            name(BUCKET),
                            new VersionQuery(prefix, delimiter, key, version, max));
            List<String> entries = new ArrayList<>();
            page.versions().forEach(each -> entries.add(each.key().value()));
            page.prefixes().forEach(each -> entries.add(each + " .."));
            found.addAll(entries.stream().sorted(SplitModelTest::order).toList());
            assertThat(found).hasSizeLessThanOrEqualTo(all.size());
            hasMore = page.nextKey().isPresent();
            key = page.nextKey().orElse("");
            version = page.nextVersionId().flatMap(VersionId::parse);
        }
        assertThat(found).isEqualTo(all);
    }

    private void compareUploads(Random random) throws IOException {
        String prefix = PREFIXES.get(random.nextInt(PREFIXES.size()));
        Set<String> found = new TreeSet<>();
        String key = "";
        String id = "";
        boolean hasMore = true;
        for (int pages = 0; hasMore; pages++) {
            assertThat(pages).isLessThanOrEqualTo(uploads.size());
            UploadPage page =
                    store.listUploads(
                            ALICE, name(BUCKET), new UploadQuery(prefix, "/", key, id, 2));
            page.uploads().forEach(each -> found.add(each.key().value()));
            page.prefixes().forEach(each -> assertThat(found.add(each + " ..")).isTrue());
            hasMore = page.nextKey().isPresent();
            key = page.nextKey().orElse("");
            id = page.nextUploadId().orElse("");
        }
        assertThat(found).isEqualTo(new TreeSet<>(expected(uploads, prefix, "/")));
    }
}
