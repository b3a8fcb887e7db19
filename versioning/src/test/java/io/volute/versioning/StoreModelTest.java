package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operations of several actors against a model that is nothing but lists of versions, under
 * each history policy. Two properties: the store holds what the model holds, and paging with any
 * page size gives the whole.
 */
class StoreModelTest extends StoreFixture {
    private static final int STEPS = 600;
    private static final String[] KEYS = {
        "a", "a/", "a/b", "a/b/c", "a\u0000", "a\u0000/x", "ab", "b/1", "b/2", "é/x", "é/y"
    };

    /** Newest first. */
    private final TreeMap<ObjectKey, List<Version>> model = new TreeMap<>();

    private VersioningState state = VersioningState.UNVERSIONED;

    private record Version(long number, boolean nullVersion, boolean marker, String text) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void storeHoldsWhatTheModelHolds(long seed) throws IOException {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        HistoryPolicy[] policies = HistoryPolicy.values();
        store.setHistoryPolicy(ALICE, BUCKET, policies[(int) (seed % policies.length)]);
        for (int step = 0; step < STEPS; step++) {
            caller = new Caller(ALICE.principal(), ALICE.accessKey(), "actor " + random.nextInt(3));
            step(random, step);
            if (step % 50 == 49) {
                check();
                checkPaging(random);
            }
        }
        assertThat(rows(Families.CURRENT)).isEqualTo(model.size());
        assertThat(rows(Families.CURRENT) + rows(Families.VERSIONS))
                .isEqualTo(model.values().stream().mapToInt(List::size).sum());
    }

