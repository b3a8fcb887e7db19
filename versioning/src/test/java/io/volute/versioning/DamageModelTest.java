package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.CubeMaintenance.Cleaning;
import io.volute.storage.DamagedException;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.RecordRepair;
import io.volute.versioning.Damages.Repaired;
import io.volute.versioning.Damages.Source.OfReplica;
import io.volute.versioning.Damages.State;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random schedules of damage, repairs, writes and cleaning. Whatever a store can do goes on in the
 * middle of a repair: after it has found the damage, and before it writes. Four properties: no read
 * gives other bytes than were written; a repair with the right source repairs what is there still;
 * the segments of a repair stay in the log until it ends; and a check of the repaired store finds
 * nothing.
 */
class DamageModelTest extends StoreFixture {
    private static final long RATE = 1L << 50;
    private static final int STEPS = 50;
    private static final int KEYS = 8;
    private static final int[] BYTES = {60, 300, 480, 700, 1000};

    @TempDir Path directory;

    /** The content of each version by its number. */
    private final Map<Long, String> written = new TreeMap<>();

    private Random random = new Random(0);
    private int repairs;
    private int interruptions;
    private int refused;

    @Override
    protected Cube openCube() throws IOException {
        return DiskCubes.openSmallest(directory, () -> Instant.ofEpochSecond(1_700_000_000L));
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        int bytes = BYTES[random.nextInt(BYTES.length)];
        while (text.length() < bytes) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    private String anyKey() {
        return "k" + random.nextInt(KEYS);
    }

    private Optional<ObjectVersion> any() throws IOException {
        List<ObjectVersion> all =
                allVersions().stream().filter(each -> !each.deleteMarker()).toList();
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private void write() throws IOException {
        String text = text();
        written.put(put(anyKey(), text).number(), text);
    }

    private void copy(ObjectVersion version) throws IOException {
        var bucket = store.bucket(BUCKET).orElseThrow();
        ObjectVersion copied =
                store.copy(
                                caller,
                                new ObjectStore.Source(bucket, version.key(), number(version)),
                                bucket,
                                key(anyKey()),
                                found -> {},
                                found -> found.attributes(),
                                WriteCondition.NONE)
                        .target();
        written.put(copied.number(), written.get(version.number()));
    }

    /** Writes and removes what fills several segments, so that there is something to clean. */
    private void churn() throws IOException {
        String text = "-".repeat(990);
        for (int i = 0; i < 110; i++) {
            // Into records, entries of their own and chunks.
            ObjectVersion filler =
                    put("filler", text.substring(0, new int[] {60, 480, 990}[i % 3]));
            var unused = delete("filler", number(filler));
        }
    }

    /** One thing that a client or the cleaner does. Changes that move a damaged record fail. */
    private void act() throws IOException {
        try {
            change();
        } catch (DamagedException e) {
            refused++;
        }
    }

    private void change() throws IOException {
        Optional<ObjectVersion> version = any();
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> write();
            case 3 -> {
                if (version.isPresent()) {
                    delete(version.get().key().value(), number(version.get()));
                }
            }
            case 4 -> delete(anyKey());
            case 5 -> {
                if (version.isPresent()) {
                    copy(version.get());
                }
            }
            case 6 -> churn();
            case 7 -> {
                long unused = cube.clean(Cleaning.COMBINED);
            }
            default -> {
                long unused = cube.clean(Cleaning.COMPACT);
            }
        }
    }

    private void damage(ObjectVersion version) throws IOException {
        byte[] content = utf8(written.get(version.number()));
        int unused = StoredBytes.flip(directory, content, random.nextInt(content.length - 24));
    }

    private List<State> states(ObjectVersion version) {
        return store.damages().states(BUCKET, version.key(), Optional.of(version.versionId()));
    }

    /** Repairs a version; other things happen in between. */
    private void repair(ObjectVersion version) throws IOException {
        String right = written.get(version.number());
        for (State state : states(version)) {
            repairs++;
            List<Path> held = segments(state);
            Repaired unused =
                    store.damages()
                            .repair(state, (OfReplica) each -> interrupted(version, right, held));
        }
        // Undisturbed.
        for (State state : states(version)) {
            Repaired repaired =
                    store.damages()
                            .repair(
                                    state,
                                    (OfReplica) each -> new FakeReader(utf8(right), List.of()));
            assertThat(repaired.left()).as(repaired.words()).isZero();
            assertThat(get(state.key(), number(version))).isEqualTo(right);
        }
    }

    /** Returns the files that a repair of a state writes to. */
    private List<Path> segments(State state) throws IOException {
        try (RecordRepair repair = cube.repair(state.user().family(), state.user().key())) {
            return repair.stretches().stream()
                    .map(stretch -> directory.resolve("segments").resolve(stretch.file()))
                    .distinct()
                    .toList();
        }
    }

    private void remove(ObjectVersion version) throws IOException {
        try {
            var unused = delete(version.key().value(), number(version));
        } catch (DamagedException e) {
            refused++;
        }
    }

    /**
     * @param held files of segments that must stay while the repair has not ended
     */
    private BlobReader interrupted(ObjectVersion version, String text, List<Path> held) {
        interruptions++;
        try {
            if (random.nextInt(2) == 0) {
                // The segment goes, and another one takes its file.
                remove(version);
                long unused = cube.clean(Cleaning.COMBINED);
                churn();
            }
            for (int i = random.nextInt(4); i >= 0; i--) {
                act();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(held).as("segments of a repair under way").allMatch(Files::exists);
        return new FakeReader(utf8(text), List.of());
    }

    private void assertNoOtherBytes() throws IOException {
        for (ObjectVersion each : allVersions()) {
            if (each.deleteMarker()) {
                continue;
            }
            String found;
            try {
                found = get(each.key().value(), number(each));
            } catch (DamagedException e) {
                continue;
            }
            assertThat(found).isEqualTo(written.get(each.number()));
        }
    }

    private CheckReport check() throws IOException {
        return cube.check(RATE, progress -> true);
    }

    /** Damage of dead entries loses nothing, and their bytes are in no source. */
    private static boolean isLoss(CheckReport.Problem problem) {
        return problem.kind() != CheckReport.Kind.CHECKSUM || problem.damage().isPresent();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Tag("slow")
    void repairsGoOnBesideEverything(long seed) throws IOException {
        random = new Random(seed);
        versioning(VersioningState.ENABLED);
        List<String> steps = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            Optional<ObjectVersion> version = any();
            int choice = random.nextInt(6);
            steps.add(step + ":" + choice);
            if (version.isEmpty() || choice < 2) {
                act();
            } else if (choice < 4) {
                damage(version.get());
            } else {
                repair(version.get());
            }
            if (step % 20 == 19) {
                assertNoOtherBytes();
            }
        }
        for (ObjectVersion each : allVersions()) {
            if (!each.deleteMarker()) {
                repair(each);
            }
        }
        for (ObjectVersion each : allVersions()) {
            if (!each.deleteMarker()) {
                assertThat(get(each.key().value(), number(each)))
                        .isEqualTo(written.get(each.number()));
            }
        }
        System.out.printf(
                "seed %d: %d repairs, %d interrupted, %d refused, %d segments freed%n",
                seed, repairs, interruptions, refused, cube.space().cleaner().freedSegments());
        assertThat(repairs).isPositive();
        assertThat(interruptions).isPositive();
        assertThat(cube.space().cleaner().freedSegments()).isPositive();
        long unused = cube.clean(Cleaning.COMBINED);
        assertThat(check().problems().stream().filter(DamageModelTest::isLoss))
                .as("seed %s, %s", seed, steps)
                .isEmpty();
    }

    /** A version that no source has is removed by its id; then the key takes writes again. */
    @ParameterizedTest
    @ValueSource(ints = {60, 300, 480, 700, 990})
    void aDamagedVersionCanBeRemovedByItsId(int bytes) throws IOException {
        versioning(VersioningState.ENABLED);
        String text = "0123456789".repeat(bytes / 10);
        ObjectVersion alone = put("alone", text);
        ObjectVersion below = put("behind", "sound");
        ObjectVersion above = put("behind", text + "2");
        for (String each : List.of(text, text + "2")) {
            int unused = StoredBytes.flip(directory, utf8(each), 20);
        }
        assertThat(delete("alone", number(alone)).version()).isPresent();
        assertThat(delete("behind", number(above)).version()).isPresent();
        assertThat(get("behind")).isEqualTo("sound");
        assertThat(put("alone", "new").number()).isPositive();
        assertThat(allVersions()).hasSize(2).anyMatch(each -> each.number() == below.number());
    }
}
