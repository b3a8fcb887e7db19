package io.volute.testkit.sim;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.testkit.sim.EntryChange.Edit;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.SimNode.Directory;
import io.volute.testkit.sim.SimNode.FileNode;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A file system in memory that treats unforced state as a disk may. Deterministic: the same
 * operations, plan and seeds give the same bytes. Thread-safe; operations are one after another.
 *
 * <p>The fault model:
 *
 * <ul>
 *   <li>A file has durable bytes and a list of unforced writes; {@link StoredFile#force} makes the
 *       writes durable, content and length alike (fdatasync).
 *   <li>A directory has durable entries and a list of unforced changes (create, rename, delete);
 *       {@link #forceDirectory} makes them durable. A rename is atomic. Changes of the same name or
 *       file keep their order, all others may be reordered. A new file whose entry was not forced
 *       is lost with its forced content; so is a new directory whose parent was not forced.
 *   <li>A crash is a copy: {@link #crashImage} makes one possible disk by one of eight {@link
 *       PersistencePolicy policies}, while this file system goes on. Blocks of 4 KiB persist
 *       independently, and are torn at 512 B; a sector is never torn. Punched blocks, too, are lost
 *       or kept one by one, but never torn: a block is in the file's map or it is not.
 *   <li>Every operation is a numbered event, and a {@link Fault} makes events fail, lie or stop the
 *       machine; see {@link Fault.Effect} for all of them. Space can be limited.
 *   <li>Not modelled: delays, damage of durable bytes at rest other than by {@link #flipBit},
 *       {@link #truncate} and {@link #overwrite}, and writes torn within a 512 B sector.
 * </ul>
 */
public final class SimFileSystem implements FileSystem {
    private static final long DEFAULT_CAPACITY_BYTES = 1L << 40;

    private final ReentrantLock lock = new ReentrantLock();
    private final Namespace names;
    private final SplittableRandom random;
    private final EventGate gate = new EventGate();
    private final Set<Path> locks = new HashSet<>();
    private long capacityBytes = DEFAULT_CAPACITY_BYTES;
    private boolean canPunch = true;
    private int openFiles;

    /** An empty file system; the seed decides how planned faults tear and misdirect. */
    public SimFileSystem(long seed) {
        this(seed, new Directory());
    }

    private SimFileSystem(long seed, Directory root) {
        this.random = new SplittableRandom(seed);
        this.names = new Namespace(root);
    }

    // ---- steering

    /** Adds a fault to the plan. */
    public void plan(Fault fault) {
        locked(() -> gate.plan(fault));
    }

    /** Forgets all planned faults; a crash stays. */
    public void clearFaults() {
        locked(gate::clearFaults);
    }

    /** Limits the space that all files together may take; holes are free. */
    public void limitCapacity(long bytes) {
        locked(() -> capacityBytes = bytes);
    }

    /** From here on holes cannot be punched, as on many file systems. */
    public void refusePunches() {
        locked(() -> canPunch = false);
    }

    /** Shows every event to the observer before it happens; the observer may take crash images. */
    public void observe(Consumer<SimEvent> newObserver) {
        locked(() -> gate.observe(newObserver));
    }

    /** Runs something between two operations. */
    public void atomically(Runnable action) {
        locked(action);
    }

    /** Number of the last event. */
    public long events() {
        return lockedGet(gate::events);
    }

    /** Returns the number of events that planned faults have hit. */
    public long faultsHit() {
        return lockedGet(gate::faultsHit);
    }

    /** Files and locks that are open. */
    public int openFiles() {
        return lockedGet(() -> openFiles + locks.size());
    }

    /** The last events, oldest first, for messages of failing tests. */
    public List<SimEvent> recentEvents() {
        return lockedGet(gate::recentEvents);
    }

    /** One possible disk after a crash now, as a new file system without faults. */
    public SimFileSystem crashImage(PersistencePolicy policy, long seed) {
        return lockedGet(
                () -> {
                    Directory root = new CrashImage(names, policy, seed).build();
                    SimFileSystem image = new SimFileSystem(seed, root);
                    image.capacityBytes = capacityBytes;
                    image.canPunch = canPunch;
                    return image;
                });
    }

    /** Flips one bit of a file, on disk and in the cache. */
    public void flipBit(Path file, long offset, int bit) throws IOException {
        edit(file, content -> content.flipBit(offset, bit));
    }

    /** Cuts or grows a file, on disk and in the cache. */
    public void truncate(Path file, long bytes) throws IOException {
        edit(file, content -> content.truncate(bytes));
    }

    /** Replaces bytes of a file, on disk and in the cache. */
    public void overwrite(Path file, long offset, byte[] bytes) throws IOException {
        edit(file, content -> content.write(offset, bytes, 0, bytes.length));
    }

    private void edit(Path file, Consumer<FileContent> change) throws IOException {
        lock.lock();
        try {
            FileNode node = names.file(file);
            node.force();
            change.accept(node.current);
            change.accept(node.durable);
        } finally {
            lock.unlock();
        }
    }

    // ---- FileSystem

    @Override
    public void createDirectories(Path directory) throws IOException {
        Path path = Namespace.normal(directory);
        Path made = path.getRoot();
        for (Path name : path) {
            made = made.resolve(name);
            Path next = made;
            if (!exists(next)) {
                perform(
                        Operation.CREATE_DIRECTORY,
                        next,
                        event -> change(event, List.of(names.put(next, new Directory()))));
            }
        }
    }

    @Override
    public StoredFile create(Path file) throws IOException {
        return performGet(
                Operation.CREATE,
                file,
                event -> {
                    if (names.find(file).isPresent()) {
                        throw new FileAlreadyExistsException(file.toString());
                    }
                    FileNode node = new FileNode();
                    change(event, List.of(names.put(file, node)));
                    return handle(file, node, Access.READ_WRITE);
                });
    }

    @Override
    public StoredFile open(Path file, Access access) throws IOException {
        return performGet(Operation.OPEN, file, event -> handle(file, names.file(file), access));
    }

    private StoredFile handle(Path file, FileNode node, Access access) {
        openFiles++;
        node.handles++;
        return new SimFile(this, file, node, access);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return performGet(
                Operation.LIST,
                directory,
                event -> {
                    Optional<SimNode> found = names.find(directory);
                    return found.isEmpty()
                            ? List.of()
                            : List.copyOf(names.directory(directory).current.keySet());
                });
    }

    @Override
    public boolean exists(Path file) {
        return lockedGet(() -> names.find(file).isPresent());
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        perform(
                Operation.RENAME,
                source,
                event -> {
                    Edit from = names.remove(source);
                    SimNode node =
                            from.before()
                                    .orElseThrow(() -> new NoSuchFileException(source.toString()));
                    Edit to = names.put(target, node);
                    if (to.before().isPresent() && to.before().orElseThrow() == node) {
                        return;
                    }
                    change(event, List.of(from, to));
                });
    }

    @Override
    public void delete(Path file) throws IOException {
        perform(
                Operation.DELETE,
                file,
                event -> {
                    Edit gone = names.remove(file);
                    SimNode node =
                            gone.before()
                                    .orElseThrow(() -> new NoSuchFileException(file.toString()));
                    if (node instanceof Directory directory && !directory.current.isEmpty()) {
                        throw new DirectoryNotEmptyException(file.toString());
                    }
                    change(event, List.of(gone));
                });
    }

    private void change(long event, List<Edit> edits) {
        names.change(new EntryChange(event, edits));
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        lock.lock();
        try {
            Optional<Effect> effect = begin(Operation.FORCE_DIRECTORY, directory, -1, -1);
            Directory node = names.directory(directory);
            if (effect.equals(Optional.of(Effect.FORCE_TRAP))) {
                names.loseUnforced(node);
                throw failure(directory, Effect.IO_ERROR);
            }
            if (!effect.equals(Optional.of(Effect.FORCE_LIES))) {
                names.force(node);
            }
            end(effect);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long usableBytes(Path directory) {
        return lockedGet(() -> Math.max(0, capacityBytes - usedBytes()));
    }

    @Override
    public DirectoryLock lock(Path lockFile) throws IOException {
        Path path = Namespace.normal(lockFile);
        perform(
                Operation.LOCK,
                path,
                event -> {
                    if (!locks.add(path)) {
                        throw new IOException("already locked: " + path);
                    }
                    if (names.find(path).isEmpty()) {
                        change(event, List.of(names.put(path, new FileNode())));
                    }
                });
        return () -> locked(() -> locks.remove(path));
    }

    // ---- events, shared with SimFile

    ReentrantLock mutex() {
        return lock;
    }

    SplittableRandom random() {
        return random;
    }

    boolean canPunch() {
        return canPunch;
    }

    long lastEvent() {
        return gate.events();
    }

    void closed(FileNode node) {
        node.handles--;
        openFiles--;
    }

    boolean hasSpaceFor(FileNode file, long offset, long bytes) {
        return file.current.holeBytes(offset, bytes) <= capacityBytes - usedBytes();
    }

    private long usedBytes() {
        return names.files().stream().mapToLong(file -> file.current.allocatedBytes()).sum();
    }

    Optional<Effect> begin(Operation operation, Path path, long offset, long bytes)
            throws IOException {
        return gate.begin(operation, path, offset, bytes);
    }

    void end(Optional<Effect> effect) {
        gate.end(effect);
    }

    static IOException failure(Path path, Effect effect) {
        return new FileSystemException(
                path.toString(),
                null,
                effect == Effect.NO_SPACE ? "No space left on device" : "Input/output error");
    }

    private interface Action {
        void run(long event) throws IOException;
    }

    private interface Query<T> {
        T run(long event) throws IOException;
    }

    private void perform(Operation operation, Path path, Action action) throws IOException {
        boolean done =
                performGet(
                        operation,
                        path,
                        event -> {
                            action.run(event);
                            return true;
                        });
        assert done;
    }

    private <T> T performGet(Operation operation, Path path, Query<T> query) throws IOException {
        lock.lock();
        try {
            Optional<Effect> effect = begin(operation, path, -1, -1);
            T result = query.run(gate.events());
            end(effect);
            return result;
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private <T> T lockedGet(java.util.function.Supplier<T> query) {
        lock.lock();
        try {
            return query.get();
        } finally {
            lock.unlock();
        }
    }
}
