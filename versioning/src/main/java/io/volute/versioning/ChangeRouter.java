package io.volute.versioning;

import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectAttributes;
import java.util.List;

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
                public long messagesMax(String consumer) {
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
    long messagesMax(String consumer);

    /**
     * The consumers of one change.
     *
     * @param messages become durable with the change; at most one for each consumer
     * @param committed runs when the change is visible, before the lock of its key is released
     */
    record Routed(List<Message> messages, Runnable committed) {
        public static final Routed NOWHERE = new Routed(List.of(), () -> {});

        public Routed {
            messages = List.copyOf(messages);
        }
    }

    /**
     * A message for one consumer.
     *
     * @param consumer 1 to 64 characters of ASCII other than NUL
     * @param isMarked whether the version notes the message ({@link ObjectAttributes#REPLICATION});
     *     such a consumer has no blank in its name
     */
    record Message(String consumer, byte[] content, boolean isMarked) {
        /** Creates a message that the version does not note. */
        public Message(String consumer, byte[] content) {
            this(consumer, content, false);
        }
    }
}
