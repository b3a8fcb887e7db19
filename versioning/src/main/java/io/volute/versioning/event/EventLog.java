package io.volute.versioning.event;

import static io.volute.versioning.event.PendingReads.ROW_EVENTS_MAX;
import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.EVENTS;

import io.volute.storage.Cube;
import io.volute.storage.Transaction;
import io.volute.versioning.causality.Actor;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.event.PendingReads.Taken;
import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events that are not in the log yet, by actor. The reads of an actor go to the log in the
 * commit of its next write, so that no reader waits for a commit. They are flushed alone when they
 * fill a row, when the actor ends, or on {@link #flush}. Pending events have a bound on the heap:
 * from half of it on the oldest are flushed. When the log accepts none, further events are dropped
 * and counted. Thread-safe.
 */
public final class EventLog {
    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);

    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
    private static final long ROW_BYTES_MAX = 256 << 10;

    /** Fraction of a commit that a row of events may take, beside the write that it precedes. */
    private static final int ROW_SHARE = 8;

    private final Cube cube;
    private final InstantSource clock;
    private final EventNumbers numbers;
    private final long rowBytesMax;
    private final ReadBudget budget;
    private final Map<Long, PendingReads> pending = new ConcurrentHashMap<>();

    /** Ended actors whose last reads are not in the log yet. */
    private final Queue<PendingReads> ended = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean isFlushing = new AtomicBoolean();
    private final Executor background;

    /** Earliest time of the next flush after the log refused one. */
    private volatile Instant retryAt = Instant.MIN;

    /** Held while reads of several actors are flushed, so that each is written once. */
    private final ReentrantLock writing = new ReentrantLock();

    private final AtomicLong failures = new AtomicLong();
    private volatile boolean isClosing;

    /**
     * Creates a log that flushes on virtual threads.
     *
     * @param bytesMax heap in bytes that pending events may take
     */
    public EventLog(Cube cube, InstantSource clock, long bytesMax) {
        this(cube, clock, bytesMax, EventLog::runOnItsThread);
    }

    /**
     * Creates a log.
     *
     * @param bytesMax heap in bytes that pending events may take
     * @param background runs the flushes, for which no reader waits
     */
    public EventLog(Cube cube, InstantSource clock, long bytesMax, Executor background) {
        this.background = background;
        this.cube = cube;
        this.budget = new ReadBudget(bytesMax);
        this.clock = clock;
        this.numbers = new EventNumbers(cube);
        this.rowBytesMax = Math.min(ROW_BYTES_MAX, cube.transactionBytesMax() / ROW_SHARE);
    }

    public EventNumbers numbers() {
        return numbers;
    }

    /** Returns the bytes on the heap of all events that are not in the log yet. */
    public long pendingBytes() {
        return budget.held();
    }

    /** Returns the number of reads that were dropped because there was no room for them. */
    public long dropped() {
        return budget.dropped();
    }

    /** Registers an actor that makes a request. Its events will introduce it. */
    public void present(Actor actor, Caller caller) {
        if (!pending.containsKey(actor.id())) {
            ActorRow introduction = ActorRow.of(caller, clock.instant());
            pending.putIfAbsent(
                    actor.id(), new PendingReads(actor.id(), introduction, budget, rowBytesMax));
            if (!actor.isOpen()) {
                ended(actor);
            }
        }
    }

    /** Adds a read of an actor. Drops and counts it when too much is pending. */
    public void add(long actor, Event event) {
        PendingReads mine = pending.get(actor);
        if (mine == null) {
            budget.drop();
            return;
        }
        if (mine.add(event)) {
            // Not in the reader's thread: where space is short, a commit waits.
            inBackground(
                    () -> {
                        try {
                            drain(mine, isClosing);
                        } finally {
                            mine.flushed();
                        }
                    });
        }
        if (budget.isHigh()) {
            flushOldest();
        }
    }

    /** Work that may take time or fail. */
    private interface Work {
        void run() throws IOException;
    }

    private void inBackground(Work work) {
        background.execute(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        tell(e);
                    }
                });
    }

    private static void runOnItsThread(Runnable work) {
        Thread started = Thread.ofVirtual().name("event-flush").start(work);
        assert started.isVirtual();
    }

    /** Logs failures 1, 2, 4, 8 and so on: where space is short, every flush fails. */
    private void tell(IOException e) {
        retryAt = clock.instant().plus(RETRY_DELAY);
        long count = failures.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            LOG.warn("Cannot write reads to the history ({} failures): {}", count, e.getMessage());
        }
    }

    /**
     * Returns the first pending events of an actor, which the commit of its next write must
     * contain. They stay pending until {@link #logged}, because another write may overtake this
     * one. Events beyond one row are flushed at once.
     *
     * @param makesRoom whether a full store accepts the write; it then accepts the flush, too
     */
    public Taken take(Actor actor, Caller caller, boolean makesRoom) throws IOException {
        PendingReads mine = pending.get(actor.id());
        if (mine == null) {
            // The actor has ended meanwhile.
            ActorRow introduction = ActorRow.of(caller, clock.instant());
            return new Taken(actor.id(), Optional.of(introduction), List.of());
        }
        if (mine.rows() > 1) {
            drain(mine, makesRoom);
        }
        return mine.take(ROW_EVENTS_MAX);
    }

    /** Removes events that are in the log now. */
    public void logged(Taken taken) {
        PendingReads mine = pending.get(taken.actor());
        if (mine != null) {
            mine.logged(taken);
        }
    }

    /** Flushes the last reads of an ended actor. */
    public void ended(Actor actor) {
        PendingReads mine = pending.get(actor.id());
        if (mine != null && !isRemoved(mine)) {
            ended.add(mine);
            flushOldest();
        }
    }

    private boolean isRemoved(PendingReads mine) {
        boolean isEmpty = mine.close();
        if (isEmpty) {
            pending.remove(mine.actor(), mine);
        }
        return isEmpty;
    }

    /**
     * Flushes the reads of ended actors, then the oldest of others while more than half of the
     * budget is used. Runs in one thread at a time.
     */
    private void flushOldest() {
        if (!clock.instant().isBefore(retryAt) && isFlushing.compareAndSet(false, true)) {
            inBackground(
                    () -> {
                        try {
                            while (!ended.isEmpty() || budget.isHigh()) {
                                flushSome();
                            }
                        } finally {
                            isFlushing.set(false);
                        }
                        if (!ended.isEmpty()) {
                            flushOldest();
                        }
                    });
        }
    }

    private void flushSome() throws IOException {
        List<PendingReads> over = new ArrayList<>();
        for (PendingReads next = ended.poll(); next != null; next = ended.poll()) {
            over.add(next);
            if (over.size() == ROW_EVENTS_MAX) {
                break;
            }
        }
        try {
            write(over.isEmpty() ? budget.oldest(ROW_EVENTS_MAX) : over, isClosing);
        } finally {
            over.stream().filter(mine -> !isRemoved(mine)).forEach(ended::add);
        }
    }

    /** Writes all events that happened before this call. */
    public void flush() throws IOException {
        write(budget.oldest(Integer.MAX_VALUE), isClosing);
    }

    /** Flushes for the last time. A full store accepts this, too. */
    public void close() throws IOException {
        isClosing = true;
        flush();
    }

    /** Flushes the present events of these actors, in shared rows. */
    private void write(List<PendingReads> some, boolean makesRoom) throws IOException {
        writing.lock();
        try {
            List<Taken> row = new ArrayList<>();
            int events = 0;
            long bytes = 0;
            for (PendingReads mine : some) {
                for (int left = mine.size(); left > 0; ) {
                    Taken taken = mine.take(Math.min(left, ROW_EVENTS_MAX - events));
                    if (taken.events().isEmpty()) {
                        break;
                    }
                    if (!row.isEmpty() && bytes + taken.bytesMax() > rowBytesMax) {
                        taken = new Taken(mine.actor(), Optional.empty(), List.of());
                    } else {
                        row.add(taken);
                    }
                    events += taken.events().size();
                    bytes += taken.bytesMax();
                    left -= taken.events().size();
                    // The next events of an actor must be behind those that are in the log.
                    if (left > 0 || events == ROW_EVENTS_MAX) {
                        Commits.join(commit(row, makesRoom));
                        row.clear();
                        events = 0;
                        bytes = 0;
                    }
                }
            }
            Commits.join(commit(row, makesRoom));
        } finally {
            writing.unlock();
        }
    }

    /** Flushes the present events of one actor, row by row. */
    private void drain(PendingReads mine, boolean makesRoom) throws IOException {
        mine.draining().lock();
        try {
            for (int rows = mine.rows(); rows > 0; rows--) {
                Commits.join(commit(List.of(mine.take(ROW_EVENTS_MAX)), makesRoom));
            }
        } finally {
            mine.draining().unlock();
        }
    }

    private CompletableFuture<Long> commit(List<Taken> row, boolean makesRoom) {
        List<Taken> all = List.copyOf(row);
        List<Event> events = all.stream().flatMap(taken -> taken.events().stream()).toList();
        if (events.isEmpty()) {
            return CompletableFuture.completedFuture(0L);
        }
        Transaction transaction = new Transaction();
        if (makesRoom) {
            transaction.makingRoom();
        }
        ScopedHold numbering = numbers.hold();
        put(transaction, all, events);
        return cube.commit(transaction)
                .whenComplete(
                        (sequence, failure) -> {
                            numbering.close();
                            if (failure == null) {
                                all.forEach(this::logged);
                            }
                        });
    }

    /**
     * Adds events and the introductions of their actors to a transaction. The caller holds the
     * {@link #numbers} until the commit has ended.
     */
    public void put(Transaction transaction, List<Taken> taken, List<Event> events) {
        EncodedRow row = EventRow.encode(events);
        transaction.putNew(
                EVENTS, RowKeys.number(numbers.next()), row.summary(), row.detail(), List.of());
        for (Taken each : taken) {
            each.introduction()
                    .ifPresent(
                            who ->
                                    transaction.put(
                                            ACTORS,
                                            RowKeys.number(each.actor()),
                                            who.encode(),
                                            new byte[0],
                                            List.of()));
        }
    }
}