    private void step(Random random, int step) throws IOException {
        String key = KEYS[random.nextInt(KEYS.length)];
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> putBoth(key, "text " + step);
            case 4, 5 -> deleteBoth(key, LATEST);
            case 6 -> deleteBoth(key, VersionSelector.NULL);
            case 7, 8 -> anyVersion(random, key);
            case 9 -> deleteSeveral(random);
            case 10 -> tagBoth(key);
            default -> changeState(random);
        }
    }

    private void changeState(Random random) throws IOException {
        if (random.nextInt(4) == 0) {
            state =
                    state == VersioningState.ENABLED
                            ? VersioningState.SUSPENDED
                            : VersioningState.ENABLED;
            versioning(state);
        }
    }

    private void putBoth(String key, String text) throws IOException {
        ObjectVersion version = put(key, text);
        push(key, version.number(), false, text);
        assertThat(version.nullVersion()).isEqualTo(state != VersioningState.ENABLED);
    }

    private void push(String key, long number, boolean marker, String text) {
        List<Version> versions = model.computeIfAbsent(key(key), same -> new ArrayList<>());
        boolean nullVersion = state != VersioningState.ENABLED;
        if (nullVersion) {
            versions.removeIf(Version::nullVersion);
        }
        versions.add(0, new Version(number, nullVersion, marker, text));
    }

    private void deleteBoth(String key, VersionSelector selector) throws IOException {
        apply(key, selector, delete(key, selector));
    }

    private void apply(String key, VersionSelector selector, DeleteResult result) {
        boolean simple = selector instanceof VersionSelector.Latest;
        if (simple && state != VersioningState.UNVERSIONED) {
            assertThat(result.markerCreated()).isTrue();
            push(key, result.version().orElseThrow().number(), true, "");
            return;
        }
        List<Version> versions = model.getOrDefault(key(key), new ArrayList<>());
        Optional<Version> target =
                switch (selector) {
                    case VersionSelector.Latest latest -> versions.stream().findFirst();
                    case VersionSelector.NullVersion nulls ->
                            versions.stream().filter(Version::nullVersion).findFirst();
                    case VersionSelector.Numbered numbered ->
                            versions.stream()
                                    .filter(version -> version.number() == numbered.number())
                                    .findFirst();
                };
        assertThat(result.version().map(ObjectVersion::number))
                .isEqualTo(target.map(Version::number));
        assertThat(result.markerRemoved()).isEqualTo(target.map(Version::marker).orElse(false));
        target.ifPresent(versions::remove);
        if (versions.isEmpty()) {
            model.remove(key(key));
        }
    }

    private void anyVersion(Random random, String key) throws IOException {
        List<Version> versions = model.getOrDefault(key(key), List.of());
        long number =
                versions.isEmpty() ? 1 : versions.get(random.nextInt(versions.size())).number();
        deleteBoth(key, new VersionSelector.Numbered(number));
    }

    private void deleteSeveral(Random random) throws IOException {
        List<DeleteTarget> targets = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            ObjectKey key = key(KEYS[random.nextInt(KEYS.length)]);
            List<Version> versions = model.getOrDefault(key, List.of());
            VersionSelector selector =
                    versions.isEmpty() || random.nextInt(3) == 0
                            ? LATEST
                            : new VersionSelector.Numbered(
                                    versions.get(random.nextInt(versions.size())).number());
            targets.add(new DeleteTarget(key, selector, WriteCondition.NONE));
        }
        var outcomes = store.deleteAll(caller, BUCKET, targets);
        for (int i = 0; i < targets.size(); i++) {
            DeleteResult result = ((ObjectStore.DeleteOutcome.Deleted) outcomes.get(i)).result();
            apply(targets.get(i).key().value(), targets.get(i).selector(), result);
        }
    }

    private void tagBoth(String key) throws IOException {
        List<Version> versions = model.getOrDefault(key(key), List.of());
        if (!versions.isEmpty() && !versions.getLast().marker()) {
            long number = versions.getLast().number();
            ObjectVersion tagged =
                    store.setTags(
                            caller,
                            BUCKET,
                            key(key),
                            new VersionSelector.Numbered(number),
                            Map.of("tag", "x".repeat(100)));
            assertThat(tagged.number()).isEqualTo(number);
        }
    }

    private void check() throws IOException {
        List<String> wanted = new ArrayList<>();
        for (var entry : model.entrySet()) {
            boolean latest = true;
            for (Version version : entry.getValue()) {
                wanted.add(word(entry.getKey(), version.number(), latest, version.marker()));
                latest = false;
                String key = entry.getKey().value();
                VersionSelector selector = new VersionSelector.Numbered(version.number());
                if (!version.marker()) {
                    assertThat(get(key, selector)).isEqualTo(version.text());
                }
                if (version.nullVersion()) {
                    assertThat(head(key, VersionSelector.NULL).orElseThrow().number())
                            .isEqualTo(version.number());
                }
            }
        }
        assertThat(allVersions().stream().map(StoreModelTest::word).toList()).isEqualTo(wanted);
        for (String key : KEYS) {
            List<Version> versions = model.getOrDefault(key(key), List.of());
            assertThat(head(key).map(ObjectVersion::number))
                    .isEqualTo(versions.stream().findFirst().map(Version::number));
            if (versions.stream().noneMatch(Version::nullVersion)) {
                assertThat(head(key, VersionSelector.NULL)).isEmpty();
            }
        }
    }

    private static String word(ObjectVersion version) {
        return word(version.key(), version.number(), version.latest(), version.deleteMarker());
    }

    private static String word(ObjectKey key, long number, boolean latest, boolean marker) {
        return key.value() + " " + number + (latest ? " latest" : "") + (marker ? " marker" : "");
    }

    private void checkPaging(Random random) throws IOException {
        String[] prefixes = {"", "a", "a/", "b/", "é", "zz"};
        String[] delimiters = {"", "/", "b/", "\u0000"};
        String prefix = prefixes[random.nextInt(prefixes.length)];
        String delimiter = delimiters[random.nextInt(delimiters.length)];
        for (int max : new int[] {1, 2, 3, 7, 1000}) {
            assertThat(pagedObjects(prefix, delimiter, max))
                    .as("objects of '%s' by '%s', %s a page", prefix, delimiter, max)
                    .isEqualTo(wantedObjects(prefix, delimiter));
            assertThat(pagedVersions(prefix, delimiter, max))
                    .as("versions of '%s' by '%s', %s a page", prefix, delimiter, max)
                    .isEqualTo(wantedVersions(prefix, delimiter));
        }
    }

    private Set<String> wantedObjects(String prefix, String delimiter) {
        Set<String> wanted = new LinkedHashSet<>();
        model.forEach(
                (key, versions) -> {
                    if (key.value().startsWith(prefix) && !versions.getFirst().marker()) {
                        wanted.add(rolled(key.value(), prefix, delimiter));
                    }
                });
        return wanted;
    }

    private Set<String> wantedVersions(String prefix, String delimiter) {
        Set<String> wanted = new LinkedHashSet<>();
        model.forEach(
                (key, versions) -> {
                    String rolled = rolled(key.value(), prefix, delimiter);
                    for (Version version : versions) {
                        if (key.value().startsWith(prefix)) {
                            boolean whole = rolled.equals(key.value() + "=");
                            wanted.add(whole ? rolled + version.number() : rolled);
                        }
                    }
                });
        return wanted;
    }

    /** A whole key with = behind it, or the common prefix. */
    private static String rolled(String key, String prefix, String delimiter) {
        int at =
                delimiter.isEmpty() || !key.startsWith(prefix)
                        ? -1
                        : key.indexOf(delimiter, prefix.length());
        return at < 0 ? key + "=" : key.substring(0, at + delimiter.length());
    }

    private List<String> pagedObjectsOf(ObjectPage page) {
        List<String> words = new ArrayList<>(page.prefixes());
        page.objects().forEach(object -> words.add(object.key().value() + "="));
        return words;
    }

    private Set<String> pagedObjects(String prefix, String delimiter, int max) throws IOException {
        List<String> all = new ArrayList<>();
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
            ObjectPage page =
                    store.listObjects(
                            ALICE, BUCKET, new ObjectQuery(prefix, delimiter, after.get(), max));
            List<String> words = pagedObjectsOf(page);
            assertThat(words.size()).isLessThanOrEqualTo(max);
            assertThat(page.next().isEmpty() || words.size() == max).isTrue();
            all.addAll(words);
            after = page.next();
        }
        assertThat(all).doesNotHaveDuplicates();
        return sorted(all);
    }

    private Set<String> pagedVersions(String prefix, String delimiter, int max) throws IOException {
        List<String> all = new ArrayList<>();
        VersionQuery query = new VersionQuery(prefix, delimiter, "", Optional.empty(), max);
        while (true) {
            VersionPage page = store.listVersions(ALICE, BUCKET, query);
            List<String> words = new ArrayList<>(page.prefixes());
            page.versions().forEach(v -> words.add(v.key().value() + "=" + v.number()));
            assertThat(words.size()).isLessThanOrEqualTo(max);
            all.addAll(words);
            if (page.nextKey().isEmpty()) {
                break;
            }
            query =
                    new VersionQuery(
                            prefix,
                            delimiter,
                            page.nextKey().get(),
                            page.nextVersionId().flatMap(VersionId::parse),
                            max);
        }
        assertThat(all).doesNotHaveDuplicates();
        return new LinkedHashSet<>(all);
    }

    /** Returns the objects and prefixes of a page as one set in key order. */
    private static Set<String> sorted(List<String> words) {
        Set<String> set = new LinkedHashSet<>();
        words.stream()
                .sorted((a, b) -> Arrays.compareUnsigned(bytes(a), bytes(b)))
                .forEach(set::add);
        return set;
    }

    private static byte[] bytes(String word) {
        return utf8(word.endsWith("=") ? word.substring(0, word.length() - 1) : word);
    }
}
