package io.volute.benchmarks.load;

import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.http.HttpConnection;
import io.volute.benchmarks.load.LoadOptions.CleanUp;
import io.volute.benchmarks.load.LoadOptions.Operation;
import io.volute.benchmarks.load.LoadOptions.Target;
import io.volute.benchmarks.load.LoadOptions.Versioning;
import io.volute.benchmarks.load.LoadOptions.Workload;
import io.volute.benchmarks.load.LoadPlan.PutKeys;
import io.volute.benchmarks.load.RequestComposer.SharedBody;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Runs of one workload against one server: makes the bucket and the objects it needs, warms up,
 * measures. Used by one thread, which starts a platform thread for each connection.
 */
public final class LoadRun {
    private static final long GRACE_NANOS = 60_000_000_000L;
    private static final double PREPARE_SECONDS_MAX = 3600;

    private final Target target;
    private final Workload workload;
    private final SharedBody body;
    private final String session;
    private boolean bucketMade;
    private boolean objectsMade;
    private int runs;

    /**
     * Creates a run. It sends no request to the server yet.
     *
     * @param session part of the keys' names, so that sessions do not meet
     */
    public LoadRun(Target target, Workload workload, String session) {
        this(target, workload, SharedBody.of(workload), session);
    }

    private LoadRun(Target target, Workload workload, SharedBody body, String session) {
        this.target = target;
        this.workload = workload;
        this.body = body;
        this.session = session;
    }

    /**
     * Another workload on the same objects, which are not made again. To be used instead of this
     * one.
     *
     * @throws IllegalArgumentException when it is about another bucket, or objects of other sizes
     */
    public LoadRun then(Workload next) {
        if (!next.bucket().equals(workload.bucket())
                || next.objectBytes() != workload.objectBytes()) {
            throw new IllegalArgumentException("there are no objects for " + next);
        }
        LoadRun run = new LoadRun(target, next, body, session);
        run.bucketMade = bucketMade;
        run.objectsMade = objectsMade;
        run.runs = runs;
        return run;
    }

    /**
     * Makes the bucket and the objects that all runs share, unless they are there.
     *
     * @throws IOException when the server cannot be reached or refuses
     */
    public void prepare() throws IOException, InterruptedException {
        if (!bucketMade) {
            makeBucket();
            bucketMade = true;
        }
        if (!objectsMade && workload.operation().sharesObjects()) {
            prepare(sharedKeys(), Operation.PUT, PutKeys.EACH_ONCE, workload.objects());
            objectsMade = true;
        }
    }

    /**
     * Runs once.
     *
     * @throws IOException when the server cannot be reached or refuses the preparation
     */
    public LoadResult run() throws IOException, InterruptedException {
        prepare();
        boolean shares = workload.operation().sharesObjects();
        KeySpace keys =
                shares ? sharedKeys() : new KeySpace(session + "-" + runs, workload.prefixes());
        if (!shares && !makesKeys()) {
            prepare(keys, Operation.PUT, PutKeys.EACH_ONCE, workload.objects());
        }
        runs++;
        LoadPlan plan = plan(workload, Ticks.nanos());
        LoadResult result = measure(plan, keys);
        if (makesKeys() && workload.cleanUp() == CleanUp.YES) {
            long made = workload.objects() > 0 ? workload.objects() : plan.itemsTaken();
            prepare(keys, Operation.MULTI_DELETE, PutKeys.EACH_ONCE, made);
        }
        return result;
    }

    /** Removes the objects that the runs shared, if that is wanted. */
    public void cleanUp() throws IOException, InterruptedException {
        if (objectsMade && workload.cleanUp() == CleanUp.YES) {
            prepare(sharedKeys(), Operation.MULTI_DELETE, PutKeys.EACH_ONCE, workload.objects());
            objectsMade = false;
        }
    }

    /** Returns the name of the server in results. */
    public String name() {
        return target.name();
    }

    private KeySpace sharedKeys() {
        return new KeySpace(session, workload.prefixes());
    }

    private LoadPlan plan(Workload of, long beginNanos) {
        return new LoadPlan(
                of,
                putKeys(of),
                beginNanos,
                (long) (of.warmUpSeconds() * 1e9),
                (long) (of.seconds() * 1e9));
    }

    private boolean makesKeys() {
        return workload.operation() == Operation.PUT
                || workload.operation() == Operation.POPULATION;
    }

    private static PutKeys putKeys(Workload of) {
        if (of.operation() == Operation.MIXED) {
            return PutKeys.RANDOM;
        }
        return of.objects() > 0 ? PutKeys.IN_TURN : PutKeys.NEW;
    }

