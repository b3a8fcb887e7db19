package io.volute.benchmarks.load;

import io.volute.benchmarks.ProcessUsage;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.http.HttpConnection;
import io.volute.benchmarks.load.LoadPlan.PutKeys;
import io.volute.benchmarks.load.RequestComposer.SharedBody;
import io.volute.benchmarks.load.Workload.CleanUp;
import io.volute.benchmarks.load.Workload.Operation;
import io.volute.benchmarks.load.Workload.Versioning;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Runs of one workload against one server: makes the bucket and the objects it needs, warms up,
 * measures. Used by one thread, which starts a platform thread for each connection.
 */
final class LoadRun {
    private static final long GRACE_NANOS = 60_000_000_000L;
    private static final double LONGEST_PREPARATION_SECONDS = 3600;

    private final Target target;
    private final Workload workload;
    private final SharedBody body;
    private final String session;
    private boolean isPrepared;
    private int runs;

    /**
     * Creates a run. It sends no request to the server yet.
     *
     * @param session part of the keys' names, so that sessions do not meet
     */
    LoadRun(Target target, Workload workload, String session) {
        this.target = target;
        this.workload = workload;
        this.body = SharedBody.of(workload);
        this.session = session;
    }

    /**
     * Runs once. The first run makes the bucket and the objects that all runs share.
     *
     * @throws IOException when the server cannot be reached or refuses the preparation
     */
    LoadResult run() throws IOException, InterruptedException {
        Operation operation = workload.operation;
        boolean shares = operation.sharesObjects();
        if (!isPrepared) {
            for (int i = 0; i < workload.buckets.size(); i++) {
                makeBucket(i);
            }
        }
        KeySpace keys = shares ? sharedKeys() : keys(session + "-" + runs);
        if (!operation.makesObjects() && !(shares && isPrepared)) {
            prepare(keys, Operation.PUT, PutKeys.EACH_ONCE, workload.objects);
        }
        isPrepared = true;
        runs++;
        LoadPlan plan = plan(workload, Ticks.nanos());
        LoadResult result = measure(plan, keys);
        if (operation.makesObjects() && workload.cleanUp == CleanUp.YES) {
            long made = workload.objects > 0 ? workload.objects : plan.itemsTaken();
            prepare(keys, Operation.MULTI_DELETE, PutKeys.EACH_ONCE, made);
        }
        return result;
    }

    /** Removes the objects that the runs shared, if that is wanted. */
    void cleanUp() throws IOException, InterruptedException {
        if (isPrepared && workload.operation.sharesObjects() && workload.cleanUp == CleanUp.YES) {
            prepare(sharedKeys(), Operation.MULTI_DELETE, PutKeys.EACH_ONCE, workload.objects);
        }
    }

    private KeySpace sharedKeys() {
        return keys(session);
    }

    private KeySpace keys(String run) {
        return new KeySpace(run, workload.prefixes);
    }

    private static LoadPlan plan(Workload of, long beginNanos) {
        PutKeys putKeys = of.objects > 0 ? PutKeys.IN_TURN : PutKeys.NEW;
        return new LoadPlan(
                of,
                of.operation == Operation.MIXED ? PutKeys.RANDOM : putKeys,
                beginNanos,
                (long) (of.warmUpSeconds * 1e9),
                (long) (of.seconds * 1e9));
    }

    private void makeBucket(int number) throws IOException {
        LoadPlan plan = new LoadPlan(workload, PutKeys.NEW, 0, 0, 0);
        RequestComposer composer =
                new RequestComposer(workload, keys(session), plan, target, body, number);
        try (HttpConnection connection = new HttpConnection(target.address(number))) {
            composer.composeBucket();
            int status = send(connection, composer);
            if (status != 200 && status != 409) {
                throw new IOException(
                        target.name
                                + " refuses bucket "
                                + workload.buckets.get(number)
                                + ": "
                                + status);
            }
            if (workload.versioning == Versioning.ENABLED) {
                composer.composeVersioning();
                status = send(connection, composer);
                if (status != 200) {
                    throw new IOException(target.name + " refuses versioning: " + status);
                }
            }
        }
    }

    private static int send(HttpConnection connection, RequestComposer composer)
            throws IOException {
        return connection
                .exchange(composer.head(), composer.body(), false, HttpConnection.DISCARD)
                .status();
    }

