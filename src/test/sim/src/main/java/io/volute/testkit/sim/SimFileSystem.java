package io.volute.testkit.sim;

import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.testkit.sim.EntryChange.Edit;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.SimNode.Directory;
import io.volute.testkit.sim.SimNode.FileNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
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

    private final Namespace names;
    private final SplittableRandom random;
    private final EventGate gate = new EventGate();
    private final Set<Path> locks = new HashSet<>();
    private long capacityBytes = DEFAULT_CAPACITY_BYTES;
    private boolean canPunch = true;
    private int openFiles;

    /** Creates an empty file system without randomness other than that of its crash images. */
    public SimFileSystem() {
        this(1);
    }

    /** Creates an empty file system. The seed decides how planned faults tear and misdirect. */
    public SimFileSystem(long seed) {
        this(seed, new Directory());
    }

    private SimFileSystem(long seed, Directory root) {
        this.random = new SplittableRandom(seed);
        this.names = new Namespace(root);
    }

    // ---- steering

    /** Adds a fault to the plan. */
    public synchronized void plan(Fault fault) {
        gate.plan(fault);
    }

    /** Removes all planned faults; a crash stays. */
    public synchronized void clearFaults() {
        gate.clearFaults();
    }

    /** Limits the space of all files together; holes take none. */
    public synchronized void limitCapacity(long bytes) {
        capacityBytes = bytes;
    }

    /** Limits the space to that of all files now and some more bytes. */
    public synchronized void limitFree(long bytes) {
        capacityBytes = usedBytes() + bytes;
    }

    /** Refuses to punch holes from now on, as many file systems do. */
    public synchronized void refusePunches() {
        canPunch = false;
    }

    /** Shows every event to the observer before it happens; the observer may take crash images. */
    public synchronized void observe(Consumer<SimEvent> newObserver) {
        gate.observe(newObserver);
    }

    /**
     * Returns a thread-safe list of the events from now on that change the disk. Replaces the
     * observer.
     */
    public List<SimEvent> record() {
        List<SimEvent> seen = Collections.synchronizedList(new ArrayList<>());
        observe(
                event -> {
                    if (event.operation().changesDisk()) {
                        seen.add(event);
                    }
                });
        return seen;
    }

    /** Runs something between two operations. */
    public synchronized void atomically(Runnable action) {
        action.run();
    }

    /** Returns the number of the last event. */
    public synchronized long events() {
        return gate.events();
    }

    /** Returns the number of events that planned faults have hit. */
    public synchronized long faultsHit() {
        return gate.faultsHit();
    }

    /** Returns the number of open files and locks. */
    public synchronized int openFiles() {
        return openFiles + locks.size();
    }

    /** Returns the last events, oldest first, for messages of failing tests. */
    public synchronized List<SimEvent> recentEvents() {
        return gate.recentEvents();
    }

    /** Returns one possible disk after a crash now, as a new file system without faults. */
    public synchronized SimFileSystem crashImage(PersistencePolicy policy, long seed) {
        SimFileSystem image = new SimFileSystem(seed, new CrashImage(names, policy, seed).build());
        image.capacityBytes = capacityBytes;
        image.canPunch = canPunch;
        return image;
    }

    /** Returns the disk that a kill of the process leaves: with everything that readers see. */
    public SimFileSystem afterKill() {
        return crashImage(PersistencePolicy.ALL_KEPT, 1);
    }

    /** Returns the disk after a power cut that leaves only forced state. */
    public SimFileSystem afterPowerCut() {
        return crashImage(PersistencePolicy.ALL_LOST, 1);
    }

    // ---- content, beside the operations

    /** Returns the paths of all files, sorted. */
    public synchronized List<Path> paths() {
        return names.paths();
    }

    /** Returns a copy of the bytes of a file, without an event. */
    public synchronized byte[] bytes(Path file) throws IOException {
        FileContent content = names.file(file).current;
        ByteBuffer target = ByteBuffer.allocate(Math.toIntExact(content.size()));
        content.read(target, 0);
        return target.array();
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

    private synchronized void edit(Path file, Consumer<FileContent> change) throws IOException {
        FileNode node = names.file(file);
        node.force();
        change.accept(node.current);
        change.accept(node.durable);
    }

    // ---- FileSystem

    @Override
    public synchronized void createDirectories(Path directory) throws IOException {
        Path path = Namespace.normal(directory);
        Path made = path.getRoot();
        for (Path name : path) {
            made = made.resolve(name);
            if (names.find(made).isEmpty()) {
                Optional<Effect> effect = begin(SimEvent.of(Operation.CREATE_DIRECTORY, made));
                change(names.put(made, new Directory()));
                end(effect);
            }
        }
    }

    @Override
    public synchronized StoredFile create(Path file) throws IOException {
        Optional<Effect> effect = begin(SimEvent.of(Operation.CREATE, file));
        if (names.find(file).isPresent()) {
            throw new FileAlreadyExistsException(file.toString());
        }
        FileNode node = new FileNode();
        change(names.put(file, node));
        return opened(new SimFile(this, file, node, Access.READ_WRITE), effect);
    }

    @Override
    public synchronized StoredFile open(Path file, Access access) throws IOException {
        Optional<Effect> effect = begin(SimEvent.of(Operation.OPEN, file));
        return opened(new SimFile(this, file, names.file(file), access), effect);
    }

    private SimFile opened(SimFile file, Optional<Effect> effect) {
        openFiles++;
        end(effect);
        return file;
    }

    @Override
    public synchronized List<String> list(Path directory) throws IOException {
        Optional<Effect> effect = begin(SimEvent.of(Operation.LIST, directory));
        List<String> found =
                names.find(directory).isEmpty()
                        ? List.of()
                        : List.copyOf(names.directory(directory).current.keySet());
        end(effect);
        return found;
    }

    @Override
    public synchronized boolean exists(Path file) {
        return names.find(file).isPresent();
    }

    @Override
    public synchronized void rename(Path source, Path target) throws IOException {
        Optional<Effect> effect = begin(SimEvent.rename(source, target));
        Edit from = names.remove(source);
        SimNode node = from.before().orElseThrow(() -> new NoSuchFileException(source.toString()));
        Edit to = names.put(target, node);
        if (to.before().isEmpty() || to.before().orElseThrow() != node) {
            change(from, to);
        }
        end(effect);
    }

    @Override
    public synchronized void delete(Path file) throws IOException {
        Optional<Effect> effect = begin(SimEvent.of(Operation.DELETE, file));
        Edit gone = names.remove(file);
        SimNode node = gone.before().orElseThrow(() -> new NoSuchFileException(file.toString()));
        if (node instanceof Directory directory && !directory.current.isEmpty()) {
            throw new DirectoryNotEmptyException(file.toString());
        }
        change(gone);
        end(effect);
    }

    private void change(Edit... edits) {
        names.change(new EntryChange(gate.events(), List.of(edits)));
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        Optional<Effect> effect = begin(SimEvent.of(Operation.FORCE_DIRECTORY, directory));
        Directory node = names.directory(directory);
        if (effect.equals(Optional.of(Effect.FORCE_TRAP))) {
            names.loseUnforced(node);
            throw failure(directory, Effect.IO_ERROR);
        }
        if (!effect.equals(Optional.of(Effect.FORCE_LIES))) {
            names.force(node);
        }
        end(effect);
    }

    @Override
    public synchronized long usableBytes(Path directory) {
        return Math.max(0, capacityBytes - usedBytes());
    }

    @Override
    public synchronized DirectoryLock lock(Path lockFile) throws IOException {
        Path path = Namespace.normal(lockFile);
        Optional<Effect> effect = begin(SimEvent.of(Operation.LOCK, path));
        if (!locks.add(path)) {
            throw new IOException("already locked: " + path);
        }
        if (names.find(path).isEmpty()) {
            change(names.put(path, new FileNode()));
        }
        end(effect);
        return () -> atomically(() -> locks.remove(path));
    }

    // ---- shared with SimFile, which holds the lock of this object

    SplittableRandom random() {
        return random;
    }

    boolean canPunch() {
        return canPunch;
    }

    long lastEvent() {
        return gate.events();
    }

    void closed() {
        openFiles--;
    }

    boolean hasSpaceFor(FileNode file, long offset, long bytes) {
        return capacityBytes == DEFAULT_CAPACITY_BYTES
                || file.current.holeBytes(offset, bytes) <= capacityBytes - usedBytes();
    }

    private long usedBytes() {
        return names.files().stream().mapToLong(file -> file.current.allocatedBytes()).sum();
    }

    Optional<Effect> begin(SimEvent event) throws IOException {
        return gate.begin(event);
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
}
