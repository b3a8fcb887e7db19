package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.EVENTS;

import io.volute.storage.Cube;
import io.volute.storage.Transaction;
import io.volute.versioning.Caller;
import io.volute.versioning.causality.Actor;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events that are not in the log yet, by actor. What an actor read goes to the log with its
 * next write, in the same commit, so that no reader waits for one; or by itself, when it becomes
 * much, or somebody asks. Thread-safe.
 */
final class EventLog {
    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);

    /**
     * Events of a row at most: of so many a commit has room. When an actor has more, they are
     * written down although it writes nothing.
     */
    private static final int ROW_EVENTS_MAX = 512;

    private static final long ROW_BYTES_MAX = 256 << 10;

    /** Of the commit, beside the write that it is ordered before. */
    private static final int ROW_SHARE = 8;

    /** Events of an actor in memory, when the store takes no writes. */
    private static final int EVENTS_MAX = 1 << 16;

    private final Cube cube;
    private final InstantSource clock;
    private final EventNumbers numbers;
    private final long rowBytesMax;
    private final Map<Long, Pending> pending = new ConcurrentHashMap<>();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean isClosing;

    EventLog(Cube cube, InstantSource clock) {
        this.cube = cube;
        this.clock = clock;
        this.numbers = new EventNumbers(cube);
        this.rowBytesMax = Math.min(ROW_BYTES_MAX, cube.transactionBytesMax() / ROW_SHARE);
    }

    /** Of one actor; all access is synchronized on it. */
    private final class Pending {
        private final Optional<ActorRow> introduction;

        /** Held by who writes down more than a row: others need the same, and wait. */
        private final ReentrantLock draining = new ReentrantLock();

        private boolean isIntroduced;
        private List<Event> events = new ArrayList<>(0);
        private long bytes;
        private boolean isFlushing;
        private boolean isOverfull;

        Pending(ActorRow introduction) {
            this.introduction = Optional.of(introduction);
        }

        synchronized void flushed() {
            isFlushing = false;
        }

        /** Rows that all its events fill. */
        synchronized int rows() {
            int rows = 0;
            for (int from = 0; from < events.size(); rows++) {
                from = rowEnd(from);
            }
            return rows;
        }

        /** Index behind the events that go into a row with the one at {@code from}. */
        int rowEnd(int from) {
            int end = Math.min(events.size(), from + ROW_EVENTS_MAX);
            if (bytes <= rowBytesMax) {
                return end;
            }
            long left = rowBytesMax;
            for (int i = from; i < end; i++) {
                left -= EventRow.bytesMax(events.get(i));
                if (left < 0 && i > from) {
                    return i;
                }
            }
            return end;
        }
    }

    /**
     * What goes into one commit.
     *
     * @param events oldest first
     */
    record Taken(long actor, Optional<ActorRow> introduction, List<Event> events) {}

    EventNumbers numbers() {
        return numbers;
    }

    /** An actor that makes a request: its events will say who it is. */
    void present(Actor actor, Caller caller) {
        if (!pending.containsKey(actor.id())) {
            pending.putIfAbsent(actor.id(), new Pending(ActorRow.of(caller, clock.instant())));
        }
    }

    /** Takes note of what an actor read. */
    void add(long actor, Event event) {
        Pending mine = pending.get(actor);
        if (mine == null) {
            return;
        }
        boolean isMuch;
        synchronized (mine) {
            if (mine.events.size() < EVENTS_MAX) {
                mine.events.add(event);
                mine.bytes += EventRow.bytesMax(event);
            } else if (!mine.isOverfull) {
                mine.isOverfull = true;
                LOG.warn("reads of actor {} cannot be written down and are forgotten", actor);
            }
            boolean fillsRow = mine.events.size() >= ROW_EVENTS_MAX || mine.bytes >= rowBytesMax;
            isMuch = fillsRow && !mine.isFlushing;
            mine.isFlushing |= isMuch;
        }
        if (isMuch) {
            // Not by the reader: where space is short a commit waits.
            inBackground(
                    () -> {
                        try {
                            drain(actor, mine);
                        } finally {
                            mine.flushed();
                        }
                    });
        }
    }

    /** What may take time, or fail. */
    private interface Work {
        void run() throws IOException;
    }

    private void inBackground(Work work) {
        Thread started =
                Thread.ofVirtual()
                        .name("event-flush")
                        .start(
                                () -> {
                                    try {
                                        work.run();
                                    } catch (IOException e) {
                                        tell(e);
                                    }
                                });
        assert started.isVirtual();
    }

    /** Where space is short that is so for each read. */
    private void tell(IOException e) {
        long count = failures.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            LOG.warn("reads are not written down, number {}: {}", count, e.getMessage());
        }
    }

    /**
     * What must be in the log before a write of the actor is: it stays here until that is so, for
     * another write may overtake this one. What has no room in the commit is written down at once.
     *
     * @param makesRoom the write is one that a full store takes, so it takes that too
     */
    Taken take(long actor, boolean makesRoom) throws IOException {
        Pending mine = pending.get(actor);
        if (mine == null) {
            return new Taken(actor, Optional.empty(), List.of());
        }
        if (mine.rows() > 1) {
            drain(actor, mine, makesRoom);
        }
        return taken(actor, mine);
    }

    private Taken taken(long actor, Pending mine) {
        synchronized (mine) {
            int count = mine.events.isEmpty() ? 0 : mine.rowEnd(0);
            return new Taken(
                    actor,
                    mine.isIntroduced ? Optional.empty() : mine.introduction,
                    List.copyOf(mine.events.subList(0, count)));
        }
    }

    /** What was taken is in the log. */
    void logged(Taken taken) {
        Pending mine = pending.get(taken.actor());
        if (mine == null) {
            return;
        }
        synchronized (mine) {
            mine.isIntroduced |= taken.introduction().isPresent();
            int count = 0;
            while (count < Math.min(taken.events().size(), mine.events.size())
                    && taken.events().get(count) == mine.events.get(count)) {
                mine.bytes -= EventRow.bytesMax(mine.events.get(count));
                count++;
            }
            mine.events = new ArrayList<>(mine.events.subList(count, mine.events.size()));
        }
    }

    /** An actor has ended: what it read last is written down. */
    void ended(Actor actor) {
        Pending mine = pending.get(actor.id());
        if (mine != null) {
            inBackground(
                    () -> {
                        try {
                            drain(actor.id(), mine);
                        } finally {
                            pending.remove(actor.id(), mine);
                        }
                    });
        }
    }

    /** Writes down everything that happened before this call. */
    void flush() throws IOException {
        List<CompletableFuture<Long>> flushes = new ArrayList<>();
        List<Map.Entry<Long, Pending>> more = new ArrayList<>();
        for (Map.Entry<Long, Pending> each : pending.entrySet()) {
            if (each.getValue().rows() > 1) {
                more.add(each);
            } else {
                flushes.add(flush(each.getKey(), each.getValue(), isClosing));
            }
        }
        for (CompletableFuture<Long> flush : flushes) {
            Commits.join(flush);
        }
        for (Map.Entry<Long, Pending> each : more) {
            drain(each.getKey(), each.getValue());
        }
    }

    /** The same for the last time: a full store takes that too. */
    void close() throws IOException {
        isClosing = true;
        flush();
    }

    /** Writes down what the actor has now, row by row. */
    private void drain(long actor, Pending mine) throws IOException {
        drain(actor, mine, isClosing);
    }

    private void drain(long actor, Pending mine, boolean makesRoom) throws IOException {
        mine.draining.lock();
        try {
            for (int rows = mine.rows(); rows > 0; rows--) {
                Commits.join(flush(actor, mine, makesRoom));
            }
        } finally {
            mine.draining.unlock();
        }
    }

    private CompletableFuture<Long> flush(long actor, Pending mine, boolean makesRoom) {
        Taken taken = taken(actor, mine);
        if (taken.events().isEmpty()) {
            return CompletableFuture.completedFuture(0L);
        }
        Transaction transaction = new Transaction();
        if (makesRoom) {
            transaction.makingRoom();
        }
        Hold numbering = numbers.hold();
        put(transaction, taken, taken.events());
        return cube.commit(transaction)
                .whenComplete(
                        (sequence, failure) -> {
                            numbering.close();
                            if (failure == null) {
                                logged(taken);
                            }
                        });
    }

    /**
     * Adds events, and who the actor is, to what is committed; the caller holds the {@link
     * #numbers} until that has ended.
     */
    void put(Transaction transaction, Taken taken, List<Event> events) {
        EncodedRow row = EventRow.encode(events);
        transaction.putNew(
                EVENTS, RowKeys.number(numbers.next()), row.summary(), row.detail(), List.of());
        taken.introduction()
                .ifPresent(
                        who ->
                                transaction.put(
                                        ACTORS,
                                        RowKeys.number(taken.actor()),
                                        who.encode(),
                                        new byte[0],
                                        List.of()));
    }
}
