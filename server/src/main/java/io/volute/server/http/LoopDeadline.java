package io.volute.server.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A deadline on the timers of an event loop. Moving it later costs nothing: the timer runs on and,
 * when it fires early, is set anew.
 */
final class LoopDeadline implements Deadline {
    private final EventExecutor loop;
    private final Runnable due;
    private boolean isSet;
    private long at;
    private ScheduledFuture<?> timer;
    private long timerAt;

    LoopDeadline(EventExecutor loop, Runnable due) {
        this.loop = loop;
        this.due = due;
    }

    @Override
    public long now() {
        return loop.ticker().nanoTime();
    }

    @Override
    public void in(long nanos) {
        isSet = true;
        at = now() + nanos;
        if (timer == null || timerAt - at > 0) {
            cancelTimer();
            start(nanos);
        }
    }

    @Override
    public void clear() {
        isSet = false;
    }

    @Override
    public void cancel() {
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
