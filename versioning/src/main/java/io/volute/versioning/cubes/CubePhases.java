package io.volute.versioning.cubes;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreCubes.Follower;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.catalog.Catalog;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Opens and closes the cubes of a store, and notifies their follower. Thread-safe. */
final class CubePhases {
    private final CubeRegistry cubes;
    private final CubeOpening opening;

    /** Held while the list of cubes or the phase of one changes. */
    private final ReentrantLock changes = new ReentrantLock();

    private final Condition changed = changes.newCondition();
    private Optional<Follower> follower = Optional.empty();
    private boolean isClosing;

    CubePhases(CubeRegistry cubes, CubeOpening opening) {
        this.cubes = cubes;
        this.opening = opening;
    }

    /**
     * Changes the list of cubes or the phase of one.
     *
     * @throws io.volute.versioning.StoreException INVALID_ARGUMENT while the store is closed
     */
    <T> T changing(CubeSlot.Task<T> change) throws IOException {
        changes.lock();
        try {
            if (isClosing) {
                throw CubeRegistry.refused("the server is shutting down");
            }
            return change.run();
        } finally {
            changes.unlock();
        }
    }

    /** Waits while a cube is being opened. The caller runs within {@link #changing}. */
    void settle(CubeSlot slot) {
        while (slot.phase() == Phase.OPENING) {
            changed.awaitUninterruptibly();
        }
    }

    /** Opens a cube whose phase is OPENING in a thread of its own. */
    void openLater(CubeSlot slot, boolean rebuildIndex) {
        Thread unused =
                Thread.ofPlatform()
                        .name("open-cube-" + slot.name())
                        .start(() -> open(slot, rebuildIndex));
    }

    /** Opens a cube whose phase is OPENING. A failure concerns this cube alone. */
    void open(CubeSlot slot, boolean rebuildIndex) {
        try {
            open(slot, rebuildIndex, CubeSlot::failed);
        } catch (IOException | RuntimeException | LinkageError e) {
            opening.failed(slot, e);
        }
    }

    private void open(CubeSlot slot, boolean rebuildIndex, Failure failure) throws IOException {
        open(
                slot,
                () -> opening.open(slot, rebuildIndex),
                cube -> {
                    serve(slot, cube);
                    if (!opening.isForReading()) {
                        cubes.buckets().reconcile(slot);
                    }
                },
                failure);
    }

    /** Serves a cube that was opened. */
    @FunctionalInterface
    private interface Serving {
        void serve(Cube cube) throws IOException;
    }

    private void open(CubeSlot slot, CubeSlot.Task<Cube> task, Serving serving, Failure failure)
            throws IOException {
        Cube cube;
        try {
            cube = task.run();
        } catch (IOException | RuntimeException | LinkageError e) {
            fail(slot, e, failure);
            throw e;
        }
        changes.lock();
        try {
            serving.serve(cube);
            changed.signalAll();
        } catch (IOException | RuntimeException | LinkageError e) {
            fail(slot, e, failure);
            throw e;
        } finally {
            changes.unlock();
        }
    }

    private void fail(CubeSlot slot, Throwable why, Failure failure) {
        changes.lock();
        try {
            close(slot, each -> failure.of(each, String.valueOf(why.getMessage())));
            changed.signalAll();
        } finally {
            changes.unlock();
        }
    }

    /** Sets the phase of a cube that could not be opened. */
    @FunctionalInterface
    private interface Failure {
        void of(CubeSlot slot, String why);
    }

    /** Serves a cube that is open. */
    void serve(CubeSlot slot, Cube cube) throws IOException {
        serve(slot, opening.serve(slot, cube));
    }

    /** Serves a cube that is open with its catalog. */
    void serve(CubeSlot slot, CubeSlot.Open open) {
        slot.opened(open);
        follower.ifPresent(each -> each.opened(slot.opened().orElseThrow()));
    }

    /** Closes a cube, if it is open. The caller runs within {@link #changing}. */
    void close(CubeSlot slot, Consumer<CubeSlot> next) {
        Optional<CubeSlot.Open> open = slot.open();
        cubes.buckets().moves().pause(slot);
        if (open.isPresent()) {
            follower.ifPresent(each -> each.closing(slot.opened().orElseThrow()));
        }
        next.accept(slot);
        open.ifPresent(each -> opening.close(slot.name(), each));
    }

