package io.volute.versioning.write;

import io.volute.storage.Transaction;
import io.volute.versioning.commit.ChangeListener;
import io.volute.versioning.commit.StateChange;
import io.volute.versioning.outbox.OutboxRows;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Adds messages about changes to their commit, for consumers outside the store. Costs a bucket that
 * nobody watches one look.
 */
final class OutboxRecorder implements ChangeListener {
    /** Estimated bytes of a message without its key, and of each byte of the key. */
    private static final int MESSAGE_BYTES = 1024;

    private static final int KEY_BYTES = 4;

    private final OutboxRows outbox;
    private final Caller caller;
    private final List<OutboxRows.Addition.Numbered> changes = new ArrayList<>(0);
    private long bytes;
    private Optional<OutboxRows.Addition> addition = Optional.empty();

    OutboxRecorder(OutboxRows outbox, Caller caller) {
        this.outbox = outbox;
        this.caller = caller;
    }

    /** Numbers the change, and chooses its messages. A delete marker gets no mark. */
    @Override
    public ObjectVersion changed(StateChange change, ObjectVersion row) {
        if (!outbox.isWatched(change.bucket())) {
            return row;
        }
        if (addition.isEmpty()) {
            addition = Optional.of(outbox.begin());
        }
        OutboxRows.Addition.Numbered numbered =
                addition.get()
                        .number(
                                (number, now) ->
                                        new KeyChange(
                                                number,
                                                now,
                                                change.kind(),
                                                change.bucket(),
                                                change.version(),
                                                caller));
        changes.add(numbered);
        bytes += MESSAGE_BYTES + (long) KEY_BYTES * row.key().value().length();
        if (numbered.mark().isEmpty() || change instanceof StateChange.Mark) {
            return row;
        }
        return row.with(row.attributes().withHeader(ObjectAttributes.REPLICATION, numbered.mark()));
    }

    @Override
    public long bytes() {
        return bytes;
    }

    /** Adds the messages. The locks of the keys order them as the commits are ordered. */
    @Override
    public void addTo(Transaction transaction) {
        addition.ifPresent(begun -> changes.forEach(change -> begun.add(transaction, change)));
    }

    /** Wakes the consumers. */
    @Override
    public void committed() {
        addition.ifPresent(OutboxRows.Addition::committed);
    }

    /** Ends the addition, until when consumers read no later message. */
    @Override
    public void release() {
        addition.ifPresent(OutboxRows.Addition::close);
    }
}
