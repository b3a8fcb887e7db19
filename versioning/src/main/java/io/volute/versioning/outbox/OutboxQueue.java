package io.volute.versioning.outbox;

import io.volute.versioning.Outbox.Message;
import io.volute.versioning.Outbox.Queue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The figures of one consumer's queue, in memory. Thread-safe. */
final class OutboxQueue {
    private final long messagesMax;
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong omitted = new AtomicLong();

    /** No message has a number below this one. Written under the monitor. */
    private volatile long first;

    /** Number of calls of {@link #moved}. Written under the monitor. */
    private volatile long moves;

    private volatile Optional<Instant> oldest = Optional.empty();

    /** True if the last row of the full queue is the mark of a gap. */
    private volatile boolean isGapMarked;

    private volatile Runnable action = () -> {};

    OutboxQueue(long messagesMax) {
        this.messagesMax = messagesMax;
    }

    boolean isFull() {
        return messages.get() >= messagesMax;
    }

    boolean isGapMarked() {
        return isGapMarked;
    }

    void added() {
        isGapMarked = false;
        messages.incrementAndGet();
        action.run();
    }

    /** Counts messages that were another consumer's, so older ones may be among them. */
    void moved(List<Message> some) {
        synchronized (this) {
            moves++;
            first = Math.min(first, some.stream().mapToLong(Message::number).min().orElse(first));
        }
        messages.addAndGet(some.size());
        action.run();
    }

    long moves() {
        return moves;
    }

    void addedGap() {
        messages.incrementAndGet();
        isGapMarked = true;
    }

    void omitted() {
        omitted.incrementAndGet();
    }

    void removed(int count) {
        messages.addAndGet(-count);
    }

    long first() {
        return first;
    }

    /**
     * Sets the number and time of the oldest message. The number is kept if messages were moved
     * here since the read began: the read may have missed them.
     *
     * @param movesBefore {@link #moves} before the read
     */
    synchronized void read(long movesBefore, long number, Optional<Instant> at) {
        if (moves == movesBefore) {
            first = number;
        }
        oldest = at;
    }

    void onMessage(Runnable other) {
        action = other;
    }

    Queue report() {
        return new Queue(messages.get(), oldest, omitted.get());
    }
}
