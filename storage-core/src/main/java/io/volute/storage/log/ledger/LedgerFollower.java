package io.volute.storage.log.ledger;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentFileName.State;
import io.volute.storage.log.space.SegmentFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/**
 * Reads a log that another process owns. It claims nothing and fences nobody. Of each ledger it
 * returns the confirmed part only: a recovery may drop later entries. Its mirrors are those of
 * {@link LedgerSegmentStore}, which finds them after a take-over.
 *
 * <p>One thread follows the log. The files of {@link #open} are for any number of threads. A
 * segment that has left the list stays readable until {@link #discard}, as far as its mirror
 * reaches.
 */
public final class LedgerFollower implements SegmentFiles, AutoCloseable {
    private final LogOptions options;
    private final Ledgers ledgers;
    private final SegmentListView view;
    private final Mirrors mirrors;
    private final Epoch epoch;

    /** The segments that are listed or were, by id, until they are discarded. */
    private final Map<Long, SegmentList.Listed> known = new ConcurrentHashMap<>();

    private final Map<Long, LedgerTail> tails = new ConcurrentHashMap<>();
    private final Map<Long, LedgerSegment> closed = new ConcurrentHashMap<>();
    private final Set<Long> whole = ConcurrentHashMap.newKeySet();

    private Optional<SegmentList.Claimed> list = Optional.empty();
    private NavigableMap<Long, SegmentList.Listed> listed = Collections.emptyNavigableMap();
    private boolean isOver;

    /**
     * The confirmed part of a segment.
     *
     * @param end offset behind it
     * @param isClosed whether it is the whole segment
     * @param hasMore whether the ledger had more, which was not confirmed
     */
    public record Part(
            SegmentFileName name, StoredFile file, long end, boolean isClosed, boolean hasMore) {}

    /**
     * Creates a follower.
     *
     * @param options options of the log, whose directory holds the mirrors
     */
    public LedgerFollower(
            LogOptions options, Ledgers ledgers, SegmentListView view, LedgerSettings settings) {
        this.options = options;
        this.ledgers = ledgers;
        this.view = view;
        this.mirrors =
                new Mirrors(options.fileSystem(), options.directory(), settings.mirrorBytes());
        this.epoch = new Epoch(options.fileSystem(), options.directory());
    }

    /** Returns the cube whose log this is. */
    public UUID cubeId() {
        return options.cubeId();
    }

    /**
     * Reads the list of segments again.
     *
     * @return whether there is a log
     */
    public boolean refresh() throws IOException {
        Optional<SegmentList.Claimed> now = view.read();
        if (now.isPresent() && !now.equals(list)) {
            boolean isFirst = list.isEmpty();
            list = now;
            TreeMap<Long, SegmentList.Listed> byId = new TreeMap<>();
            now.get().segments().forEach(each -> byId.put(each.name().number(), each));
            listed = Collections.unmodifiableNavigableMap(byId);
            if (isFirst) {
                mirrors.open();
                whole.addAll(mirrors.keepOnly(ledgerIds()));
            }
            known.putAll(listed);
            exchange();
        }
        return list.isPresent();
    }

    /** Returns the segments that are listed, by id; another map after each change. */
    public NavigableMap<Long, SegmentList.Listed> listed() {
        return listed;
    }

    private Set<Long> ledgerIds() {
        Set<Long> ids = new HashSet<>();
        listed.values().forEach(each -> ids.add(each.ledgerId()));
        return ids;
    }

    /** Goes on with the ledgers that the owner has exchanged, which have the same entries. */
    private void exchange() {
        closed.forEach(
                (id, segment) -> {
                    long before = segment.ledgerId();
                    SegmentList.Listed now = listed.get(id);
                    if (now != null && now.isSealed() && now.ledgerId() != before) {
                        segment.exchange(now.ledgerId());
                        segment.renameMirror(before);
                    }
                });
        tails.forEach(
                (id, tail) -> {
                    SegmentList.Listed now = listed.get(id);
                    if (now != null && now.ledgerId() != tail.listed().ledgerId()) {
                        tails.remove(id);
                        tail.close();
                        mirrors.delete(tail.listed().ledgerId());
                    }
                });
        Set<Long> ids = new HashSet<>();
        known.values().forEach(each -> ids.add(each.ledgerId()));
        whole.stream().filter(id -> !ids.contains(id)).forEach(mirrors::delete);
        whole.retainAll(ids);
    }

    /** Gives up a segment that has left the list, and its mirror. Nobody reads it any more. */
    public synchronized void discard(long segmentId) {
        SegmentList.Listed given = known.remove(segmentId);
        Optional.ofNullable(tails.remove(segmentId)).ifPresent(LedgerTail::close);
        Optional.ofNullable(closed.remove(segmentId)).ifPresent(LedgerSegment::close);
        if (given != null) {
            whole.remove(given.ledgerId());
            mirrors.delete(given.ledgerId());
        }
    }

    /** Returns whether the last owner was this machine, so that its own index is continued. */
    public boolean isOfThisMachine() throws IOException {
        return list.isPresent() && epoch.isOfThisMachine(list.get().epoch());
    }

    /** Returns whether the list has the segment. */
    public boolean isListed(long segmentId) {
        return listed.containsKey(segmentId);
    }

