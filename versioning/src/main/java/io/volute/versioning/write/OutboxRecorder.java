package io.volute.versioning.write;

import io.volute.storage.Transaction;
import io.volute.versioning.outbox.OutboxRows;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Collects the changes of one write transaction that consumers outside the store may receive, and
 * adds their messages to it. Costs a bucket that nobody watches one look. Not thread-safe. The
 * caller holds the locks of all changed keys.
 */
public final class ChangeRecorder {
    /** Estimated bytes of a message without its key, and of each byte of the key. */
    private static final int MESSAGE_BYTES = 1024;

    private static final int KEY_BYTES = 4;

    private final OutboxRows outbox;
    private final Caller caller;
    private final List<OutboxRows.Addition.Numbered> changes = new ArrayList<>(0);
    private long bytes;
    private Optional<OutboxRows.Addition> addition = Optional.empty();

    ChangeRecorder(OutboxRows outbox, Caller caller) {
        this.outbox = outbox;
        this.caller = caller;
    }

    /**
     * Numbers a change, and chooses its messages.
     *
     * @return the mark for the row of the version; empty for none
     */
    Optional<String> changed(BucketInfo bucket, KeyChange.Kind kind, ObjectVersion version) {
        if (!outbox.isWatched(bucket)) {
            return Optional.empty();
        }
        if (addition.isEmpty()) {
            addition = Optional.of(outbox.begin());
        }
        OutboxRows.Addition.Numbered change =
                addition.get()
                        .number(
                                (number, now) ->
                                        new KeyChange(number, now, kind, bucket, version, caller));
        changes.add(change);
        bytes += MESSAGE_BYTES + (long) KEY_BYTES * version.key().value().length();
        return change.mark();
    }

    /** Returns an estimate of the bytes that {@link #addTo} adds. */
    long bytes() {
        return bytes;
    }

    /** Adds the messages. The locks of the keys order them as the commits are ordered. */
    void addTo(Transaction transaction) {
        addition.ifPresent(begun -> changes.forEach(change -> begun.add(transaction, change)));
    }

    /** Wakes the consumers after the commit is durable. */
    void committed() {
        addition.ifPresent(OutboxRows.Addition::committed);
    }

    /**
     * Ends the addition, until when consumers read no later message. Call it after the commit
     * succeeded or failed, and when there is none.
     */
    void release() {
        addition.ifPresent(OutboxRows.Addition::close);
    }
}
