package io.volute.storage.log.migration;

import io.volute.storage.directory.LogPlace;
import io.volute.storage.directory.LogPlace.Kind;
import io.volute.storage.directory.LogPlace.State;
import io.volute.storage.directory.LogPlacement;
import io.volute.storage.directory.MigrationStatus;
import io.volute.storage.directory.MigrationStatus.Progress;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.space.SegmentStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the log of an open cube to the other kind of place. The steps, with the meaning of a crash
 * at each:
 *
 * <ol>
 *   <li>{@code copying}: sealed segments are copied in the background. The old place is in force;
 *       the next start goes on.
 *   <li>{@code switching}: writes wait while the rest is copied. The old place is in force; the
 *       next start copies anew what may be incomplete.
 *   <li>The decision. To ledgers: the record of the place. To the local disk: ZooKeeper removes the
 *       list of segments, so no other server can claim the log; then the record follows.
 *   <li>{@code leaving}: the new place is in force. The old copy is removed.
 * </ol>
 *
 * A migration that fails before the decision stops, and changes nothing for clients. Thread-safe.
 */
public final class LogMigration implements LogPlacement, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogMigration.class);

    /** Pause before a switch is tried again because writes did not end in time. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String cube;
    private final UUID cubeId;
    private final FileSystem files;
    private final Path directory;
    private final SwitchedSegmentStore store;
    private final Function<Kind, LogSite> sites;
    private final Supplier<UUID> tokens;
    private final LongUnaryOperator pauseNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopped = lock.newCondition();
    private LogPlace place;
    private CopyPace pace;
    private Optional<Thread> thread = Optional.empty();
    private Optional<SegmentStore> target = Optional.empty();
    private boolean isClosing;
    private boolean isUnknown;
    private List<SegmentFileName> present = List.of();
    private volatile Progress progress = Progress.NONE;

    /**
     * Creates the migration of an open log.
     *
     * @param directory directory of the cube, which has the record
     * @param place place of the log, as recorded or set
     * @param tokens creates the names of attempts to switch
     * @param pauseNanos returns the time to wait after so many bytes copied in the background
     */
    public LogMigration(
            FileSystem files,
            Path directory,
            SwitchedSegmentStore store,
            LogPlace place,
            Function<Kind, LogSite> sites,
            Supplier<UUID> tokens,
            LongUnaryOperator pauseNanos) {
        this.tokens = tokens;
        this.pauseNanos = pauseNanos;
        this.pace = new CopyPace(pauseNanos);
        this.files = files;
        this.directory = directory;
        this.store = store;
        this.place = place;
        this.sites = sites;
        this.cube = String.valueOf(directory.getFileName());
        this.cubeId = sites.apply(place.store()).options().cubeId();
        store.migratedBy(this);
    }

    @Override
    public MigrationStatus status() {
        lock.lock();
        try {
            return new MigrationStatus(
                    place, thread.isPresent(), progress, store.underReplication());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public MigrationStatus start(Kind to) throws IOException {
        lock.lock();
        try {
            requireUsable();
            boolean isThere = place.store() == to;
            if (isThere && place.state() == State.SETTLED) {
                throw new IllegalArgumentException(
                        "the log of cube " + cube + " is on " + to.word() + " already");
            }
            if (!isThere && place.state() == State.LEAVING) {
                throw new IllegalArgumentException(
                        "the copy of cube "
                                + cube
                                + " on "
                                + to.word()
                                + " is being removed: wait until volute cube show reports that its"
                                + " log is settled");
            }
            if (isThere && place.state() != State.LEAVING) {
                giveUp();
            } else if (place.state() == State.SETTLED) {
                begin(to);
            }
            resume();
            return status();
        } finally {
            lock.unlock();
        }
    }

    private void requireUsable() {
        if (isClosing) {
            throw new IllegalArgumentException("cube " + cube + " is being closed");
        }
        if (isUnknown) {
            throw new IllegalArgumentException(
                    "the place of the log is not known after a failed switch: restart the server");
        }
    }

    /** Checks the other place before anything is recorded. */
    private void begin(Kind to) throws IOException {
        SegmentStore opened = openTarget(to);
        boolean isUsable = false;
        try {
            if (!opened.list().isEmpty()) {
                throw new IOException(
                        sites.apply(to).options().directory()
                                + " has segments already: move them away, then repeat the command");
            }
            LogCopy.requireSpace(store, opened, to.word());
            record(LogPlace.copying(place.store()));
            isUsable = true;
        } finally {
            if (!isUsable) {
                opened.close();
            }
        }
        target = Optional.of(opened);
    }

    private SegmentStore openTarget(Kind to) throws IOException {
        LogSite site = sites.apply(to);
        SegmentStore opened = site.stores().openCopy(site.options());
        boolean isOpen = false;
        try {
            opened.open();
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                opened.close();
            }
        }
    }

    /** The switch may have taken effect before the thread has stopped. */
    private void giveUp() throws IOException {
        Kind kept = place.store();
        stop();
        requireUsable();
        if (place.store() != kept) {
            throw new IllegalArgumentException(
                    "the log of cube " + cube + " has just moved to " + place.store().word());
        }
        record(LogPlace.leaving(place.store()));
    }

    private void record(LogPlace next) throws IOException {
        next.write(files, directory);
        place = next;
        LOG.info("log of cube {}: {} on {}", cube, next.state(), next.store());
    }

    /** Goes on with a migration of an earlier life; does nothing if there is none. */
    public void resume() {
        lock.lock();
        try {
            if (place.state() == State.SETTLED || thread.isPresent() || isClosing) {
                return;
            }
            CopyPace next = new CopyPace(pauseNanos);
            pace = next;
            progress = Progress.NONE;
            thread =
                    Optional.of(
                            Thread.ofPlatform()
                                    .daemon()
                                    .name("migrate-" + cube)
                                    .start(() -> run(next)));
        } finally {
            lock.unlock();
        }
    }

    private void run(CopyPace run) {
        String why = "";
        try {
            if (place().state() != State.LEAVING) {
                copyAndSwitch(run);
            }
            if (place().state() == State.LEAVING) {
                finish();
            }
        } catch (IOException | RuntimeException e) {
            why = String.valueOf(e.getMessage());
            LOG.error(
                    "the migration of the log of cube {} has stopped; {} has it. Repeat volute cube"
                            + " migrate when the cause is repaired",
                    cube,
                    place().store(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeTarget();
            lock.lock();
            try {
                progress = progress.stopped(why);
                thread = Optional.empty();
                stopped.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private LogPlace place() {
        lock.lock();
        try {
            return place;
        } finally {
            lock.unlock();
        }
    }

    private void closeTarget() {
        lock.lock();
        try {
            if (target.isPresent()) {
                target.get().close();
            }
        } catch (IOException e) {
            LOG.warn("closing the copy of the log of cube {} failed", cube, e);
        } finally {
            target = Optional.empty();
            lock.unlock();
        }
    }

    private void copyAndSwitch(CopyPace run) throws IOException, InterruptedException {
        LogPlace begun = place();
        Kind to = begun.store().other();
        SegmentStore opened = target(to);
        LogCopy copy = new LogCopy(store, opened, present);
        opened.startWriting();
        if (begun.state() == State.SWITCHING) {
            copy.dropFrom(begun.from());
        }
        boolean isDone = false;
        while (!isDone && !run.isStopping()) {
            copy.copySealed(run, () -> report(copy));
            isDone = !run.isStopping() && trySwitch(to, opened, copy);
            if (!isDone) {
                run.pause(AGAIN_NANOS);
            }
        }
    }

    /** Returns the store of the copy, which was just checked or is opened again. */
    private SegmentStore target(Kind to) throws IOException {
        lock.lock();
        try {
            present = List.of();
            if (target.isEmpty()) {
                target = Optional.of(openTarget(to));
                present = target.get().list();
            }
            return target.get();
        } finally {
            lock.unlock();
        }
    }

    private void report(LogCopy copy) {
        progress = new Progress(copy.segments(), store.names().size(), copy.bytes(), "");
    }

    private boolean trySwitch(Kind to, SegmentStore opened, LogCopy copy)
            throws IOException, InterruptedException {
        SegmentStore old = store.current();
        boolean isSwitched =
                store.trySwitch(
                        opened,
                        ends -> {
                            beginSwitch(copy.firstMissing());
                            Map<SegmentFileName, StoredFile> files = copy.copyRest(ends);
                            decide(to, old);
                            return files;
                        });
        if (isSwitched) {
            report(copy);
            old.close();
        }
        return isSwitched;
    }

    private void beginSwitch(long from) throws IOException {
        lock.lock();
        try {
            record(LogPlace.switching(place.store(), from, tokens.get()));
        } finally {
            lock.unlock();
        }
    }

    /** Takes the decision. When its outcome is unknown, the log takes no more changes. */
    private void decide(Kind to, SegmentStore old) throws IOException {
        lock.lock();
        try {
            old.leave(place.token());
            record(LogPlace.leaving(to));
            target = Optional.empty();
        } catch (IOException e) {
            isUnknown = true;
            store.fail(e);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Completes the switch in the new place, and removes the other copy. */
    private void finish() throws IOException {
        Kind in = place().store();
        sites.apply(in).stores().adoptCopy(cubeId);
        LogSite other = sites.apply(in.other());
        other.stores().remove(other.options());
        lock.lock();
        try {
            record(LogPlace.settled(in));
        } finally {
            lock.unlock();
        }
    }

    private void stop() {
        pace.stop();
        while (thread.isPresent()) {
            stopped.awaitUninterruptibly();
        }
    }

    /** Stops after the present segment. The next start goes on. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosing = true;
            stop();
        } finally {
            lock.unlock();
        }
        closeTarget();
    }
}
