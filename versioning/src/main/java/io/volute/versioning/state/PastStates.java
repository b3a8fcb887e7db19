package io.volute.versioning.state;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.CommitTime;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds the state of a key that was current when everything up to some sequence was committed. It
 * is the state that began last; one under {@code history} may have ended before. What keys there
 * are is told by {@code current} and {@code removed}; of a key that has not changed since, nothing
 * else is looked at. Used by one thread, with keys that ascend.
 */
public final class PastStates {
    /** Later than all sequences. */
    public static final long NEVER = Long.MAX_VALUE;

    private final long sequence;
    private final Source current;
    private final Source removed;
    private final Source versions;
    private final Source history;

    /** Whether the last key's state was under {@code history}. */
    private boolean wasHidden;

    public PastStates(PastCursors cursors, long sequence) {
        this.sequence = sequence;
        this.current = new Source(cursors.current(), 0);
        this.removed = new Source(cursors.removed(), 0);
        this.versions = new Source(cursors.versions(), RowKeys.NUMBER_BYTES);
        this.history = new Source(cursors.history(), RowKeys.NUMBER_BYTES);
    }

    /**
     * A state that was current.
     *
     * @param record whose detail and references are the state's
     * @param ended sequence with which it ceased to be current, of one under {@code history}; of
     *     others, {@link #NEVER}
     * @param writtenLater when it was written last, if that was behind the instant asked for
     */
    public record State(
            Family family,
            byte[] rowKey,
            StoredRecord record,
            ObjectRow row,
            long began,
            long ended,
            boolean latest,
            Optional<Instant> writtenLater) {
        State asNoncurrent() {
            return new State(family, rowKey, record, row, began, ended, false, writtenLater);
        }
    }

    /** The row key of the next key, without a suffix; empty behind the last. */
    public Optional<byte[]> nextKey() {
        byte[] least = least(current.key(), removed.key());
        return least.length == 0 ? Optional.empty() : Optional.of(least);
    }

    /** The next keys, and goes on behind them. */
    public List<byte[]> nextKeys(int max) {
        List<byte[]> keys = new ArrayList<>();
        Optional<byte[]> next = nextKey();
        while (next.isPresent() && keys.size() < max) {
            keys.add(next.get());
            goOn(next.get());
            next = nextKey();
        }
        return keys;
    }

    /** Goes on to keys at or after this one. */
    public void skipTo(byte[] base) {
        current.skipTo(base);
        removed.skipTo(base);
    }

    /** The state of the key that {@link #nextKey} told; goes on behind that key. */
    public Optional<State> take(byte[] base) {
        // Neighbours often changed together: then the row in current need not be read.
        Optional<State> found =
                wasHidden ? hiddenState(base).filter(this::isCurrent) : Optional.empty();
        if (found.isEmpty()) {
            found = currentState(base);
        }
        if (found.isEmpty()) {
            Optional<State> visible = visibleState(base);
            Optional<State> hidden = hiddenState(base);
            boolean isHidden =
                    hidden.isPresent()
                            && (visible.isEmpty() || hidden.get().began() > visible.get().began());
            found = isHidden ? hidden.filter(this::isCurrent) : visible;
        }
        wasHidden = found.isPresent() && found.get().family().equals(HISTORY);
        goOn(base);
        return found;
    }

    /** Of one that had begun: no other state was current then. */
    private boolean isCurrent(State state) {
        return state.ended() > sequence;
    }

    /**
     * The versions and markers of a key that a client could see, newest first; goes on behind it.
     * What is under {@code history} was visible until its record was made.
     */
    public List<State> takeAll(byte[] base) {
        List<State> visible = new ArrayList<>();
        currentState(base).ifPresent(visible::add);
        Optional<State> version = visibleState(base);
        while (version.isPresent()) {
            visible.add(version.get());
            versions.next();
            version = visibleState(base);
        }
        Optional<State> hidden = hiddenState(base);
        while (hidden.isPresent()) {
            hidden.filter(state -> state.record().sequence() > sequence).ifPresent(visible::add);
            history.next();
            hidden = hiddenState(base);
        }
        goOn(base);
        visible.sort(Comparator.comparingLong(State::began).reversed());
        for (int i = 0; i < visible.size(); i++) {
            State state = visible.get(i);
            boolean isOver = state.ended() <= sequence;
            if (i > 0 || isOver) {
                visible.set(i, state.asNoncurrent());
            }
        }
        return visible;
    }

