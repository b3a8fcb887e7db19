package io.volute.versioning.restore;

import io.volute.versioning.ObjectKey;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.history.Names;
import io.volute.versioning.rows.Event;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keys of a bucket that were there at an instant and have been deleted since, without anything
 * being kept: a policy may let go what an actor deletes of its own. Found in one walk through the
 * events behind the instant.
 */
final class Unkept {
    /** In memory until the plan is made. */
    static final int KEYS_MAX = 1_000_000;

    private final Names names;
    private final long bucketId;
    private final String prefix;
    private final NavigableMap<ObjectKey, String> deleted = new TreeMap<>();

    /** Versions with less were there at the instant: numbers are given in the order of time. */
    private long firstLater = Long.MAX_VALUE;

    Unkept(Names names, long bucketId, String prefix) {
        this.names = names;
        this.bucketId = bucketId;
        this.prefix = prefix;
    }

    /**
     * By key, who deleted it and when, in words.
     *
     * @param instant that {@code sequence} is the last of
     */
    NavigableMap<ObjectKey, String> find(EventScan scan, Instant instant, long sequence)
            throws IOException {
        scan.forward(
                scan.since(instant),
                rows -> {
                    if (rows.sequence() > sequence) {
                        firstLater = Math.min(firstLater, rows.number());
                        see(rows.events());
                    }
                    return true;
                });
        return deleted;
    }

    /** The events of one commit: what it kept is among them. */
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
                && wrote.change() == Event.Change.REMOVE
                && !kept.contains(wrote.object().key())
                && wrote.object().bucketId() == bucketId
                && wrote.object().version() < firstLater
                && wrote.object().key().value().startsWith(prefix)) {
            deleted.putIfAbsent(
                    wrote.object().key(),
                    "deleted by "
                            + Touches.shown(names.actor(wrote.actor()))
                            + " at "
                            + wrote.at());
            requireRoom(deleted.size());
        }
    }

    /** Fails when so many keys are more than a plan may hold. */
    static void requireRoom(int keys) {
        if (keys > KEYS_MAX) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "more than " + KEYS_MAX + " keys are concerned: restore one prefix at a time");
        }
    }
}
