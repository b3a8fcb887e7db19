package io.volute.storage.cube;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.index.IndexBatch;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is live, dead and still needed in each segment. Changed by one thread through {@link
 * Changes}, which become visible only after their rows are in the index: who sees a segment dead
 * here knows that a flush beginning now makes that death durable. Reads come from any thread.
 *
 * <p>Dead bytes are counted for entries only; what is dead in a stream segment is all that is
 * neither live nor being uploaded.
 */
final class SegmentAccounts {

    /** The figures of one segment, in bytes. */
    record Totals(long live, long dead, long tombstones) {
        static final Totals NONE = new Totals(0, 0, 0);
    }

    /** Number of victims in one segment, and bytes of the tombstones among their killers. */
    record Victims(long count, long tombstones) {
        static final Victims NONE = new Victims(0, 0);

        Victims plus(Victims more) {
            return new Victims(count + more.count, tombstones + more.tombstones);
        }
    }

    private record Balance(long live, long dead) {
        static final Balance ZERO = new Balance(0, 0);

        Balance plus(Balance more) {
            return new Balance(live + more.live, dead + more.dead);
        }
    }

    private record Pair(long segment, long victim) {}

    private final CubeIndex index;
    private final Map<Long, Balance> balances = new HashMap<>();
    private final Map<Long, Map<Long, Victims>> victims = new HashMap<>();
    private final DeadPages pages;

    SegmentAccounts(CubeIndex index) {
        this.index = index;
        this.pages = index.newDeadPages();
    }

    /** Reads the rows of the index. */
    static SegmentAccounts load(CubeIndex index) {
        SegmentAccounts accounts = new SegmentAccounts(index);
        accounts.pages.load();
        index.visitAccounts(
                new CubeIndex.AccountVisitor() {
                    @Override
                    public void account(long segment, long live, long dead) {
                        accounts.balances.put(segment, new Balance(live, dead));
                    }

                    @Override
                    public void victims(long segment, long victim, long count, long tombstones) {
                        accounts.victimsOf(segment).put(victim, new Victims(count, tombstones));
                    }
                });
        return accounts;
    }

    private Map<Long, Victims> victimsOf(long segment) {
        return victims.computeIfAbsent(segment, ignored -> new HashMap<>());
    }

    synchronized Totals totals(long segment) {
        Balance balance = balances.getOrDefault(segment, Balance.ZERO);
        long tombstones = 0;
        for (Victims each : victims.getOrDefault(segment, Map.of()).values()) {
            tombstones += each.tombstones();
        }
        return new Totals(balance.live(), balance.dead(), tombstones);
    }

    synchronized long live(long segment) {
        return balances.getOrDefault(segment, Balance.ZERO).live();
    }

    /** Bytes of whole pages in dead inline blobs, holes included. */
    long deadPages(long segment) {
        return pages.of(segment);
    }

    /** A segment with live bytes that is not among these, if there is one. */
    synchronized Optional<Long> liveOutside(Set<Long> segments) {
        return balances.entrySet().stream()
                .filter(each -> each.getValue().live() > 0)
                .map(Map.Entry::getKey)
                .filter(segment -> !segments.contains(segment))
                .findAny();
    }

    /**
     * The greatest part of the candidates that may leave the log together: nothing live, and every
     * victim in the segment itself, in another one that leaves, or gone already.
     */
    synchronized Set<Long> releasable(Collection<Long> candidates, Set<Long> inLog) {
        Set<Long> leaving = new HashSet<>();
        for (long segment : candidates) {
            if (balances.getOrDefault(segment, Balance.ZERO).live() == 0) {
                leaving.add(segment);
            }
        }
        boolean changed = true;
        while (changed) {
            changed = leaving.removeIf(segment -> isPinned(segment, leaving, inLog));
        }
        return leaving;
    }

    private boolean isPinned(long segment, Set<Long> leaving, Set<Long> inLog) {
        for (long victim : victims.getOrDefault(segment, Map.of()).keySet()) {
            if (inLog.contains(victim) && !leaving.contains(victim)) {
                return true;
            }
        }
        return false;
    }

    /** Begins a set of changes; one at a time. */
    Changes begin() {
        return new Changes();
    }

    /**
     * Changes that forget every segment that is not in the log any more: its own rows go, and
     * tombstones whose victims lay in it are dead now.
     */
    Changes retaining(Set<Long> inLog) {
        Changes changes = begin();
        synchronized (this) {
            Set<Long> gone = new HashSet<>(balances.keySet());
            gone.addAll(victims.keySet());
            gone.removeAll(inLog);
            victims.forEach(
                    (segment, bySegment) ->
                            bySegment.forEach(
                                    (victim, count) -> {
                                        if (gone.contains(segment) || !inLog.contains(victim)) {
                                            changes.forgetVictims(segment, victim, count);
                                        }
                                    }));
            changes.forgetSegments(gone);
        }
        return changes;
    }

