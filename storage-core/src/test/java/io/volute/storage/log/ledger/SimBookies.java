package io.volute.storage.log.ledger;

import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.space.LocalSegmentStores;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.log.space.SegmentStores;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * Three bookies and a segment list in memory. A ledger is on all of them, or on two while the third
 * is down. An entry is acknowledged once two bookies have it. It reaches them when a caller waits
 * for it. Entries on their way at a crash reach no bookie, some or all, by the seed.
 */
public final class SimBookies {
    private static final int BOOKIES = 3;
    private static final int QUORUM = 2;

    /** A fault of one call. */
    enum Fault {
        /** The call changes nothing and fails. */
        REFUSED,
        /** The call takes effect and fails. */
        ANSWER_LOST
    }

    private final SplittableRandom random;
    private final TreeMap<Long, Ledger> ledgers = new TreeMap<>();
    private final TreeMap<Long, SegmentList.Listed> listed = new TreeMap<>();
    private final boolean[] down = new boolean[BOOKIES];
    private final List<Fault> listFaults = new ArrayList<>();
    private long lastLedger;
    private long epoch;
    private boolean fences = true;
    private boolean listAnswers = true;
    private Optional<UUID> left = Optional.empty();
    private boolean isCopy;
    private Runnable observer = () -> {};
    private int[] stopping = {};
    private int changesLeft;
    private Returns returns = attempts -> false;
    private boolean waitsForBookies = true;
    private boolean readsUnconfirmed;
    private boolean exchanges = true;
    private boolean noticesChanges = true;
    private long changes;
    private boolean copiesAll = true;
    private Runnable readObserver = () -> {};
    long usableBytes = 1L << 40;

    /** Longest entry; small, so that batches take several. */
    int entryBytesMax = 40_000;

