package io.volute.server.notification;

import io.volute.server.s3.notification.EventMessage;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** A receiver of event messages. One thread sends; another may close. */
interface Target extends AutoCloseable {
    /**
     * Sends messages. Those of one subject are sent in their order, and none after one that failed.
     * Ends soon after {@link #close}.
     */
    Sent send(List<EventMessage> messages);

    /** Aborts what is being sent. */
    @Override
    void close();

    /**
     * The outcome.
     *
     * @param done the messages that the target has durably, by their places in the list
     * @param failure the reason why others are not
     */
    record Sent(BitSet done, Optional<IOException> failure) {
        /** Returns the outcome of messages that all have the same. */
        static Sent all(int count, Optional<IOException> failure) {
            BitSet done = new BitSet(count);
            done.set(0, failure.isEmpty() ? count : 0);
            return new Sent(done, failure);
        }
    }
}
