package io.volute.storage.cleaning;

import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.accounting.EntryLiveness;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.commit.IndexFlusher;
import io.volute.storage.commit.RecentChanges;
import io.volute.storage.commit.Relocation;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * One pass of combined cleaning: copies the needed entries of some segments, the origins, to
 * survivors, sorted by age, and has the origins freed. Used by one cleaning thread.
 *
 * <p>The phases are {@link #collect}, {@link #copy}, {@link #seal} and {@link #release}. These are
 * the states of the disk, with what a crash leaves in each:
 *
 * <ol>
 *   <li><b>Collect.</b> Nothing is written. The origins are held in the log until the last survivor
 *       is sealed. After a crash here: nothing has happened.
 *   <li><b>Copy, opening a survivor.</b> A spare gets a segment header and a first batch that names
 *       the origins, is forced, and is renamed to the survivor's name; the directory is forced.
 *       After a crash here: a spare with strange content, or a survivor without copies.
 *   <li><b>Copy, writing.</b> Batches of copies are appended to the survivor and forced. After a
 *       crash here: copies that do not count. With an index, a survivor counts up to the offset in
 *       the index; without one, only its first batch counts. All originals are still in the log.
 *   <li><b>Copy, tombstones.</b> For each record that died after it was copied, the committing
 *       thread appends a kept tombstone to the head and forces it. It names the survivor as the
 *       victim's segment. After a crash here: a tombstone whose victim does not count yet.
 *   <li><b>Copy, publishing.</b> One index batch moves the rows of a batch to the survivor, and
 *       sets the offset up to which the survivor counts. After a crash here: the state before, or,
 *       when the index was flushed meanwhile, rows that point into the survivor. The origins are
 *       still in the log.
 *   <li><b>Seal.</b> Each survivor is sealed at the offset that the index has for it. Its tail goes
 *       back to the file system. After a crash here: as before; the start seals it there again.
 *   <li><b>Release, flushing.</b> The index is flushed. After a crash here: no row points into the
 *       origins, which are still in the log and are released after the start.
 *   <li><b>Release, freeing.</b> The committing thread writes a digest to the head. It lists the
 *       survivors with their lengths and omits the origins. From here on the origins are not in the
 *       log, and their files become spares.
 * </ol>
 *
 * <p>A failure ends the pass in its present state. Published entries stay moved, other copies do
 * not count, and the origins stay in the log. {@link Relocation} has the rules for a single entry;
 * {@code docs/format/log.md} has the bytes.
 *
 * <p>Source: Log-structured Memory for DRAM-based Storage, sections 4 and 5.
 */
public final class CleaningPass {
    /** Entries that one pass collects; each takes some tens of bytes of memory until copied. */
    private static final int ENTRIES_MAX = 1 << 20;

    /** Publishes a batch of a survivor: moves the rows of its entries in the index. */
    interface Relocator {
        CompletableFuture<Relocation.Moved> relocate(Relocation.Batch batch);
    }

    /** The speed of a pass, and the size of its batches. */
    public interface Pace {
        /** A pace without any wait. */
        Pace NONE = bytes -> {};

        /**
         * Called once, before the first batch.
         *
         * @param copied bytes that the pass will copy
         * @param won bytes that it will set free
         */
        default void begin(long copied, long won) {}

        /** Waits until a batch of this many bytes may be published. */
        void await(long bytes) throws IOException;

        /**
         * Returns whether a batch is large enough to be written. No commit is applied while the
         * index takes a batch.
         */
        default boolean isEnough(int entries, long bytes) {
            int enough = entriesEnough();
            return entries >= 2 * enough || entries >= enough && bytes >= 256L * enough;
        }

        /** Returns the entries of a batch; small ones may be twice as many. */
        default int entriesEnough() {
            return 512;
        }

        /** Returns whether entries are copied while the index takes the batch before. */
        default boolean copiesMeanwhile() {
            return false;
        }

        /** Returns about how many bytes of batches share one force. */
        default long forceBytes() {
            return 2 << 20;
        }
    }

    /**
     * The result of a pass.
     *
     * @param origins segments that can be freed: all that were wanted, or the first of them
     * @param written bytes in survivors, padding included
     */
    record Result(Set<Long> origins, Relocation.Moved moved, long written) {}

    private final CubeStorage storage;
    private final RecentChanges changes;
    private final IndexFlusher flusher;
    private final Set<Long> wanted;
    private final Set<Long> origins = new TreeSet<>();
    private final Set<Long> stays;
    private final CollectedEntries collected = new CollectedEntries();
    private final SegmentLog.Mover mover;
    private final PassSurvivors survivors;
    private long at;

    /**
     * Creates a pass.
     *
     * @param changes finds out which rows have changed since the pass has read them
     * @param choice sealed head and survivor segments that no other pass cleans
     */
    CleaningPass(
            CubeStorage storage,
            RecentChanges changes,
            Relocator relocator,
            IndexFlusher flusher,
            Pace pace,
            SegmentChooser.Choice choice) {
        this.storage = storage;
        this.changes = changes;
        this.flusher = flusher;
        this.wanted = new TreeSet<>(choice.segments());
        this.mover = storage.log().mover();
        this.survivors = new PassSurvivors(mover, relocator, pace, origins, choice.needed());
        this.stays = new HashSet<>(SegmentRelease.ids(storage.log().segments()));
    }

    /**
     * Runs all phases.
     *
     * @throws io.volute.storage.DamagedException when an entry of an origin is damaged
     */
    Result run() throws IOException {
        storage.release().cleaningBegins(wanted);
        changes.watch();
        // The notes are followed before the segments are held: those may leave the log even so.
        try (mover;
                survivors;
                EntryLiveness.Reader notes = storage.accounts().liveness().new Reader();
                SegmentLog.Pin pin = storage.log().pin(wanted)) {
            collect();
            copy(notes);
            seal();
        } finally {
            changes.unwatch();
            storage.release().cleaningEnded(wanted);
        }
        release();
        return new Result(origins, survivors.moved(), survivors.written());
    }

    /** Returns the origin that was read last. */
    long at() {
        return at;
    }

    /** Returns the number of survivors opened. */
    int survivors() {
        return survivors.opened();
    }

    /** Finds the places of all entries that may be needed, and sorts them by age. */
    private void collect() throws IOException {
        SegmentLog.Scanner scanner = storage.log().scanner(this::collect);
        for (long segment : wanted) {
            if (collected.size() < ENTRIES_MAX) {
                at = segment;
                collected.segment(segment);
                scanner.scan(segment);
                origins.add(segment);
            }
        }
        collected.sort();
        stays.removeAll(origins);
    }

    private void collect(SegmentLog.LoggedBatch batch) {
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            long sequence = logged.entry().sequence();
            switch (logged.entry()) {
                case LogEntry.RecordPut put -> collected.add(sequence, logged.place());
                case LogEntry.TombstoneEntry kept -> collected.add(sequence, logged.place());
                case LogEntry.InlineBlob blob ->
                        collected.addInline(sequence, logged.place(), blob.blobId());
                case LogEntry.BlobEntry blob ->
                        collected.addBlob(sequence, logged.place(), blob.blobId());
                case LogEntry.Hole hole -> {}
                case LogEntry.Digest digest -> {}
                case LogEntry.Origins mine -> {}
            }
        }
    }

    /** Copies the needed entries to survivors, oldest first, and publishes them batch by batch. */
    private void copy(EntryLiveness.Reader notes) throws IOException {
        NeededEntries entries =
                new NeededEntries(mover, storage.index(), notes, stays, segment -> at = segment);
        while (!collected.isEmpty()) {
            long stamp = changes.stamp();
            for (NeededEntries.Needed each : entries.next(collected)) {
                at = each.place().segmentId();
                survivors.copy(each, stamp);
            }
        }
    }

    /** Publishes the rest, and seals the survivors. */
    private void seal() throws IOException {
        survivors.finish();
    }

    /** Flushes the index, and has the origins freed. Returns when they are not in the log. */
    private void release() throws IOException {
        storage.release().cleaned(origins);
        UninterruptibleJoin.join(flusher.flush());
    }
}
