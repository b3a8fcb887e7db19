package io.volute.storage.log.segment;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Bounds the number of segment files that are open without being used. */
public final class OpenFiles {
    private static final int IDLE_MAX = 256;

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Segment> open = new LinkedHashSet<>();

    /**
     * Records an opened file. When there are too many, closes the idle ones that were opened first.
     */
    void opened(Segment segment) {
        List<Segment> excess = new ArrayList<>();
        lock.lock();
        try {
            open.add(segment);
            for (Segment candidate : open) {
                if (open.size() - excess.size() <= IDLE_MAX) {
                    break;
                }
                excess.add(candidate);
            }
        } finally {
            lock.unlock();
        }
        for (Segment candidate : excess) {
            if (candidate != segment) {
                candidate.closeIfIdle();
            }
        }
    }

    void closed(Segment segment) {
        lock.lock();
        try {
            open.remove(segment);
        } finally {
            lock.unlock();
        }
    }
}
