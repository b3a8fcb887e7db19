package io.volute.versioning.restore;

import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The events of one commit besides its reads and writes. Not thread-safe.
 *
 * @param copies the objects of the copies
 * @param condemned those of them whose source is condemned
 * @param returns by removed version, the state that became current again
 * @param kept keys whose replaced state was kept
 * @param restores keys that a restore put back
 */
record CommitDetails(
        Set<KeyVersion> copies,
        Set<KeyVersion> condemned,
        Map<KeyVersion, KeyVersion> returns,
        Set<Place> kept,
        Map<Place, Event.Restored> restores) {

    /** A key of a bucket. */
    record Place(long bucketId, ObjectKey key) {
        static Place of(KeyVersion object) {
            return new Place(object.bucketId(), object.key());
        }
    }

    /**
     * Returns the details of a commit.
     *
     * @param isCondemned whether the source of a copy is condemned
     */
    static CommitDetails of(List<Event> events, Predicate<Event.Copied> isCondemned) {
        CommitDetails details =
                new CommitDetails(
                        new HashSet<>(),
                        new HashSet<>(),
                        new HashMap<>(),
                        new HashSet<>(),
                        new HashMap<>());
        // One commit can remove several versions of a key. A return follows its removal.
        Map<Place, KeyVersion> removed = new HashMap<>();
        for (Event event : events) {
            switch (event) {
                case Event.Copied copied -> {
                    details.copies.add(copied.object());
                    Optional.ofNullable(removed.remove(Place.of(copied.object())))
                            .ifPresent(by -> details.returns.put(by, copied.object()));
                    if (isCondemned.test(copied)) {
                        details.condemned.add(copied.object());
                    }
                }
                case Event.Kept each -> details.kept.add(new Place(each.bucketId(), each.key()));
                case Event.Restored each ->
                        details.restores.put(new Place(each.bucketId(), each.key()), each);
                case Event.Read read -> {}
                case Event.Wrote wrote -> {
                    if (wrote.change() == ChangeKind.REMOVE) {
                        removed.put(Place.of(wrote.object()), wrote.object());
                    } else {
                        removed.remove(Place.of(wrote.object()));
                    }
                }
            }
        }
        return details;
    }

    /** Returns whether the replaced state of a key was kept. */
    boolean keeps(KeyVersion object) {
        return kept.contains(Place.of(object));
    }

    /** Returns the origin of what a restore did to a key. */
    Optional<Event.Restored> restored(KeyVersion object) {
        return Optional.ofNullable(restores.get(Place.of(object)));
    }

    /** Returns the state of a key that became current again when a version was removed. */
    Optional<KeyVersion> returned(KeyVersion removed) {
        return Optional.ofNullable(returns.get(removed));
    }
}
