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
 * Finds the state of a key that was current when all commits up to a sequence were visible: the
 * state that began last, unless it ended before (possible only under {@code history}). The families
 * {@code current} and {@code removed} supply the keys. A key without a later change needs no other
 * family. Not thread-safe. Keys must ascend.
 */
public final class PastStates {
    /** A sequence later than all others. */
    public static final long NEVER = Long.MAX_VALUE;

    private final long sequence;
    private final Source current;
    private final Source removed;
    private final Source versions;
    private final Source history;

    /** Set when the state of the last key was under {@code history}. */
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
     * @param record the record with the detail and references of the state
     * @param ended sequence at which it ceased to be current, if it is under {@code history};
     *     otherwise {@link #NEVER}
     * @param latest whether it was the current state, not a noncurrent version
     * @param writtenLater time of its last write, if that was after the requested instant
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

    /** Returns the row key of the next key, without a suffix; empty behind the last. */
    public Optional<byte[]> nextKey() {
        byte[] least = least(current.key(), removed.key());
        return least.length == 0 ? Optional.empty() : Optional.of(least);
    }

    /** Returns the next keys and continues behind them. */
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

    /** Continues with the first key at or after this one. */
    public void skipTo(byte[] base) {
        current.skipTo(base);
        removed.skipTo(base);
    }

    /**
     * Returns the state of the key that {@link #nextKey} returned, and continues behind that key.
     */
    public Optional<State> take(byte[] base) {
        // Neighbours often changed together. In that case the row in current need not be read.
        Optional<State> found =
                wasHidden ? hiddenState(base).filter(this::isCertain) : Optional.empty();
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

    /** Returns whether the newest state that had begun was still current. */
    private boolean isCurrent(State state) {
        return state.ended() > sequence;
    }

    /**
     * Returns whether a state was current for certain, so that no other one was: its record was
     * made when it ceased to be. An explicit end can be too late in stores of earlier versions, in
     * which moves and changes of tags made it later. There a state that began later is the one.
     */
    private boolean isCertain(State state) {
        return isCurrent(state) && state.ended() == state.record().sequence();
    }

    /**
     * Returns the versions and markers of a key that a client could see, newest first, and
     * continues behind the key. A state under {@code history} was visible until its record was
     * made.
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
            hidden.filter(state -> hiddenAt(state.record()) > sequence).ifPresent(visible::add);
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

    /** Continues behind a key that {@link #nextKey} returned. */
    private void goOn(byte[] base) {
        current.passBy(base);
        removed.passBy(base);
    }

    /** Returns the first row key behind all rows of a key. */
    public static byte[] behind(byte[] base) {
        return RowKeys.behindPrefix(base);
    }

    private Optional<State> currentState(byte[] base) {
        return present(base, sequence);
    }

    /** Returns the state of the key that is current now. Call it before {@link #take}. */
    public Optional<State> present(byte[] base) {
        return present(base, NEVER);
    }

    /** Returns the state of the key that is current now, unless it began after {@code latest}. */
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
                        later(row.settled(record.sequence()))));
    }

    /** Returns the newest visible version that had begun. Version numbers ascend with the begin. */
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

    private static long hiddenAt(StoredRecord record) {
        return HistoryRow.decode(record.summary()).hidden(record.sequence());
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

    /** A cursor that is on a row, or behind the last row, after its first use. */
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

        /** Continues behind this row, if it is there. */
        void passBy(byte[] base) {
            if (isAt(base)) {
                next();
            }
        }

        /** Continues with the first row at or after this one. */
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