    public SimBookies(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Plants a mistake: bookies do not fence, and the list takes changes of every owner. */
    public SimBookies withoutFencing() {
        fences = false;
        return this;
    }

    /** Plants a mistake: an entry counts as acknowledged before any bookie has it. */
    public SimBookies acknowledgingAtOnce() {
        waitsForBookies = false;
        return this;
    }

    /** Plants a mistake: a reader of an open ledger gets entries that may vanish. */
    public SimBookies readingUnconfirmed() {
        readsUnconfirmed = true;
        return this;
    }

    /**
     * Plants a mistake: a segment in the list keeps its ledger, as if that was not listed first.
     */
    public SimBookies withoutExchanges() {
        exchanges = false;
        return this;
    }

    /** Plants a mistake: nobody notices that a bookie has left or returned. */
    public SimBookies withoutChanges() {
        noticesChanges = false;
        return this;
    }

    /** Lets ledgers with all copies lose their last entry, as a wrong copy would. */
    void loseEntriesOfCopies() {
        copiesAll = false;
    }

    /** Sets what happens before a ledger is read. */
    synchronized void observeReads(Runnable action) {
        readObserver = action;
    }

    private static final class Ledger {
        private final UUID cube;
        private final long epoch;
        private final List<TreeMap<Long, byte[]>> onBookies = new ArrayList<>();
        private final boolean[] fenced = new boolean[BOOKIES];
        private final boolean[] ensemble = new boolean[BOOKIES];
        private final List<InFlight> inFlight = new ArrayList<>();
        private long added;
        private long acknowledged;
        private long confirmed;
        private long closedAt = -1;

        Ledger(UUID cube, long epoch) {
            this.cube = cube;
            this.epoch = epoch;
            for (int i = 0; i < BOOKIES; i++) {
                onBookies.add(new TreeMap<>());
            }
        }
    }

    /** An entry that reaches the bookies when it is waited for. */
    private final class InFlight extends CompletableFuture<Void> {
        private final Ledger ledger;
        private final long number;
        private final byte[] entry;

        /** Entries acknowledged before, which this one confirms to readers. */
        private final long confirms;

        InFlight(Ledger ledger, byte[] entry) {
            this.ledger = ledger;
            this.number = ledger.added++;
            this.confirms = ledger.acknowledged;
            this.entry = entry;
        }

        @Override
        public Void join() {
            if (!waitsForBookies) {
                return null;
            }
            deliver(ledger, number);
            return super.join();
        }
    }

    private synchronized void deliver(Ledger ledger, long upTo) {
        while (!ledger.inFlight.isEmpty() && ledger.inFlight.get(0).number <= upTo) {
            InFlight next = ledger.inFlight.remove(0);
            int stored = store(ledger, next, isQuorumUp(ledger) ? BOOKIES : random.nextInt(QUORUM));
            if (stored >= QUORUM) {
                ledger.acknowledged = next.number + 1;
                next.complete(null);
            } else {
                boolean isFenced = isAnyTrue(ledger.fenced);
                next.completeExceptionally(
                        isFenced
                                ? new FencedException("fenced")
                                : new IOException("2 bookies are needed, " + stored + " answer"));
                List<InFlight> rest = List.copyOf(ledger.inFlight);
                ledger.inFlight.clear();
                rest.forEach(each -> each.completeExceptionally(new IOException("after another")));
            }
        }
    }

    /** Returns whether a quorum is up, with others in place of bookies that are down. */
    private boolean isQuorumUp(Ledger ledger) {
        for (int i = 0; i < BOOKIES && upIn(ledger.ensemble) < QUORUM; i++) {
            ledger.ensemble[i] |= !down[i];
        }
        return upIn(ledger.ensemble) >= QUORUM;
    }

    private int upIn(boolean[] ensemble) {
        int up = 0;
        for (int i = 0; i < BOOKIES; i++) {
            up += ensemble[i] && !down[i] ? 1 : 0;
        }
        return up;
    }

    private static boolean isAnyTrue(boolean[] flags) {
        for (boolean flag : flags) {
            if (flag) {
                return true;
            }
        }
        return false;
    }

    /** Stores an entry on so many bookies at most; returns on how many. */
    private int store(Ledger ledger, InFlight entry, int most) {
        int stored = 0;
        for (int i = 0; i < BOOKIES && stored < most; i++) {
            if (ledger.ensemble[i]
                    && !down[i]
                    && !ledger.fenced[i]
                    && (ledger.closedAt < 0 || !fences)) {
                ledger.onBookies.get(i).put(entry.number, entry.entry);
                ledger.confirmed = Math.max(ledger.confirmed, entry.confirms);
                stored++;
            }
        }
        return stored;
    }

    public synchronized void stop(int bookie) {
        changes += down[bookie] ? 0 : 1;
        down[bookie] = true;
    }

    /** Stops a bookie whose registration stays for some time. */
    synchronized void stopUnnoticed(int bookie) {
        down[bookie] = true;
    }

    public synchronized void start(int bookie) {
        changes += down[bookie] ? 1 : 0;
        down[bookie] = false;
    }

    /** An action while a process waits for bookies. */
    public interface Returns {
        /** Returns whether the process goes on waiting. */
        boolean run(int attempts);
    }

    /** Sets what happens while a process waits for bookies. */
    public synchronized void whileAwaited(Returns then) {
        returns = then;
    }

    /** Stops bookies once the list was changed so many times. */
    public synchronized void stopAfterChanges(int changes, int... bookies) {
        changesLeft = changes;
        stopping = bookies.clone();
    }

    /** Sets what happens before each call that may change something. */
    public synchronized void observe(Runnable action) {
        observer = action;
    }

    private void observed() {
        Runnable action;
        synchronized (this) {
            action = observer;
        }
        action.run();
    }

    /** Lets the list not answer whether it is owned. */
    public synchronized void loseList() {
        listAnswers = false;
    }

    /** Lets a later change of the list fail; the next call first. */
    synchronized void failChange(Fault fault) {
        listFaults.add(fault);
    }

    /** Leaves so much space for new ledgers. */
    public synchronized void leaveSpace(long bytes) {
        usableBytes = bytes;
    }

    public synchronized int ledgerCount() {
        return ledgers.size();
    }

    /** Returns the services as they are after the death of all their clients. */
    public synchronized SimBookies afterKill() {
        SimBookies copy = new SimBookies(random.split().nextLong());
        copy.lastLedger = lastLedger;
        copy.epoch = epoch;
        copy.left = left;
        copy.isCopy = isCopy;
        copy.usableBytes = usableBytes;
        copy.entryBytesMax = entryBytesMax;
        copy.fences = fences;
        copy.exchanges = exchanges;
        copy.noticesChanges = noticesChanges;
        copy.changes = changes;
        copy.waitsForBookies = waitsForBookies;
        copy.readsUnconfirmed = readsUnconfirmed;
        copy.listed.putAll(listed);
        System.arraycopy(down, 0, copy.down, 0, BOOKIES);
        ledgers.forEach(
                (id, ledger) -> {
                    Ledger image = new Ledger(ledger.cube, ledger.epoch);
                    image.closedAt = ledger.closedAt;
                    image.added = ledger.added;
                    image.acknowledged = ledger.acknowledged;
                    image.confirmed = ledger.confirmed;
                    System.arraycopy(ledger.fenced, 0, image.fenced, 0, BOOKIES);
                    System.arraycopy(ledger.ensemble, 0, image.ensemble, 0, BOOKIES);
                    for (int i = 0; i < BOOKIES; i++) {
                        image.onBookies.get(i).putAll(ledger.onBookies.get(i));
                    }
                    int arrived = random.nextInt(ledger.inFlight.size() + 1);
                    for (InFlight each : ledger.inFlight.subList(0, arrived)) {
                        copy.store(image, each, random.nextInt(BOOKIES + 1));
                    }
                    copy.ledgers.put(id, image);
                });
        return copy;
    }

    /** Returns the ledgers as one process uses them. */
    Ledgers ledgers() {
        return new Client();
    }

    /** Returns the list as one process uses it. */
    SegmentList list() {
        return new ListClient();
    }

    private final class Client implements Ledgers {
        @Override
        public int entryBytesMax() {
            return entryBytesMax;
        }

        @Override
        public Writer create(UUID cube, long ownerEpoch, boolean waits) throws IOException {
            synchronized (SimBookies.this) {
                for (int attempts = 1; waits && up() < QUORUM; attempts++) {
                    if (!returns.run(attempts)) {
                        break;
                    }
                }
            }
            return create(cube, ownerEpoch, QUORUM);
        }

        @Override
        public Writer createFull(UUID cube, long ownerEpoch) throws IOException {
            SimWriter writer = create(cube, ownerEpoch, BOOKIES);
            writer.losesLast = !copiesAll;
            return writer;
        }

        private SimWriter create(UUID cube, long ownerEpoch, int least) throws IOException {
            observed();
            synchronized (SimBookies.this) {
                require(least);
                long id = ++lastLedger;
                Ledger ledger = new Ledger(cube, ownerEpoch);
                for (int i = 0; i < BOOKIES; i++) {
                    ledger.ensemble[i] = !down[i];
                }
                ledgers.put(id, ledger);
                return new SimWriter(id, ledger);
            }
        }

        private int up() {
            return upIn(new boolean[] {true, true, true});
        }

        private void require(int least) throws IOException {
            if (up() < least) {
                throw new IOException(least + " bookies are needed, " + up() + " answer");
            }
        }

        @Override
        public void recover(long ledgerId) throws IOException {
            observed();
            synchronized (SimBookies.this) {
                Ledger ledger = existing(ledgerId);
                if (ledger.closedAt >= 0) {
                    return;
                }
                require(QUORUM);
                if (!isQuorumUp(ledger)) {
                    throw new IOException("2 bookies are needed");
                }
                TreeMap<Long, byte[]> all = new TreeMap<>();
                for (int i = 0; i < BOOKIES; i++) {
                    if (!down[i]) {
                        ledger.fenced[i] = fences;
                        all.putAll(ledger.onBookies.get(i));
                    }
                }
                long end = 0;
                while (all.containsKey(end)) {
                    for (int i = 0; i < BOOKIES; i++) {
                        if (ledger.ensemble[i] && !down[i]) {
                            ledger.onBookies.get(i).put(end, all.get(end));
                        }
                    }
                    end++;
                }
                ledger.closedAt = end;
            }
        }

        private Ledger existing(long ledgerId) throws IOException {
            Ledger ledger = ledgers.get(ledgerId);
            if (ledger == null) {
                throw new IOException("no ledger " + ledgerId);
            }
            return ledger;
        }

        @Override
        public void read(long ledgerId, long most, EntrySink sink) throws IOException {
            Runnable action;
            synchronized (SimBookies.this) {
                action = readObserver;
            }
            action.run();
            List<byte[]> entries = new ArrayList<>();
            synchronized (SimBookies.this) {
                Ledger ledger = existing(ledgerId);
                if (ledger.closedAt < 0) {
                    throw new IOException("ledger " + ledgerId + " is open");
                }
                for (long entry = 0; entry < Math.min(most, ledger.closedAt); entry++) {
                    entries.add(copyOf(ledger, entry));
                }
            }
            for (byte[] entry : entries) {
                sink.entry(ByteBuffer.wrap(entry));
            }
        }

        private byte[] copyOf(Ledger ledger, long entry) throws IOException {
            for (int i = 0; i < BOOKIES; i++) {
                byte[] found = down[i] ? null : ledger.onBookies.get(i).get(entry);
                if (found != null) {
                    return found;
                }
            }
            throw new IOException("no bookie has entry " + entry);
        }

        @Override
        public Confirmed readConfirmed(long ledgerId, long first, EntrySink sink)
                throws IOException {
            List<byte[]> entries = new ArrayList<>();
            boolean isClosed;
            long end;
            synchronized (SimBookies.this) {
                Ledger ledger = existing(ledgerId);
                isClosed = ledger.closedAt >= 0;
                end = isClosed ? ledger.closedAt : ledger.confirmed;
                while (readsUnconfirmed && !isClosed && isStored(ledger, end)) {
                    end++;
                }
                for (long entry = first; entry < end; entry++) {
                    entries.add(copyOf(ledger, entry));
                }
            }
            for (byte[] entry : entries) {
                sink.entry(ByteBuffer.wrap(entry));
            }
            return new Confirmed(end, isClosed, addedBytes(ledgerId));
        }

        private long addedBytes(long ledgerId) throws IOException {
            synchronized (SimBookies.this) {
                return existing(ledgerId).onBookies.stream()
                        .mapToLong(each -> each.values().stream().mapToLong(it -> it.length).sum())
                        .max()
                        .orElseThrow();
            }
        }

        private static boolean isStored(Ledger ledger, long entry) {
            return ledger.onBookies.stream().anyMatch(each -> each.containsKey(entry));
        }

        @Override
        public void delete(long ledgerId) {
            observed();
            synchronized (SimBookies.this) {
                ledgers.remove(ledgerId);
            }
        }

        @Override
        public List<Long> ofCube(UUID cube, long beforeEpoch) {
            synchronized (SimBookies.this) {
                return ledgers.entrySet().stream()
                        .filter(each -> each.getValue().cube.equals(cube))
                        .filter(each -> each.getValue().epoch < beforeEpoch)
                        .map(Map.Entry::getKey)
                        .toList();
            }
        }

        @Override
        public boolean awaitBookies(int attempts) {
            synchronized (SimBookies.this) {
                return returns.run(attempts);
            }
        }

        @Override
        public long bookieChanges() {
            synchronized (SimBookies.this) {
                return noticesChanges ? changes : 0;
            }
        }

        @Override
        public long usableBytes() {
            return usableBytes;
        }

        @Override
        public void close() {}
    }

    private final class SimWriter implements Ledgers.Writer {
        private final long id;
        private final Ledger ledger;
        private final boolean isUnderReplicated;
        private boolean losesLast;

        SimWriter(long id, Ledger ledger) {
            this.id = id;
            this.ledger = ledger;
            this.isUnderReplicated =
                    !(ledger.ensemble[0] && ledger.ensemble[1] && ledger.ensemble[2]);
        }

        @Override
        public boolean isUnderReplicated() {
            return isUnderReplicated;
        }

        @Override
        public long ledgerId() {
            return id;
        }

        @Override
        public CompletableFuture<Void> add(byte[] entry) {
            synchronized (SimBookies.this) {
                if (entry.length > entryBytesMax) {
                    throw new IllegalArgumentException("an entry of " + entry.length + " bytes");
                }
                InFlight added = new InFlight(ledger, Arrays.copyOf(entry, entry.length));
                ledger.inFlight.add(added);
                return added;
            }
        }

        @Override
        public void close() throws IOException {
            synchronized (SimBookies.this) {
                deliver(ledger, Long.MAX_VALUE);
                if (isAnyTrue(ledger.fenced)) {
                    throw new FencedException("fenced");
                }
                ledger.closedAt = ledger.added - (losesLast ? 1 : 0);
            }
        }
    }

    private final class ListClient implements SegmentList {
        private long owned = -1;

        @Override
        public Claimed claim() {
            observed();
            synchronized (SimBookies.this) {
                owned = ++epoch;
                return new Claimed(owned, List.copyOf(listed.values()));
            }
        }

        @Override
        public void change(List<Listed> put, List<Long> removed) throws IOException {
            observed();
            synchronized (SimBookies.this) {
                if (fences && owned != epoch) {
                    throw new FencedException("epoch " + epoch + " owns the log");
                }
                Fault fault = listFaults.isEmpty() ? null : listFaults.remove(0);
                if (fault == Fault.REFUSED) {
                    throw new IOException("the list does not answer");
                }
                changesLeft--;
                if (changesLeft == 0) {
                    for (int bookie : stopping) {
                        stop(bookie);
                    }
                }
                for (Listed each : put) {
                    Listed before = listed.get(each.name().number());
                    if (exchanges || before == null || before.ledgerId() == each.ledgerId()) {
                        listed.put(each.name().number(), each);
                    }
                }
                removed.forEach(listed::remove);
                if (fault == Fault.ANSWER_LOST) {
                    throw new IOException("the answer of the list is lost");
                }
            }
        }

        @Override
        public void leave(UUID token) throws IOException {
            observed();
            synchronized (SimBookies.this) {
                if (fences && owned != epoch) {
                    throw new FencedException("epoch " + epoch + " owns the log");
                }
                listed.clear();
                left = Optional.of(token);
            }
        }

        @Override
        public void requireOwned() throws IOException {
            synchronized (SimBookies.this) {
                if (!listAnswers) {
                    throw new IOException("the list does not answer");
                }
                if (fences && owned != epoch) {
                    throw new FencedException("epoch " + epoch + " owns the log");
                }
            }
        }

        @Override
        public void close() {}
    }

    /** Returns the number of listed segments that have fewer copies than wanted. */
    public synchronized long underReplicated() {
        return listed.values().stream().filter(SegmentList.Listed::isUnderReplicated).count();
    }

    /** Returns the number of entries in closed, listed ledgers that are not on all bookies. */
    public synchronized long missingCopies() {
        return listed.values().stream()
                .filter(SegmentList.Listed::isSealed)
                .map(each -> ledgers.get(each.ledgerId()))
                .mapToLong(
                        ledger ->
                                LongStream.range(0, ledger.closedAt)
                                        .filter(entry -> !isOnAll(ledger, entry))
                                        .count())
                .sum();
    }

    private static boolean isOnAll(Ledger ledger, long entry) {
        return ledger.onBookies.stream().allMatch(each -> each.containsKey(entry));
    }

    /** Returns the names in the list. */
    synchronized List<SegmentFileName> names() {
        return listed.values().stream().map(SegmentList.Listed::name).toList();
    }

    /** Returns the place of a log for one process. */
    public SegmentStores stores() {
        return new Place();
    }

    private final class Place implements SegmentStores {
        @Override
        public Optional<UUID> identity() {
            return Optional.empty();
        }

        @Override
        public SegmentStore open(LogOptions options) throws IOException {
            synchronized (SimBookies.this) {
                if (left.isPresent() || isCopy) {
                    throw new IOException("the log is elsewhere");
                }
            }
            return store(options);
        }

        @Override
        public SegmentStore openCopy(LogOptions options) throws IOException {
            observed();
            synchronized (SimBookies.this) {
                if (!isCopy && left.isEmpty() && epoch > 0) {
                    throw new IOException("the log is here already");
                }
                isCopy = true;
                left = Optional.empty();
            }
            return store(options);
        }

        @Override
        public void adoptCopy(UUID cube) {
            observed();
            synchronized (SimBookies.this) {
                isCopy = false;
            }
        }

        @Override
        public boolean hasLeft(UUID cube, UUID token) {
            synchronized (SimBookies.this) {
                return left.equals(Optional.of(token));
            }
        }

        @Override
        public void remove(LogOptions options) throws IOException {
            observed();
            synchronized (SimBookies.this) {
                if (!isCopy && left.isEmpty()) {
                    throw new IOException("the log is here");
                }
                ledgers.clear();
                listed.clear();
                if (isCopy) {
                    isCopy = false;
                    epoch = 0;
                }
            }
            LocalSegmentStores.removeFiles(options);
        }
    }

    /** Opens a store of segments for one process. */
    public LedgerSegmentStore store(LogOptions options) {
        return store(options, LedgerSettings.defaults());
    }

    /** Opens a reader of the log for a process that does not own it. */
    public LedgerFollower follower(LogOptions options) {
        return new LedgerFollower(
                options,
                ledgers(),
                () -> {
                    synchronized (SimBookies.this) {
                        return epoch == 0
                                ? Optional.empty()
                                : Optional.of(
                                        new SegmentList.Claimed(
                                                epoch, List.copyOf(listed.values())));
                    }
                },
                LedgerSettings.defaults());
    }

    LedgerSegmentStore store(LogOptions options, LedgerSettings settings) {
        return new LedgerSegmentStore(options, ledgers(), list(), settings);
    }
}
