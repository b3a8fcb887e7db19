package io.volute.storage.memory;

import io.volute.storage.memory.ImageBalance.Candidate;
import io.volute.storage.memory.ImageBalance.Choice;
import io.volute.storage.report.ImageDecision;
import io.volute.storage.report.ImageDecision.Action;
import io.volute.storage.report.ImageStats;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees memory by compaction and eviction, as {@link ImageBalance} decides. Both copy live entries,
 * the most recently read first, into survivors. They set the index from the old place to the new
 * one if it still is the old one, and close the old images. No log I/O. Used by one thread at a
 * time; runs beside reads, appends and deaths.
 */
final class ImageUpkeep {
    private static final Logger LOG = LoggerFactory.getLogger(ImageUpkeep.class);

    /**
     * Greatest number of decisions in one run. The next append that finds memory low requests
     * another run.
     */
    private static final int DECISIONS_MAX = 64;

    private final SegletPool pool;
    private final ImageTable images;
    private final EntryIndex index;
    private final int urgentSeglets;
    private final int aheadSeglets;
    private final ImageAppender survivors;
    private final ByteBuffer copy;
    private final LongAdder compactions = new LongAdder();
    private final LongAdder evictions = new LongAdder();
    private final LongAdder relocatedBytes = new LongAdder();
    private final LongAdder evictedEntries = new LongAdder();
    private final LongAdder evictedBytes = new LongAdder();
    private final LongAdder mismatches = new LongAdder();
    private int evictionsSinceDecay;
    private volatile Optional<ImageDecision> last = Optional.empty();

    ImageUpkeep(SegletPool pool, ImageTable images, EntryIndex index, ImageLayout layout) {
        this.pool = pool;
        this.images = images;
        this.index = index;
        this.aheadSeglets = layout.imageSeglets();
        this.urgentSeglets = layout.reserveSeglets() + layout.imageSeglets();
        this.survivors = new ImageAppender(images, SegletPool.Use.UPKEEP);
        this.copy = ByteBuffer.allocate(layout.contentBytesMax());
    }

    /** Returns whether a {@link #run} might act. Cheap. */
    boolean isDue() {
        return pool.isShortOf(aheadSeglets) || ImageBalance.mayAct(state(0));
    }

    /**
     * Frees memory until enough is free, or no more can be freed.
     *
     * @param tick the current time
     */
    void run(int tick) {
        pool.growAhead(aheadSeglets);
        for (int i = 0; i < DECISIONS_MAX; i++) {
            List<Candidate> sealed = new ArrayList<>();
            long live = 0;
            for (Image image : images.all()) {
                live += image.liveBytes();
                if (image.isSealed()) {
                    sealed.add(Candidate.of(image));
                }
            }
            Choice choice = ImageBalance.decide(state(live), sealed);
            if (choice.decision().action() == Action.REST) {
                return;
            }
            count(choice.decision(), sealed);
            relocate(choice, tick);
        }
    }

    private ImageBalance.State state(long live) {
        return new ImageBalance.State(
                pool.limit(),
                pool.unused(),
                urgentSeglets,
                live,
                index.entries(),
                index.entriesMax(),
                images.born());
    }

    private void count(ImageDecision decision, List<Candidate> sealed) {
        last = Optional.of(decision);
        LOG.debug("memory images: {}", decision);
        if (decision.action() == Action.COMPACT) {
            compactions.increment();
            return;
        }
        evictions.increment();
        // Reads count half once about a quarter of the memory has been renewed.
        evictionsSinceDecay++;
        if (evictionsSinceDecay * 4 >= sealed.size()) {
            evictionsSinceDecay = 0;
            sealed.forEach(each -> each.image().halveReads());
        }
    }

    /** A live entry. */
    private record Live(Image image, Image.Header header) {}

    private void relocate(Choice choice, int tick) {
        List<Live> entries = new ArrayList<>();
        List<Image> damaged = new ArrayList<>();
        for (Candidate each : choice.images()) {
            if (!collect(each.image(), entries)) {
                damaged.add(each.image());
            }
        }
        entries.sort(
                Comparator.comparingLong(
                        each -> Integer.toUnsignedLong(tick - each.header().lastRead())));
        long left = choice.decision().keptBytesMax();
        // Compaction drops nothing, also when entries died since the images were counted.
        boolean keepsAll = choice.decision().action() == Action.COMPACT;
        for (Live each : entries) {
            left -= each.header().entryBytes();
            if ((left < 0 && !keepsAll) || !move(each)) {
                drop(each);
                left = Math.min(left, 0);
            }
        }
        for (Image image : damaged) {
            mismatches.increment();
            LOG.warn("a memory image is damaged; the entries after the damage are dropped");
            evictedEntries.add(index.removeIf(place -> ImageTable.isIn(image, place)));
        }
        choice.images().forEach(each -> images.close(each.image()));
    }

    /** Collects the live entries; returns false when the chain of entries is broken. */
    private boolean collect(Image image, List<Live> entries) {
        int offset = Image.next(0);
        while (offset < image.usedBytes()) {
            Image.Header header = image.header(offset);
            if (!image.isPlausible(header)) {
                return false;
            }
            if (index.get(header.blobId()) == ImageTable.place(image, offset)) {
                entries.add(new Live(image, header));
            }
            offset = Image.next(offset + header.entryBytes());
        }
        return true;
    }

    /** Copies an entry to a survivor; returns false when there is no space. */
    private boolean move(Live entry) {
        Image.Header header = entry.header();
        long from = ImageTable.place(entry.image(), header.offset());
        copy.clear();
        if (header.contentBytes() > copy.capacity()
                || entry.image().read(header.offset(), header.blobId(), header.contentBytes(), copy)
                        == Image.Entry.DAMAGED) {
            if (index.remove(header.blobId(), from)) {
                mismatches.increment();
            }
            return true;
        }
        Optional<Image> room = survivors.room(header.entryBytes());
        if (room.isEmpty()) {
            return false;
        }
        Image survivor = room.get();
        int offset =
                survivor.append(
                        header.blobId(),
                        copy,
                        header.checksum(),
                        entry.image().lastRead(header.offset()));
        relocatedBytes.add(header.entryBytes());
        if (!index.replace(header.blobId(), from, ImageTable.place(survivor, offset))) {
            survivor.died(offset);
        }
        survivor.inheritReads(
                entry.image().reads() * header.entryBytes() / entry.image().usedBytes());
        return true;
    }

    private void drop(Live entry) {
        Image.Header header = entry.header();
        if (index.remove(header.blobId(), ImageTable.place(entry.image(), header.offset()))) {
            evictedEntries.increment();
            evictedBytes.add(header.entryBytes());
        }
    }

    long mismatches() {
        return mismatches.sum();
    }

    ImageStats.Upkeep stats() {
        return new ImageStats.Upkeep(
                compactions.sum(),
                evictions.sum(),
                relocatedBytes.sum(),
                evictedEntries.sum(),
                evictedBytes.sum(),
                last);
    }
}
