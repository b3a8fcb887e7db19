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
 * Reference counts of blobs as a batch leaves them: the rows before it underneath, the changes on
 * top. A blob whose count is zero when {@link #settle} runs is dead for good, and takes its hold on
 * its children with it. Used by one thread.
 */
final class BlobCounts {

    /** A blob that the batch looked at. */
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

        /** Whether its entry is in the batch. */
        boolean isNew() {
            return entry.isEmpty();
        }

        /** Whether the index row differs from what it was before the batch. */
        boolean isChanged() {
            return dead || entry.isEmpty() || references != referencesBefore;
        }

        private List<Long> children() {
            return content instanceof BlobRow.Composed composed ? composed.children() : List.of();
        }

        /**
         * @param places of the entries of the batch
         */
        BlobRow row(List<Place> places) {
            return new BlobRow(
                    references, entry.orElseGet(() -> places.get(entryIndex)), bytes, content);
        }
    }

    private final RowsAhead rows;
    private final Map<Long, Counted> blobs = new LinkedHashMap<>();
    private final Deque<Counted> unreferenced = new ArrayDeque<>();

    BlobCounts(RowsAhead rows) {
        this.rows = rows;
    }

    /** The blob if it is alive at this point of the batch. */
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
     * Adds a blob that nothing refers to yet, and a reference to each of its children.
     *
     * @param entryIndex of its entry in the batch
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

    /** Lets every blob die whose count stayed at zero. */
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
