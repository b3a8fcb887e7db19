package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.CubeState;
import io.volute.storage.DamagedException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RecoveryTest {
    private final CubeFixture fixture = new CubeFixture();

    /** Some of everything: replaced and deleted records, shared and composed blobs. */
    private static void fill(LogCube cube, int rounds) throws IOException {
        for (int i = 0; i < rounds; i++) {
            PendingBlob small = CubeFixture.blob(cube, new byte[100 + i]);
            PendingBlob large = CubeFixture.blob(cube, new byte[7000]);
            BlobId composed = new BlobId(cube.allocateId());
            cube.commit(
                            put("a" + i, "summary " + i, small.id())
                                    .put(
                                            NAMES,
                                            utf8("c" + i % 7),
                                            utf8("composed"),
                                            utf8("detail"),
                                            List.of(composed))
                                    .add(small)
                                    .add(large)
                                    .compose(composed, parts(small, large)))
                    .join();
            if (i % 3 == 1) {
                cube.commit(delete("a" + (i - 1))).join();
            }
        }
    }

    private static List<Transaction.Part> parts(PendingBlob... blobs) {
        List<Transaction.Part> parts = new ArrayList<>();
        for (PendingBlob blob : blobs) {
            parts.add(new Transaction.Part(blob.id(), blob.bytes(), new byte[3]));
        }
        return parts;
    }

    @Test
    void newCubeIsClean() throws IOException {
        try (LogCube cube = fixture.open()) {
            assertThat(cube.report().cleanStart()).isTrue();
            assertThat(cube.report().indexRebuilt()).isFalse();
            assertThat(cube.allocateId()).isEqualTo(1);
        }
    }

    @Test
    void cleanCloseLeavesNothingToReplay() throws IOException {
        long id;
        try (LogCube cube = fixture.open()) {
            fill(cube, 10);
            id = cube.allocateId();
        }
        try (LogCube cube = fixture.open()) {
            assertThat(cube.report().cleanStart()).isTrue();
            assertThat(cube.report().replayedEntries()).isZero();
            assertThat(cube.allocateId()).isGreaterThan(id);
        }
    }

    /** A start names each segment whose file is gone, also the newest one. */
    @Test
    void aMissingSegmentIsDamage() throws IOException {
        for (boolean isOrderly : new boolean[] {false, true}) {
            CubeFixture written = new CubeFixture();
            CubeFixture image;
            try (LogCube cube = written.open()) {
                fill(cube, 20);
                image = written.crashImage();
            }
            SimFileSystem files = isOrderly ? written.files : image.files;
            List<Path> segments =
                    files.paths().stream()
                            .filter(path -> path.toString().matches(".*[.](stream|head|survivor)"))
                            .toList();
            assertThat(segments).hasSizeGreaterThan(2);
            for (Path each : segments) {
                String id = each.getFileName().toString().replaceAll("[.].*", "");
                CubeFixture without = new CubeFixture();
                without.files = files.afterKill();
                without.files.delete(each);
                without.indexes = new MemoryIndexFactory();
                assertThatThrownBy(without::open)
                        .as("%s, closed in order: %s", each, isOrderly)
                        .isInstanceOf(DamagedException.class)
                        .hasMessageMatching("(?s).*(" + id + ".*missing|no head segment).*");
            }
        }
    }

    @Test
    void crashAfterACleanStartIsNotClean() throws IOException {
        fixture.open().close();
        try (LogCube cube = fixture.open()) {
            assertThat(cube.report().cleanStart()).isTrue();
            try (LogCube recovered = fixture.crashImage().open()) {
                assertThat(recovered.report().cleanStart()).isFalse();
            }
        }
    }

    @Test
    void crashIsReplayedFromTheLastFlush() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, 20);
            cube.flushIndex();
            cube.commit(put("after", "1")).join();
            cube.commit(delete("a2")).join();
            try (LogCube recovered = fixture.crashImage().open()) {
                assertThat(recovered.report().cleanStart()).isFalse();
                assertThat(recovered.report().indexRebuilt()).isFalse();
                assertThat(recovered.report().replayedEntries()).isEqualTo(2);
                assertThat(recovered.report().replayedBytes()).isPositive();
                assertThat(CubeFixture.dump(recovered)).isEqualTo(CubeFixture.dump(cube));
                assertThat(recovered.allocateId()).isGreaterThan(cube.allocateId());
            }
        }
    }

    @Test
    void recoveringTwiceIsRecoveringOnce() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, 20);
            CubeFixture image = fixture.crashImage();
            try (LogCube once = image.open();
                    LogCube twice = image.crashImage().open()) {
                assertThat(CubeFixture.dump(twice)).isEqualTo(CubeFixture.dump(once));
                assertThat(CubeFixture.dump(once)).isEqualTo(CubeFixture.dump(cube));
            }
        }
    }

    private void rebuildsAfter(Consumer<LogCube> spoiling) throws IOException {
        Map<String, String> expected;
        CubeFixture image;
        try (LogCube cube = fixture.open()) {
            fill(cube, 20);
            expected = CubeFixture.dump(cube);
            spoiling.accept(cube);
            image = fixture.crashImage();
        }
        try (LogCube recovered = image.open()) {
            assertThat(recovered.report().indexRebuilt()).isTrue();
            assertThat(recovered.state()).isEqualTo(CubeState.HEALTHY);
            assertThat(CubeFixture.dump(recovered)).isEqualTo(expected);
        }
    }

    private static void spoil(LogCube cube, Consumer<IndexBatch> change) {
        try {
            CubeFixture.spoil(cube, change);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void missingIndexIsMadeAgain() throws IOException {
        rebuildsAfter(cube -> fixture.indexes.discard(CubeFixture.INDEX));
    }

    @Test
    void indexMadeAgainOnAFullDiskStaysInMemory() throws IOException {
        Map<String, String> expected;
        CubeFixture image;
        try (LogCube cube = fixture.open()) {
            fill(cube, 20);
            expected = CubeFixture.dump(cube);
            image = fixture.imageWithoutIndex();
        }
        CountingIndexes indexes = new CountingIndexes();
        indexes.hasRoom = false;
        image.indexWrapper = indexes::over;
        CubeFixture crashed;
        try (LogCube cube = image.open()) {
            assertThat(CubeFixture.dump(cube)).isEqualTo(expected);
            assertThat(indexes.flushes.sum()).as("only the mark before the rebuild").isOne();
            cube.commit(put("later", "1")).join();
            crashed = image.crashImage();
        }
        try (LogCube cube = crashed.open()) {
            assertThat(cube.report().indexRebuilt()).isTrue();
            assertThat(cube.get(NAMES, utf8("later"))).isPresent();
        }
    }

    @Test
    void unfinishedIndexIsMadeAgain() throws IOException {
        rebuildsAfter(cube -> spoil(cube, cube.index()::putRebuildMark));
    }

    @Test
    void indexOfAnotherCubeIsMadeAgain() throws IOException {
        rebuildsAfter(cube -> spoil(cube, batch -> cube.index().putFormat(batch, new UUID(9, 9))));
    }

    /** The log names the victim of each change: an index without it does not fit the log. */
    @Test
    void indexThatLacksWhatTheLogReplacesIsMadeAgain() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, 20);
            cube.flushIndex();
            MemoryIndexFactory old = fixture.indexes.crashImage();
            cube.commit(put("c3", "again")).join();
            IndexSettings settings =
                    new IndexSettings(
                            CubeFixture.INDEX, CubeIndex.tables(CubeFixture.FAMILIES), 1, 1);
            try (CubeIndex index = new CubeIndex(old.open(settings), CubeFixture.FAMILIES)) {
                IndexBatch batch = new IndexBatch();
                batch.delete(index.table(NAMES), utf8("c3"));
                index.write(batch);
                index.flush();
            }
            CubeFixture image = fixture.crashImage();
            image.indexes = old;
            try (LogCube recovered = image.open()) {
                assertThat(recovered.report().indexRebuilt()).isTrue();
                assertThat(CubeFixture.dump(recovered)).isEqualTo(CubeFixture.dump(cube));
            }
        }
    }

    @Test
    void indexWithImpossibleAccountsIsMadeAgain() throws IOException {
        Map<String, String> expected;
        CubeFixture image;
        try (LogCube cube = fixture.open()) {
            fill(cube, 80);
            spoil(cube, batch -> cube.index().accounts().put(batch, 1, 1, 0, 0));
            fill(cube, 80);
            image = fixture.crashImage();
            try (LogCube rebuilt = fixture.imageWithoutIndex().open()) {
                expected = CubeFixture.dump(rebuilt);
            }
        }
        try (LogCube recovered = image.open()) {
            assertThat(recovered.report().indexRebuilt()).isTrue();
            assertThat(CubeFixture.dump(recovered)).isEqualTo(expected);
        }
    }

    @Test
    void indexFromBeforeSegmentsLeftIsMadeAgain() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, 5);
            cube.flushIndex();
            MemoryIndexFactory old = fixture.indexes.crashImage();
            fill(cube, 60);
            for (int i = 0; i < 60; i++) {
                cube.commit(delete("a" + i)).join();
                cube.commit(delete("c" + i % 7)).join();
            }
            cube.flushIndex();
            fill(cube, 3);
            CubeFixture image = fixture.crashImage();
            image.indexes = old;
            try (LogCube recovered = image.open()) {
                assertThat(recovered.report().indexRebuilt()).isTrue();
                assertThat(CubeFixture.dump(recovered)).isEqualTo(CubeFixture.dump(cube));
            }
        }
    }

    @Test
    void rebuildDoesNotDependOnTheOrderOfTheSegments() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, 60);
            for (long seed = 0; seed < 10; seed++) {
                Random random = new Random(seed);
                CubeFixture image = fixture.imageWithoutIndex();
                image.hooks =
                        new HookedLog.Hooks() {
                            @Override
                            public List<SegmentLog.LoggedBatch> scanOrder(
                                    List<SegmentLog.LoggedBatch> batches) {
                                Collections.shuffle(batches, random);
                                return batches;
                            }
                        };
                try (LogCube rebuilt = image.open()) {
                    assertThat(CubeFixture.dump(rebuilt))
                            .as("seed " + seed)
                            .isEqualTo(CubeFixture.dump(cube));
                }
            }
        }
    }

    @Test
    void rebuildThatWasKilledBeginsAgain() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, 30);
            CubeFixture image = fixture.imageWithoutIndex();
            image.hooks =
                    new HookedLog.Hooks() {
                        private int left = 25;

                        @Override
                        public void beforeScan() throws IOException {
                            if (left-- == 0) {
                                throw new IOException("killed");
                            }
                        }
                    };
            assertThatThrownBy(image::open).hasMessage("killed");
            CubeFixture next = image.crashImage();
            assertThat(next.indexes.exists(CubeFixture.INDEX)).isTrue();
            try (LogCube recovered = next.open()) {
                assertThat(recovered.report().indexRebuilt()).isTrue();
                assertThat(CubeFixture.dump(recovered)).isEqualTo(CubeFixture.dump(cube));
            }
        }
    }

    @Test
    void logThatEndsBeforeTheIndexIsDamage() throws IOException {
        CubeFixture older;
        CubeFixture newer;
        try (LogCube cube = fixture.open()) {
            fill(cube, 5);
            older = fixture.crashImage();
            fill(cube, 5);
            cube.flushIndex();
            newer = fixture.crashImage();
        }
        older.indexes = newer.indexes;
        assertThatThrownBy(older::open)
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("acknowledged entries are missing");
        older.onDamage = OnDamage.ACCEPT_READ_ONLY;
        try (LogCube accepted = older.open()) {
            assertThat(accepted.state()).isEqualTo(CubeState.READ_ONLY);
            assertThat(accepted.report().damages()).isNotEmpty();
            assertThat(accepted.get(NAMES, utf8("a2"))).isPresent();
        }
        older.onDamage = OnDamage.REFUSE;
        assertThatThrownBy(older::open).isInstanceOf(DamagedException.class);
    }

    @Test
    void damageIsRefusedOrAcceptedReadOnlyAndNeverForgotten() throws IOException {
        CubeFixture image;
        try (LogCube cube = fixture.open()) {
            fill(cube, 200);
            image = fixture.crashImage();
        }
        Path victim =
                image.files.paths().stream()
                        .filter(path -> path.toString().endsWith(".head"))
                        .findFirst()
                        .orElseThrow();
        image.files.flipBit(victim, 5 * 4096 + 70, 0);
        image.indexes = new MemoryIndexFactory();
        assertThatThrownBy(image::open)
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining(victim.getFileName().toString());
        image.onDamage = OnDamage.ACCEPT_READ_ONLY;
        try (LogCube accepted = image.open()) {
            assertThat(accepted.state()).isEqualTo(CubeState.READ_ONLY);
            assertThat(accepted.report().damages())
                    .anyMatch(line -> line.contains(victim.getFileName().toString()));
            assertThat(accepted.get(NAMES, utf8("a197"))).isPresent();
            assertThatThrownBy(() -> accepted.commit(put("x", "")).join())
                    .hasMessageContaining("damage was accepted");
        }
        image.onDamage = OnDamage.REFUSE;
        assertThatThrownBy(image::open).isInstanceOf(DamagedException.class);
    }

    /** Entries have checksums of their own, so one damaged entry costs no other of its batch. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 8, 20})
    void acceptedDamageOfOneEntryLeavesTheOthersOfItsBatch(int where) throws IOException {
        CubeFixture image;
        Place hit;
        try (LogCube cube = fixture.open()) {
            Transaction together = new Transaction();
            for (int i = 0; i < 9; i++) {
                together.put(NAMES, utf8("m" + i), utf8("s"), new byte[50], List.of());
            }
            cube.commit(together).join();
            cube.commit(put("behind", "")).join();
            hit = cube.get(NAMES, utf8("m4")).orElseThrow().place();
            image = fixture.crashImage();
        }
        Path head =
                image.files.paths().stream()
                        .filter(path -> path.toString().endsWith(".head"))
                        .findFirst()
                        .orElseThrow();
        image.files.flipBit(head, (int) hit.offset() + where, 3);
        image.indexes = new MemoryIndexFactory();
        assertThatThrownBy(image::open).isInstanceOf(DamagedException.class);
        image.onDamage = OnDamage.ACCEPT_READ_ONLY;
        try (LogCube accepted = image.open()) {
            assertThat(accepted.report().damages()).hasSize(1);
            for (int i = 0; i < 9; i++) {
                assertThat(accepted.get(NAMES, utf8("m" + i)).isPresent()).isEqualTo(i != 4);
            }
            assertThat(accepted.get(NAMES, utf8("behind"))).isPresent();
        }
    }

    @Test
    void acceptingDamageThatIsNotThereChangesNothing() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, 20);
            CubeFixture image = fixture.crashImage();
            image.onDamage = OnDamage.ACCEPT_READ_ONLY;
            try (LogCube recovered = image.open()) {
                assertThat(recovered.state()).isEqualTo(CubeState.HEALTHY);
                assertThat(CubeFixture.dump(recovered)).isEqualTo(CubeFixture.dump(cube));
            }
        }
    }

    @Test
    void unknownFamilyIsRefusedWithAdvice() throws IOException {
        try (LogCube cube = fixture.open()) {
            cube.commit(
                            new Transaction()
                                    .put(
                                            CubeFixture.OTHERS,
                                            utf8("k"),
                                            utf8("v"),
                                            new byte[0],
                                            List.of()))
                    .join();
        }
        fixture.families = List.of(NAMES);
        assertThatThrownBy(fixture::open)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("family 2")
                .hasMessageContaining("start the release that wrote them");
    }

    @Test
    void familyOfALaterReleaseIsAdded() throws IOException {
        fixture.families = List.of(NAMES);
        try (LogCube cube = fixture.open()) {
            fill(cube, 10);
        }
        fixture.families = CubeFixture.FAMILIES;
        try (LogCube cube = fixture.open()) {
            assertThat(cube.get(NAMES, utf8("a2"))).isPresent();
            assertThat(cube.get(CubeFixture.OTHERS, utf8("a2"))).isEmpty();
        }
    }

    @Test
    void stateRowKeepsItsMeaning() {
        IndexState state = new IndexState(new LogPosition(7, 123456), 99, 1L << 40);
        assertThat(IndexState.decode(state.encode())).isEqualTo(state);
    }
}
