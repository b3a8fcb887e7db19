package io.volute.storage.check;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.CheckReport.Kind;
import io.volute.storage.report.Damage;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.AccountRows;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Counts references anew and sums the live bytes, by the rows of one snapshot. Memory is bounded
 * whatever the number of blobs: references and counts are balanced in a fixed number of buckets,
 * with a fingerprint that keeps two errors from hiding each other. Only blobs of buckets that do
 * not balance are counted one by one.
 */
final class ReferenceCheck {
    private static final int BUCKETS = 1 << 16;

    /** Greatest number of buckets in which blobs are counted one by one. */
    private static final int COUNTED_BUCKETS_MAX = 64;

    private final SegmentLog log;
    private final CubeIndex index;
    private final CheckFindings notes;
    private final long[] sums = new long[BUCKETS];
    private final long[] fingerprints = new long[BUCKETS];
    private final Map<Long, Long> live = new TreeMap<>();
    private final Set<Long> open = new HashSet<>();

    ReferenceCheck(SegmentLog log, CubeIndex index, CheckFindings notes) {
        this.log = log;
        this.index = index;
        this.notes = notes;
    }

    void run() throws IOException {
        for (SegmentLog.SegmentState segment : log.segments()) {
            if (!segment.sealed() && segment.kind() != SpaceReport.Kind.STREAM) {
                open.add(segment.segmentId());
            }
        }
        try (CubeIndex snapshot = index.snapshot()) {
            records(snapshot);
            blobs(snapshot);
            compareLive(snapshot);
            Set<Integer> wrong = new HashSet<>();
            for (int i = 0; i < BUCKETS; i++) {
                if (sums[i] != 0 || fingerprints[i] != 0) {
                    wrong.add(i);
                }
            }
            if (!wrong.isEmpty()) {
                new Counting(wrong).run(snapshot);
            }
        }
    }

    private void records(CubeIndex snapshot) throws IOException {
        for (int family : snapshot.familyIds()) {
            try (IndexCursor rows = snapshot.allRecords(family)) {
                while (rows.next()) {
                    RecordKey key = new RecordKey(family, rows.key());
                    byte[] value = rows.value();
                    RecordRow row = RecordRow.decode(value);
                    live.merge(row.place().segmentId(), row.place().bytes(), Long::sum);
                    row.references().forEach(blob -> balance(blob, 1));
                    notes.record(key.key().length + value.length);
                    readOpen(
                            row.place(),
                            entry -> isRecord(entry, key, row),
                            name(key),
                            found ->
                                    notes.problem(
                                            Kind.CHECKSUM,
                                            where(row.place()),
                                            found,
                                            Optional.of(user(key))),
                            () ->
                                    index.record(key)
                                            .filter(now -> now.place().equals(row.place()))
                                            .isPresent());
                }
            }
        }
    }

    private static boolean isRecord(LogEntry entry, RecordKey key, RecordRow row) {
        return entry instanceof LogEntry.RecordPut put
                && put.sequence() == row.sequence()
                && put.family() == key.family()
                && Arrays.equals(put.key(), key.key());
    }

    private static String where(Place place) {
        return "segment " + place.segmentId() + " at offset " + place.offset();
    }

    private static Damage user(RecordKey key) {
        return new Damage(0, List.of(new Damage.User(key.family(), key.key())), 0);
    }

    private static String name(RecordKey key) {
        return "record " + HexFormat.of().formatHex(key.key()) + " of family " + key.family();
    }

    private void blobs(CubeIndex snapshot) throws IOException {
        try (IndexCursor rows = snapshot.allBlobs()) {
            while (rows.next()) {
                long id = CubeIndex.blobId(rows.key());
                byte[] value = rows.value();
                BlobRow row = BlobRow.decode(value);
                live.merge(row.entry().segmentId(), row.entry().bytes(), Long::sum);
                row.extents()
                        .forEach(each -> live.merge(each.segmentId(), each.bytes(), Long::sum));
                balance(id, -row.references());
                row.children().forEach(child -> balance(child, 1));
                if (row.references() == 0) {
                    notes.problem(Kind.REFERENCE, "blob " + id, "it is kept without any reference");
                }
                notes.blob(Long.BYTES + value.length);
                readOpen(
                        row.entry(),
                        entry -> entry instanceof LogEntry.BlobEntry blob && blob.blobId() == id,
                        "blob " + id,
                        found -> {
                            boolean unused = notes.damaged(id, where(row.entry()), found);
                        },
                        () -> index.isAt(id, row.entry()));
            }
        }
    }

    private void balance(long blob, long by) {
        int bucket = bucket(blob);
        sums[bucket] += by;
        fingerprints[bucket] += by * mix(blob);
    }

