package io.volute.server.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One moment after which a connection has waited too long. Moving it later costs nothing: the timer
 * runs on and, when it fires early, is set anew. Confined to the event loop.
 */
final class Deadline {
    private final EventExecutor loop;
    private final Runnable due;
    private boolean isSet;
    private long at;
    private ScheduledFuture<?> timer;
    private long timerAt;

    Deadline(EventExecutor loop, Runnable due) {
        this.loop = loop;
        this.due = due;
    }

    long now() {
        return loop.ticker().nanoTime();
    }

    /** Sets it so many nanoseconds ahead. */
    void in(long nanos) {
        isSet = true;
        at = now() + nanos;
        if (timer == null || timerAt - at > 0) {
            cancelTimer();
            start(nanos);
        }
    }

    /** There is none. */
    void clear() {
        isSet = false;
    }

    /** There will be none any more. */
    void cancel() {
        isSet = false;
        cancelTimer();
    }

    private void start(long nanos) {
        timerAt = at;
        timer = loop.schedule(this::fire, nanos, TimeUnit.NANOSECONDS);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void fire() {
        timer = null;
        if (!isSet) {
            return;
        }
        long rest = at - now();
        if (rest > 0) {
            start(rest);
        } else {
            isSet = false;
            due.run();
        }
    }
}
