package io.volute.storage.accounting;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.rows.AccountRows;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The accounts of segments: live, dead and still needed bytes. One thread changes them through
 * {@link Changes}, which become visible only after their rows are in the index. So when a reader
 * sees a segment dead here, a flush that begins now makes that death durable. Any thread may read.
 *
 * <p>Dead bytes are counted for entries only. In a stream segment, all bytes are dead that are
 * neither live nor being uploaded.
 */
public final class SegmentAccounts {

    /** Bound of the memory for liveness notes: a dead entry takes 4 to 8 bytes. */
    private static final long LIVENESS_BYTES_MAX =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    /** The figures of one segment, in bytes. */
    public record Totals(long live, long dead, long tombstones) {
        static final Totals NONE = new Totals(0, 0, 0);
    }

    private record Balance(long live, long dead, long applied) {
        static final Balance ZERO = new Balance(0, 0, 0);

        static Balance of(long live, long dead) {
            return new Balance(live, dead, 0);
        }

        Balance plus(Balance more) {
            return new Balance(live + more.live, dead + more.dead, Math.max(applied, more.applied));
        }
    }

    /** A segment, and another one that holds victims of it or is an origin of it. */
    private record Pair(long segment, long victim) {}

    private final AccountRows rows;
    private final Map<Long, Balance> balances = new HashMap<>();
    private final VictimSegments victims = new VictimSegments();
    private final SurvivorOrigins origins = new SurvivorOrigins();
    private final DeadPages pages;
    private final EntryLiveness liveness = new EntryLiveness(LIVENESS_BYTES_MAX);

    /**
     * Creates empty accounts.
     *
     * @param holeBytesMin smallest hole that is punched
     */
    public SegmentAccounts(CubeIndex index, int holeBytesMin) {
        this.rows = index.accounts();
        this.pages = new DeadPages(index.deadPages(), holeBytesMin);
    }

    /** Creates accounts from the rows of the index. */
    public static SegmentAccounts load(CubeIndex index, int holeBytesMin) {
        SegmentAccounts accounts = new SegmentAccounts(index, holeBytesMin);
        accounts.pages.load();
        accounts.rows.visit(
                new AccountRows.Visitor() {
                    @Override
                    public void account(long segment, long live, long dead, long applied) {
                        accounts.balances.put(segment, new Balance(live, dead, applied));
                    }

                    @Override
                    public void victims(long segment, long victim, long tombstones) {
                        accounts.victims.put(segment, victim, tombstones);
                    }

                    @Override
                    public void origin(long survivor, long origin) {
                        accounts.origins.add(survivor, origin);
                    }
                });
        return accounts;
    }

    public synchronized Totals totals(long segment) {
        Balance balance = balances.getOrDefault(segment, Balance.ZERO);
        return new Totals(balance.live(), balance.dead(), victims.tombstones(segment));
    }

    /** Returns the live bytes of all segments. */
    public synchronized long live() {
        return balances.values().stream().mapToLong(Balance::live).sum();
    }

    public synchronized long live(long segment) {
        return balances.getOrDefault(segment, Balance.ZERO).live();
    }

    /** Returns the liveness of entries that is known without the index. */
    public EntryLiveness liveness() {
        return liveness;
    }

    /** Returns the bytes of whole pages in dead inline blobs, holes included. */
    public long deadPages(long segment) {
        return pages.of(segment);
    }

    /** Returns a segment with live bytes that is not among these, if there is one. */
    public synchronized Optional<Long> liveOutside(Set<Long> segments) {
        return balances.entrySet().stream()
                .filter(each -> each.getValue().live() > 0)
                .map(Map.Entry::getKey)
                .filter(segment -> !segments.contains(segment))
                .findAny();
    }

