package io.volute.storage.log.ledger;

import io.volute.storage.log.SegmentFileName;
import io.volute.storage.report.UnderReplication;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The segments of an owned log, in memory and in the list. One change at a time: an earlier state
 * of a segment never follows a later one into the list. Thread-safe.
 */
final class ListedSegments {
    private final SegmentList list;
    private final Ownership ownership;
    private final Map<Long, Entry> segments = new ConcurrentHashMap<>();
    private final ReentrantLock changes = new ReentrantLock();

    /** Segments that were sealed since the last change of the list, by id. */
    private final Map<Long, SegmentList.Listed> sealed = new HashMap<>();

    private boolean hasLeft;

    /** A segment and its ledger. */
    record Entry(SegmentFileName name, LedgerSegment on) {
        SegmentList.Listed listed() {
            return new SegmentList.Listed(
                    name,
                    on.ledgerId(),
                    on.segmentBytes(),
                    on.isClosed() ? on.end() : SegmentList.Listed.OPEN,
                    on.isUnderReplicated());
        }
    }

    ListedSegments(SegmentList list, Ownership ownership) {
        this.list = list;
        this.ownership = ownership;
    }

    /** Adds a segment that is in the list. */
    void add(SegmentFileName name, LedgerSegment on) {
        segments.put(name.number(), new Entry(name, on));
    }

    Optional<Entry> find(SegmentFileName name) {
        return Optional.ofNullable(segments.get(name.number()));
    }

    Stream<Entry> all() {
        return segments.values().stream();
    }

    Set<Long> ledgerIds() {
        return all().map(each -> each.on().ledgerId()).collect(Collectors.toSet());
    }

    UnderReplication underReplication() {
        List<Entry> some = all().filter(each -> each.on().isUnderReplicated()).toList();
        return new UnderReplication(
                some.size(), some.stream().mapToLong(each -> each.on().end()).sum());
    }

    /**
     * Puts a new segment into the list.
     *
     * @throws IOException when it may be in the list or not
     */
    Entry publish(SegmentFileName name, LedgerSegment on) throws IOException {
        Entry published = new Entry(name, on);
        changes.lock();
        try {
            change(List.of(published.listed()), List.of());
            segments.put(name.number(), published);
            return published;
        } finally {
            changes.unlock();
        }
    }

    /** Closes a ledger. The next change lists its end: a segment listed open is only recovered. */
    void seal(Entry segment) {
        if (!segment.on().seal()) {
            return;
        }
        changes.lock();
        try {
            if (isListed(segment)) {
                sealed.put(segment.name().number(), segment.listed());
            }
        } finally {
            changes.unlock();
        }
    }

    private boolean isListed(Entry segment) {
        return find(segment.name()).filter(segment::equals).isPresent();
    }

    /** Puts the ends of segments that were recovered into the list. */
    void recovered(List<SegmentList.Listed> ends) throws IOException {
        changes.lock();
        try {
            change(ends, List.of());
        } finally {
            changes.unlock();
        }
    }

    /**
     * Removes a segment from the list.
     *
     * @return its ledger; empty when it was removed before
     */
    Optional<LedgerSegment> remove(SegmentFileName name) throws IOException {
        changes.lock();
        try {
            Optional<Entry> segment = find(name);
            if (segment.isPresent()) {
                change(List.of(), List.of(name.number()));
                segments.remove(name.number());
            }
            return segment.map(Entry::on);
        } finally {
            changes.unlock();
        }
    }

    /**
     * Lists another ledger of a closed segment, which has the same entries and all copies.
     *
     * @return false when the segment has left the log; nothing has changed then
     * @throws FencedException when another owner has the log; nothing has changed then
     * @throws IOException when either ledger may be listed
     */
    boolean exchange(Entry segment, long ledgerId) throws IOException {
        changes.lock();
        try {
            if (hasLeft || !isListed(segment)) {
                return false;
            }
            LedgerSegment on = segment.on();
            SegmentList.Listed full =
                    new SegmentList.Listed(
                            segment.name(), ledgerId, on.segmentBytes(), on.end(), false);
            change(List.of(full), List.of());
            on.exchange(ledgerId);
            return true;
        } finally {
            changes.unlock();
        }
    }

    /** Lists segments again, whose marks have changed. */
    void mark(Set<LedgerSegment> some) throws IOException {
        changes.lock();
        try {
            List<SegmentList.Listed> marked =
                    all().filter(each -> some.contains(each.on())).map(Entry::listed).toList();
            if (!marked.isEmpty() && !hasLeft) {
                change(marked, List.of());
            }
        } finally {
            changes.unlock();
        }
    }

    private void change(List<SegmentList.Listed> put, List<Long> removed) throws IOException {
        Map<Long, SegmentList.Listed> all = new TreeMap<>(sealed);
        sealed.clear();
        put.forEach(each -> all.put(each.name().number(), each));
        removed.forEach(all::remove);
        ownership.change(new ArrayList<>(all.values()), removed);
    }

    /** Puts the ends of sealed segments into the list, if some are missing. */
    void listEnds() throws IOException {
        changes.lock();
        try {
            if (!sealed.isEmpty() && !ownership.isLost() && !hasLeft) {
                change(List.of(), List.of());
            }
        } finally {
            changes.unlock();
        }
    }

    /** Removes the list; see {@link SegmentList#leave}. */
    void leave(UUID token) throws IOException {
        changes.lock();
        try {
            hasLeft = true;
            list.leave(token);
        } finally {
            changes.unlock();
        }
    }
}
