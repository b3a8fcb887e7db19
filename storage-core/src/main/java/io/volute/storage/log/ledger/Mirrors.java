package io.volute.storage.log.ledger;

import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of the local copies of ledgers, named by the ledger's id. A {@code .part} is being
 * written and worthless after a restart. A {@code .whole} has all bytes of a closed ledger; it was
 * forced before it got that name. Thread-safe.
 */
final class Mirrors {
    private static final Logger LOG = LoggerFactory.getLogger(Mirrors.class);
    private static final String PART = ".part";
    private static final String WHOLE = ".whole";

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private final FileSystem files;
    private final Path directory;
    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<LedgerSegment> whole = new HashSet<>();

    Mirrors(FileSystem files, Path directory, long bytesMax) {
        this.files = files;
        this.directory = directory;
        this.bytesMax = bytesMax;
    }

    /** Creates the directory. */
    void open() throws IOException {
        DurableDirectories.create(files, directory);
    }

    /** Returns the ledgers that have a whole copy; deletes other files of mirrors. */
    Set<Long> keepOnly(Set<Long> ledgerIds) throws IOException {
        Set<Long> found = new HashSet<>();
        for (String name : files.list(directory)) {
            boolean isWhole = name.matches("[0-9]{1,18}\\.whole");
            long id = isWhole ? Long.parseLong(name.substring(0, name.indexOf('.'))) : -1;
            if (isWhole && ledgerIds.contains(id)) {
                found.add(id);
            } else if (isWhole || name.matches("[0-9]{1,18}\\.part")) {
                files.delete(directory.resolve(name));
            }
        }
        return found;
    }

    /** Creates an empty copy. A copy that was given up half-way is replaced. */
    StoredFile create(long ledgerId) throws IOException {
        Path part = path(ledgerId, PART);
        if (files.exists(part)) {
            files.delete(part);
        }
        return files.create(part);
    }

    /** Opens a whole copy. */
    StoredFile openWhole(long ledgerId) throws IOException {
        return files.open(path(ledgerId, WHOLE), Access.READ);
    }

    /** Reads from a copy; bytes behind its end are zeros. */
    static void read(StoredFile from, ByteBuffer target, long offset, int count)
            throws IOException {
        int limit = target.limit();
        target.limit(target.position() + count);
        from.read(target, offset);
        while (target.hasRemaining()) {
            target.put(ZEROS.slice(0, Math.min(ZEROS.capacity(), target.remaining())));
        }
        target.limit(limit);
    }

    /** Makes a copy whole and closes it; returns it, open for reading. */
    StoredFile complete(long ledgerId, StoredFile copy) throws IOException {
        try (copy) {
            copy.force();
        }
        files.rename(path(ledgerId, PART), path(ledgerId, WHOLE));
        return openWhole(ledgerId);
    }

    /**
     * Gives a whole copy, which must be closed, to another ledger with the same content, unless it
     * has one.
     *
     * @return whether the other ledger has a whole copy now
     */
    boolean rename(long from, long to) throws IOException {
        Path whole = path(from, WHOLE);
        if (files.exists(whole) && !files.exists(path(to, WHOLE))) {
            files.rename(whole, path(to, WHOLE));
        }
        delete(from);
        return files.exists(path(to, WHOLE));
    }

    /** Deletes a copy, which must be closed. */
    void delete(long ledgerId) {
        for (String state : List.of(PART, WHOLE)) {
            try {
                Path file = path(ledgerId, state);
                if (files.exists(file)) {
                    files.delete(file);
                }
            } catch (IOException e) {
                LOG.warn("a mirror of ledger {} stays until the next start", ledgerId, e);
            }
        }
    }

    private Path path(long ledgerId, String state) {
        return directory.resolve(ledgerId + state);
    }

    /** Counts a whole copy, and gives up those that were not read for longest beyond the limit. */
    void count(LedgerSegment added) {
        lock.lock();
        try {
            whole.add(added);
            long bytes = whole.stream().mapToLong(LedgerSegment::end).sum();
            List<LedgerSegment> oldest = new ArrayList<>(whole);
            oldest.sort(Comparator.comparingLong(LedgerSegment::lastRead));
            for (LedgerSegment each : oldest) {
                if (bytes <= bytesMax) {
                    break;
                }
                // A mirror in use stays: a reader that is to be evicted may evict at once.
                if (each != added && each.dropMirror()) {
                    bytes -= each.end();
                    whole.remove(each);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Counts a copy no longer. */
    void forget(LedgerSegment gone) {
        lock.lock();
        try {
            whole.remove(gone);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the space of the file system that has the mirrors. */
    long usableBytes() throws IOException {
        return files.usableBytes(directory);
    }
}
