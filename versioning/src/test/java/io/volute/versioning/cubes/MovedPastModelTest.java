package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobReader;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.StoreCubes.Part;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every reader shows the past of every instant as a plain list of versions had it, whatever moved
 * since: writes, deletes by id, tags, moves, splits and merges in random order. {@code
 * -Dmoved.seed=N} repeats a run.
 */
class MovedPastModelTest extends MovesFixture {
    private static final int STEPS = Integer.getInteger("moved.steps", 60);
    private static final int SEEDS = Integer.getInteger("moved.seeds", 4);
    private static final String COPIES = "copies";
    private static final List<String> KEYS = List.of("a", "b", "c/d", "c/e", "m", "z");

    /** A version or marker, without its tags: those of noncurrent versions have no past. */
    private record Version(long number, boolean isNull, Optional<String> text) {}

    private final NavigableMap<String, List<Version>> present = new TreeMap<>();

    /** The versions of each key at the instants between the steps, newest first. */
    private final NavigableMap<Instant, Map<String, List<Version>>> notes = new TreeMap<>();

    private SplittableRandom random = new SplittableRandom(1);
    private boolean isSuspended;

    static LongStream seeds() {
        long seed = Long.getLong("moved.seed", 0);
        return seed != 0 ? LongStream.of(seed) : LongStream.rangeClosed(1, SEEDS);
    }

    @ParameterizedTest(name = "-Dmoved.seed={0}")
    @MethodSource("seeds")
    @Tag("slow")
    void everyReaderShowsThePastAsItWas(long seed) throws Exception {
        random = new SplittableRandom(seed);
        for (String cube : List.of("one", "two", "three")) {
            cubes.create(cube);
        }
        bucket(COPIES, "one");
        bucket(BUCKET, "one");
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        for (int step = 0; step < STEPS; step++) {
            step("step " + step);
            note();
        }
        compareAll();
        relocate();
        restart();
        compareAll();
        audit();
    }

    private void note() {
        Map<String, List<Version>> copy = new TreeMap<>();
        present.forEach((key, versions) -> copy.put(key, List.copyOf(versions)));
        notes.put(clock.instant(), copy);
    }

    private List<Version> versions(String key) {
        return present.computeIfAbsent(key, none -> new ArrayList<>());
    }