    /** Returns the heads, the newest first. */
    public List<Long> newestHeads() {
        return heads(listed.descendingMap()).boxed().toList();
    }

    /** Returns the first head behind a segment. */
    public OptionalLong headBehind(long segmentId) {
        return heads(listed.tailMap(segmentId, false)).findFirst();
    }

    private static LongStream heads(Map<Long, SegmentList.Listed> in) {
        return in.values().stream()
                .filter(each -> each.name().state() == State.HEAD)
                .mapToLong(each -> each.name().number());
    }

    /**
     * Reads the mirror of a closed segment from the bookies again, because a reader has found
     * damage.
     *
     * @return whether the mirror is new
     */
    public boolean restore(long segmentId) throws IOException {
        LedgerSegment damaged = closed.get(segmentId);
        return damaged != null && damaged.restore();
    }

    /**
     * Reads on in a segment.
     *
     * @return its confirmed part, whose file is valid until the next {@link #refresh}
     */
    public Part read(long segmentId) throws IOException {
        SegmentList.Listed segment = listed.get(segmentId);
        if (segment == null) {
            throw new NoSuchFileException("segment " + segmentId + " is not listed any more");
        }
        reach(segment);
        LedgerSegment whole = closed.get(segmentId);
        if (whole != null) {
            LedgerFile file = new LedgerFile(whole, () -> {});
            return new Part(segment.name(), file, whole.end(), true, false);
        }
        LedgerTail tail = tails.get(segmentId);
        return new Part(segment.name(), tail, tail.end(), false, tail.hasMore());
    }

    /** Opens a segment, or reads on in it. */
    private void reach(SegmentList.Listed segment) throws IOException {
        long id = segment.name().number();
        if (closed.containsKey(id)) {
            return;
        }
        if (segment.isSealed() && !tails.containsKey(id)) {
            close(segment);
            return;
        }
        LedgerTail tail = tail(segment);
        tail.advancing().lock();
        try {
            if (tails.get(id) != tail) {
                return;
            }
            tail.advance();
            if (tail.isClosed()) {
                finish(tail);
            }
        } finally {
            tail.advancing().unlock();
        }
    }

    private void finish(LedgerTail tail) throws IOException {
        SegmentList.Listed segment = tail.listed();
        try {
            tail.complete(mirrors);
            whole.add(segment.ledgerId());
            close(segment.sealed(tail.end()));
        } finally {
            tails.remove(segment.name().number());
        }
    }

    private synchronized void close(SegmentList.Listed segment) throws IOException {
        requireOpen();
        if (!closed.containsKey(segment.name().number())) {
            LedgerSegment opened = new LedgerSegment(ledgers, mirrors, segment);
            if (whole.remove(segment.ledgerId())) {
                opened.adoptMirror();
            }
            closed.put(segment.name().number(), opened);
        }
    }

    private synchronized LedgerTail tail(SegmentList.Listed segment) throws IOException {
        requireOpen();
        LedgerTail tail = tails.get(segment.name().number());
        if (tail == null) {
            tail = new LedgerTail(ledgers, mirrors, segment);
            tails.put(segment.name().number(), tail);
        }
        return tail;
    }

    private void requireOpen() throws IOException {
        if (isOver) {
            throw new IOException("the log is not followed any more");
        }
    }

    /** {@inheritDoc} The file reads on by itself where a reader needs more. */
    @Override
    public StoredFile open(SegmentFileName name, Access access) {
        return new FollowedFile(name.number());
    }

    @Override
    public boolean restore(SegmentFileName name) throws IOException {
        return restore(name.number());
    }

    /** A segment as readers see it: the tail of an open ledger, then the closed one. */
    private final class FollowedFile extends ReadOnlyFile {
        private final long segmentId;

        FollowedFile(long segmentId) {
            this.segmentId = segmentId;
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            long end = offset + target.remaining();
            OptionalInt count = readKnown(target, offset, end);
            if (count.isEmpty()) {
                SegmentList.Listed segment = known.get(segmentId);
                if (segment == null) {
                    throw new NoSuchFileException("segment " + segmentId);
                }
                reach(segment);
                count = readKnown(target, offset, end);
            }
            return count.orElseThrow(
                    () -> new IOException("segment " + segmentId + " is not confirmed to " + end));
        }

        private OptionalInt readKnown(ByteBuffer target, long offset, long end) throws IOException {
            LedgerTail tail = tails.get(segmentId);
            OptionalInt count =
                    tail != null && tail.end() >= end
                            ? tail.readInUse(target, offset)
                            : OptionalInt.empty();
            LedgerSegment whole = closed.get(segmentId);
            return count.isPresent() || whole == null
                    ? count
                    : OptionalInt.of(whole.read(target, offset));
        }

        @Override
        public long size() throws IOException {
            SegmentList.Listed segment = known.get(segmentId);
            if (segment == null) {
                throw new NoSuchFileException("segment " + segmentId);
            }
            return segment.segmentBytes();
        }

        @Override
        public void close() {
            // The follower keeps the file.
        }
    }

    @Override
    public synchronized void close() {
        isOver = true;
        tails.values().forEach(LedgerTail::close);
        closed.values().forEach(LedgerSegment::close);
        tails.clear();
        closed.clear();
    }
}
