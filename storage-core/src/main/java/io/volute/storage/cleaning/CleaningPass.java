package io.volute.storage.cleaning;

import io.volute.storage.accounting.EntryNotes;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.commit.RecentChanges;
import io.volute.storage.commit.Relocation;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * One pass of combined cleaning: what is needed of some segments goes to survivors, sorted by age,
 * so that these segments can be freed. Used by one cleaner thread.
 *
 * <p>Source: Log-structured Memory for DRAM-based Storage, sections 4 and 5.
 */
public final class CleaningPass {
    /** Of one pass; what it keeps of an entry until it is copied takes some tens of bytes. */
    private static final int ENTRIES_MAX = 1 << 20;

    /** Tells the index of a survivor's batch. */
    public interface Relocator {
        CompletableFuture<Relocation.Moved> relocate(Relocation.Batch batch);
    }

    /** How fast a pass goes. */
    public interface Pace {
        /** As fast as it can. */
        Pace NONE = bytes -> {};

        /**
         * Tells what the pass is about.
         *
         * @param copied bytes that it will copy
         * @param won bytes that will be free by it
         */
        default void begin(long copied, long won) {}

        /** Returns when the index may be told of a batch of so many bytes. */
        void await(long bytes) throws IOException;

        /** Whether a batch is enough: for as long as the index takes it no commit goes on. */
        default boolean isEnough(int entries, long bytes) {
            int enough = entriesEnough();
            return entries >= 2 * enough || entries >= enough && bytes >= 256L * enough;
        }

        /** Entries of a batch, unless they are small. */
        default int entriesEnough() {
            return 512;
        }

        /** Whether entries are copied while the index takes those before. */
        default boolean copiesMeanwhile() {
            return false;
        }

        /** Bytes of batches that are forced together, roughly. */
        default long forceBytes() {
            return 2 << 20;
        }
    }

    /**
     * What a pass works with.
     *
     * @param changes tells whether a row that the pass has read is still so
     * @param notes tells of most entries what the index would
     */
    record Parts(
            SegmentLog log,
            CubeIndex index,
            RecentChanges changes,
            EntryNotes notes,
            Relocator relocator,
            Pace pace) {}

    /**
     * What a pass did.
     *
     * @param origins that can be freed: all that were asked for, or the first of them
     * @param written bytes in survivors, padding included
     */
    record Result(Set<Long> origins, Relocation.Moved moved, long written) {}

    private final Parts parts;
    private final Set<Long> wanted;
    private final Set<Long> origins = new TreeSet<>();
    private final Set<Long> stays;
    private final CollectedEntries collected = new CollectedEntries();

    private final SegmentLog.Mover mover;
    private final PassSurvivors survivors;
    private long at;

    /**
     * @param wanted sealed head and survivor segments that nobody else cleans
     * @param expectedBytes that are needed of them, roughly
     */
    CleaningPass(Parts parts, Set<Long> wanted, long expectedBytes) {
        this.parts = parts;
        this.wanted = new TreeSet<>(wanted);
        this.mover = parts.log().mover();
        this.survivors = new PassSurvivors(parts, mover, origins, expectedBytes);
        this.stays = new HashSet<>(SegmentRelease.ids(parts.log().segments()));
    }

    /**
     * @throws io.volute.storage.DamagedException when an entry of an origin is damaged; what was
     *     moved before is moved, and the origins stay
     */
    Result run() throws IOException {
        parts.changes().watch();
        // The notes are followed before the segments are held: those may leave the log even so.
        try (mover;
                survivors;
                EntryNotes.Reader notes = parts.notes().new Reader();
                SegmentLog.Pin pin = parts.log().pin(wanted)) {
            collectAll();
            stays.removeAll(origins);
            copyAll(notes);
        } finally {
            parts.changes().unwatch();
        }
        return new Result(origins, survivors.moved(), survivors.written());
    }

    /** The origin that was read last. */
    long at() {
        return at;
    }

    /** Survivors opened. */
    int survivors() {
        return survivors.opened();
    }

    private void collectAll() throws IOException {
        SegmentLog.Scanner scanner = parts.log().scanner(this::collect);
        for (long segment : wanted) {
            if (collected.size() < ENTRIES_MAX) {
                at = segment;
                collected.segment(segment);
                scanner.scan(segment);
                origins.add(segment);
            }
        }
        collected.sort();
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

    private void copyAll(EntryNotes.Reader notes) throws IOException {
        NeededEntries entries =
                new NeededEntries(mover, parts.index(), notes, stays, segment -> at = segment);
        while (!collected.isEmpty()) {
            long stamp = parts.changes().stamp();
            for (NeededEntries.Needed each : entries.next(collected)) {
                at = each.place().segmentId();
                survivors.copy(each, stamp);
            }
        }
        survivors.finish();
    }
}
