package io.volute.storage.log.ledger;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.log.space.SegmentReserve;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.storage.report.UnderReplication;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Segments as ledgers: one ledger for each segment. Taking a log over, with what a crash leaves at
 * each step:
 *
 * <ol>
 *   <li>{@link SegmentList#claim}. From here on no earlier owner adds or removes a ledger. After a
 *       crash here: the next owner claims the next epoch.
 *   <li>Every ledger that is listed open is recovered, which fences its writer. After a crash here:
 *       a recovery does nothing to a closed ledger.
 *   <li>The list gets the ends. Now the ledgers are known to be closed.
 *   <li>Ledgers of earlier epochs that are not listed are garbage, and are deleted.
 * </ol>
 *
 * <p>A new segment is a ledger with its first content before it is listed. After a crash in between
 * it is garbage. A freed segment leaves the list before its ledger is deleted. {@link
 * LedgerReplicator} exchanges ledgers that have fewer copies than wanted.
 */
public final class LedgerSegmentStore implements SegmentStore {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerSegmentStore.class);

    private static final Optional<Kind> HEADS = Optional.of(Kind.HEAD);

    private final LogOptions options;
    private final Ledgers ledgers;
    private final SegmentList list;
    private final Ownership ownership;
    private final NewLedgers fresh;
    private final Mirrors mirrors;
    private volatile SegmentReserve reserve;
    private final ListedSegments segments;
    private final LedgerThread background;
    private final IdleConfirmation idle = new IdleConfirmation();
    private final Epoch epoch;
    private final LedgerReplicator replicator;
    private volatile LongSupplier usedBytes = () -> 0;
    private volatile ToLongFunction<SpacePriority> leftAlone = priority -> 0;

    /**
     * Creates a store, which closes both services at its end.
     *
     * @param options options of the log, whose directory holds the mirrors
     */
    public LedgerSegmentStore(
            LogOptions options, Ledgers ledgers, SegmentList list, LedgerSettings settings) {
        this.options = options;
        this.ledgers = ledgers;
        this.list = list;
        this.ownership = new Ownership(list);
        this.segments = new ListedSegments(list, ownership);
        this.mirrors =
                new Mirrors(options.fileSystem(), options.directory(), settings.mirrorBytes());
        this.fresh = new NewLedgers(ledgers, mirrors, settings, options.cubeId());
        this.epoch = new Epoch(options.fileSystem(), options.directory());
        this.reserve = new SegmentReserve(options.settings().cleaning());
        this.background = new LedgerThread(options.spareMaker());
        this.replicator =
                new LedgerReplicator(fresh, segments, epoch, ownership, options.spareMaker());
    }

    /** Refuses a directory with segments of a local log. */
    @Override
    public void open() throws IOException {
        mirrors.open();
        for (String file : options.fileSystem().list(options.directory())) {
            if (SegmentFileName.parse(file).isPresent()) {
                throw new IOException(
                        options.directory()
                                + " holds segments of a log on local disk, as "
                                + file
                                + ": a cube does not change its store at a start. Set log.store to"
                                + " local, or choose another data directory.");
            }
        }
    }

    @Override
    public List<SegmentFileName> list() throws IOException {
        SegmentList.Claimed claimed = list.claim();
        epoch.claimed(claimed.epoch());
        Set<Long> whole =
                mirrors.keepOnly(
                        claimed.segments().stream()
                                .filter(SegmentList.Listed::isSealed)
                                .map(SegmentList.Listed::ledgerId)
                                .collect(Collectors.toSet()));
        List<SegmentList.Listed> recovered = new ArrayList<>();
        for (SegmentList.Listed listed : claimed.segments()) {
            LedgerSegment segment = new LedgerSegment(ledgers, mirrors, listed);
            segments.add(listed.name(), segment);
            if (!listed.isSealed()) {
                ledgers.recover(listed.ledgerId());
                segment.measure();
                // A recovery writes the last entries to those bookies that answer.
                segment.markUnderReplicated();
                recovered.add(segments.find(listed.name()).orElseThrow().listed());
            } else if (whole.contains(listed.ledgerId())) {
                segment.adoptMirror();
            }
        }
        if (!recovered.isEmpty()) {
            segments.recovered(recovered);
        }
        return segments.all()
                .map(ListedSegments.Entry::name)
                .sorted(Comparator.comparingLong(SegmentFileName::number))
                .toList();
    }

    @Override
    public void measureUseBy(LongSupplier source) {
        usedBytes = source;
    }

    @Override
    public void startWriting() throws IOException {
        epoch.keep();
        background.execute(
                () -> {
                    deleteGarbage();
                    replicator.start();
                });
        background.repeat(IdleConfirmation.PAUSE, idle);
    }

    private void deleteGarbage() {
        LedgerGarbage.delete(ledgers, options.cubeId(), epoch.number(), segments.ledgerIds());
    }

    @Override
    public Draft create(Claim claim) throws IOException {
        if (available(claim.priority()) == 0) {
            throw NewLedgers.full("the bookies or the capacity of the cube have no space for it");
        }
        // The cleaner and a start wait by themselves, and give up when the store closes.
        boolean waits = claim.priority() != SpacePriority.CLEANER;
        return create(options.settings().segmentBytes(), waits);
    }

    @Override
    public Draft createCopy(long segmentBytes) throws IOException {
        return create(segmentBytes, false);
    }

    private Draft create(long segmentBytes, boolean waits) throws IOException {
        Optional<LedgerSegment> created = Optional.empty();
        try {
            created = Optional.of(fresh.create(epoch.number(), segmentBytes, waits));
            return new LedgerDraft(created.get());
        } finally {
            replicator.created(created);
        }
    }

    /** A ledger that is not listed yet. */
    private final class LedgerDraft implements Draft {
        private final LedgerSegment segment;

        LedgerDraft(LedgerSegment segment) {
            this.segment = segment;
        }

        @Override
        public StoredFile open() {
            return new LedgerFile(segment, () -> {});
        }

        /** If the outcome is unknown, the ledger stays: it may be listed. */
        @Override
        public StoredFile publish(SegmentFileName name) throws IOException {
            ListedSegments.Entry named = segments.publish(name, segment);
            idle.opened(name, segment);
            return new LedgerFile(segment, () -> background.execute(() -> seal(named)));
        }

        @Override
        public IOException discard(IOException cause) {
            putBack();
            return cause;
        }

        @Override
        public void putBack() {
            segment.abandon();
            segment.close();
            mirrors.delete(segment.ledgerId());
            try {
                ledgers.delete(segment.ledgerId());
            } catch (IOException e) {
                LOG.warn("ledger {} is garbage until the next start", segment.ledgerId(), e);
            }
        }

        @Override
        public String toString() {
            return "ledger " + segment.ledgerId();
        }
    }

    private void seal(ListedSegments.Entry segment) {
        segments.seal(segment);
        replicator.sealed();
    }

    @Override
    public StoredFile open(SegmentFileName name, Access access) throws IOException {
        ListedSegments.Entry segment =
                segments.find(name)
                        .filter(found -> found.name().equals(name))
                        .orElseThrow(() -> new NoSuchFileException(name.toString()));
        return new LedgerFile(segment.on(), () -> {});
    }

    @Override
    public void retire(SegmentFileName name) throws IOException {
        Optional<LedgerSegment> removed = segments.remove(name);
        if (removed.isPresent()) {
            removed.get().close();
            mirrors.delete(removed.get().ledgerId());
            ledgers.delete(removed.get().ledgerId());
        }
    }

    @Override
    public boolean isContinued() {
        return epoch.isContinued();
    }

    @Override
    public void requireOwned() throws IOException {
        ownership.require(
                () ->
                        segments.all()
                                .filter(each -> each.name().state().kind().equals(HEADS))
                                .max(Comparator.comparingLong(each -> each.name().number()))
                                .map(ListedSegments.Entry::on));
    }

    /** {@inheritDoc} Recovers the ledger of the head, which fences this process's own writer. */
    @Override
    public OptionalLong recoverHead(SegmentFileName name, IOException failure) throws IOException {
        Optional<LedgerSegment> head = segments.find(name).map(ListedSegments.Entry::on);
        if (head.isEmpty() || failure instanceof FencedException) {
            return OptionalLong.empty();
        }
        return head.get().recover() ? OptionalLong.of(head.get().end()) : OptionalLong.empty();
    }

    /** {@inheritDoc} The reserves stay for those who need them. */
    @Override
    public boolean hasSaferPlace(SegmentFileName head) {
        return replicator.hasAllBookies()
                && segments.find(head).filter(each -> each.on().isUnderReplicated()).isPresent()
                && available(SpacePriority.CLIENT) > 0;
    }

    @Override
    public UnderReplication underReplication() {
        return segments.underReplication();
    }

    @Override
    public boolean restore(SegmentFileName name) throws IOException {
        Optional<ListedSegments.Entry> segment = segments.find(name);
        return segment.isPresent() && segment.get().on().restore();
    }

    @Override
    public boolean awaitReturn(int attempts) throws IOException {
        return ledgers.awaitBookies(attempts);
    }

    @Override
    public boolean concernsOneSegment(IOException failure) {
        return !(failure instanceof FencedException);
    }

    @Override
    public boolean resumesHeads() {
        return false;
    }

    @Override
    public boolean sharesStreams() {
        return false;
    }

    @Override
    public int ready() {
        return 0;
    }

    @Override
    public void prepareSoon() {
        // A ledger is created in less time than it takes to notice that one is missing.
    }

    /** {@inheritDoc} The mirrors need space beside the index. */
    @Override
    public long available(SpacePriority priority) {
        long segmentBytes = options.settings().segmentBytes();
        long capacity = options.settings().cleaning().capacityBytes();
        long free = ledgers.usableBytes() / segmentBytes;
        if (capacity > 0) {
            free = Math.min(free, (capacity - usedBytes.getAsLong()) / segmentBytes);
        }
        try {
            if (mirrors.usableBytes() - leftAlone.applyAsLong(priority) < segmentBytes) {
                free = 0;
            }
        } catch (IOException e) {
            LOG.warn("free space of {} is unknown: {}", options.directory(), e.getMessage());
            free = 0;
        }
        return Math.max(0, free - reserve.against(priority));
    }

    @Override
    public SegmentReserve reserve() {
        return reserve;
    }

    @Override
    public void useReserve(SegmentReserve other) {
        reserve = other;
    }

    @Override
    public void leave(UUID token) throws IOException {
        segments.leave(token);
    }

    @Override
    public void reserveForOthers(ToLongFunction<SpacePriority> bytes) {
        leftAlone = bytes;
    }

    @Override
    public String remedy() {
        return ownership.isLost()
                ? "Another server has taken the log over: stop this one, or stop the other"
                : "Check that ZooKeeper and at least two bookies run and are reachable, and that no"
                        + " other server has taken the log over";
    }

    @Override
    public void close() throws IOException {
        try (Ledgers closedLast = ledgers;
                SegmentList closedBefore = list) {
            background.close();
            replicator.close();
            segments.listEnds();
        } catch (IOException e) {
            LOG.warn(
                    "the next start recovers the ledgers that are listed open: {}", e.getMessage());
        } finally {
            segments.all().forEach(segment -> segment.on().close());
        }
    }
}