    /** Closes a cube and opens it again. The caller runs within {@link #changing}. */
    CubeSlot reopen(CubeSlot slot, boolean rebuildIndex) {
        if (slot.phase() == Phase.OPENING) {
            throw CubeRegistry.refused("cube " + slot.name() + " is being opened already");
        }
        slot.requireHere();
        close(slot, CubeSlot::opening);
        openLater(slot, rebuildIndex);
        return slot;
    }

    /** Opens a cube that another node had; a cube that is open stays so. */
    void take(CubeSlot slot) throws IOException {
        if (begin(slot)) {
            open(slot, false, (failed, why) -> failed.elsewhere());
        }
    }

    /** Marks a cube as being opened, and returns true, unless it is open. */
    private boolean begin(CubeSlot slot) throws IOException {
        return changing(
                () -> {
                    settle(slot);
                    boolean isOpen = slot.phase() == Phase.OPEN;
                    if (!isOpen) {
                        slot.opening();
                    }
                    return !isOpen;
                });
    }

    /** Closes a cube for another node. */
    void release(CubeSlot slot) throws IOException {
        boolean unused =
                changing(
                        () -> {
                            settle(slot);
                            close(slot, CubeSlot::elsewhere);
                            return true;
                        });
    }

    /** Opens the system cube, with the cubes that have no owner of their own. */
    void takeSystem() throws IOException {
        CubeSlot system = cubes.system();
        if (begin(system)) {
            open(
                    system,
                    () -> opening.files().open(system.name()),
                    cube -> cubes.serveSystem(opening.serve(system, cube)),
                    (failed, why) -> failed.elsewhere());
        }
    }

    /** Closes the system cube, with the cubes that have no owner of their own. */
    void releaseSystem() throws IOException {
        boolean unused =
                changing(
                        () -> {
                            settle(cubes.system());
                            cubes.buckets().moves().pauseAll();
                            for (CubeSlot slot : cubes.others()) {
                                if (!opening.files().isElsewhere(slot.name())) {
                                    settle(slot);
                                    close(slot, CubeSlot::elsewhere);
                                }
                            }
                            close(cubes.system(), CubeSlot::elsewhere);
                            return true;
                        });
    }

    /** Returns the names of the cubes that other nodes have, by number. */
    Map<Integer, String> elsewhere() {
        return cubes.slots().stream()
                .filter(slot -> slot.phase() == Phase.ELSEWHERE)
                .collect(Collectors.toMap(CubeSlot::number, CubeSlot::name));
    }

    /** Returns the refusal of a cube that is open neither here nor on another node. */
    Optional<CubeUnavailableException> missing() {
        for (CubeSlot slot : cubes.slots()) {
            try {
                if (slot.phase() != Phase.ELSEWHERE) {
                    Catalog unused = slot.catalog();
                }
            } catch (CubeUnavailableException e) {
                return Optional.of(e);
            }
        }
        return Optional.empty();
    }

    void follow(Follower follows) {
        changes.lock();
        try {
            follower = Optional.of(follows);
            cubes.opened().forEach(follows::opened);
        } finally {
            changes.unlock();
        }
    }

    void awaitOpened(Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        changes.lock();
        try {
            while (isOpening() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            changes.unlock();
        }
    }

    private boolean isOpening() {
        return cubes.slots().stream().anyMatch(slot -> slot.phase() == Phase.OPENING);
    }

    /** Closes all cubes; of the system cube, which stays the caller's, the catalog alone. */
    void close() throws IOException {
        changes.lock();
        try {
            isClosing = true;
            while (isOpening()) {
                // A cube that is being opened has no owner who could close it.
                changed.awaitUninterruptibly();
            }
            cubes.others().forEach(slot -> close(slot, CubeSlot::closed));
            cubes.buckets().moves().pause(cubes.system());
            if (cubes.system().open().isPresent()) {
                cubes.system().open().get().catalog().close();
            }
        } finally {
            changes.unlock();
        }
    }
}
