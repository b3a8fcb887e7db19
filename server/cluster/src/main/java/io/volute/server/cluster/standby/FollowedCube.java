package io.volute.server.cluster.standby;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A cube of another node, as the standby on this node follows it. Each read sees the newest view; a
 * scan sees one view to its end. Commits fail. Behind {@link #close}, reads fail with NOT_OPEN,
 * also those that are under way when the standby is closed. Thread-safe.
 */
public final class FollowedCube implements Cube.ReadOnly {
    private final String name;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Optional<View> current = Optional.empty();
    private long completeAt;
    private boolean isClosed;

    /** A view, which the last of its users closes. */
    private static final class View {
        private final Cube cube;
        private int users = 1;

        View(Cube cube) {
            this.cube = cube;
        }
    }

    /**
     * Creates a cube without a view.
     *
     * @param name its name
     * @param nanos a clock that only goes forward
     */
    public FollowedCube(String name, LongSupplier nanos) {
        this.name = name;
        this.nanos = nanos;
        this.completeAt = nanos.getAsLong();
    }

    /**
     * Replaces the view. Call {@link #completeAt} when all that depends on it has followed.
     *
     * @param cube closed by this
     */
    public void follow(Cube cube) {
        Optional<View> last;
        lock.lock();
        try {
            if (isClosed) {
                last = Optional.of(new View(cube));
            } else {
                last = current;
                current = Optional.of(new View(cube));
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        last.ifPresent(this::release);
    }

    /**
     * Notes that the view has every commit that was acknowledged before a time by the clock, and
     * that the users of this cube have read it.
     */
    public void completeAt(long complete) {
        lock.lock();
        try {
            completeAt = complete;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the view has every commit that was acknowledged before now; false if it has not
     * in that time.
     */
    public boolean awaitPresent(long waitNanos) throws InterruptedException {
        return awaitComplete(nanos.getAsLong(), waitNanos);
    }

    /** Waits as {@link #awaitPresent} does, for commits that were acknowledged before a time. */
    boolean awaitComplete(long begun, long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isClosed && !isComplete(begun) && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            return isComplete(begun);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the view has every commit that was acknowledged before a time. */
    boolean isComplete(long begun) {
        lock.lock();
        try {
            return !isClosed && completeAt - begun >= 0;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time for which commits may be missing, in nanoseconds. */
    public long lagNanos() {
        lock.lock();
        try {
            return nanos.getAsLong() - completeAt;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the view has every commit up to a sequence; false if it has not in that time. */
    public boolean await(long sequence, long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isClosed && !has(sequence) && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            return !isClosed && has(sequence);
        } finally {
            lock.unlock();
        }
    }

    private boolean has(long sequence) {
        return current.filter(view -> view.cube.lastSequence() >= sequence).isPresent();
    }

    private View use() throws CubeUnavailableException {
        lock.lock();
        try {
            View view = current.orElseThrow(this::notFollowed);
            view.users++;
            return view;
        } finally {
            lock.unlock();
        }
    }

    private View used() {
        try {
            return use();
        } catch (CubeUnavailableException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void release(View view) {
        boolean isLast;
        lock.lock();
        try {
            isLast = --view.users == 0;
        } finally {
            lock.unlock();
        }
        if (isLast) {
            close(view.cube);
        }
    }

    private static void close(Cube cube) {
        try {
            cube.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CubeUnavailableException notFollowed() {
        return new CubeUnavailableException(
                Reason.NOT_OPEN, "the standby of cube " + name + " on this node is not ready");
    }

    @Override
    public CubeUnavailableException notOwner() {
        return new CubeUnavailableException(
                Reason.NOT_OPEN, "another node of the cluster has cube " + name);
    }

    /** Returns the failure of a read whose view may have been closed beneath it. */
    private RuntimeException failed(IllegalStateException e) {
        if (state() != CubeState.CLOSED) {
            return e;
        }
        CubeUnavailableException unavailable = notFollowed();
        unavailable.initCause(e);
        return new UncheckedIOException(unavailable);
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        View view = used();
        try {
            return view.cube.get(family, key);
        } catch (IllegalStateException e) {
            throw failed(e);
        } finally {
            release(view);
        }
    }

    @Override
    public byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException {
        View view = use();
        try {
            return view.cube.readDetail(family, key, record);
        } catch (IllegalStateException e) {
            throw failed(e);
        } finally {
            release(view);
        }
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        View view = used();
        boolean isOpen = false;
        try {
            RecordCursor cursor = view.cube.scan(family, from, to);
            isOpen = true;
            return new Scan(cursor, view);
        } catch (IllegalStateException e) {
            throw failed(e);
        } finally {
            if (!isOpen) {
                release(view);
            }
        }
    }

    /** A cursor that keeps its view. */
    private final class Scan implements RecordCursor {
        private final RecordCursor cursor;
        private final View view;
        private boolean isOver;

        Scan(RecordCursor cursor, View view) {
            this.cursor = cursor;
            this.view = view;
        }

        private boolean moved(BooleanSupplier move) {
            try {
                return move.getAsBoolean();
            } catch (IllegalStateException e) {
                throw failed(e);
            }
        }

        @Override
        public boolean next() {
            return moved(cursor::next);
        }

        @Override
        public boolean seek(byte[] key) {
            return moved(() -> cursor.seek(key));
        }

        @Override
        public boolean skipTo(byte[] key) {
            return moved(() -> cursor.skipTo(key));
        }

        @Override
        public byte[] key() {
            return cursor.key();
        }

        @Override
        public StoredRecord record() {
            return cursor.record();
        }

        @Override
        public void close() {
            if (!isOver) {
                isOver = true;
                cursor.close();
                release(view);
            }
        }
    }

    /** {@inheritDoc} The reader has its segments pinned, so it does not need the view. */
    @Override
    public BlobReader openBlob(BlobId blob) throws IOException {
        View view = use();
        try {
            return new FollowedBlob(view.cube.openBlob(blob), this::notFollowed);
        } catch (IllegalStateException e) {
            throw failed(e);
        } finally {
            release(view);
        }
    }

    /** {@inheritDoc} The rows of the view have smaller ones; no commit can have it. */
    @Override
    public long allocateId() {
        View view = used();
        try {
            return view.cube.allocateId();
        } finally {
            release(view);
        }
    }

    @Override
    public void passId(long id) {
        throw ReadOnly.onlyTheOwner();
    }

    /** {@inheritDoc} Returns 0 while there is no view. */
    @Override
    public long lastSequence() {
        lock.lock();
        try {
            return current.map(view -> view.cube.lastSequence()).orElse(0L);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CubeState state() {
        lock.lock();
        try {
            return isClosed ? CubeState.CLOSED : CubeState.READ_ONLY;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the view when its users have ended. */
    @Override
    public void close() {
        Optional<View> last;
        lock.lock();
        try {
            isClosed = true;
            last = current;
            current = Optional.empty();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        last.ifPresent(this::release);
    }
}