    private void step(String text) throws Exception {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6 -> added(put(ALICE, BUCKET, key, text), Optional.of(text));
            case 7, 8 -> {
                ObjectVersion marker =
                        store.delete(
                                        ALICE,
                                        name(BUCKET),
                                        key(key),
                                        VersionSelector.LATEST,
                                        WriteCondition.NONE)
                                .version()
                                .orElseThrow();
                added(marker, Optional.empty());
            }
            case 9, 10, 11, 12, 13 -> removeOne(key);
            case 14 -> tagOne(key, text);
            case 15, 16, 17 -> relocate();
            case 18 -> {
                isSuspended = !isSuspended;
                store.setVersioning(
                        ALICE,
                        name(BUCKET),
                        isSuspended ? VersioningState.SUSPENDED : VersioningState.ENABLED);
            }
            default -> {
                if (random.nextInt(3) == 0) {
                    restart();
                }
            }
        }
    }

    private void added(ObjectVersion version, Optional<String> text) {
        List<Version> versions = versions(version.key().value());
        if (version.nullVersion()) {
            versions.removeIf(Version::isNull);
        }
        versions.addFirst(new Version(version.number(), version.nullVersion(), text));
    }

    private static VersionSelector selector(Version version) {
        return version.isNull()
                ? VersionSelector.NULL
                : new VersionSelector.Numbered(version.number());
    }

    private void removeOne(String key) throws IOException {
        List<Version> versions = versions(key);
        if (!versions.isEmpty()) {
            Version gone = versions.remove(random.nextInt(versions.size()));
            assertThat(
                            store.delete(
                                    ALICE,
                                    name(BUCKET),
                                    key(key),
                                    selector(gone),
                                    WriteCondition.NONE))
                    .isNotNull();
        }
    }

    private void tagOne(String key, String text) throws IOException {
        List<Version> versions =
                versions(key).stream().filter(each -> each.text().isPresent()).toList();
        if (!versions.isEmpty()) {
            Version tagged = versions.get(random.nextInt(versions.size()));
            assertThat(
                            store.setTags(
                                    ALICE,
                                    name(BUCKET),
                                    key(key),
                                    selector(tagged),
                                    Map.of("tag", text)))
                    .isNotNull();
        }
    }

    /** Moves the whole bucket, or splits it, or merges two parts. */
    private void relocate() throws Exception {
        List<Part> parts = cubes.moves().parts(name(BUCKET));
        Set<String> free = new TreeSet<>(Set.of("default", "one", "two", "three"));
        parts.forEach(part -> free.remove(part.cube()));
        List<String> targets = List.copyOf(free);
        if (parts.size() == 1 && random.nextBoolean()) {
            String target = targets.get(random.nextInt(targets.size()));
            assertThat(cubes.moves().start(name(BUCKET), target)).isNotNull();
        } else if (parts.size() == 1 || parts.size() == 2 && random.nextBoolean()) {
            ObjectKey at = key(KEYS.get(1 + random.nextInt(KEYS.size() - 1)));
            if (parts.stream().noneMatch(part -> part.range().first().equals(Optional.of(at)))) {
                assertThat(cubes.moves().split(name(BUCKET), at, targets.getLast())).isNotNull();
            }
        } else {
            ObjectKey first =
                    parts.get(1 + random.nextInt(parts.size() - 1)).range().first().orElseThrow();
            assertThat(cubes.moves().merge(name(BUCKET), first)).isNotNull();
        }
        awaitMoves();
    }

    private void compareAll() throws Exception {
        note();
        Instant now = notes.lastKey();
        compareHistory();
        for (var each : notes.entrySet()) {
            Instant at = each.getKey();
            ObjectReader past = store.asOf(at);
            compareObjects(past, at, each.getValue());
            compareVersions(past, at, each.getValue());
            compareReads(past, at, each.getValue());
            comparePlan(at, each.getValue(), notes.get(now));
            compareCopy(at, each.getValue());
        }
    }

    private static boolean isThere(List<Version> versions) {
        return !versions.isEmpty() && versions.getFirst().text().isPresent();
    }

    private void compareObjects(ObjectReader past, Instant at, Map<String, List<Version>> then)
            throws IOException {
        for (String delimiter : List.of("", "/")) {
            Set<String> expected = new TreeSet<>();
            then.forEach(
                    (key, versions) -> {
                        int rolled = delimiter.isEmpty() ? -1 : key.indexOf(delimiter);
                        if (isThere(versions)) {
                            String text = versions.getFirst().text().orElseThrow();
                            expected.add(
                                    rolled < 0
                                            ? key + " " + StoreFixture.md5(text)
                                            : key.substring(0, rolled + 1));
                        }
                    });
            Set<String> found = new TreeSet<>();
            Optional<String> after = Optional.of("");
            while (after.isPresent()) {
                ObjectPage page =
                        past.listObjects(
                                ALICE,
                                name(BUCKET),
                                new ObjectQuery("", delimiter, after.get(), 1 + random.nextInt(4)));
                for (ObjectVersion each : page.objects()) {
                    found.add(each.key().value() + " " + each.attributes().etag());
                    assertThat(each.writtenLater()).as("%s of %s", each, at).isEmpty();
                }
                found.addAll(page.prefixes());
                after = page.next();
            }
            assertThat(found)
                    .as("objects at %s, delimiter '%s'", at, delimiter)
                    .isEqualTo(expected);
        }
    }

    private void compareVersions(ObjectReader past, Instant at, Map<String, List<Version>> then)
            throws IOException {
        List<String> expected = new ArrayList<>();
        then.forEach(
                (key, versions) -> {
                    for (Version each : versions) {
                        expected.add(
                                key
                                        + " "
                                        + each.number()
                                        + (each.equals(versions.getFirst()) ? " latest" : "")
                                        + (each.text().isPresent() ? "" : " marker"));
                    }
                });
        List<String> found = new ArrayList<>();
        String key = "";
        Optional<VersionSelector> version = Optional.empty();
        boolean hasMore = true;
        while (hasMore) {
            VersionPage page =
                    past.listVersions(
                            ALICE,
                            name(BUCKET),
                            new VersionQuery("", "", key, version, 1 + random.nextInt(4)));
            for (ObjectVersion each : page.versions()) {
                found.add(
                        each.key().value()
                                + " "
                                + each.number()
                                + (each.latest() ? " latest" : "")
                                + (each.deleteMarker() ? " marker" : ""));
                assertThat(each.writtenLater()).as("%s of %s", each, at).isEmpty();
            }
            hasMore = page.nextKey().isPresent();
            key = page.nextKey().orElse("");
            version = page.nextVersionId().flatMap(VersionId::parse);
        }
        assertThat(found).as("versions at %s", at).isEqualTo(expected);
    }

    private void compareReads(ObjectReader past, Instant at, Map<String, List<Version>> then)
            throws IOException {
        for (String key : KEYS) {
            List<Version> versions = then.getOrDefault(key, List.of());
            if (isThere(versions)) {
                assertThat(get(past, ALICE, BUCKET, key))
                        .as("%s at %s", key, at)
                        .isEqualTo(versions.getFirst().text().orElseThrow());
            } else {
                assertThat(
                                past.head(ALICE, name(BUCKET), key(key), VersionSelector.LATEST)
                                        .filter(each -> !each.deleteMarker()))
                        .as("%s at %s", key, at)
                        .isEmpty();
            }
            for (Version each : versions) {
                if (each.text().isPresent()) {
                    var open = past.open(ALICE, name(BUCKET), key(key), selector(each));
                    try (BlobReader reader = open.reader()) {
                        assertThat(StoreFixture.content(reader)).isEqualTo(each.text().get());
                    }
                }
            }
        }
    }

    /** The states that the history lists were current from their begin to their end. */
    private void compareHistory() throws IOException {
        for (String key : KEYS) {
            List<KeyState> states =
                    store.history()
                            .states(ALICE, name(BUCKET), key(key), Optional.empty(), 1000)
                            .entries();
            for (var each : notes.entrySet()) {
                Instant at = each.getKey();
                List<Long> current =
                        states.stream()
                                .filter(
                                        state ->
                                                !state.began().isAfter(at)
                                                        && state.ended()
                                                                .filter(end -> !end.isAfter(at))
                                                                .isEmpty())
                                .map(KeyState::number)
                                .toList();
                assertThat(current)
                        .as("the current state of %s at %s among %s", key, at, states)
                        .isEqualTo(
                                each.getValue().getOrDefault(key, List.of()).stream()
                                        .limit(1)
                                        .map(Version::number)
                                        .toList());
            }
        }
    }

    private static Optional<String> text(Map<String, List<Version>> then, String key) {
        return then.getOrDefault(key, List.of()).stream().findFirst().flatMap(Version::text);
    }

    private void comparePlan(
            Instant at, Map<String, List<Version>> then, Map<String, List<Version>> now)
            throws IOException {
        Map<String, Line> lines = new TreeMap<>();
        Request request = new Request(name(BUCKET), "", new Goal.ToInstant(at), OnConflict.SKIP);
        store.restore()
                .plan(ALICE, request, Optional.empty(), 100)
                .entries()
                .forEach(line -> lines.put(line.key().value(), line));
        for (String key : KEYS) {
            Optional<String> wanted = text(then, key);
            Optional<Line> line = Optional.ofNullable(lines.get(key));
            assertThat(line.filter(each -> !each.exact() || each.conflict().isPresent()))
                    .as("plan of %s to %s", key, at)
                    .isEmpty();
            if (!wanted.equals(text(now, key))) {
                assertThat(line.orElseThrow().then().map(KeyState::etag))
                        .as("plan of %s to %s", key, at)
                        .isEqualTo(wanted.map(StoreFixture::md5));
            }
        }
    }

    private void compareCopy(Instant at, Map<String, List<Version>> then) throws IOException {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        Source source = new Source(name(BUCKET), key(key), VersionSelector.LATEST, Optional.of(at));
        if (text(then, key).isPresent()) {
            copy(source);
            assertThat(get(ALICE, COPIES, "copy")).isEqualTo(text(then, key).orElseThrow());
        } else {
            assertThatThrownBy(() -> copy(source)).isInstanceOf(StoreException.class);
        }
    }

    private void copy(Source source) throws IOException {
        assertThat(
                        store.copy(
                                ALICE,
                                source,
                                name(COPIES),
                                key("copy"),
                                version -> {},
                                ObjectVersion::attributes,
                                WriteCondition.NONE))
                .isNotNull();
    }
}
