package io.volute.storage.cleaning;

import io.volute.storage.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Where the entries of some segments lie, to be gone through by age: a few words for each, for
 * there are many. Used by one thread.
 */
final class CollectedEntries {
    private static final int WORDS = 4;

    /** The entries of one segment, as they lie in it: older ones first. */
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
     * @param blobId of the blob that it makes, or 0
     * @param isInline whether that blob is in the entry
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

    /** What is added from now on lies in this segment. */
    void segment(long segmentId) {
        runs.add(new Run(segmentId));
    }

    /** A record or a tombstone. */
    void add(long sequence, Place place) {
        add(sequence, place, 0);
    }

    void addInline(long sequence, Place place, long blobId) {
        add(sequence, place, blobId);
    }

    /** A blob that is elsewhere. */
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

    /** Ends the collecting: {@link #poll} begins. */
    void sort() {
        runs.removeIf(run -> run.end == 0);
        next.addAll(runs);
        runs.clear();
    }

    boolean isEmpty() {
        return next.isEmpty();
    }

    /** The oldest of those that are left. */
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
