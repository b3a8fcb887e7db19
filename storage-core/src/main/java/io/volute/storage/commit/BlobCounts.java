package io.volute.storage.commit;

import io.volute.storage.Place;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.rows.BlobRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The reference counts of blobs after a batch: the rows before it, and its changes on top. A blob
 * whose count is zero when {@link #settle} runs is dead for good, and releases its children. Used
 * by one thread.
 */
final class BlobCounts {

    /** A blob that the batch reads or changes. */
    static final class Counted {
        private final long id;
        private final long bytes;
        private final BlobRow.Content content;
        private final Optional<Place> entry;
        private final int entryIndex;
        private final long referencesBefore;
        private long references;
        private boolean dead;

        private Counted(long id, BlobRow row) {
            this.id = id;
            this.bytes = row.bytes();
            this.content = row.content();
            this.entry = Optional.of(row.entry());
            this.entryIndex = -1;
            this.referencesBefore = row.references();
            this.references = row.references();
        }

        private Counted(long id, long bytes, BlobRow.Content content, int entryIndex) {
            this.id = id;
            this.bytes = bytes;
            this.content = content;
            this.entry = Optional.empty();
            this.entryIndex = entryIndex;
            this.referencesBefore = 0;
        }

        long id() {
            return id;
        }

        long bytes() {
            return bytes;
        }

        boolean isDead() {
            return dead;
        }

        /** Returns whether its entry is in the batch. */
        boolean isNew() {
            return entry.isEmpty();
        }

        /** Returns whether the index row differs from the one before the batch. */
        boolean isChanged() {
            return dead || entry.isEmpty() || references != referencesBefore;
        }

        private List<Long> children() {
            return content instanceof BlobRow.Composed composed ? composed.children() : List.of();
        }

        /**
         * Returns the row after the batch.
         *
         * @param places places of the entries of the batch
         */
        BlobRow row(List<Place> places) {
            return new BlobRow(
                    references, entry.orElseGet(() -> places.get(entryIndex)), bytes, content);
        }
    }

    private final RowPrefetch rows;
    private final Map<Long, Counted> blobs = new LinkedHashMap<>();
    private final Deque<Counted> unreferenced = new ArrayDeque<>();

    BlobCounts(RowPrefetch rows) {
        this.rows = rows;
    }

    /** Returns the blob if it is alive at this point of the batch. */
    Optional<Counted> live(long id) {
        Counted counted = blobs.get(id);
        if (counted == null) {
            Optional<BlobRow> row = rows.blob(id);
            if (row.isEmpty()) {
                return Optional.empty();
            }
            counted = new Counted(id, row.get());
            blobs.put(id, counted);
        }
        return counted.dead ? Optional.empty() : Optional.of(counted);
    }

    /**
     * Adds a blob without references, and a reference to each of its children.
     *
     * @param entryIndex index of its entry in the batch
     */
    void add(long id, long bytes, BlobRow.Content content, int entryIndex) {
        Counted counted = new Counted(id, bytes, content, entryIndex);
        if (blobs.putIfAbsent(id, counted) != null) {
            throw new BrokenInvariant("blob id " + id + " is used twice");
        }
        unreferenced.add(counted);
        counted.children().forEach(this::retain);
    }

    void retain(long id) {
        existing(id).references++;
    }

    void release(long id) {
        Counted counted = existing(id);
        counted.references--;
        if (counted.references == 0) {
            unreferenced.add(counted);
        } else if (counted.references < 0) {
            throw new BrokenInvariant("negative reference count of blob " + id);
        }
    }

    private Counted existing(long id) {
        return live(id).orElseThrow(
                        () -> new BrokenInvariant("the index lacks blob " + id + ", still in use"));
    }

    /** Marks every blob as dead whose count stayed at zero; returns them. */
    List<Counted> settle() {
        List<Counted> died = new ArrayList<>();
        while (!unreferenced.isEmpty()) {
            Counted counted = unreferenced.poll();
            if (counted.references == 0 && !counted.dead) {
                counted.dead = true;
                died.add(counted);
                counted.children().forEach(this::release);
            }
        }
        return died;
    }

    Collection<Counted> all() {
        return blobs.values();
    }
}