    private static int bucket(long blob) {
        return (int) (mix(blob) >>> 32) & (BUCKETS - 1);
    }

    /** Source: Steele et al., "Fast Splittable Pseudorandom Number Generators", the finalizer. */
    private static long mix(long id) {
        long z = id + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Tests whether an entry is the expected one. */
    private interface Identity {
        boolean fits(LogEntry entry);
    }

    /** Reads an entry of an open segment, which is not read as a whole. */
    private void readOpen(
            Place place,
            Identity identity,
            String name,
            Consumer<String> damaged,
            BooleanSupplier isStillThere)
            throws IOException {
        if (!open.contains(place.segmentId())) {
            return;
        }
        String found = "another entry lies there";
        try (SegmentLog.Pin pin = log.pin(Set.of(place.segmentId()))) {
            notes.read(place.bytes());
            if (identity.fits(log.readEntry(place))) {
                return;
            }
        } catch (SegmentGoneException e) {
            return;
        } catch (DamagedException e) {
            found = e.getMessage();
        }
        if (isStillThere.getAsBoolean()) {
            damaged.accept(name + ": " + found);
        }
    }

    private void compareLive(CubeIndex snapshot) {
        snapshot.accounts()
                .visit(
                        new AccountRows.Visitor() {
                            @Override
                            public void account(
                                    long segment, long accounted, long dead, long applied) {
                                Long found = live.remove(segment);
                                compare(segment, accounted, found == null ? 0 : found);
                            }

                            @Override
                            public void victims(long segment, long victim, long tombstones) {}

                            @Override
                            public void origin(long survivor, long origin) {}
                        });
        live.forEach((segment, found) -> compare(segment, 0, found));
    }

    private void compare(long segment, long accounted, long found) {
        if (accounted != found) {
            notes.problem(
                    Kind.ACCOUNTING,
                    "segment " + segment,
                    "accounted as live: "
                            + accounted
                            + " bytes; records and blobs in the index: "
                            + found);
        }
    }

    /** The counts of one blob of a bucket that does not balance. */
    private static final class Tally {
        private long found;
        private long stored = -1;
        private String referrer = "";
    }

    /** A second pass over the same snapshot, blob by blob. */
    private final class Counting {
        private final Set<Integer> counted = new HashSet<>();
        private final Map<Long, Tally> tallies = new TreeMap<>();

        Counting(Set<Integer> wrong) {
            wrong.stream().sorted().limit(COUNTED_BUCKETS_MAX).forEach(counted::add);
            notes.moreProblems(wrong.size() - counted.size());
        }

        void run(CubeIndex snapshot) throws IOException {
            for (int family : snapshot.familyIds()) {
                try (IndexCursor rows = snapshot.allRecords(family)) {
                    while (rows.next()) {
                        byte[] value = rows.value();
                        notes.read(value.length);
                        RecordKey key = new RecordKey(family, rows.key());
                        for (long blob : RecordRow.decode(value).references()) {
                            refer(blob, key, -1);
                        }
                    }
                }
            }
            try (IndexCursor rows = snapshot.allBlobs()) {
                while (rows.next()) {
                    long id = CubeIndex.blobId(rows.key());
                    byte[] value = rows.value();
                    notes.read(value.length);
                    BlobRow row = BlobRow.decode(value);
                    row.children().forEach(child -> refer(child, NO_RECORD, id));
                    if (counted.contains(bucket(id))) {
                        tally(id).stored = row.references();
                    }
                }
            }
            tallies.forEach(this::report);
        }

        private Tally tally(long blob) {
            return tallies.computeIfAbsent(blob, ignored -> new Tally());
        }

        private void refer(long blob, RecordKey key, long parent) {
            if (counted.contains(bucket(blob))) {
                Tally tally = tally(blob);
                tally.found++;
                if (tally.referrer.isEmpty()) {
                    tally.referrer = parent < 0 ? name(key) : "blob " + parent;
                }
            }
        }

        private void report(long blob, Tally tally) {
            if (tally.stored < 0) {
                notes.problem(
                        Kind.REFERENCE,
                        tally.referrer,
                        "it refers to blob " + blob + ", which does not exist");
            } else if (tally.found != tally.stored) {
                notes.problem(
                        Kind.REFERENCE,
                        "blob " + blob,
                        "counted references: "
                                + tally.stored
                                + ", found "
                                + tally.found
                                + (tally.referrer.isEmpty()
                                        ? ""
                                        : ", among them " + tally.referrer));
            }
        }
    }

    private static final RecordKey NO_RECORD = new RecordKey(-1, new byte[0]);
}
