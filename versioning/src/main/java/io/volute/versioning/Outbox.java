package io.volute.versioning;

import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The messages of a store to consumers outside it. A message is in the same commit as its change,
 * and stays until its consumer removes it. So the messages that are there are the durable position
 * of the consumer: a crash loses none, and may repeat the last. Messages about one key are in the
 * order of its changes. Thread-safe; each consumer reads and removes by one thread.
 */
public interface Outbox {

    /**
     * A message.
     *
     * @param cube name of the cube that has it; empty for the store of a single cube
     * @param number ascends among the messages of a cube
     * @param at time of the change
     * @param content empty for a gap: the consumer had too many messages, so the changes between
     *     this time and the next message have none; and for a message that cannot be read
     * @param damage why the message cannot be read; empty for all others
     */
    record Message(
            String cube,
            long number,
            Instant at,
            Optional<byte[]> content,
            Optional<String> damage) {
        /** Creates a message that can be read, or a gap. */
        public Message(String cube, long number, Instant at, Optional<byte[]> content) {
            this(cube, number, at, content, Optional.empty());
        }

        /** Returns this message with the name of its cube. */
        public Message in(String name) {
            return new Message(name, number, at, content, damage);
        }
    }

    /** Returns the oldest messages of a consumer, oldest first. */
    default List<Message> next(String consumer, int max) throws IOException {
        return next(consumer, Map.of(), max);
    }

    /**
     * Returns the next messages of a consumer, oldest first. Messages that are added later have
     * greater numbers; those that were moved to the consumer need not.
     *
     * @param behind numbers of the last messages that are left out, by the name of their cube
     */
    List<Message> next(String consumer, Map<String, Long> behind, int max) throws IOException;

    /**
     * Passes the messages of a consumer to a visitor, those of each cube oldest first, until the
     * visitor returns false. Any thread may call it.
     */
    void visit(String consumer, Predicate<Message> visitor) throws IOException;

    /** Removes messages that the consumer has dealt with; durable when it returns. */
    void remove(String consumer, List<Message> done) throws IOException;

    /**
     * Gives messages that can be read to another consumer, with their numbers; durable when it
     * returns.
     */
    void move(String consumer, List<Message> some, String other) throws IOException;

    /** Returns whether the message with this number about a key of the bucket is still there. */
    boolean has(BucketName bucket, String consumer, long number);

    /**
     * Adds a message that belongs to no change, and returns it; durable when it returns.
     *
     * @param content makes the message, for the time that the outbox records
     */
    Message add(String consumer, Function<Instant, byte[]> content) throws IOException;

    /**
     * Adds messages about a bucket that belong to no change, in one commit and in this order behind
     * the messages of earlier changes of the bucket; durable when it returns.
     *
     * @param contents must fit into one transaction
     */
    void addAll(BucketName bucket, String consumer, List<byte[]> contents) throws IOException;

    /** Sets the action that runs after each addition of a message for a consumer. */
    void onMessage(String consumer, Runnable action);

    /** Returns the consumers that have messages, or had some since the start. */
    Set<String> consumers();

    /** Returns the state of a consumer's queue. */
    Queue queue(String consumer);

    /**
     * The state of a queue.
     *
     * @param messages number of messages
     * @param oldest time of the oldest message, as of the last read of the queue
     * @param omitted number of changes since the start that got no message, because the queue was
     *     full
     */
    record Queue(long messages, Optional<Instant> oldest, long omitted) {}
}
