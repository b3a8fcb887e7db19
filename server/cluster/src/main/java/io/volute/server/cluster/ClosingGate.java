package io.volute.server.cluster;

import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the requests of this node's own clients while the store is open on it. Once closed, it
 * passes new requests on to the next owner, so that the store can be closed after the last one.
 * Thread-safe.
 */
final class ClosingGate implements RequestWatch {
    private final RequestWatch next;
    private final AtomicLong underWay = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition none = lock.newCondition();

    /** Ids of requests that are not counted any more, because the next owner handles them. */
    private final Set<String> passedOn = ConcurrentHashMap.newKeySet();

    private volatile boolean isClosed;

    /**
     * @param next receives all events, too
     */
    ClosingGate(RequestWatch next) {
        this.next = next;
    }

    /** Passes new requests on from now on. */
    void close() {
        isClosed = true;
    }

    boolean isClosed() {
        return isClosed;
    }

    /**
     * Returns a handler of counted requests.
     *
     * @param otherwise handles them once this is closed
     */
    S3Handler before(S3Handler store, S3Handler otherwise) {
        return (head, body) -> {
            if (!isClosed) {
                return store.handle(head, body);
            }
            passOn(head);
            return otherwise.handle(head, body);
        };
    }

    /** Counts a request no more, because something else than the store handles it. */
    void passOn(HttpHead head) {
        passedOn.add(head.requestId());
        end();
    }

    /** Waits until no counted request is under way; false when there are some after that time. */
    boolean awaitNone(long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (underWay.get() > 0 && rest > 0) {
                rest = none.awaitNanos(rest);
            }
            return underWay.get() == 0;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        if (underWay.decrementAndGet() == 0 && isClosed) {
            lock.lock();
            try {
                none.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public long now() {
        return next.now();
    }

    @Override
    public RequestBody begun(HttpHead head, RequestBody body) {
        underWay.incrementAndGet();
        return next.begun(head, body);
    }

    @Override
    public void answered(HttpHead head, Answered how) {
        if (!passedOn.remove(head.requestId())) {
            end();
        }
        next.answered(head, how);
    }

    @Override
    public void refused(Refused refused) {
        next.refused(refused);
    }
}
