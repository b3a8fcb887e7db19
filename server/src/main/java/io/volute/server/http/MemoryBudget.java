package io.volute.server.http;

import io.volute.server.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Heap for the documents and answers of requests, weighed in bytes. It is shared fairly: a network
 * of clients, or a caller, holds at most twice the bytes that are free. So one alone gets two
 * thirds, and each further one leaves something for the next. Callers who are not authenticated
 * have a part of it at most; the root has a reserve besides. Small answers need no share: requests
 * that hold nothing never come here. Thread-safe.
 *
 * <p>When a request finds too little, the budget cuts off clients that take their answers too
 * slowly, and the request waits a bounded time.
 */
final class MemoryBudget {
    /** A holder has at most so many times the bytes that are free. */
    private static final int SHARE = 2;

    /**
     * The last tenth is for holders that have nothing, a quarter of it at once. Otherwise a few
     * networks, one after another, take all: each leaves a third of what it found.
     */
    private static final int KEPT_FOR_NEW = 10;

    private static final int PARTS_OF_KEPT = 4;

    /** Answers younger than this are not cut off: their rate is not known yet. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int WAIT_SECONDS = 5;

    /** A waiting request looks again after this time, also when nothing was returned. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long all;
    private final long unauthenticatedMost;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();
    private final Map<String, Long> networks = new HashMap<>();
    private final Map<String, Long> callers = new HashMap<>();
    private final Set<Holding> sending = new LinkedHashSet<>();
    private long held;
    private long unauthenticated;
    private long lastCut;
    private int waiting;
    private long refused;
    private long cut;

    /**
     * @param all bytes; the root's reserve comes on top
     * @param unauthenticatedMost bytes of these for callers who are not authenticated
     * @param nanos a monotonic clock
     */
    public MemoryBudget(long all, long unauthenticatedMost, LongSupplier nanos) {
        this.all = all;
        this.unauthenticatedMost = unauthenticatedMost;
        this.nanos = nanos;
        this.lastCut = nanos.getAsLong() - LOOK_NANOS;
    }

    /**
     * The state of a budget.
     *
     * @param held bytes of all holders
     * @param unauthenticated bytes of these that callers hold who are not authenticated
     * @param holders networks and callers that hold bytes
     * @param waiting requests that wait for bytes
     * @param refused requests without bytes since the start
     * @param cut slow clients since the start
     */
    public record Usage(
            long held, long unauthenticated, int holders, int waiting, long refused, long cut) {}

    /** Returns the present state. */
    public Usage usage() {
        lock.lock();
        try {
            return new Usage(
                    held, unauthenticated, networks.size() + callers.size(), waiting, refused, cut);
        } finally {
            lock.unlock();
        }
    }

    private enum Standing {
        UNAUTHENTICATED,
        CALLER,
        ROOT
    }

    /** The bound that a request has met. */
    private enum Shortage {
        NONE,
        ALL,
        UNAUTHENTICATED,
        NETWORK,
        CALLER
    }

    /**
     * Returns what one request holds: nothing yet, as a caller who is not authenticated.
     *
     * @param network of the client
     * @param cutOff closes the client's connection; called under the budget's lock
     */
    public Holding holding(String network, Runnable cutOff) {
        return new Holding(network, cutOff);
    }

    /** The bytes that one request holds. Its request uses it from one thread at a time. */
    public final class Holding implements AutoCloseable {
        private final String network;
        private final Runnable cutOff;
        private String caller = "";
        private Standing standing = Standing.UNAUTHENTICATED;
        private boolean isCut;
        private boolean isSending;
        private long sendingSince;

        /** Written under the lock; the request's own thread reads it without. */
        private volatile long bytes;

        private volatile long written;

        private Holding(String network, Runnable cutOff) {
            this.network = network;
            this.cutOff = cutOff;
        }

        /** Moves the bytes to a caller who has been authenticated. */
        public void authenticated(String principal, boolean isRoot) {
            if (bytes == 0) {
                caller = principal;
                standing = isRoot ? Standing.ROOT : Standing.CALLER;
                return;
            }
            lock.lock();
            try {
                long moved = bytes;
                add(this, -moved);
                caller = principal;
                standing = isRoot ? Standing.ROOT : Standing.CALLER;
                add(this, moved);
                returned.signal();
            } finally {
                lock.unlock();
            }
        }

        /** Takes bytes; waits a bounded time for them. Returns false, and takes none, without. */
        public boolean take(long more) {
            return MemoryBudget.this.take(this, more, WAIT_SECONDS);
        }

        /** Takes bytes if they are there now. */
        public boolean tryTake(long more) {
            return MemoryBudget.this.take(this, more, 0);
        }

        /** Returns bytes. */
        public void giveBack(long less) {
            if (less > 0) {
                lock.lock();
                try {
                    add(this, -less);
                    returned.signal();
                } finally {
                    lock.unlock();
                }
            }
        }

        /**
         * The answer is made: holds its weight from now on, in place of all before. The client can
         * be cut off when it takes the answer too slowly.
         *
         * @return false when there are too few bytes; what was held before is returned then
         */
        public boolean sends(long weight) {
            long before = bytes;
            if (before == 0 && weight == 0) {
                return true;
            }
            boolean fits = weight <= before || take(weight - before);
            giveBack(fits ? Math.max(0, before - weight) : before);
            if (fits && weight > 0) {
                lock.lock();
                try {
                    sendingSince = nanos.getAsLong();
                    isSending = true;
                    sending.add(this);
                } finally {
                    lock.unlock();
                }
            }
            return fits;
        }

