package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.CommitTime;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Page;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The kept states of one key, visible or not. Not thread-safe. */
public final class KeyStates {
    private final RecordStore cube;
    private final NameCache names;
    private final ObjectKey key;
    private final byte[] base;

    KeyStates(RecordStore cube, NameCache names, long bucketId, ObjectKey key) {
        this.cube = cube;
        this.names = names;
        this.key = key;
        this.base = RowKeys.current(bucketId, key);
    }

    private record Found(ObjectRow row, Times times, boolean visible) {
        long began() {
            return times.began();
        }
    }

    /**
     * Returns the states that began before a sequence, newest first.
     *
     * @param max maximum number of states in the page
     */
    Page<KeyState> page(long before, int max) {
        List<Found> found = new ArrayList<>();
        cube.get(CURRENT, base)
                .ifPresent(
                        record -> {
                            ObjectRow row = ObjectRow.decode(record.summary());
                            long sequence = record.sequence();
                            found.add(
                                    found(
                                            row,
                                            row.began(sequence),
                                            row.settled(sequence),
                                            OptionalLong.empty(),
                                            true));
                        });
        addVersions(found, before, max);
        addHidden(found, before, max);
        List<Found> wanted =
                found.stream()
                        .filter(each -> each.began() < before)
                        .sorted(Comparator.comparingLong(Found::began).reversed())
                        .toList();
        List<KeyState> states = new ArrayList<>();
        long newer = before;
        for (Found each : wanted.subList(0, Math.min(max, wanted.size()))) {
            Times times = each.times().endedBy(newer);
            states.add(state(names, key, each.row(), times, each.visible()));
            newer = each.began();
        }
        return new Page<>(
                states,
                wanted.size() > max
                        ? Optional.of(Long.toString(wanted.get(max - 1).began()))
                        : Optional.empty());
    }

    /** Returns the newest state of a version. */
    Optional<KeyState> find(VersionSelector selector) {
        Optional<String> from = Optional.empty();
        do {
            Page<KeyState> page = page(from.map(Long::parseLong).orElse(Long.MAX_VALUE), 1000);
            for (KeyState state : page.entries()) {
                boolean isWanted =
                        switch (selector) {
                            case VersionSelector.Latest latest -> true;
                            case VersionSelector.NullVersion none -> state.nullVersion();
                            case VersionSelector.Numbered numbered ->
                                    state.number() == numbered.number();
                        };
                if (isWanted) {
                    return Optional.of(state);
                }
            }
            from = page.next();
        } while (from.isPresent());
        return Optional.empty();
    }

    /**
     * Returns the causal version with which the version of a state began, as far as its states are
     * kept. A version that returned has the writer of its first period; a change of metadata begins
     * a state of another writer, or at another version of the same one.
     */
    long first(KeyState of) {
        long first = of.causalVersion();
        Optional<String> from = Optional.of(Long.toString(Long.MAX_VALUE));
        while (from.isPresent()) {
            Page<KeyState> page = page(Long.parseLong(from.get()), 1000);
            for (KeyState each : page.entries()) {
                if (each.number() == of.number() && each.actor().equals(of.actor())) {
                    first = Math.min(first, each.causalVersion());
                }
            }
            from = page.next();
        }
        return first;
    }

    private void addVersions(List<Found> found, long before, int max) {
        try (RecordCursor cursor = cube.scan(VERSIONS, base, PastStates.behind(base))) {
            int added = 0;
            while (added <= max && cursor.next()) {
                ObjectRow row = ObjectRow.decode(cursor.record().summary());
                long sequence = cursor.record().sequence();
                long began = row.began(sequence);
                if (began < before) {
                    OptionalLong ended = OptionalLong.of(row.settled(sequence));
                    found.add(found(row, began, began, ended, true));
                    added++;
                }
            }
        }
    }

    private void addHidden(List<Found> found, long before, int max) {
        byte[] from = RowKeys.versionIn(base, before - 1);
        try (RecordCursor cursor = cube.scan(HISTORY, from, PastStates.behind(base))) {
            for (int i = 0; i <= max && cursor.next(); i++) {
                HistoryRow row = HistoryRow.decode(cursor.record().summary());
                long began = RowKeys.suffix(cursor.key());
                OptionalLong ended = OptionalLong.of(row.ended(cursor.record().sequence()));
                found.add(found(row.state(), began, row.written(began), ended, false));
            }
        }
    }

    private static Found found(
            ObjectRow row, long began, long written, OptionalLong ended, boolean visible) {
        return new Found(row, new Times(began, written, ended), visible);
    }

    /**
     * The sequences of a state.
     *
     * @param began begin of its causal version as the current one
     * @param written last write
     * @param ended end as the current state; empty for the present one
     */
    public record Times(long began, long written, OptionalLong ended) {
        /**
         * Returns the times with an end no later than the begin of the next state. Earlier versions
         * took the move of a bucket for the end of its noncurrent versions.
         */
        Times endedBy(long next) {
            return ended.isPresent() && ended.getAsLong() > next
                    ? new Times(began, written, OptionalLong.of(next))
                    : this;
        }
    }

    public static KeyState state(
            NameCache names, ObjectKey key, ObjectRow row, Times times, boolean visible) {
        return new KeyState(
                key,
                row.number(),
                row.nullVersion(),
                row.causalVersion(),
                row.deleteMarker(),
                visible,
                CommitTime.of(times.began()),
                CommitTime.of(times.written()),
                times.ended().isPresent()
                        ? Optional.of(CommitTime.of(times.ended().getAsLong()))
                        : Optional.empty(),
                row.bytes(),
                row.etag(),
                row.causal().actor() == 0
                        ? Optional.empty()
                        : Optional.of(
                                names.actor(row.causal().actor(), row.causal().actorVersion())));
    }
}