    private void makeBucket() throws IOException {
        LoadPlan plan = new LoadPlan(workload, PutKeys.NEW, 0, 0, 0);
        KeySpace keys = new KeySpace(session, 1);
        RequestComposer composer = new RequestComposer(workload, keys, plan, target, body, 0);
        try (HttpConnection connection = new HttpConnection(target.address())) {
            composer.composeBucket();
            int status = send(connection, composer);
            if (status != 200 && status != 409) {
                throw new IOException(
                        target.name() + " refuses bucket " + workload.bucket() + ": " + status);
            }
            if (workload.versioning() == Versioning.ENABLED) {
                composer.composeVersioning();
                status = send(connection, composer);
                if (status != 200) {
                    throw new IOException(target.name() + " refuses versioning: " + status);
                }
            }
        }
    }

    private static int send(HttpConnection connection, RequestComposer composer)
            throws IOException {
        return connection
                .exchange(
                        composer.head(),
                        composer.body(),
                        false,
                        piece -> piece.position(piece.limit()))
                .status();
    }

    private void prepare(KeySpace keys, Operation operation, PutKeys putKeys, long count)
            throws IOException, InterruptedException {
        Workload preparing = workload.preparing(operation, count);
        long nanos = (long) (PREPARE_SECONDS_MAX * 1e9);
        LoadPlan plan = new LoadPlan(preparing, putKeys, Ticks.nanos(), 0, nanos);
        List<Worker> workers = workers(preparing, plan, keys);
        List<Thread> threads = start(workers);
        for (Thread thread : threads) {
            thread.join();
        }
        LoadResult.Counts counts = counts(workers);
        if (counts.errors() > 0) {
            throw new IOException(
                    target.name() + ": the preparation failed: " + counts.firstError());
        }
    }

    private LoadResult measure(LoadPlan plan, KeySpace keys)
            throws IOException, InterruptedException {
        List<Worker> workers = workers(workload, plan, keys);
        List<Worker> background = background(plan, keys);
        List<Worker> all = new ArrayList<>(workers);
        all.addAll(background);
        List<Thread> threads = start(all);
        Ticks.waitUntil(plan.measureNanos());
        long ownPid = ProcessHandle.current().pid();
        ServerUsage ownBefore = ServerUsage.of(ownPid);
        ServerUsage before = usage();
        joinUntil(threads, plan.endNanos());
        ServerUsage after = usage();
        ServerUsage ownAfter = ServerUsage.of(ownPid);
        double seconds = (Math.min(Ticks.nanos(), plan.endNanos()) - plan.measureNanos()) / 1e9;
        joinUntil(threads, plan.endNanos() + GRACE_NANOS);
        for (Worker worker : all) {
            worker.connection().close();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        LoadResult.Counts counts = counts(workers);
        LoadResult.Counts beside = counts(background);
        counts.addErrors(beside);
        double perOperation = Math.max(1, counts.operations());
        boolean known = target.pid().isPresent();
        return new LoadResult(
                target.name(),
                seconds,
                counts,
                known
                        ? OptionalDouble.of((after.cpuMillis() - before.cpuMillis()) / perOperation)
                        : OptionalDouble.empty(),
                known ? OptionalLong.of(after.rssPeakBytes()) : OptionalLong.empty(),
                (ownAfter.cpuMillis() - ownBefore.cpuMillis()) / perOperation,
                background.isEmpty()
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(beside.operations() / seconds));
    }

    /** Those that overwrite what the others read; none when nobody is to. */
    private List<Worker> background(LoadPlan beside, KeySpace keys) {
        if (workload.backgroundPuts() == 0) {
            return List.of();
        }
        Workload writing = workload.background();
        return workers(writing, plan(writing, beside.beginNanos()), keys);
    }

    private ServerUsage usage() throws IOException {
        return target.pid().isPresent()
                ? ServerUsage.of(target.pid().getAsLong())
                : new ServerUsage(0, 0);
    }

    private List<Worker> workers(Workload what, LoadPlan plan, KeySpace keys) {
        SplittableRandom seeds = new SplittableRandom(runs);
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < what.connections(); i++) {
            workers.add(
                    new Worker(
                            i,
                            what,
                            plan,
                            new RequestComposer(what, keys, plan, target, body, i),
                            new HttpConnection(target.address()),
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

    private static LoadResult.Counts counts(List<Worker> workers) {
        LoadResult.Counts counts = new LoadResult.Counts();
        for (Worker worker : workers) {
            worker.addTo(counts);
        }
        return counts;
    }
}
