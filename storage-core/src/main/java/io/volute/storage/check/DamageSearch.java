package io.volute.storage.check;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.CheckReport.Kind;
import io.volute.storage.report.Damage;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the live records that need what a check found damaged. The index has no way from a blob to
 * its users, so this reads all rows once; a sound cube never needs it.
 */
final class DamageSearch {
    private final SegmentLog log;
    private final CubeIndex index;
    private final CheckFindings notes;

    /** The damaged blobs that a blob consists of, itself included. */
    private final Map<Long, Set<Long>> inside = new HashMap<>();

    DamageSearch(SegmentLog log, CubeIndex index, CheckFindings notes) {
        this.log = log;
        this.index = index;
        this.notes = notes;
    }

    void run() throws IOException {
        if (!notes.hasDamage()) {
            return;
        }
        notes.damagedBlobs().forEach(id -> inside.put(id, Set.of(id)));
        try (CubeIndex snapshot = index.snapshot()) {
            blobs(snapshot);
            records(snapshot);
        }
    }

    private void blobs(CubeIndex snapshot) throws IOException {
        try (IndexCursor rows = snapshot.allBlobs()) {
            // A composed blob has a greater id than its parts, and comes after them.
            while (rows.next()) {
                long id = CubeIndex.blobId(rows.key());
                byte[] value = rows.value();
                notes.read(value.length);
                BlobRow row = BlobRow.decode(value);
                Optional<String> found = damage(row.entry());
                if (found.isPresent() && index.isAt(id, row.entry())) {
                    if (notes.damaged(id, where(row.entry()), "blob " + id + ": " + found.get())) {
                        inside.putIfAbsent(id, Set.of(id));
                    }
                }
                for (long child : row.children()) {
                    Set<Long> damaged = inside.getOrDefault(child, Set.of());
                    if (!damaged.isEmpty()) {
                        Set<Long> all = new TreeSet<>(inside.getOrDefault(id, Set.of()));
                        all.addAll(damaged);
                        inside.put(id, all);
                    }
                }
            }
        }
    }

    private void records(CubeIndex snapshot) throws IOException {
        for (int family : snapshot.familyIds()) {
            try (IndexCursor rows = snapshot.allRecords(family)) {
                while (rows.next()) {
                    byte[] value = rows.value();
                    notes.read(value.length);
                    RecordRow row = RecordRow.decode(value);
                    RecordKey key = new RecordKey(family, rows.key());
                    Damage.User user = new Damage.User(family, rows.key());
                    for (long blob : row.references()) {
                        inside.getOrDefault(blob, Set.of()).forEach(id -> notes.user(id, user));
                    }
                    Optional<String> found = damage(row.place());
                    if (found.isPresent() && isStillAt(key, row.place())) {
                        notes.problem(
                                Kind.CHECKSUM,
                                where(row.place()),
                                found.get(),
                                Optional.of(new Damage(0, List.of(user), 0)));
                    }
                }
            }
        }
    }

    private boolean isStillAt(RecordKey key, Place place) {
        return index.record(key).filter(now -> now.place().equals(place)).isPresent();
    }

    private static String where(Place place) {
        return "segment " + place.segmentId() + " at offset " + place.offset();
    }

    /** Returns what is wrong with an entry, if its segment was found damaged. */
    private Optional<String> damage(Place place) throws IOException {
        if (!notes.damagedSegments().contains(place.segmentId())) {
            return Optional.empty();
        }
        try (SegmentLog.Pin pin = log.pin(Set.of(place.segmentId()))) {
            notes.read(place.bytes());
            var unused = log.readEntry(place);
            return Optional.empty();
        } catch (SegmentGoneException e) {
            return Optional.empty();
        } catch (DamagedException e) {
            return Optional.of(e.getMessage());
        }
    }
}
