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
import io.volute.storage.Transaction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A cube as this node has it. While another node owns it, each read sees the newest view of the
 * standby on this node, a scan sees one view to its end, and commits fail. While this node owns it,
 * reads and commits are those of the cube itself. After {@link #close}, reads fail with NOT_OPEN,
 * also those that are under way when the standby is closed. Thread-safe.
 */
public final class FollowedCube implements Cube.ReadOnly {
    private final String name;
    private final LongSupplier nanos;
    private final long viewNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Optional<View> current = Optional.empty();
    private boolean isClosed;

    // Written under the lock; each request reads the lag without it.
    private volatile long completeAt;

    // Whether all that depends on the cube has followed since this node owns it.
    private volatile boolean isCompleteHere;

    /** A view, which the last of its users closes, or the cube itself, which its owner closes. */
    private static final class View {
        private final Cube cube;
        private final boolean isOwned;
        private int users = 1;

        View(Cube cube, boolean isOwned) {
            this.cube = cube;
            this.isOwned = isOwned;
        }
    }

    /**
     * Creates a cube without a view.
     *
     * @param name its name
     * @param nanos a clock that only goes forward
     * @param viewNanos the time that a read waits for a view
     */
    public FollowedCube(String name, LongSupplier nanos, long viewNanos) {
        this.name = name;
        this.nanos = nanos;
        this.viewNanos = viewNanos;
        this.completeAt = nanos.getAsLong();
    }

    /**
     * Uses the cube itself from now on, because this node owns it. Call {@link #completeHere} when
     * all that depends on it has followed.
     *
     * @param cube closed by the caller, after {@link #leave}
     */
    public void own(Cube cube) {
        replace(Optional.of(new View(cube, true)));
    }

    /** Notes that the users of this cube have read it since this node owns it. */
    public void completeHere() {
        lock.lock();
        try {
            isCompleteHere = owned().isPresent();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has no view from now on, because the cube or its standby will be closed. Reads wait for the
     * next one.
     */
    public void leave() {
        lock.lock();
        try {
            completeAt = isCompleteHere ? nanos.getAsLong() : completeAt;
            isCompleteHere = false;
        } finally {
            lock.unlock();
        }
        replace(Optional.empty());
    }

    /** Returns whether this node owns the cube, and its users have read it since. */
    public boolean isHere() {
        return isCompleteHere;
    }

    /** Returns whether there is something to read: a view, or the cube itself. */
    boolean hasView() {
        lock.lock();
        try {
            return current.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the cube itself while this node owns it. */
    private Optional<Cube> owned() {
        lock.lock();
        try {
            return current.filter(view -> view.isOwned).map(view -> view.cube);
        } finally {
            lock.unlock();
        }
    }

    private void replace(Optional<View> next) {
        Optional<View> last;
        lock.lock();
        try {
            last = current;
            current = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        last.ifPresent(this::release);
    }

    /**
     * Replaces the view. Call {@link #completeAt} when all that depends on it has followed. Closes
     * it if this node owns the cube.
     *
     * @param cube closed by this
     */
    public void follow(Cube cube) {
        Optional<View> last;
        lock.lock();
        try {
            if (isClosed || owned().isPresent()) {
                last = Optional.of(new View(cube, false));
            } else {
                last = current;
                current = Optional.of(new View(cube, false));
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
            return !isClosed && (isCompleteHere || completeAt - begun >= 0);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time for which commits may be missing, in nanoseconds. */
    public long lagNanos() {
        // In this order: the time is set before the other ends.
        return isCompleteHere ? 0 : nanos.getAsLong() - completeAt;
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

    /** Uses the view. A node that opens or has closed the cube has none for a moment. */
    private View use() throws CubeUnavailableException {
        long rest = viewNanos;
        lock.lock();
        try {
            while (!isClosed && current.isEmpty() && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            View view = current.orElseThrow(this::notFollowed);
            view.users++;
            return view;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw notFollowed();
        } finally {
            lock.unlock();
        }
    }

    /** A read of the cube. */
    @FunctionalInterface
    private interface Read<T> {
        T of(Cube cube) throws IOException;
    }

    /** Reads a view. One that was closed beneath the read is read again in the next. */
    private <T> T read(Read<T> read) throws IOException {
        while (true) {
            View view = use();
            try {
                return read.of(view.cube);
            } catch (IllegalStateException | CubeUnavailableException e) {
                if (isCurrent(view)) {
                    throw e;
                }
            } finally {
                release(view);
            }
        }
    }

    private <T> T readUnchecked(Read<T> read) {
        try {
            return read(read);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isCurrent(View view) {
        lock.lock();
        try {
            return !isClosed && current.equals(Optional.of(view));
        } finally {
            lock.unlock();
        }
    }

    private void release(View view) {
        boolean isLast;
        lock.lock();
        try {
            isLast = --view.users == 0 && !view.isOwned;
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
        return elsewhere(name);
    }

    /** Returns a new refusal of what the owner of a cube does. */
    public static CubeUnavailableException elsewhere(String cube) {
        return new CubeUnavailableException(
                Reason.NOT_OPEN, "another node of the cluster has cube " + cube);
    }

    /** Returns the failure of a read whose view may have been closed beneath it. */
    private RuntimeException failed(View view, IllegalStateException e) {
        if (isCurrent(view)) {
            return e;
        }
        CubeUnavailableException unavailable = notFollowed();
        unavailable.initCause(e);
        return new UncheckedIOException(unavailable);
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        return readUnchecked(cube -> cube.get(family, key));
    }

    @Override
    public byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException {
        return read(cube -> cube.readDetail(family, key, record));
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        View view;
        try {
            view = use();
        } catch (CubeUnavailableException e) {
            throw new UncheckedIOException(e);
        }
        boolean isOpen = false;
        try {
            RecordCursor cursor = view.cube.scan(family, from, to);
            isOpen = true;
            return new Scan(cursor, view);
        } catch (IllegalStateException e) {
            throw failed(view, e);
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
                throw failed(view, e);
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
        return read(cube -> new FollowedBlob(cube.openBlob(blob), this::notFollowed));
    }

    /** {@inheritDoc} The rows of the view have smaller ones; no commit can have it. */
    @Override
    public long allocateId() {
        return readUnchecked(Cube::allocateId);
    }

    @Override
    public void passId(long id) {
        owned().orElseThrow(ReadOnly::onlyTheOwner).passId(id);
    }

    @Override
    public long transactionBytesMax() {
        return owned().map(Cube::transactionBytesMax)
                .orElseGet(ReadOnly.super::transactionBytesMax);
    }

    @Override
    public CompletableFuture<Long> commit(Transaction transaction) {
        Optional<Cube> here = owned();
        return here.isPresent()
                ? here.get().commit(transaction)
                : ReadOnly.super.commit(transaction);
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
            return isClosed
                    ? CubeState.CLOSED
                    : owned().map(Cube::state).orElse(CubeState.READ_ONLY);
        } finally {
            lock.unlock();
        }
    }

    /** Closes the view when its users have ended. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
        replace(Optional.empty());
    }
}
