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
    private final List<OutboxRows.Addition.Unnumbered> changes = new ArrayList<>(0);
    private long bytes;
    private Optional<OutboxRows.Addition> addition = Optional.empty();

    ChangeRecorder(OutboxRows outbox, Caller caller) {
        this.outbox = outbox;
        this.caller = caller;
    }

    void changed(BucketInfo bucket, KeyChange.Kind kind, ObjectVersion version) {
        if (outbox.isWatched(bucket)) {
            changes.add((number, now) -> new KeyChange(number, now, kind, bucket, version, caller));
            bytes += MESSAGE_BYTES + (long) KEY_BYTES * version.key().value().length();
        }
    }

    /** Returns an estimate of the bytes that {@link #addTo} adds. */
    long bytes() {
        return bytes;
    }

    /** Adds the messages. The locks of the keys order them as the commits are ordered. */
    void addTo(Transaction transaction) {
        if (!changes.isEmpty()) {
            OutboxRows.Addition begun = outbox.begin();
            addition = Optional.of(begun);
            changes.forEach(change -> begun.add(transaction, change));
        }
    }

    /** Wakes the consumers after the commit is durable. */
    void committed() {
        addition.ifPresent(OutboxRows.Addition::committed);
    }

    /** Ends the addition. Call once, after the commit succeeded or failed. */
    void release() {
        addition.ifPresent(OutboxRows.Addition::close);
    }
}