    /** Changes of one batch. Used by one thread. */
    final class Changes {
        private final Map<Long, Balance> moved = new HashMap<>();
        private final Map<Pair, Victims> killed = new HashMap<>();
        private final Set<Pair> forgottenVictims = new HashSet<>();
        private final Set<Long> forgottenSegments = new HashSet<>();
        private final DeadPages.Changes pageChanges = pages.begin();

        private Changes() {}

        /** An entry or extent that readers can reach. */
        void live(Place place) {
            move(place.segmentId(), new Balance(place.bytes(), 0));
        }

        /** An entry that nobody could ever reach. */
        void bornDead(Place place) {
            move(place.segmentId(), new Balance(0, place.bytes()));
        }

        /** An entry that was live until now. */
        void die(Place entry) {
            move(entry.segmentId(), new Balance(-entry.bytes(), entry.bytes()));
        }

        /** An extent of a stream segment that was live until now. */
        void dieInStream(Place extent) {
            move(extent.segmentId(), new Balance(-extent.bytes(), 0));
        }

        /** A blob that was live until now, with its bytes. */
        void blobDies(BlobRow blob) {
            die(blob.entry());
            blob.extents().forEach(this::dieInStream);
            if (blob.content() instanceof BlobRow.Inline) {
                pageChanges.died(blob.entry());
            }
        }

        /** An inline blob that nobody could ever reach. */
        void bornDeadInline(Place entry) {
            bornDead(entry);
            pageChanges.died(entry);
        }

        /** A put at this place keeps its victim dead. */
        void victimOfPut(Place place, LogEntry.Victim victim) {
            if (victim.sequence() != 0) {
                kill(place.segmentId(), victim.segmentId(), new Victims(1, 0));
            }
        }

        /** A tombstone at this place keeps its victim dead. */
        void tombstone(Place place, LogEntry.Victim victim) {
            kill(place.segmentId(), victim.segmentId(), new Victims(1, place.bytes()));
        }

        private void kill(long segment, long victim, Victims more) {
            killed.merge(new Pair(segment, victim), more, Victims::plus);
        }

        private void move(long segment, Balance by) {
            moved.merge(segment, by, Balance::plus);
        }

        private void forgetVictims(long segment, long victim, Victims count) {
            forgottenVictims.add(new Pair(segment, victim));
            if (count.tombstones() > 0) {
                move(segment, new Balance(0, count.tombstones()));
            }
        }

        private void forgetSegments(Set<Long> gone) {
            forgottenSegments.addAll(gone);
            moved.keySet().removeAll(gone);
            pageChanges.forget(gone);
        }

        /** Segments in which these changes leave nothing live. */
        int emptied() {
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

        private Victims after(Pair pair) {
            return victims.getOrDefault(pair.segment(), Map.of())
                    .getOrDefault(pair.victim(), Victims.NONE)
                    .plus(killed.getOrDefault(pair, Victims.NONE));
        }

        /** Adds the changed rows to the batch that carries the changes themselves. */
        void addRows(IndexBatch batch) {
            for (long segment : moved.keySet()) {
                Balance sum = after(segment);
                index.putAccount(batch, segment, sum.live(), sum.dead());
            }
            for (Pair pair : killed.keySet()) {
                Victims sum = after(pair);
                index.putVictims(
                        batch, pair.segment(), pair.victim(), sum.count(), sum.tombstones());
            }
            forgottenVictims.forEach(
                    pair -> index.deleteVictims(batch, pair.segment(), pair.victim()));
            forgottenSegments.forEach(segment -> index.deleteAccount(batch, segment));
            pageChanges.addRows(batch);
        }

        /** Makes the changes visible; call it after the index has taken the rows. */
        void publish() {
            pageChanges.publish();
            synchronized (SegmentAccounts.this) {
                for (long segment : moved.keySet()) {
                    balances.put(segment, after(segment));
                }
                for (Pair pair : killed.keySet()) {
                    victimsOf(pair.segment()).put(pair.victim(), after(pair));
                }
                forgottenVictims.forEach(pair -> victimsOf(pair.segment()).remove(pair.victim()));
                forgottenSegments.forEach(
                        segment -> {
                            balances.remove(segment);
                            victims.remove(segment);
                        });
                moved.clear();
                killed.clear();
            }
        }
    }
}
