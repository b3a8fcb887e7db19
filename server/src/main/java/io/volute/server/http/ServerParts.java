package io.volute.server.http;

import io.netty.channel.Channel;
import io.netty.util.concurrent.Ticker;
import io.volute.server.http.message.Refusal;
import io.volute.server.http.message.RequestIds;
import io.volute.server.http.message.ResponseHeads;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The objects that all connections of a server share. Thread-safe. */
final class ServerParts {
    final HttpSettings settings;
    final Executor requests;
    final ResponseHeads heads;
    final RequestIds ids;
    final Deadline.Source deadlines;
    final Admission admission;
    final BufferBudget budget;
    final MemoryBudget memory;
    final Set<Channel> channels = ConcurrentHashMap.newKeySet();

    private final Services services;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LongAdder pipelined = new LongAdder();
    private volatile boolean draining;

    /**
     * @param services chooses the service of each request
     * @param requests runs each request on a thread of its own
     * @param seed of hashes that clients cannot guess
     */
    ServerParts(
            HttpSettings settings,
            Services services,
            Executor requests,
            ResponseHeads heads,
            RequestIds ids,
            Deadline.Source deadlines,
            int seed) {
        this.settings = settings;
        this.services = services;
        this.requests = requests;
        this.heads = heads;
        this.ids = ids;
        this.deadlines = deadlines;
        this.admission = new Admission(settings.caps(), seed);
        this.budget = new BufferBudget(settings.caps().bufferBytes());
        this.memory =
                new MemoryBudget(
                        settings.caps().memoryBytes(),
                        settings.caps().unauthenticatedBytes(),
                        Ticker.systemTicker()::nanoTime);
    }

    /** Returns the present service. */
    HttpServer.Service service() {
        return services.now();
    }

    /** Returns a request that has arrived, with its service. */
    Services.Arrival arrival(HttpHead head) {
        return services.arrival(head);
    }

    /** The server is stopping: answer and close. */
    boolean isDraining() {
        return draining;
    }

    void beginDraining() {
        draining = true;
    }

    /** Reports a refusal to the watch. */
    void refused(Refusal refusal, String requestId, Channel client) {
        service()
                .watch()
                .refused(
                        new RequestWatch.Refused(
                                requestId,
                                remoteAddress(client),
                                refusal.status(),
                                refusal.code()));
    }

    /**
     * Returns the address of the client, without port; empty when it has gone. Behind a proxy that
     * passes it on in requests, it is that of the proxy.
     */
    static String remoteAddress(Channel client) {
        String told = client.attr(ProxyHeader.CLIENT).get();
        if (told != null) {
            return told;
        }
        return client.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "";
    }

    /** Counts a request that came while one was being answered; returns its refusal. */
    Refusal pipelined(Refusal refusal) {
        pipelined.increment();
        return refusal;
    }

    /** Requests that came while one was being answered. */
    long pipelinedRequests() {
        return pipelined.sum();
    }

    void requestEnded(RequestAllowance allowance) {
        allowance.close();
        if (draining) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until no request is in flight; false when that took longer than the time given. */
    boolean awaitNoRequests(long nanos) throws InterruptedException {
        long rest = nanos;
        lock.lock();
        try {
            while (admission.requests() > 0) {
                if (rest <= 0) {
                    return false;
                }
                rest = changed.awaitNanos(rest);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