    /** Returns the greatest id of a segment with an account or with victims; 0 without any. */
    public synchronized long lastSegment() {
        Set<Long> all = victims.victimsOutside(balances.keySet());
        all.addAll(balances.keySet());
        return all.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Returns the end up to which the index has applied each survivor. */
    public synchronized Map<Long, Long> appliedEnds() {
        Map<Long, Long> ends = new HashMap<>();
        balances.forEach(
                (segment, balance) -> {
                    if (balance.applied() > 0) {
                        ends.put(segment, balance.applied());
                    }
                });
        return ends;
    }

    /** Returns the segments in the log whose entries the survivor may hold copies of. */
    public synchronized Set<Long> originsInLog(long survivor) {
        return origins.of(survivor).boxed().collect(Collectors.toSet());
    }

    /** Returns whether the segment is an origin, or a survivor with origins in the log. */
    synchronized boolean isShared(long segment) {
        return origins.contains(segment);
    }

    /**
     * Returns the greatest set of candidates that may leave the log together. They have nothing
     * live, and every victim is in the segment itself, in another one that leaves, or gone already.
     * A cleaned segment is not held by its victims: the tombstones that are still needed lie in
     * survivors.
     */
    synchronized Set<Long> releasable(
            Collection<Long> candidates, Set<Long> cleaned, Set<Long> inLog) {
        Set<Long> leaving = new HashSet<>();
        for (long segment : candidates) {
            if (balances.getOrDefault(segment, Balance.ZERO).live() == 0) {
                leaving.add(segment);
            }
        }
        boolean changed = true;
        while (changed) {
            changed =
                    leaving.removeIf(
                            segment ->
                                    isHeld(origins.of(segment), leaving, inLog)
                                            || (!cleaned.contains(segment)
                                                    && isHeld(
                                                            victims.of(segment), leaving, inLog)));
        }
        return leaving;
    }

    private static boolean isHeld(LongStream by, Set<Long> leaving, Set<Long> inLog) {
        return by.anyMatch(each -> inLog.contains(each) && !leaving.contains(each));
    }

    /** Begins a set of changes; one at a time. */
    public Changes begin() {
        return new Changes();
    }

    /**
     * Returns changes that remove every segment that is not in the log any more. Its own rows are
     * deleted, and tombstones whose victims lay in it are dead now.
     */
    public Changes retaining(Set<Long> inLog) {
        Changes changes = begin();
        synchronized (this) {
            Set<Long> gone = new HashSet<>(balances.keySet());
            gone.addAll(victims.killers());
            gone.addAll(origins.survivors());
            gone.removeAll(inLog);
            origins.forEach(
                    (survivor, origin) -> {
                        if (gone.contains(survivor) || !inLog.contains(origin)) {
                            changes.forgetOrigin(survivor, origin);
                        }
                    });
            Set<Long> goneVictims = victims.victimsOutside(inLog);
            for (long segment : victims.killers()) {
                victims.of(segment)
                        .filter(victim -> gone.contains(segment) || goneVictims.contains(victim))
                        .forEach(victim -> changes.forgetVictims(segment, victim));
            }
            changes.forgetSegments(gone, goneVictims);
        }
        return changes;
    }

    /** Changes of one batch. Used by one thread. */
    public final class Changes {
        private final Map<Long, Balance> moved = new HashMap<>();
        private final Map<Pair, Long> killed = new HashMap<>();
        private final Set<Pair> forgottenVictims = new HashSet<>();
        private final Set<Long> goneVictims = new HashSet<>();
        private final Set<Pair> derived = new HashSet<>();
        private final Set<Pair> forgottenOrigins = new HashSet<>();
        private final Set<Long> forgottenSegments = new HashSet<>();
        private final DeadPages.Changes pageChanges = pages.begin();
        private final EntryLiveness.Changes noted = liveness.new Changes();

        private Changes() {}

        /** Adds an entry or extent that readers can reach. */
        public void live(Place place) {
            move(place.segmentId(), Balance.of(place.bytes(), 0));
        }

        /** Adds an entry that no reader could ever reach. */
        public void bornDead(Place place) {
            noted.dead(place);
            move(place.segmentId(), Balance.of(0, place.bytes()));
        }

        /** Counts an entry as dead that was live until now. */
        public void die(Place entry) {
            noted.dead(entry);
            move(entry.segmentId(), Balance.of(-entry.bytes(), entry.bytes()));
        }

        /** Removes an extent of a stream segment that was live until now. */
        void dieInStream(Place extent) {
            move(extent.segmentId(), Balance.of(-extent.bytes(), 0));
        }

        /** Records a live blob that has another number of references than one. */
        public void shared(Place entry) {
            noted.shared(entry);
        }

        /** Counts a blob as dead that was live until now, with its content. */
        public void blobDies(BlobRow blob) {
            copyDies(blob);
            blob.extents().forEach(this::dieInStream);
        }

        /** Counts an entry as dead whose blob has another entry. */
        public void copyDies(BlobRow blob) {
            die(blob.entry());
            if (blob.content() instanceof BlobRow.Inline) {
                pageChanges.died(blob.entry());
            }
        }

        /** Adds an inline blob that no reader could ever reach. */
        public void bornDeadInline(Place entry) {
            bornDead(entry);
            pageChanges.died(entry);
        }

        /** Records that the put at this place keeps its victim dead. */
        public void victimOfPut(Place place, LogEntry.Victim victim) {
            if (victim.sequence() != 0) {
                kill(place.segmentId(), victim.segmentId(), 0);
            }
        }

        /** Records that the tombstone at this place keeps its victim dead. */
        public void tombstone(Place place, LogEntry.Victim victim) {
            kill(place.segmentId(), victim.segmentId(), place.bytes());
        }

        /** Records that the survivor may hold copies of entries of the origin. */
        public void origin(long survivor, long origin) {
            derived.add(new Pair(survivor, origin));
        }

        /** Records that the index has applied the survivor up to this offset. */
        public void applied(long survivor, long end) {
            move(survivor, new Balance(0, 0, end));
        }

        private void forgetOrigin(long survivor, long origin) {
            forgottenOrigins.add(new Pair(survivor, origin));
        }

        private void kill(long segment, long victim, long tombstone) {
            if (tombstone > 0 || !victims.contains(segment, victim)) {
                killed.merge(new Pair(segment, victim), tombstone, Long::sum);
            }
        }

        private void move(long segment, Balance by) {
            moved.merge(segment, by, Balance::plus);
        }

        private void forgetVictims(long segment, long victim) {
            forgottenVictims.add(new Pair(segment, victim));
            long tombstones = victims.tombstones(segment, victim);
            if (tombstones > 0) {
                move(segment, Balance.of(0, tombstones));
            }
        }

        private void forgetSegments(Set<Long> gone, Set<Long> withVictims) {
            goneVictims.addAll(withVictims);
            forgottenSegments.addAll(gone);
            moved.keySet().removeAll(gone);
            pageChanges.forget(gone);
        }

        /** Returns the number of segments in which these changes leave nothing live. */
        public int emptied() {
            int emptied = 0;
            for (Map.Entry<Long, Balance> each : moved.entrySet()) {
                if (each.getValue().live() < 0 && after(each.getKey()).live() == 0) {
                    emptied++;
                }
            }
            return emptied;
        }

        private Balance after(long segment) {
            Balance sum =
                    balances.getOrDefault(segment, Balance.ZERO)
                            .plus(moved.getOrDefault(segment, Balance.ZERO));
            if (sum.live() < 0 || sum.dead() < 0) {
                throw new BrokenInvariant("negative account of segment " + segment + ": " + sum);
            }
            return sum;
        }

        private long after(Pair pair) {
            return victims.tombstones(pair.segment(), pair.victim()) + killed.get(pair);
        }

        /** Adds the changed rows to the batch that carries the changes themselves. */
        public void addRows(IndexBatch batch) {
            for (long segment : moved.keySet()) {
                Balance sum = after(segment);
                rows.put(batch, segment, sum.live(), sum.dead(), sum.applied());
            }
            for (Pair pair : killed.keySet()) {
                rows.putVictims(batch, pair.segment(), pair.victim(), after(pair));
            }
            forgottenVictims.forEach(
                    pair -> rows.deleteVictims(batch, pair.segment(), pair.victim()));
            derived.forEach(pair -> rows.putOrigin(batch, pair.segment(), pair.victim()));
            forgottenOrigins.forEach(
                    pair -> rows.deleteOrigin(batch, pair.segment(), pair.victim()));
            forgottenSegments.forEach(segment -> rows.delete(batch, segment));
            pageChanges.addRows(batch);
        }

        /** Makes the changes visible; call it after the index has taken the rows. */
        public void publish() {
            pageChanges.publish();
            noted.publish();
            synchronized (SegmentAccounts.this) {
                for (long segment : moved.keySet()) {
                    balances.put(segment, after(segment));
                }
                for (Pair pair : killed.keySet()) {
                    victims.put(pair.segment(), pair.victim(), after(pair));
                }
                derived.forEach(pair -> origins.add(pair.segment(), pair.victim()));
                forgottenOrigins.forEach(pair -> origins.remove(pair.segment(), pair.victim()));
                forgottenSegments.forEach(
                        segment -> {
                            balances.remove(segment);
                            victims.forget(segment);
                        });
                victims.release(goneVictims);
                liveness.forget(forgottenSegments);
                moved.clear();
                killed.clear();
            }
        }
    }
}