    /** Goes on behind a key that {@link #nextKey} told. */
    private void goOn(byte[] base) {
        current.passBy(base);
        removed.passBy(base);
    }

    /** The first key behind all rows of a key. */
    public static byte[] behind(byte[] base) {
        return RowKeys.behindPrefix(base);
    }

    private Optional<State> currentState(byte[] base) {
        return present(base, sequence);
    }

    /** The state of the key that is current now; to be asked for before {@link #take}. */
    public Optional<State> present(byte[] base) {
        return present(base, NEVER);
    }

    /** As {@link #present}, unless it began later. */
    private Optional<State> present(byte[] base, long latest) {
        if (!current.isAt(base)) {
            return Optional.empty();
        }
        StoredRecord record = current.record();
        if (ObjectRow.began(record.summary(), record.sequence()) > latest) {
            return Optional.empty();
        }
        ObjectRow row = ObjectRow.decode(record.summary());
        return Optional.of(
                new State(
                        CURRENT,
                        base,
                        record,
                        row,
                        row.began(record.sequence()),
                        NEVER,
                        true,
                        later(record.sequence())));
    }

    /** Of visible versions the number grows with the time at which they began. */
    private Optional<State> visibleState(byte[] base) {
        versions.skipTo(base);
        while (versions.isAt(base)) {
            StoredRecord record = versions.record();
            ObjectRow row = ObjectRow.decode(record.summary());
            long began = row.began(record.sequence());
            if (began <= sequence) {
                return Optional.of(
                        new State(
                                VERSIONS,
                                versions.key(),
                                record,
                                row,
                                began,
                                NEVER,
                                true,
                                later(began)));
            }
            versions.next();
        }
        return Optional.empty();
    }

    private Optional<State> hiddenState(byte[] base) {
        history.skipTo(RowKeys.versionIn(base, sequence));
        if (!history.isAt(base)) {
            return Optional.empty();
        }
        StoredRecord record = history.record();
        HistoryRow row = HistoryRow.decode(record.summary());
        long began = RowKeys.suffix(history.key());
        return Optional.of(
                new State(
                        HISTORY,
                        history.key(),
                        record,
                        row.state(),
                        began,
                        row.ended(record.sequence()),
                        true,
                        later(row.written(began))));
    }

    private Optional<Instant> later(long written) {
        return written > sequence ? Optional.of(CommitTime.of(written)) : Optional.empty();
    }

    private static byte[] least(byte[] one, byte[] other) {
        if (one.length == 0 || other.length == 0) {
            return one.length == 0 ? other : one;
        }
        return Arrays.compareUnsigned(one, other) <= 0 ? one : other;
    }

    /** A cursor that stands on a row, or behind the last, once it has been used. */
    private static final class Source {
        private static final byte[] NO_KEY = {};

        private final RecordCursor cursor;
        private final int suffixBytes;
        private byte[] key = NO_KEY;
        private boolean isUsed;

        Source(RecordCursor cursor, int suffixBytes) {
            this.cursor = cursor;
            this.suffixBytes = suffixBytes;
        }

        byte[] key() {
            if (!isUsed) {
                next();
            }
            return key;
        }

        StoredRecord record() {
            return cursor.record();
        }

        boolean isAt(byte[] base) {
            return key().length == base.length + suffixBytes
                    && Arrays.equals(key, 0, base.length, base, 0, base.length);
        }

        void next() {
            isUsed = true;
            key = cursor.next() ? cursor.key() : NO_KEY;
        }

        /** Goes on behind this row, if it is there. */
        void passBy(byte[] base) {
            if (isAt(base)) {
                next();
            }
        }

        /** Goes on to the first row at or after this one. */
        void skipTo(byte[] wanted) {
            if (!isUsed || isBefore(wanted)) {
                isUsed = true;
                key = cursor.skipTo(wanted) ? cursor.key() : NO_KEY;
            }
        }

        private boolean isBefore(byte[] wanted) {
            return key.length > 0 && Arrays.compareUnsigned(key, wanted) < 0;
        }
    }
}
