package io.volute.bookkeeper;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * Simulated time, machines, threads and a network. One thread runs at a time, and a seed decides
 * the delay and the fate of each message, so that a schedule can be repeated.
 */
final class Simulation {
    static final long MILLIS = 1_000_000;

    static {
        // One carrier: a thread is resumed without a signal to another one.
        System.setProperty("jdk.virtualThreadScheduler.parallelism", "1");
    }

    final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<SimThread> threads = new ArrayList<>();
    private final Map<Set<Machine>, Long> cuts = new HashMap<>();
    private final List<Throwable> failures = new ArrayList<>();
    private long now;
    private long count;
    private boolean isOver;
    private SimThread running;

    /** Share of lost and of repeated messages, in 1/1000. */
    private final int lost;

    private final int repeated;

    Simulation(long seed) {
        random = new SplittableRandom(seed);
        lost = random.nextInt(3) * 5;
        repeated = random.nextInt(3) * 20;
    }

    private record Event(long at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    /** Ends a thread of a machine that was killed. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed", null, false, false);
        }
    }

    /** The nanoseconds since the beginning. */
    long now() {
        return now;
    }

    /** Runs an action later. */
    void after(long nanos, Runnable action) {
        events.add(new Event(now + nanos, count++, action));
    }

    /** Runs all events up to a time, then kills all threads. */
    void run(long until) throws InterruptedException {
        // As a virtual thread, so that threads change without the operating system.
        Thread.ofVirtual().start(() -> runHere(until)).join();
        if (!failures.isEmpty()) {
            throw new AssertionError("a simulated thread failed", failures.get(0));
        }
    }

    private void runHere(long until) {
        try {
            while (!isOver && events.peek().at() <= until && failures.isEmpty()) {
                Event next = events.poll();
                now = Math.max(now, next.at());
                next.action().run();
            }
        } catch (RuntimeException | AssertionError e) {
            failures.add(e);
        }
        while (!threads.isEmpty()) {
            threads.getLast().kill();
        }
    }

    /** Ends the run before its time. */
    void end() {
        isOver = true;
    }

    /** Returns the thread that runs now. */
    SimThread running() {
        if (running.machine.isDead) {
            throw new Killed();
        }
        return running;
    }

    /** A machine, or one life of a process on it. */
    static final class Machine {
        final String name;
        private boolean isDead;
        private long stoppedUntil;

        Machine(String name) {
            this.name = name;
        }

        boolean isDead() {
            return isDead;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Stops all threads of a machine for a time, as SIGSTOP, and messages to it. */
    void stop(Machine machine, long nanos) {
        machine.stoppedUntil = Math.max(machine.stoppedUntil, now + nanos);
    }

    /** Ends all threads of a machine. Nothing that it sent later arrives. */
    void kill(Machine machine) {
        machine.isDead = true;
        // Those that began last hold locks that others wait for as they end.
        for (SimThread each : List.copyOf(threads).reversed()) {
            if (each.machine == machine) {
                each.kill();
            }
        }
    }

    /** Loses all messages between two machines for a time. */
    void cut(Machine one, Machine other, long nanos) {
        cuts.merge(Set.of(one, other), now + nanos, Math::max);
    }

    private boolean isCut(Machine one, Machine other) {
        return one != other && cuts.getOrDefault(Set.of(one, other), 0L) > now;
    }

    /** A thread of a machine. Only one thread runs at a time. */
    final class SimThread {
        private final Machine machine;
        private final Semaphore resumed = new Semaphore(0);
        private final Semaphore yielded = new Semaphore(0);
        private boolean isOver;
        private long wait;

        private SimThread(Machine machine, Runnable body) {
            this.machine = machine;
            Thread.ofVirtual()
                    .start(
                            () -> {
                                resumed.acquireUninterruptibly();
                                try {
                                    if (!machine.isDead) {
                                        body.run();
                                    }
                                } catch (Killed e) {
                                    // Its machine is dead.
                                } catch (Throwable e) {
                                    failures.add(e);
                                } finally {
                                    isOver = true;
                                    threads.remove(this);
                                    yielded.release();
                                }
                            });
        }

        private void kill() {
            machine.isDead = true;
            while (!isOver && running != this) {
                step();
            }
        }

        private void resume(long waiting) {
            if (isOver || wait != waiting) {
                return;
            }
            if (machine.stoppedUntil > now) {
                after(machine.stoppedUntil - now, () -> resume(waiting));
                return;
            }
            wait++;
            step();
        }

        private void step() {
            SimThread before = running;
            running = this;
            resumed.release();
            yielded.acquireUninterruptibly();
            running = before;
        }

        /** Waits until a result is there, or for a time. Returns whether it is there. */
        boolean await(Promise<?> promise, long nanos) {
            long waiting = wait;
            if (!promise.isDone()) {
                promise.onDone(() -> after(0, () -> resume(waiting)));
                after(nanos, () -> resume(waiting));
                park();
            }
            return promise.isDone();
        }

        void sleep(long nanos) {
            long waiting = wait;
            after(nanos, () -> resume(waiting));
            park();
        }

        private void park() {
            yielded.release();
            resumed.acquireUninterruptibly();
            if (machine.isDead) {
                throw new Killed();
            }
        }
    }

    /** Starts a thread on a machine. */
    void start(Machine machine, Runnable body) {
        SimThread thread = new SimThread(machine, body);
        threads.add(thread);
        after(0, () -> thread.resume(0));
    }

    /** A result that comes later: a value, or an exception. */
    static final class Promise<T> {
        private final List<Runnable> listeners = new ArrayList<>();
        private T value;
        private Exception failure;
        private boolean isDone;

        boolean isDone() {
            return isDone;
        }

        Exception failure() {
            return failure;
        }

        T value() {
            return value;
        }

        void complete(T result, Exception thrown) {
            if (!isDone) {
                isDone = true;
                value = result;
                failure = thrown;
                listeners.forEach(Runnable::run);
            }
        }

        void onDone(Runnable listener) {
            if (isDone) {
                listener.run();
            } else {
                listeners.add(listener);
            }
        }
    }

    /** The handling of a message by a machine. */
    interface Service<T> {
        T call() throws Exception;
    }

    /** Sends a request; the promise stays open if the request or the answer is lost. */
    <T> Promise<T> send(Machine from, Machine to, Service<T> request) {
        Promise<T> answer = new Promise<>();
        transmit(from, to, () -> serve(from, to, request, answer));
        return answer;
    }

    private <T> void serve(Machine from, Machine to, Service<T> request, Promise<T> answer) {
        T value = null;
        Exception failure = null;
        try {
            value = request.call();
        } catch (Exception e) {
            failure = e;
        }
        T result = value;
        Exception thrown = failure;
        transmit(to, from, () -> answer.complete(result, thrown));
    }

    /** Delivers a message after a delay: never, once or twice. Messages overtake each other. */
    private void transmit(Machine from, Machine to, Runnable delivery) {
        int copies = random.nextInt(1000) < repeated ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            if (random.nextInt(1000) >= lost) {
                after(delay(), () -> deliver(from, to, delivery));
            }
        }
    }

    private void deliver(Machine from, Machine to, Runnable delivery) {
        if (to.isDead || isCut(from, to)) {
            return;
        }
        if (to.stoppedUntil > now) {
            after(to.stoppedUntil - now, () -> deliver(from, to, delivery));
            return;
        }
        delivery.run();
    }

    private long delay() {
        long usual = 50_000 + random.nextLong(MILLIS);
        return random.nextInt(50) == 0 ? usual + random.nextLong(200 * MILLIS) : usual;
    }

    /** Sends a message that is delivered at most once. */
    void post(Machine from, Machine to, Runnable delivery) {
        if (random.nextInt(1000) >= lost) {
            after(delay(), () -> deliver(from, to, delivery));
        }
    }

    /** Runs an action of a machine again and again until it returns false. */
    void every(Machine machine, long nanos, BooleanSupplier action) {
        after(
                nanos,
                () -> {
                    boolean isStopped = machine.stoppedUntil > now;
                    if (!machine.isDead && (isStopped || action.getAsBoolean())) {
                        every(machine, nanos, action);
                    }
                });
    }
}
