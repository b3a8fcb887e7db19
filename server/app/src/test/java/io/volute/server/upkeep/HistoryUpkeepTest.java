package io.volute.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.config.HistoryRoom;
import io.volute.server.config.HistoryRoom.UnderPressure;
import io.volute.server.s3.S3TestBed;
import io.volute.storage.BlobWriter;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryUpkeepTest {
    private static final Caller ALICE = new Caller("alice", "key-a", "laptop");
    private static final BucketName BUCKET = new BucketName("photos");

    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.parse("2026-03-01T12:00:00Z"));

    @TempDir private Path directory;

    private static VersionedStore storeThatKeepsAll(Cube cube) throws IOException {
        VersionedStore store =
                ObjectStores.open(StoreOptions.defaults(cube, CLOCK, new SplittableRandom(2)));
        assertThat(store.createBucket(ALICE, BUCKET).owner()).isEqualTo("alice");
        store.setHistoryPolicy(ALICE, BUCKET, HistoryPolicy.EVERY_WRITE);
        return store;
    }

    /** Creates upkeep that may release all history when space is short. */
    private static HistoryUpkeep upkeep(Cube cube, VersionedStore store, LongSupplier nanos) {
        return new HistoryUpkeep(cube, store, new HistoryRoom(0.99, UnderPressure.TRIM), nanos);
    }

    /** While the store has room, a thief's deletion of all its content can be undone. */
    @Test
    @Tag("slow")
    void historyKeepsToItsShareWhenSpaceRunsLow() throws IOException {
        long capacity = 64L << 20;
        CleaningSettings cleaning = new CleaningSettings(1, capacity, 0.1, 0.4, 10, 0.9, 2);
        try (Cube cube = S3TestBed.cube(directory, CLOCK, cleaning);
                VersionedStore store = storeThatKeepsAll(cube)) {
            long states = 0;
            while (cube.space().totals().winnable() > 0.26 * capacity) {
                put(store, 100_000);
                states++;
            }
            assertThat(look(cube, store, 0.3)).as("there is room").isZero();
            while (cube.space().totals().winnable() >= 0.25 * capacity) {
                put(store, 100_000);
                states++;
            }
            long kept = states * 100_000;
            double half = kept / 2.0 / capacity;
            assertThat(look(cube, store, new HistoryRoom(half, UnderPressure.REFUSE))).isZero();
            assertThat(look(cube, store, half))
                    .isBetween((long) (states * 0.48), (long) (states * 0.55));
            assertThat(look(cube, store, half)).isZero();
        }
    }

    /** A single look frees enough space for clients to continue. */
    @Test
    @Tag("slow")
    void whatIsMissingForCleaningGoesAtOnce() throws IOException {
        long capacity = 64L << 20;
        CleaningSettings cleaning = new CleaningSettings(1, capacity, 0.1, 0.4, 10, 0.9, 2);
        try (Cube cube = S3TestBed.cube(directory, CLOCK, cleaning);
                VersionedStore store = storeThatKeepsAll(cube)) {
            while (cube.space().totals().winnable() > 0.08 * capacity) {
                for (int i = 0; i < 10; i++) {
                    put(store, 14_000);
                }
            }
            HistoryUpkeep upkeep = upkeep(cube, store, () -> 0);
            assertThat(upkeep.trim()).isPositive();
            assertThat(cube.space().totals().winnable())
                    .isBetween((long) (0.095 * capacity), capacity / 8);
        }
    }

    @Test
    void whoWaitsForSpaceHasItLookAtOnceButNotAllTheTime() throws IOException {
        long[] nanos = {5};
        int[] wakes = {0};
        try (Cube cube = S3TestBed.cube(directory, CLOCK);
                VersionedStore store = storeThatKeepsAll(cube)) {
            HistoryUpkeep upkeep = upkeep(cube, store, () -> nanos[0]);
            upkeep.whenShort(() -> wakes[0]++);
            assertThat(upkeep.spaceIsShort(true)).isTrue();
            assertThat(wakes[0]).isEqualTo(1);
            upkeep.look();
            nanos[0] += 99_000_000;
            assertThat(upkeep.spaceIsShort(true)).isTrue();
            assertThat(wakes[0]).isEqualTo(1);
            nanos[0] += 1_000_000;
            assertThat(upkeep.spaceIsShort(false)).isTrue();
            assertThat(wakes[0]).isEqualTo(2);
        }
    }

    @Test
    void whereNothingMayGoNobodyIsToldToTryAgain() throws IOException {
        try (Cube cube = S3TestBed.cube(directory, CLOCK);
                VersionedStore store = storeThatKeepsAll(cube)) {
            HistoryUpkeep upkeep =
                    new HistoryUpkeep(
                            cube, store, new HistoryRoom(0.3, UnderPressure.REFUSE), () -> 0);
            assertThat(upkeep.spaceIsShort(false)).isFalse();
        }
    }

    /** Cleaning may win nothing although enough is dead: what shares a page with what lives. */
    @Test
    @Tag("slow")
    void whereCleaningWinsNothingSomethingGoesUntilNothingIsLeft() throws IOException {
        long capacity = 64L << 20;
        CleaningSettings cleaning = new CleaningSettings(0, capacity, 0.1, 0.4, 10, 0.9, 2);
        try (Cube cube = S3TestBed.cube(directory, CLOCK, cleaning);
                VersionedStore store = storeThatKeepsAll(cube)) {
            HistoryUpkeep upkeep = upkeep(cube, store, () -> 0);
            while (cube.space().totals().clientFree() > 0.045 * capacity) {
                put(store, 14_000);
            }
            assertThat(upkeep.trim()).isPositive();
            assertThat(upkeep.trim()).isZero();
            assertThat(upkeep.spaceIsShort(false)).isTrue();
            long bytes = cube.space().totals().live();
            assertThat(upkeep.trim()).isPositive();
            assertThat(bytes - cube.space().totals().live())
                    .isBetween((long) (0.009 * capacity), (long) (0.03 * capacity));
            long looks = 0;
            while (upkeep.spaceIsShort(false) && looks < 200) {
                assertThat(upkeep.trim()).isNotNegative();
                looks++;
            }
            assertThat(looks).isBetween(10L, 199L);
            put(store, 14_000);
            assertThat(upkeep.trim()).as("one that was kept meanwhile").isEqualTo(1);
            assertThat(upkeep.spaceIsShort(false)).isTrue();
        }
    }

    private static long look(Cube cube, VersionedStore store, double share) throws IOException {
        return look(cube, store, new HistoryRoom(share, UnderPressure.TRIM));
    }

    private static long look(Cube cube, VersionedStore store, HistoryRoom room) throws IOException {
        return new HistoryUpkeep(cube, store, room, () -> 0).trim();
    }

    private static void put(VersionedStore store, int bytes) throws IOException {
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(bytes))) {
            writer.write(ByteBuffer.allocate(bytes));
            ObjectAttributes attributes =
                    ObjectAttributes.ofEtag("d41d8cd98f00b204e9800998ecf8427e");
            assertThat(
                            store.put(
                                            ALICE,
                                            BUCKET,
                                            new ObjectKey("key"),
                                            writer.finish(),
                                            attributes,
                                            WriteCondition.NONE)
                                    .bytes())
                    .isEqualTo(bytes);
        }
    }
}