    private void prepare(KeySpace keys, Operation operation, PutKeys putKeys, long count)
            throws IOException, InterruptedException {
        for (String bucket : workload.buckets) {
            prepare(keys, workload.preparing(operation, count, bucket), putKeys);
        }
    }

    private void prepare(KeySpace keys, Workload preparing, PutKeys putKeys)
            throws IOException, InterruptedException {
        long nanos = (long) (LONGEST_PREPARATION_SECONDS * 1e9);
        LoadPlan plan = new LoadPlan(preparing, putKeys, Ticks.nanos(), 0, nanos);
        List<Worker> workers = workers(preparing, plan, keys);
        for (Thread thread : start(workers)) {
            thread.join();
        }
        Counts counts = counts(workers);
        if (counts.errors > 0) {
            throw new IOException(target.name + ": the preparation failed: " + counts.firstError);
        }
    }

    private LoadResult measure(LoadPlan plan, KeySpace keys)
            throws IOException, InterruptedException {
        List<Worker> workers = workers(workload, plan, keys);
        List<Worker> background = background(plan, keys);
        List<Worker> all = new ArrayList<>(workers);
        all.addAll(background);
        List<ProcessHandle> server = target.processes();
        ProcessHandle driver = ProcessHandle.current();
        List<Thread> threads = start(all);
        Ticks.waitUntil(plan.measureNanos());
        double driverBefore = ProcessUsage.cpuMillis(driver);
        double serverBefore = cpuMillis(server);
        joinUntil(threads, plan.endNanos());
        double serverMillis = cpuMillis(server) - serverBefore;
        double driverMillis = ProcessUsage.cpuMillis(driver) - driverBefore;
        double seconds = (Math.min(Ticks.nanos(), plan.endNanos()) - plan.measureNanos()) / 1e9;
        joinUntil(threads, plan.endNanos() + GRACE_NANOS);
        for (Worker worker : all) {
            worker.connection().close();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Counts counts = counts(workers);
        Counts beside = counts(background);
        counts.addErrors(beside);
        double perOperation = Math.max(1, counts.operations);
        return new LoadResult(
                target.name,
                seconds,
                counts,
                serverMillis / perOperation,
                rssPeakBytes(server),
                driverMillis / perOperation,
                background.isEmpty() ? Double.NaN : beside.operations / seconds);
    }

    /** Returns the time of all processes; NaN when none is known. */
    private static double cpuMillis(List<ProcessHandle> server) {
        return server.isEmpty()
                ? Double.NaN
                : server.stream().mapToDouble(ProcessUsage::cpuMillis).sum();
    }

    private static OptionalLong rssPeakBytes(List<ProcessHandle> server) throws IOException {
        long sum = 0;
        for (ProcessHandle each : server) {
            sum += ProcessUsage.rssPeakBytes(each);
        }
        return server.isEmpty() ? OptionalLong.empty() : OptionalLong.of(sum);
    }

    /** Those that overwrite what the others read; none when nobody is to. */
    private List<Worker> background(LoadPlan beside, KeySpace keys) {
        if (workload.backgroundPuts == 0) {
            return List.of();
        }
        Workload writing = workload.background();
        return workers(writing, plan(writing, beside.beginNanos()), keys);
    }

    private List<Worker> workers(Workload what, LoadPlan plan, KeySpace keys) {
        SplittableRandom seeds = new SplittableRandom(runs);
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < what.connections; i++) {
            workers.add(
                    new Worker(
                            i,
                            what,
                            plan,
                            new RequestComposer(what, keys, plan, target, body, i),
                            new HttpConnection(target.address(i)),
                            seeds.split()));
        }
        return workers;
    }

    private static List<Thread> start(List<Worker> workers) {
        List<Thread> threads = new ArrayList<>();
        for (Worker worker : workers) {
            threads.add(Thread.ofPlatform().name("load-" + threads.size()).daemon().start(worker));
        }
        return threads;
    }

    private static void joinUntil(List<Thread> threads, long nanos) throws InterruptedException {
        for (Thread thread : threads) {
            long left = nanos - Ticks.nanos();
            if (left > 0) {
                thread.join(Math.max(1, left / 1_000_000));
            }
        }
        if (threads.stream().anyMatch(Thread::isAlive)) {
            Ticks.waitUntil(nanos);
        }
    }

    private static Counts counts(List<Worker> workers) {
        Counts counts = new Counts();
        workers.forEach(worker -> counts.add(worker.counts()));
        return counts;
    }
}
