package io.volute.versioning.restore;

import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.NameCache;
import io.volute.versioning.rows.Event;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The keys of a bucket that existed at an instant and were deleted later without a kept state: a
 * policy may discard what an actor deletes of its own. Found in one walk over the events after the
 * instant. Numbers of versions and events ascend within a cube: of a bucket that was in several, a
 * key that was made and deleted since counts as one that existed.
 */
final class UnrecordedDeletions {
    /** Maximum number of keys in a plan, all in memory. */
    static final int KEYS_MAX = 1_000_000;

    private final NameCache names;
    private final long bucketId;
    private final String prefix;
    private final NavigableMap<ObjectKey, String> deleted = new TreeMap<>();

    /** Number of the first later event row. Versions with a lower number existed at the instant. */
    private OptionalLong firstLater = OptionalLong.empty();

    UnrecordedDeletions(NameCache names, long bucketId, String prefix) {
        this.names = names;
        this.bucketId = bucketId;
        this.prefix = prefix;
    }

    /**
     * Returns, by key, a description of the deletion.
     *
     * @param sequence last sequence of the instant
     */
    NavigableMap<ObjectKey, String> find(MergedEvents events, Instant instant, long sequence)
            throws IOException {
        boolean hasMoved = names.hasMoved(bucketId);
        events.since(
                instant,
                row -> {
                    if (row.rows().sequence() > sequence
                            && (hasMoved || row.cube() == events.membership().number())) {
                        long number = hasMoved ? Long.MAX_VALUE : row.rows().number();
                        firstLater = OptionalLong.of(firstLater.orElse(number));
                        see(row.rows().events());
                    }
                    return true;
                });
        return deleted;
    }

    /** Examines the events of one commit, including those of its kept states. */
    private void see(List<Event> events) {
        Set<ObjectKey> kept = new HashSet<>();
        for (Event event : events) {
            if (event instanceof Event.Kept each && each.bucketId() == bucketId) {
                kept.add(each.key());
            }
        }
        events.forEach(event -> see(event, kept));
    }

    private void see(Event event, Set<ObjectKey> kept) {
        if (event instanceof Event.Wrote wrote
                && wrote.change() == ChangeKind.REMOVE
                && !kept.contains(wrote.object().key())
                && wrote.object().bucketId() == bucketId
                && wrote.object().version() < firstLater.orElseThrow()
                && wrote.object().key().value().startsWith(prefix)) {
            deleted.putIfAbsent(
                    wrote.object().key(),
                    "deleted by "
                            + UndoneKeys.shown(names.actor(wrote.actor()))
                            + " at "
                            + wrote.at());
            requireRoom(deleted.size());
        }
    }

    /**
     * Refuses a plan with more keys than fit in memory.
     *
     * @throws StoreException INVALID_ARGUMENT
     */
    static void requireRoom(int keys) {
        if (keys > KEYS_MAX) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "more than " + KEYS_MAX + " keys are affected: restore one prefix at a time");
        }
    }
}
