package io.volute.storage.log.file;

import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets concurrent writers of one file share its forces. A writer that finds no force under way
 * leads the next one, for all that wrote before it began; a force that began earlier does not
 * count. A failure is final for all later callers.
 */
final class SharedForce {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private long calls;
    private long covered;
    private boolean underWay;
    private boolean failed;

    /**
     * Returns when everything that this thread wrote before is durable.
     *
     * @return whether this thread led the force
     */
    boolean force(StoredFile file) throws IOException {
        long covers;
        lock.lock();
        try {
            calls++;
            long ticket = calls;
            while (!failed && covered < ticket && underWay) {
                ended.awaitUninterruptibly();
            }
            if (failed) {
                throw new IOException("an earlier force of this file failed");
            }
            if (covered >= ticket) {
                return false;
            }
            underWay = true;
            covers = calls;
        } finally {
            lock.unlock();
        }
        lead(file, covers);
        return true;
    }

    /** Returns the number of calls so far. */
    long calls() {
        lock.lock();
        try {
            return calls;
        } finally {
            lock.unlock();
        }
    }

    private void lead(StoredFile file, long covers) throws IOException {
        boolean done = false;
        try {
            file.force();
            done = true;
        } finally {
            lock.lock();
            try {
                underWay = false;
                failed |= !done;
                if (done) {
                    covered = covers;
                }
                ended.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
