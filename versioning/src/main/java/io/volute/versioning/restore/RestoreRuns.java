package io.volute.versioning.restore;

import static io.volute.versioning.rows.Families.RESTORES;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.UninterruptibleJoin;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.history.CatalogHistory;
import io.volute.versioning.rows.RestoreRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The restores of a store. Each runs in its own thread until it ends. Thread-safe. */
final class RestoreRuns {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreRuns.class);

    /** Maximum number of keys per commit; they are locked during the commit. */
    private static final int COMMIT_KEYS = 256;

    /** Maximum number of restores at one time: each has a thread, and a plan in memory. */
    static final int MOST_RUNNING = 64;

    private static final byte[] OPEN_END = {};
    private static final long RETRY_MILLIS = 500;

    /** Reasons for which a commit is tried again: they are usually temporary. */
    private static final Set<CubeUnavailableException.Reason> PASSING =
            EnumSet.of(CubeUnavailableException.Reason.FULL, CubeUnavailableException.Reason.BUSY);

    private final RecordStore cube;
    private final LongSupplier ids;
    private final Planner planner;
    private final KeyRestoring restoring;
    private final Map<Long, Going> going = new ConcurrentHashMap<>();

    /** Held from the count of the running restores to the begin of another. */
    private final ReentrantLock starting = new ReentrantLock();

    /** Restores that failed and whose failure could not be written, with the reason. */
    private final Map<Long, String> unnoted = new ConcurrentHashMap<>();

    private volatile boolean closing;

    /** Makes the plan of a restore. */
    interface Planner {
        RestorePlan plan(long id, RestoreRow row) throws IOException;
    }

    private static final class Going {
        final Thread thread;
        volatile RestoreRow row;

        /** Counted down to stop the restore. */
        final CountDownLatch ending = new CountDownLatch(1);

        volatile boolean isCancelled;

        /** Number of affected keys; 0 when it is not known. */
        volatile long total;

        /** The reason of a wait; empty when the restore runs. */
        volatile String waiting = "";

        Going(RestoreRow row, Thread.Builder thread, Runnable task) {
            this.row = row;
            this.thread = thread.unstarted(task);
        }
    }

    /**
     * Creates the list.
     *
     * @param ids source of ids of restores
     */
    RestoreRuns(RecordStore cube, LongSupplier ids, Planner planner, KeyRestoring restoring) {
        this.cube = cube;
        this.ids = ids;
        this.planner = planner;
        this.restoring = restoring;
    }

    void resume() {
        for (Stored each : stored()) {
            if (each.row().phase() == Phase.RUNNING) {
                begin(each.id(), each.row());
            }
        }
    }

    Run start(RestoreRow row) throws IOException {
        starting.lock();
        try {
            if (going.size() >= MOST_RUNNING) {
                throw new StoreException(
                        Reason.INVALID_ARGUMENT,
                        going.size()
                                + " restores are running, the maximum: wait until one ends, or"
                                + " cancel one");
            }
            requireAlone(row.request());
            long id = ids.getAsLong();
            write(id, row);
            begin(id, row);
            return shown(id, row);
        } finally {
            starting.unlock();
        }
    }

    /** Refuses a restore of keys that another one changes: neither would respect the other. */
    private void requireAlone(Request request) {
        for (Map.Entry<Long, Going> each : going.entrySet()) {
            RestoreRow other = each.getValue().row;
            if (other.phase() == Phase.RUNNING && haveCommonKeys(other.request(), request)) {
                throw new StoreException(
                        Reason.INVALID_ARGUMENT,
                        "restore "
                                + each.getKey()
                                + " of the same keys is running: wait for its end, or cancel it");
            }
        }
    }

    private static boolean haveCommonKeys(Request one, Request other) {
        return one.bucket().equals(other.bucket())
                && (one.prefix().startsWith(other.prefix())
                        || other.prefix().startsWith(one.prefix()));
    }

    private void begin(long id, RestoreRow row) {
        Going begun =
                new Going(
                        row,
                        Thread.ofPlatform().daemon().name(KeyRestoring.actor(id)),
                        () -> go(id));
        going.put(id, begun);
        begun.thread.start();
    }

    private void go(long id) {
        Going me = going.get(id);
        try {
            Optional<RestorePlan> made = planned(id, me);
            if (made.isEmpty()) {
                stopped(id, me);
                return;
            }
            RestorePlan plan = made.get();
            me.total = plan.total();
            List<ObjectKey> keys = plan.keys(me.row.after(), COMMIT_KEYS);
            while (!keys.isEmpty() && !isStopped(me)) {
                List<ObjectKey> next = keys;
                untilThereIsRoom(id, me, () -> me.row = restoring.restore(id, me.row, plan, next));
                keys = plan.keys(me.row.after(), COMMIT_KEYS);
            }
            if (keys.isEmpty()) {
                untilThereIsRoom(id, me, () -> end(id, me, Phase.DONE, ""));
            } else {
                stopped(id, me);
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("Restore {} failed", id, e);
            fail(id, me, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            going.remove(id, me);
        }
    }

    /**
     * Returns the plan; empty if the restore is stopped before. Waits for the cubes of other nodes,
     * which cannot be read for a while after this one was taken over.
     */
    private Optional<RestorePlan> planned(long id, Going me)
            throws IOException, InterruptedException {
        while (!isStopped(me)) {
            try {
                RestorePlan plan = planner.plan(id, me.row);
                me.waiting = "";
                return Optional.of(plan);
            } catch (UncheckedIOException e) {
                if (!(e.getCause() instanceof CubeUnavailableException unavailable
                        && unavailable.reason() == CubeUnavailableException.Reason.NOT_OPEN)) {
                    throw e;
                }
                LOG.debug("Restore {} waits for other cubes: {}", id, e.getMessage());
                me.waiting = "waits: " + unavailable.getMessage();
                boolean unused = me.ending.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
        return Optional.empty();
    }

    /** Records that a restore was cancelled. Otherwise the next start resumes it. */
    private void stopped(long id, Going me) throws IOException {
        if (me.isCancelled) {
            end(id, me, Phase.CANCELLED, "");
        }
    }

    private boolean isStopped(Going me) {
        return closing || me.isCancelled;
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Repeats a step while the store is full or busy, until the restore is stopped. */
    private void untilThereIsRoom(long id, Going me, Step step)
            throws IOException, InterruptedException {
        for (int tries = 0; !isStopped(me); tries++) {
            try {
                step.run();
                me.waiting = "";
                return;
            } catch (CubeUnavailableException e) {
                if (!PASSING.contains(e.reason())) {
                    throw e;
                }
                if (tries == 0) {
                    LOG.warn("Restore {} waits for the store: {}", id, e.getMessage());
                }
                me.waiting = "waits: " + e.getMessage();
                boolean unused = me.ending.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Records a failure, unless the store is closing: then the next start resumes the restore. */
    private void fail(long id, Going me, Exception why) {
        boolean isClosed =
                why instanceof CubeUnavailableException unavailable
                        && unavailable.reason() == CubeUnavailableException.Reason.CLOSED;
        if (closing || isClosed) {
            return;
        }
        try {
            end(id, me, Phase.FAILED, String.valueOf(why.getMessage()));
        } catch (IOException e) {
            unnoted.put(id, why.getMessage() + "; the next start resumes it");
            LOG.warn("Cannot record the failure of restore {}; the next start resumes it", id, e);
        }
    }

    private void end(long id, Going me, Phase how, String why) throws IOException {
        me.row = me.row.ended(how, why);
        write(id, me.row);
    }

    private void write(long id, RestoreRow row) throws IOException {
        WriteBatch batch = new WriteBatch(cube);
        KeyRestoring.put(batch, id, row);
        batch.commit();
    }

    private record Stored(long id, RestoreRow row) {}

    private List<Stored> stored() {
        List<Stored> found = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(RESTORES, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                found.add(read(cursor.key(), cursor.record()));
            }
        }
        return found;
    }

    private static Stored read(byte[] key, StoredRecord record) {
        return new Stored(~RowKeys.suffix(key), RestoreRow.decode(record.summary()));
    }

    List<Run> all() {
        return stored().reversed().stream().map(each -> shown(each.id(), each.row())).toList();
    }

    Run find(String id) {
        long number = number(id);
        byte[] key = RowKeys.number(number);
        StoredRecord record =
                cube.get(RESTORES, key)
                        .orElseThrow(
                                () ->
                                        new StoreException(
                                                Reason.INVALID_ARGUMENT, "no restore " + id));
        return shown(number, read(key, record).row());
    }

    private static long number(String id) {
        return CatalogHistory.number(id);
    }

    Run cancel(String id) {
        Going me = going.get(number(id));
        if (me != null) {
            me.isCancelled = true;
            me.ending.countDown();
            UninterruptibleJoin.join(me.thread);
        }
        return find(id);
    }

    /** Stops all restores and waits for their running commits. */
    void close() {
        closing = true;
        going.values().forEach(each -> each.ending.countDown());
        going.values().forEach(each -> UninterruptibleJoin.join(each.thread));
    }

    private Run shown(long id, RestoreRow row) {
        Going me = going.get(id);
        Optional<String> stuck = Optional.ofNullable(unnoted.get(id));
        boolean isGoing = row.phase() == Phase.RUNNING && me != null;
        return new Run(
                Long.toString(id),
                row.request(),
                stuck.isPresent() ? Phase.FAILED : row.phase(),
                row.began(),
                KeyRestoring.actor(id),
                row.looked(),
                row.restored(),
                row.removed(),
                row.skipped(),
                row.unknown(),
                isGoing ? me.total : 0,
                stuck.orElse(isGoing ? me.waiting : row.message()));
    }
}
