package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.RESTORES;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Joining;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.RestoreRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The restores that were begun, each on a thread of its own until it has ended. Thread-safe. */
final class RestoreRuns {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreRuns.class);

    /** Keys of one commit at most: they are locked meanwhile. */
    private static final int COMMIT_KEYS = 256;

    private static final byte[] OPEN_END = {};

    private final Cube cube;
    private final Planner planner;
    private final KeyRestoring restoring;
    private final Map<Long, Going> going = new ConcurrentHashMap<>();
    private volatile boolean closing;

    /** Finds out what a request means now. */
    interface Planner {
        RestorePlan plan(Request request) throws IOException;
    }

    private static final class Going {
        final Thread thread;
        volatile RestoreRow row;
        volatile boolean isCancelled;

        Going(RestoreRow row, Thread.Builder thread, Runnable task) {
            this.row = row;
            this.thread = thread.unstarted(task);
        }
    }

    RestoreRuns(Cube cube, Planner planner, KeyRestoring restoring) {
        this.cube = cube;
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
        long id = cube.allocateId();
        write(id, row);
        begin(id, row);
        return shown(id, row);
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
            RestorePlan plan = planner.plan(me.row.request());
            List<ObjectKey> keys = plan.keys(me.row.after(), COMMIT_KEYS);
            while (!keys.isEmpty() && !me.isCancelled && !closing) {
                me.row = restoring.restore(id, me.row, plan, keys);
                keys = plan.keys(me.row.after(), COMMIT_KEYS);
            }
            if (keys.isEmpty()) {
                end(id, me, Phase.DONE, "");
            } else if (me.isCancelled) {
                end(id, me, Phase.CANCELLED, "");
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("restore {} cannot go on", id, e);
            fail(id, me, e);
        } finally {
            going.remove(id, me);
        }
    }

    /** A store that closes, or is full for now, will be asked again at its next start. */
    private void fail(long id, Going me, Exception why) {
        if (closing || why instanceof CubeUnavailableException) {
            return;
        }
        try {
            end(id, me, Phase.FAILED, String.valueOf(why.getMessage()));
        } catch (IOException e) {
            LOG.warn("restore {} is not noted as failed", id, e);
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
            Joining.join(me.thread);
        }
        return find(id);
    }

    /** Waits for the commits that are under way. */
    void close() {
        closing = true;
        going.values().forEach(each -> Joining.join(each.thread));
    }

    private static Run shown(long id, RestoreRow row) {
        return new Run(
                Long.toString(id),
                row.request(),
                row.phase(),
                row.began(),
                KeyRestoring.actor(id),
                row.looked(),
                row.restored(),
                row.skipped(),
                row.message());
    }
}
