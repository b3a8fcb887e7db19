package io.volute.storage.log.migration;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.log.space.SegmentStore;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;

/** A copy of an open log in another store. Used by one thread. */
final class LogCopy {
    private final SwitchedSegmentStore log;
    private final SegmentStore copy;
    private final Set<SegmentFileName> there =
            new ConcurrentSkipListSet<>(SwitchedSegmentStore.BY_ID);
    private final SegmentCopy copying = new SegmentCopy();

    /**
     * Goes on with a copy.
     *
     * @param present the segments in it
     */
    LogCopy(SwitchedSegmentStore log, SegmentStore copy, Collection<SegmentFileName> present) {
        this.log = log;
        this.copy = copy;
        there.addAll(present);
    }

    /** Refuses a store without space for all segments. */
    static void requireSpace(SwitchedSegmentStore log, SegmentStore copy, String place)
            throws IOException {
        long free = copy.available(SpacePriority.CLEANER);
        int needed = log.names().size();
        if (free < needed) {
            throw new IOException(
                    place
                            + " has space for "
                            + free
                            + " log segments, and the log has "
                            + needed
                            + ": free space there, then repeat the command");
        }
    }

    /** Returns the number of segments that are copied. */
    int segments() {
        return there.size();
    }

    /** Returns the number of bytes copied so far. */
    long bytes() {
        return copying.bytes();
    }

    /** Removes the copies of segments from an id on. */
    void dropFrom(long id) throws IOException {
        for (SegmentFileName name : List.copyOf(there)) {
            if (name.number() >= id) {
                copy.retire(name);
                there.remove(name);
            }
        }
    }

    /**
     * Copies one sealed segment that is missing.
     *
     * @return whether there was one
     */
    boolean copyOne(SegmentCopy.Watch watch) throws IOException {
        for (SegmentFileName name : log.sealed()) {
            if (!there.contains(name) && copySealed(name, watch)) {
                there.add(name);
                return true;
            }
        }
        return false;
    }

    /**
     * Copies the sealed segments, until it is to stop.
     *
     * @param report called after each piece
     */
    void copySealed(CopyPace pace, Runnable report) throws IOException {
        SegmentCopy.Watch watch =
                copied -> {
                    report.run();
                    pace.copied(copied);
                };
        while (!pace.isStopping() && copyOne(watch)) {
            report.run();
        }
    }

    /**
     * Copies a sealed segment, unless it leaves the log meanwhile: its file may be used again then.
     * The check follows the copy, so a copy that is published is whole.
     */
    private boolean copySealed(SegmentFileName name, SegmentCopy.Watch watch) throws IOException {
        try (StoredFile from = log.current().open(name, Access.READ)) {
            SegmentStore.Draft draft = copy.createCopy(from.size());
            fill(draft, from, from.size(), watch);
            if (!log.has(name)) {
                throw draft.discard(new IOException(name + " has left the log"));
            }
            draft.publish(name).close();
            return true;
        } catch (IOException e) {
            if (log.has(name)) {
                throw e;
            }
            return false;
        }
    }

    private void fill(SegmentStore.Draft draft, StoredFile from, long end, SegmentCopy.Watch watch)
            throws IOException {
        Optional<IOException> failure = Optional.empty();
        try (StoredFile to = draft.open()) {
            copying.copy(from, end, to, watch);
        } catch (IOException e) {
            failure = Optional.of(e);
        }
        if (failure.isPresent()) {
            throw draft.discard(failure.get());
        }
    }

    /** Returns the least id of the segments that are missing. */
    long firstMissing() {
        return log.names().stream()
                .filter(name -> !there.contains(name))
                .mapToLong(SegmentFileName::number)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /**
     * Copies what is missing, while nothing changes, and removes what has left the log.
     *
     * @param ends ends of the segments that are being written
     * @return the copies of segments that are being written, open for more
     */
    Map<SegmentFileName, StoredFile> copyRest(Map<SegmentFileName, Long> ends) throws IOException {
        Map<SegmentFileName, StoredFile> opened = new TreeMap<>(SwitchedSegmentStore.BY_ID);
        boolean isWhole = false;
        try {
            for (SegmentFileName name : log.names()) {
                if (!there.contains(name)) {
                    StoredFile file = copyOpen(name, ends);
                    if (ends.containsKey(name)) {
                        opened.put(name, file);
                    } else {
                        file.close();
                    }
                }
            }
            for (SegmentFileName name : List.copyOf(there)) {
                if (!log.has(name)) {
                    copy.retire(name);
                    there.remove(name);
                }
            }
            isWhole = true;
        } finally {
            if (!isWhole) {
                close(opened.values());
            }
        }
        there.addAll(log.names());
        return opened;
    }

    private static void close(Collection<StoredFile> files) throws IOException {
        for (StoredFile file : files) {
            file.close();
        }
    }

    private StoredFile copyOpen(SegmentFileName name, Map<SegmentFileName, Long> ends)
            throws IOException {
        try (StoredFile from = log.current().open(name, Access.READ)) {
            long size = from.size();
            SegmentStore.Draft draft = copy.createCopy(size);
            // Writes wait: without a limit of the rate.
            fill(draft, from, Math.min(size, ends.getOrDefault(name, size)), bytes -> {});
            return draft.publish(name);
        }
    }
}