        /** Returns the bytes that it holds. */
        public long bytes() {
            return bytes;
        }

        /** The client took bytes of the answer. Called on one thread. */
        public void written(long taken) {
            written = written + taken;
        }

        /** Returns everything. The request has ended. */
        @Override
        public void close() {
            if (bytes > 0 || isSending) {
                lock.lock();
                try {
                    isSending = false;
                    sending.remove(this);
                    add(this, -bytes);
                    returned.signal();
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    private boolean take(Holding holding, long more, long seconds) {
        lock.lock();
        try {
            Shortage shortage = tryTake(holding, more);
            long end = nanos.getAsLong() + TimeUnit.SECONDS.toNanos(seconds);
            while (shortage != Shortage.NONE) {
                cutSlow(holding, shortage, more);
                long rest = end - nanos.getAsLong();
                if (rest <= 0 || !await(Math.min(rest, LOOK_NANOS))) {
                    refused++;
                    return false;
                }
                shortage = tryTake(holding, more);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean await(long time) {
        waiting++;
        try {
            long unused = returned.awaitNanos(time);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            waiting--;
        }
    }

    private Shortage tryTake(Holding holding, long more) {
        Shortage shortage = shortage(holding, more);
        if (shortage == Shortage.NONE) {
            add(holding, more);
        }
        return shortage;
    }

    private Shortage shortage(Holding holding, long more) {
        if (holding.standing == Standing.ROOT) {
            boolean fits = held + more <= all + Limits.ROOT_HEAP_BYTES_MAX;
            return fits ? Shortage.NONE : Shortage.ALL;
        }
        long ofNetwork = networks.getOrDefault(holding.network, 0L);
        if (held + more > all || !mayTakeKept(ofNetwork, more, all, held)) {
            return Shortage.ALL;
        }
        if (!isFair(ofNetwork, more, all, held)) {
            return Shortage.NETWORK;
        }
        if (holding.standing == Standing.UNAUTHENTICATED) {
            if (unauthenticated + more > unauthenticatedMost
                    || !mayTakeKept(ofNetwork, more, unauthenticatedMost, unauthenticated)) {
                return Shortage.UNAUTHENTICATED;
            }
            return isFair(ofNetwork, more, unauthenticatedMost, unauthenticated)
                    ? Shortage.NONE
                    : Shortage.NETWORK;
        }
        return isFair(callers.getOrDefault(holding.caller, 0L), more, all, held)
                ? Shortage.NONE
                : Shortage.CALLER;
    }

    /**
     * Returns whether a holder may have more, when so many of all are taken: bytes, or places. Its
     * own are at most twice what is free outside the part for holders that have nothing.
     */
    public static boolean isFair(long own, long more, long all, long taken) {
        return own == 0 || own + more <= SHARE * (all - all / KEPT_FOR_NEW - taken);
    }

    /** Returns whether a holder that has nothing leaves enough for others that have nothing. */
    private static boolean mayTakeKept(long own, long more, long all, long taken) {
        long free = all - taken;
        return own > 0 || more <= Math.max(free - all / KEPT_FOR_NEW, free / PARTS_OF_KEPT);
    }

    private void add(Holding holding, long more) {
        if (more == 0) {
            return;
        }
        holding.bytes += more;
        held += more;
        if (holding.standing == Standing.UNAUTHENTICATED) {
            unauthenticated += more;
        }
        if (holding.standing == Standing.CALLER) {
            add(callers, holding.caller, more);
        }
        if (holding.standing != Standing.ROOT) {
            add(networks, holding.network, more);
        }
    }

    private static void add(Map<String, Long> sums, String name, long more) {
        sums.merge(name, more, (before, added) -> before + added == 0 ? null : before + added);
    }

    /**
     * Cuts off clients that take their answers more slowly than the least rate, until what they
     * hold would do. Those that hold most for the least progress go first.
     */
    private void cutSlow(Holding asking, Shortage shortage, long needed) {
        long now = nanos.getAsLong();
        if (now - lastCut < LOOK_NANOS) {
            return;
        }
        lastCut = now;
        List<Holding> slow = new ArrayList<>();
        long freed = 0;
        for (Holding each : sending) {
            if (each.isCut) {
                // Its bytes are on their way back.
                freed += helps(each, asking, shortage) ? each.bytes : 0;
            } else if (helps(each, asking, shortage) && isSlow(each, now)) {
                slow.add(each);
            }
        }
        slow.sort(Comparator.comparingDouble((Holding each) -> cost(each, now)).reversed());
        for (Holding each : slow) {
            if (freed >= needed) {
                return;
            }
            each.isCut = true;
            cut++;
            freed += each.bytes;
            each.cutOff.run();
        }
    }

    private static boolean helps(Holding holder, Holding asking, Shortage shortage) {
        return switch (shortage) {
            case NONE -> false;
            case ALL -> true;
            case UNAUTHENTICATED -> holder.standing == Standing.UNAUTHENTICATED;
            case NETWORK ->
                    holder.standing != Standing.ROOT && holder.network.equals(asking.network);
            case CALLER ->
                    holder.standing == Standing.CALLER && holder.caller.equals(asking.caller);
        };
    }

    private static boolean isSlow(Holding holder, long now) {
        long age = now - holder.sendingSince;
        return age >= GRACE_NANOS && holder.written < Limits.READER_RATE_BYTES_MIN * (age / 1e9);
    }

    /** Byte-seconds that a holder takes for each byte of progress. */
    private static double cost(Holding holder, long now) {
        return holder.bytes * ((now - holder.sendingSince) / 1e9) / (holder.written + 1);
    }
}
