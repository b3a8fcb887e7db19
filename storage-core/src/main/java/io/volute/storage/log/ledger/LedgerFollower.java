package io.volute.storage.log.ledger;

import io.volute.storage.io.StoredFile;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentFileName.State;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;

/**
 * Reads a log that another process owns. It claims nothing and fences nobody. Of each ledger it
 * returns the confirmed part only: a recovery may drop later entries. Its mirrors are those of
 * {@link LedgerSegmentStore}, which finds them after a take-over. Used by one thread.
 */
public final class LedgerFollower implements AutoCloseable {
    private final LogOptions options;
    private final Ledgers ledgers;
    private final SegmentListView view;
    private final Mirrors mirrors;
    private final Epoch epoch;
    private final Map<Long, LedgerTail> tails = new HashMap<>();
    private final Map<Long, LedgerSegment> closed = new HashMap<>();
    private Optional<SegmentList.Claimed> list = Optional.empty();
    private TreeMap<Long, SegmentList.Listed> listed = new TreeMap<>();
    private Set<Long> whole = new HashSet<>();

    /**
     * The confirmed part of a segment.
     *
     * @param end offset behind it
     * @param isClosed whether it is the whole segment
     */
    public record Part(SegmentFileName name, StoredFile file, long end, boolean isClosed) {}

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
            listed = new TreeMap<>();
            now.get().segments().forEach(each -> listed.put(each.name().number(), each));
            if (isFirst) {
                mirrors.open();
                whole = mirrors.keepOnly(ledgerIds());
            }
            exchange();
            forgetGone();
        }
        return list.isPresent();
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
    }

    private void forgetGone() {
        Set<Long> ids = ledgerIds();
        whole.stream().filter(id -> !ids.contains(id)).forEach(mirrors::delete);
        whole.retainAll(ids);
        tails.values()
                .removeIf(
                        tail -> {
                            boolean isGone = !ids.contains(tail.listed().ledgerId());
                            if (isGone) {
                                tail.close();
                                mirrors.delete(tail.listed().ledgerId());
                            }
                            return isGone;
                        });
        closed.values()
                .removeIf(
                        segment -> {
                            boolean isGone = !ids.contains(segment.ledgerId());
                            if (isGone) {
                                segment.close();
                                mirrors.delete(segment.ledgerId());
                            }
                            return isGone;
                        });
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
        if (!closed.containsKey(segmentId)) {
            if (segment.isSealed() && !tails.containsKey(segmentId)) {
                closed.put(segmentId, sealed(segment));
            } else {
                advance(segment);
            }
        }
        LedgerSegment known = closed.get(segmentId);
        if (known != null) {
            return new Part(segment.name(), new LedgerFile(known, () -> {}), known.end(), true);
        }
        LedgerTail tail = tails.get(segmentId);
        return new Part(segment.name(), tail, tail.end(), false);
    }

    private LedgerSegment sealed(SegmentList.Listed segment) throws IOException {
        LedgerSegment opened = new LedgerSegment(ledgers, mirrors, segment);
        if (whole.remove(segment.ledgerId())) {
            opened.adoptMirror();
        }
        return opened;
    }

    private void advance(SegmentList.Listed segment) throws IOException {
        long id = segment.name().number();
        LedgerTail tail = tails.get(id);
        if (tail == null) {
            tail = new LedgerTail(ledgers, mirrors, segment);
            tails.put(id, tail);
        }
        tail.advance();
        if (tail.isClosed()) {
            tails.remove(id);
            mirrors.complete(segment.ledgerId(), tail.mirror()).close();
            whole.add(segment.ledgerId());
            closed.put(id, sealed(segment.sealed(tail.end())));
        }
    }

    @Override
    public void close() {
        tails.values().forEach(LedgerTail::close);
        closed.values().forEach(LedgerSegment::close);
        tails.clear();
        closed.clear();
    }
}
