package io.volute.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.report.ImageStats;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MemoryImagesTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    private final CountedSlabs slabs = new CountedSlabs();
    private final ByteBuffer target = ByteBuffer.allocateDirect(MIB);
    private final List<MemoryImages> opened = new ArrayList<>();

    private MemoryImages open(long budget) {
        return open(budget, 16 * KIB);
    }

    private MemoryImages open(long budget, int entryBytesMax) {
        MemorySettings settings = new MemorySettings(budget, entryBytesMax);
        MemoryImages images =
                new MemoryImages(settings, ImageLayout.of(settings), slabs, Runnable::run);
        opened.add(images);
        return images;
    }

    @AfterEach
    void everythingIsGivenBack() {
        opened.forEach(MemoryImages::close);
        assertThat(slabs.heldBytes()).isZero();
    }

    private boolean isServed(MemoryImages images, long id, int bytes) {
        return BlobContent.readsRight(images, id, bytes, target);
    }

    private static void write(MemoryImages images, long id, int bytes) {
        images.written(id, BlobContent.of(id, bytes));
    }

    private static void readTwice(MemoryImages images, long id, int bytes) {
        images.readFromDisk(id, BlobContent.of(id, bytes));
        images.readFromDisk(id, BlobContent.of(id, bytes));
    }

    @Test
    void servesWhatWasWritten() {
        MemoryImages images = open(4 * MIB);
        ByteBuffer content = BlobContent.of(7, 1000);
        images.written(7, content);
        assertThat(content.remaining()).isEqualTo(1000);
        assertThat(isServed(images, 7, 1000)).isTrue();
        assertThat(isServed(images, 8, 1000)).isFalse();
        assertThat(images.stats().reads()).isEqualTo(new ImageStats.Reads(1, 1, 0));
        assertThat(images.stats().space().liveBytes()).isEqualTo(Image.entryBytes(1000));
    }

    @Test
    void servesEntriesThatSpanSeglets() {
        MemoryImages images = open(256L * MIB, MIB);
        int bytes = 200 * KIB;
        for (long id = 1; id <= 30; id++) {
            write(images, id, bytes + (int) id);
        }
        for (long id = 1; id <= 30; id++) {
            assertThat(isServed(images, id, bytes + (int) id)).isTrue();
        }
        write(images, 31, MIB / 2);
        assertThat(images.stats().writes().written()).isEqualTo(30);
    }

    @Test
    void aDeadBlobIsNotServed() {
        MemoryImages images = open(4 * MIB);
        write(images, 1, 1000);
        write(images, 2, 1000);
        images.died(1);
        images.died(1);
        assertThat(isServed(images, 1, 1000)).isFalse();
        assertThat(isServed(images, 2, 1000)).isTrue();
        assertThat(images.stats().writes().died()).isEqualTo(1);
        assertThat(images.stats().space().deadBytes()).isEqualTo(Image.entryBytes(1000));
        assertThat(images.stats().space().entries()).isEqualTo(1);
    }

    @Test
    void budgetZeroHoldsNothing() {
        MemoryImages images = open(0);
        write(images, 1, 100);
        readTwice(images, 1, 100);
        images.died(1);
        assertThat(isServed(images, 1, 100)).isFalse();
        assertThat(images.stats()).isEqualTo(ImageStats.OFF);
        assertThat(slabs.allocations()).isZero();
    }

    @Test
    void longerBlobsAreNotTaken() {
        MemoryImages images = open(4 * MIB, 500);
        write(images, 1, 501);
        write(images, 2, 500);
        readTwice(images, 3, 501);
        assertThat(isServed(images, 1, 501)).isFalse();
        assertThat(isServed(images, 2, 500)).isTrue();
        assertThat(isServed(images, 3, 501)).isFalse();
        assertThat(images.stats().space().entries()).isEqualTo(1);
    }

    @Test
    void settingsHaveBounds() {
        assertThatThrownBy(() -> new MemorySettings(MIB - 1, 0))
                .hasMessageContaining("1 MiB to 16 GiB");
        assertThatThrownBy(() -> new MemorySettings(MIB, MIB + 1))
                .hasMessageContaining("at most 1 MiB");
        ImageLayout largest = ImageLayout.of(new MemorySettings(16L << 30, MIB));
        assertThat(largest.slots()).isLessThanOrEqualTo(ImageTable.SLOTS_MAX);
        assertThat(largest.imageBytes()).isEqualTo(MIB);
    }

    @Test
    void anyFlippedBitIsFoundAndNotServed() {
        MemoryImages images = open(2 * MIB);
        int bytes = 40;
        int entry = Image.entryBytes(bytes);
        for (long id = 1; id <= entry; id++) {
            write(images, id, bytes);
        }
        ByteBuffer slab = slabs.held().getFirst();
        int flipped = 0;
        for (int at = 0; at < entry; at++) {
            // Another byte of each entry; when it was read last may be anything.
            boolean matters = at < 16 || at >= 20;
            int index = at * entry + at;
            slab.put(index, (byte) (slab.get(index) ^ 1 << at % 8));
            assertThat(isServed(images, at + 1, bytes)).as("byte %d", at).isEqualTo(!matters);
            assertThat(isServed(images, at + 1, bytes)).isEqualTo(!matters);
            flipped += matters ? 1 : 0;
        }
        assertThat(images.stats().reads().mismatches()).isEqualTo(flipped);
        assertThat(images.stats().space().entries()).isEqualTo(entry - flipped);
    }

    @Test
    void damageMetByTheUpkeepIsFoundAndNotServed() {
        MemoryImages images = open(MIB);
        for (long id = 1; id <= 60; id++) {
            write(images, id, 1000);
        }
        ByteBuffer slab = slabs.held().getFirst();
        int content = Image.HEADER_BYTES + 500;
        slab.put(content, (byte) ~slab.get(content));
        for (long id = 2; id <= 2000; id++) {
            images.died(id);
            write(images, 60 + id, 1000);
        }
        assertThat(images.stats().upkeep().compactions()).isPositive();
        assertThat(images.stats().upkeep().evictions()).isZero();
        assertThat(images.stats().reads().mismatches()).isEqualTo(1);
        assertThat(isServed(images, 1, 1000)).isFalse();
        assertThat(images.stats().reads().mismatches()).isEqualTo(1);
    }

    @Test
    void whatLiesBehindABrokenHeaderIsDropped() {
        MemoryImages images = open(MIB);
        for (long id = 1; id <= 3; id++) {
            write(images, id, 1000);
        }
        int length = Image.entryBytes(1000) + 11;
        slabs.held().getFirst().put(length, (byte) 0x7f);
        fill(images, 1000, 3 * MIB, KIB);
        assertThat(images.stats().reads().mismatches()).isEqualTo(1);
        for (long id = 1; id <= 3; id++) {
            assertThat(isServed(images, id, 1000)).isFalse();
        }
        ImageStats.Space space = images.stats().space();
        assertThat(space.liveBytes()).isEqualTo((long) space.entries() * Image.entryBytes(KIB));
    }

    private static void fill(MemoryImages images, long firstId, long bytes, int each) {
        for (long id = firstId; id < firstId + bytes / each; id++) {
            write(images, id, each);
        }
    }

    @Test
    void theBudgetHoldsWhateverIsWritten() {
        for (int each : List.of(1, 30, 1000, 16 * KIB)) {
            MemoryImages images = open(2 * MIB);
            long before = slabs.heldBytes();
            for (long id = 1; id <= 12 * MIB / (each + 30); id++) {
                write(images, id, each);
                if (id % 64 == 0) {
                    assertThat(images.stats().space().allocatedBytes())
                            .isLessThanOrEqualTo(2 * MIB);
                    assertThat(slabs.heldBytes() - before).isLessThanOrEqualTo(2 * MIB);
                }
            }
            ImageStats stats = images.stats();
            assertThat(stats.writes().refused()).as("%d bytes each", each).isZero();
            assertThat(stats.upkeep().evictions()).isPositive();
        }
    }

    @Test
    void memoryIsAllocatedOnlyWhenNeeded() {
        MemoryImages images = open(64L * MIB);
        assertThat(slabs.allocations()).isZero();
        write(images, 1, 100);
        assertThat(slabs.allocations()).isEqualTo(1);
        assertThat(isServed(images, 1, 100)).isTrue();
    }

    @Test
    void goesOnWithLessWhenThereIsNoMoreMemory() {
        slabs.refuseBeyond(5L * MIB);
        MemoryImages images = open(32L * MIB);
        fill(images, 1, 40L * MIB, KIB);
        assertThat(slabs.heldBytes()).isLessThanOrEqualTo(5L * MIB);
        assertThat(slabs.allocations()).isEqualTo(1);
        assertThat(images.stats().upkeep().evictions()).isPositive();
        assertThat(isServed(images, 40L * KIB, KIB)).isTrue();
    }

    @Test
    void goesOnWithoutAnyMemory() {
        slabs.refuseBeyond(0);
        MemoryImages images = open(32L * MIB);
        write(images, 1, 100);
        assertThat(isServed(images, 1, 100)).isFalse();
        assertThat(images.stats().writes().refused()).isEqualTo(1);
    }

    @Test
    void aScanTakesNothing() {
        MemoryImages images = open(4 * MIB);
        for (long id = 1; id <= 1000; id++) {
            write(images, id, KIB);
        }
        for (long id = 10_000; id < 60_000; id++) {
            images.readFromDisk(id, BlobContent.of(id, KIB));
        }
        assertThat(images.stats().writes().admitted()).isZero();
        for (long id = 1; id <= 1000; id++) {
            assertThat(isServed(images, id, KIB)).isTrue();
        }
    }

    @Test
    void aLoopOverMoreThanFitsTakesNothing() {
        MemoryImages images = open(4 * MIB);
        for (int round = 0; round < 4; round++) {
            for (long id = 1; id <= 10_000; id++) {
                images.readFromDisk(id, BlobContent.of(id, KIB));
            }
        }
        assertThat(images.stats().writes().admitted()).isZero();
    }

    @Test
    void theSecondReadFromTheDiskIsTaken() {
        MemoryImages images = open(4 * MIB);
        images.readFromDisk(1, BlobContent.of(1, KIB));
        assertThat(isServed(images, 1, KIB)).isFalse();
        for (long id = 2; id <= 200; id++) {
            images.readFromDisk(id, BlobContent.of(id, KIB));
        }
        images.readFromDisk(1, BlobContent.of(1, KIB));
        assertThat(isServed(images, 1, KIB)).isTrue();
        assertThat(images.stats().writes().admitted()).isEqualTo(1);
    }

    @Test
    void whatIsReadOftenSurvivesAFloodOfWrites() {
        MemoryImages images = open(8 * MIB);
        List<Long> hot = new ArrayList<>();
        for (long id = 1; id <= 200; id++) {
            write(images, id, KIB);
            hot.add(id);
        }
        int kept = 0;
        for (long id = 1000; id < 60_000; id++) {
            write(images, id, KIB);
            isServed(images, 1 + id % 200, KIB);
        }
        for (long id : hot) {
            kept += isServed(images, id, KIB) ? 1 : 0;
        }
        assertThat(kept).isGreaterThan(190);
    }

    @Test
    void compactionComesBeforeEviction() {
        MemoryImages images = open(16 * MIB);
        int live = 0;
        for (long id = 1; id <= 60_000; id++) {
            write(images, id, KIB);
            if (id > 4000 && id % 8 != 0) {
                images.died(id);
            } else {
                live++;
            }
        }
        ImageStats stats = images.stats();
        assertThat(live).isLessThan(12_000);
        assertThat(stats.upkeep().compactions()).isPositive();
        assertThat(stats.upkeep().evictions()).isZero();
        assertThat(stats.space().entries()).isEqualTo(live);
        assertThat(stats.upkeep().last().orElseThrow().reason()).contains("many are dead");
        for (long id = 1; id <= 60_000; id++) {
            boolean isAlive = id <= 4000 || id % 8 == 0;
            assertThat(isServed(images, id, KIB)).isEqualTo(isAlive);
        }
    }

    @Test
    void evictionKeepsTheMostRecentlyRead() {
        MemoryImages images = open(16 * MIB);
        long first = 1;
        long filled = 12L * KIB;
        for (long id = first; id <= filled; id++) {
            write(images, id, KIB);
        }
        assertThat(images.stats().upkeep().evictions()).isZero();
        // Every second of the oldest is read; all images get the same number of reads.
        for (long id = first; id <= filled; id += 2) {
            write(images, 1_000_000 + id % 2, 1);
            isServed(images, id, KIB);
        }
        long more = filled + 1;
        while (images.stats().upkeep().evictions() == 0) {
            write(images, more++, KIB);
        }
        int droppedRead = 0;
        int dropped = 0;
        for (long id = first; id <= filled; id++) {
            boolean isGone = !isServed(images, id, KIB);
            dropped += isGone ? 1 : 0;
            droppedRead += isGone && id % 2 == 1 ? 1 : 0;
        }
        assertThat(dropped).isPositive();
        assertThat(droppedRead).isZero();
    }

    @Test
    void aReaderInsideKeepsTheMemoryUntilItLeaves() {
        SegletPool pool = new SegletPool(slabs, 4, 0);
        ImageTable table = new ImageTable(pool, 4, 1);
        Image image = table.open().orElseThrow();
        assertThat(image.prepare(Image.entryBytes(100), SegletPool.Use.APPEND)).isTrue();
        ByteBuffer content = BlobContent.of(5, 100);
        int offset = image.append(5, content, Image.checksum(5, content), 1);
        long place = ImageTable.place(image, offset);
        assertThat(image.enterToRead()).isTrue();
        table.close(image);
        pool.close();
        assertThat(pool.unused()).isEqualTo(3);
        assertThat(slabs.heldBytes()).isPositive();
        assertThat(image.read(offset, 5, 100, target.clear())).isEqualTo(Image.Entry.INTACT);
        assertThat(image.enter()).isFalse();
        assertThat(table.at(place)).isEmpty();
        assertThat(slabs.heldBytes()).isPositive();
        image.leave();
        assertThat(slabs.heldBytes()).isZero();
    }

    @Test
    void aPlaceInAReusedSlotIsNotMistaken() {
        SegletPool pool = new SegletPool(slabs, 1, 0);
        ImageTable table = new ImageTable(pool, 1, 1);
        Image old = table.open().orElseThrow();
        long place = ImageTable.place(old, 0);
        assertThat(table.at(place)).containsSame(old);
        table.close(old);
        Image young = table.open().orElseThrow();
        assertThat(young.slot()).isEqualTo(old.slot());
        assertThat(table.at(place)).isEmpty();
        assertThat(table.at(ImageTable.place(young, 0))).containsSame(young);
    }

    @Test
    void nothingIsTakenAfterTheEnd() {
        MemoryImages images = open(4 * MIB);
        write(images, 1, 100);
        images.close();
        write(images, 2, 100);
        images.died(1);
        assertThat(isServed(images, 1, 100)).isFalse();
        assertThat(isServed(images, 2, 100)).isFalse();
        assertThat(images.stats().space().allocatedBytes()).isZero();
        images.close();
    }
}
