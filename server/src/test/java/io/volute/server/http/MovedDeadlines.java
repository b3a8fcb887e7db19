package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Deadlines by a clock that only tests move. Time passes for all connections alike. */
final class MovedDeadlines implements Deadline.Source {
    /** Only keeps a broken server from hanging the build. */
    private static final long HANG_SECONDS = 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Moved> set = new HashSet<>();
    private long now;

    @Override
    public Deadline on(EventExecutor loop, Runnable due) {
        return new Moved(loop, due);
    }

    /**
     * Waits until so many connections wait for at most this time from now, and lets it pass.
     *
     * @param connections at least 1
     */
    void pass(Duration time, int connections) throws InterruptedException {
        long left = TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        lock.lock();
        try {
            while (within(time).size() < connections) {
                assertThat(left).as("%d connections wait for %s", connections, time).isPositive();
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
        passIfSet(time);
    }

    /** Lets the time pass if a connection waits for at most it. */
    void passIfSet(Duration time) {
        List<Moved> due;
        lock.lock();
        try {
            due = within(time);
            now += due.isEmpty() ? 0 : time.toNanos();
        } finally {
            lock.unlock();
        }
        for (Moved each : due) {
            each.loop.submit(each::fire).awaitUninterruptibly();
        }
    }

    private List<Moved> within(Duration time) {
        List<Moved> found = new ArrayList<>();
        for (Moved each : set) {
            if (each.at - now <= time.toNanos()) {
                found.add(each);
            }
        }
        return found;
    }

    private final class Moved implements Deadline {
        private final EventExecutor loop;
        private final Runnable due;
        private long at;

        Moved(EventExecutor loop, Runnable due) {
            this.loop = loop;
            this.due = due;
        }

        @Override
        public long now() {
            lock.lock();
            try {
                return now;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void in(long nanos) {
            lock.lock();
            try {
                at = now + nanos;
                set.add(this);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void clear() {
            lock.lock();
            try {
                set.remove(this);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void cancel() {
            clear();
        }

        private void fire() {
            boolean isDue;
            lock.lock();
            try {
                // It may have been set anew, or cleared, since the time passed.
                isDue = set.contains(this) && at - now <= 0 && set.remove(this);
            } finally {
                lock.unlock();
            }
            if (isDue) {
                due.run();
            }
        }
    }
}
