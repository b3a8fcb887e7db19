package io.volute.storage.cleaning;

import io.volute.storage.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The places of the entries of some segments, in order of age. It keeps a few words for each,
 * because there are many. Used by one thread.
 */
final class CollectedEntries {
    private static final int WORDS = 4;

    /** The entries of one segment in their order there: older ones first. */
    private static final class Run {
        private final long segmentId;
        private long[] words = new long[WORDS * 1024];
        private int end;
        private int at;

        Run(long segmentId) {
            this.segmentId = segmentId;
        }

        void add(long sequence, Place place, long blob) {
            if (end == words.length) {
                words = Arrays.copyOf(words, words.length * 2);
            }
            words[end++] = sequence;
            words[end++] = place.offset();
            words[end++] = place.bytes();
            words[end++] = blob;
        }

        long sequence() {
            return words[at];
        }
    }

    /**
     * An entry.
     *
     * @param blobId id of the blob that it makes, or 0
     * @param isInline whether the content of that blob is in the entry
     */
    record Collected(Place place, long blobId, boolean isInline) {
        boolean isBlob() {
            return blobId != 0;
        }
    }

    private final List<Run> runs = new ArrayList<>();
    private final PriorityQueue<Run> next =
            new PriorityQueue<>(Comparator.comparingLong(Run::sequence));
    private int size;

    /** Begins a segment: the entries added from now on lie in it. */
    void segment(long segmentId) {
        runs.add(new Run(segmentId));
    }

    /** Adds a record or a tombstone. */
    void add(long sequence, Place place) {
        add(sequence, place, 0);
    }

    void addInline(long sequence, Place place, long blobId) {
        add(sequence, place, blobId);
    }

    /** Adds a blob whose content is elsewhere. */
    void addBlob(long sequence, Place place, long blobId) {
        add(sequence, place, -blobId);
    }

    private void add(long sequence, Place place, long blob) {
        runs.getLast().add(sequence, place, blob);
        size++;
    }

    int size() {
        return size;
    }

    /** Ends the collection and sorts; {@link #poll} may begin. */
    void sort() {
        runs.removeIf(run -> run.end == 0);
        next.addAll(runs);
        runs.clear();
    }

    boolean isEmpty() {
        return next.isEmpty();
    }

    /** Removes and returns the oldest entry that is left. */
    Collected poll() {
        Run run = next.remove();
        long blob = run.words[run.at + 3];
        Collected oldest =
                new Collected(
                        new Place(run.segmentId, run.words[run.at + 1], run.words[run.at + 2]),
                        Math.abs(blob),
                        blob > 0);
        run.at += WORDS;
        if (run.at < run.end) {
            next.add(run);
        }
        return oldest;
    }
}
