package io.volute.versioning;

import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.KeyChange;
import java.util.Optional;

/**
 * The choice of the changes of keys that consumers outside the store receive. The store calls it
 * under the locks of the changed keys, so it neither waits nor reads the store. Thread-safe.
 */
public interface ChangeRouter {
    /** The router of a store without consumers. */
    ChangeRouter NONE =
            new ChangeRouter() {
                @Override
                public boolean isWatched(BucketInfo bucket) {
                    return false;
                }

                @Override
                public Routed route(KeyChange change) {
                    return Routed.NOWHERE;
                }

                @Override
                public long messagesMax() {
                    return 0;
                }
            };

    /** Returns whether a change of the bucket may have a consumer. Called for each write. */
    boolean isWatched(BucketInfo bucket);

    /**
     * Chooses the consumers of a change of a watched bucket. A commit that is built twice asks
     * twice.
     */
    Routed route(KeyChange change);

    /** Returns the number of messages from which on a consumer gets no more, but a gap. */
    long messagesMax();

    /**
     * The consumers of one change.
     *
     * @param message becomes durable with the change
     * @param committed runs when the change is visible, before the lock of its key is released
     */
    record Routed(Optional<Message> message, Runnable committed) {
        public static final Routed NOWHERE = new Routed(Optional.empty(), () -> {});
    }

    /**
     * A message for one consumer.
     *
     * @param consumer 1 to 64 characters of ASCII other than NUL
     */
    record Message(String consumer, byte[] content) {}
}
