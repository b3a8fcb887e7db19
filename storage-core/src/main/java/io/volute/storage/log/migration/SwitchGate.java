package io.volute.storage.log.migration;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Lets changes of a store through, except during a switch. Two locks are needed, because a segment
 * is created in several calls: no switch begins between the first and the last. Thread-safe.
 */
final class SwitchGate {
    /** Fair, so that a switch gets its turn. Its read side: changes; its write side: a switch. */
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock(true);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int drafts;
    private boolean closing;
    private volatile Optional<IOException> failure = Optional.empty();

    /** A call of a store. */
    interface Change {
        void run() throws IOException;
    }

    /** A call of a store with a result. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** Makes a call while no switch is under way. */
    <T> T call(Call<T> call) throws IOException {
        gate.readLock().lock();
        try {
            requireKnown();
            return call.run();
        } finally {
            gate.readLock().unlock();
        }
    }

    /** Makes a change while no switch is under way. */
    void run(Change change) throws IOException {
        gate.readLock().lock();
        try {
            requireKnown();
            change.run();
        } finally {
            gate.readLock().unlock();
        }
    }

    /** Lets all calls fail, as the place of the log is not known before the next start. */
    void fail(IOException cause) {
        failure = Optional.of(cause);
    }

    /** Refuses everything once the place of the log is not known. */
    void requireKnown() throws IOException {
        if (failure.isPresent()) {
            throw new IOException(
                    "the place of the log is not known after a failed switch: "
                            + failure.get().getMessage(),
                    failure.get());
        }
    }

    /** Begins a draft, once no switch is under way. */
    void draftBegins() throws IOException {
        lock.lock();
        try {
            while (closing) {
                changed.awaitUninterruptibly();
            }
            requireKnown();
            drafts++;
        } finally {
            lock.unlock();
        }
    }

    void draftEnded() {
        lock.lock();
        try {
            drafts--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs a switch while no draft exists and no change is under way. Gives up after a bounded time
     * of waiting, so that writers never wait long for one of their own that hangs.
     *
     * @return whether it ran
     */
    boolean trySwitch(Change change, long patienceNanos) throws IOException, InterruptedException {
        closeForDrafts(true);
        try {
            if (!awaitDrafts(patienceNanos)
                    || !gate.writeLock().tryLock(patienceNanos, TimeUnit.NANOSECONDS)) {
                return false;
            }
            try {
                change.run();
                return true;
            } finally {
                gate.writeLock().unlock();
            }
        } finally {
            closeForDrafts(false);
        }
    }

    private void closeForDrafts(boolean isClosing) {
        lock.lock();
        try {
            closing = isClosing;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitDrafts(long patienceNanos) throws InterruptedException {
        long left = patienceNanos;
        lock.lock();
        try {
            while (drafts > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
            return drafts == 0;
        } finally {
            lock.unlock();
        }
    }
}
