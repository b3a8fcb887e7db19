package io.volute.storage.check;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.CheckReport.Kind;
import io.volute.storage.report.CheckReport.Problem;
import io.volute.storage.report.Damage;
import io.volute.storage.rows.AccountRows;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads one sealed head or survivor segment, which verifies its checksums, and compares its content
 * with the account rows. A problem is reported only when a second check, of another snapshot, finds
 * one too.
 */
final class SegmentCheck {
    private final SegmentLog log;
    private final CubeIndex index;
    private final CheckFindings notes;

    SegmentCheck(SegmentLog log, CubeIndex index, CheckFindings notes) {
        this.log = log;
        this.index = index;
        this.notes = notes;
    }

    void run(long segment) throws IOException {
        if (!look(segment).isEmpty()) {
            for (Problem each : look(segment)) {
                if (each.damage().isPresent()) {
                    long blob = each.damage().get().blob();
                    boolean unused = notes.damaged(blob, each.where(), each.what());
                } else if (each.kind() == Kind.CHECKSUM) {
                    notes.damagedSegment(segment, each.what());
                } else {
                    notes.problem(each.kind(), each.where(), each.what());
                }
            }
        }
    }

    private List<Problem> look(long segment) throws IOException {
        try (SegmentLog.Pin pin = log.pin(Set.of(segment));
                CubeIndex snapshot = index.snapshot()) {
            Scan scan = new Scan(segment, snapshot);
            log.scanner(scan::batch).scan(segment);
            scan.compare();
            return scan.problems;
        } catch (SegmentGoneException e) {
            // All live entries of the segment lie elsewhere by now.
            return List.of();
        } catch (DamagedException e) {
            return List.of(new Problem(Kind.CHECKSUM, "segment " + segment, e.getMessage()));
        }
    }

    /** Sums the content of the segment, as it was when the snapshot was taken. */
    private final class Scan {
        private final long segment;
        private final CubeIndex snapshot;
        private final List<Problem> problems = new ArrayList<>();
        private final Map<Long, Long> victims = new HashMap<>();
        private long live;
        private long other;

        Scan(long segment, CubeIndex snapshot) {
            this.segment = segment;
            this.snapshot = snapshot;
        }

        void batch(SegmentLog.LoggedBatch batch) throws IOException {
            for (SegmentLog.LoggedEntry logged : batch.entries()) {
                notes.read(logged.place().bytes());
                entry(logged.entry(), logged.place());
            }
        }

        private void entry(LogEntry entry, Place place) {
            switch (entry) {
                case LogEntry.RecordPut put -> {
                    if (put.victim().sequence() != 0) {
                        victim(put.victim(), 0);
                    }
                    RecordKey key = RecordKey.of(put);
                    add(
                            place,
                            snapshot.record(key)
                                    .filter(row -> row.place().equals(place))
                                    .filter(row -> row.sequence() == put.sequence())
                                    .isPresent());
                }
                case LogEntry.TombstoneEntry tombstone -> {
                    victim(tombstone.victim(), place.bytes());
                    add(place, false);
                }
                case LogEntry.BlobEntry blob -> add(place, snapshot.isAt(blob.blobId(), place));
                case LogEntry.Hole hole -> {
                    // The blob was alive at the snapshot; it may have died and been punched since.
                    if (index.isAt(hole.blobId(), place)) {
                        problems.add(
                                new Problem(
                                        Kind.CHECKSUM,
                                        "segment " + segment + " at offset " + place.offset(),
                                        "blob " + hole.blobId() + " is live and has no bytes",
                                        Optional.of(new Damage(hole.blobId(), List.of(), 0))));
                    }
                    add(place, snapshot.isAt(hole.blobId(), place));
                }
                case LogEntry.Digest digest -> {}
                case LogEntry.Origins origins -> {}
            }
        }

        private void victim(LogEntry.Victim victim, long tombstones) {
            victims.merge(victim.segmentId(), tombstones, Long::sum);
        }

        private void add(Place place, boolean isLive) {
            if (isLive) {
                live += place.bytes();
            } else {
                other += place.bytes();
            }
        }

        void compare() {
            AccountRows.Account account = snapshot.accounts().account(segment);
            compare("live bytes", account.live(), live);
            compare("bytes that are not live", account.dead() + account.tombstones(), other);
            // Rows about a segment that has left the log are not needed any more and may be gone.
            for (long victim : SegmentRelease.ids(log.segments())) {
                Map<Long, Long> accounted = account.victims();
                compare(
                        "victims in segment " + victim,
                        count(accounted, victim),
                        count(victims, victim));
                compare(
                        "bytes of tombstones for segment " + victim,
                        accounted.getOrDefault(victim, 0L),
                        victims.getOrDefault(victim, 0L));
            }
        }

        private static long count(Map<Long, Long> victims, long victim) {
            return victims.containsKey(victim) ? 1 : 0;
        }

        private void compare(String what, long accounted, long found) {
            if (accounted != found) {
                problems.add(
                        new Problem(
                                Kind.ACCOUNTING,
                                "segment " + segment,
                                what + ": accounted " + accounted + ", found " + found));
            }
        }
    }
}
