package io.volute.storage.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Place;
import io.volute.storage.rows.BlobRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests what readers of blobs of many parts hold in the heap. */
class SharedLayoutsTest {
    private static final int PARTS = 10_000;
    private static final int PART_BYTES = 5 << 20;

    private final AtomicInteger pins = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();

    private static BlobRow row(int number) {
        return new BlobRow(1, new Place(number + 1L, 4096, 300), PART_BYTES, new BlobRow.Inline());
    }

    private SharedLayouts.Pinned make(int parts) {
        made.incrementAndGet();
        BlobLayout.Builder leaves = new BlobLayout.Builder();
        for (int i = 0; i < parts; i++) {
            leaves.add(i + 1L, row(i));
        }
        pins.incrementAndGet();
        return new SharedLayouts.Pinned(leaves.build(), pins::decrementAndGet);
    }

    @Test
    void aLayoutHasItsLeaves() {
        BlobLayout layout = make(PARTS).layout();
        assertThat(layout.bytes()).isEqualTo((long) PARTS * PART_BYTES);
        for (int i = 0; i < PARTS; i++) {
            long start = (long) i * PART_BYTES;
            BlobLayout.Leaf expected = new BlobLayout.Leaf(i + 1L, start, row(i));
            assertThat(layout.leafAt(start)).isEqualTo(expected);
            assertThat(layout.leafAt(start + PART_BYTES - 1)).isEqualTo(expected);
        }
        assertThat(layout.heapBytes()).isLessThan(PARTS * 50L);
    }

    @Test
    void readersOfOneBlobShareItsLayout() throws IOException {
        SharedLayouts layouts = new SharedLayouts(SharedLayouts.BYTES_MAX);
        List<SharedLayouts.Pinned> readers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            readers.add(layouts.open(7, () -> make(PARTS)));
        }
        assertThat(made.get()).isLessThanOrEqualTo(16);
        assertThat(layouts.heapBytes()).isLessThan(made.get() * PARTS * 50L);
        readers.forEach(each -> each.pin().close());
        assertThat(layouts.heapBytes()).isZero();
        assertThat(pins).hasValue(0);
    }

    @Test
    void readersOfManyBlobsAreRefusedAtTheBound() throws IOException {
        long one = make(PARTS).layout().heapBytes();
        pins.set(0);
        SharedLayouts layouts = new SharedLayouts(3 * one);
        List<SharedLayouts.Pinned> readers = new ArrayList<>();
        for (int blob = 0; blob < 3; blob++) {
            readers.add(layouts.open(blob, () -> make(PARTS)));
        }
        assertThatThrownBy(() -> layouts.open(3, () -> make(PARTS)))
                .isInstanceOf(CubeUnavailableException.class)
                .hasMessageContaining("try again");
        assertThat(pins).hasValue(3);
        // Readers of those blobs share for as long as there is no space for another layout.
        for (int i = 0; i < 200; i++) {
            readers.add(layouts.open(i % 3, () -> make(PARTS)));
        }
        // A small layout is not counted.
        layouts.open(4, () -> make(3)).pin().close();
        assertThat(layouts.heapBytes()).isEqualTo(3 * one);
        readers.forEach(each -> each.pin().close());
        assertThat(pins).hasValue(0);
        layouts.open(3, () -> make(PARTS)).pin().close();
        assertThat(layouts.heapBytes()).isZero();
    }

    @Test
    void aLayoutThatCannotBeMadeLeavesNothing() throws IOException {
        SharedLayouts layouts = new SharedLayouts(SharedLayouts.BYTES_MAX);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(
                            () ->
                                    layouts.open(
                                            1,
                                            () -> {
                                                throw new IOException("gone");
                                            }))
                    .hasMessage("gone");
        }
        layouts.open(1, () -> make(PARTS)).pin().close();
        assertThat(layouts.heapBytes()).isZero();
    }
}
