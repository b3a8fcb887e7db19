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

    /** No message has a number below this one. */
    private volatile long first;

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
        messages.addAndGet(some.size());
        some.forEach(each -> first = Math.min(first, each.number()));
        action.run();
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

    /** Sets the number and time of the oldest message. */
    void read(long number, Optional<Instant> at) {
        first = number;
        oldest = at;
    }

    void onMessage(Runnable other) {
        action = other;
    }

    Queue report() {
        return new Queue(messages.get(), oldest, omitted.get());
    }
}
