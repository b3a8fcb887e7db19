package io.volute.storage.log.space;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Segments as files of one directory. A draft is a spare file, and becomes a segment by a rename. A
 * retired segment becomes a spare.
 */
public final class LocalSegmentStore implements SegmentStore {
    /** The copy that is being made; worthless after a crash. */
    private static final String COPY = "copy.new";

    private final LogOptions options;
    private final FileSystem files;
    private final SparePool spares;
    private final List<SegmentFileName> found = new ArrayList<>();
    private volatile LongSupplier usedBytes = () -> 0;

    public LocalSegmentStore(LogOptions options) {
        this.options = options;
        this.files = options.fileSystem();
        this.spares = new SparePool(options, () -> usedBytes.getAsLong());
    }

    @Override
    public void open() throws IOException {
        DurableDirectories.create(files, options.directory());
    }

    /**
     * {@inheritDoc}
     *
     * <p>Forces the directory: after a kill, a name may have been in the page cache only.
     */
    @Override
    public List<SegmentFileName> list() throws IOException {
        List<SegmentFileName> segments = new ArrayList<>();
        found.clear();
        for (String file : files.list(options.directory())) {
            Optional<SegmentFileName> name = SegmentFileName.parse(file);
            name.ifPresent(
                    parsed -> (parsed.state().kind().isPresent() ? segments : found).add(parsed));
        }
        if (!segments.isEmpty()) {
            files.forceDirectory(options.directory());
        }
        return segments;
    }

    @Override
    public void measureUseBy(LongSupplier source) {
        usedBytes = source;
    }

    @Override
    public void startWriting() throws IOException {
        for (SegmentFileName spare : found) {
            spares.adopt(spare);
        }
        found.clear();
        deleteCopy();
    }

    private void deleteCopy() throws IOException {
        Path copy = options.directory().resolve(COPY);
        if (files.exists(copy)) {
            files.delete(copy);
        }
    }

    @Override
    public Draft create(Claim claim) throws IOException {
        return new SpareDraft(
                claim.kind() == SpaceReport.Kind.HEAD
                        ? spares.take(claim.priority())
                        : spares.takeSparse(claim.priority(), claim.expectedBytes()));
    }

    @Override
    public Draft createCopy(long segmentBytes) throws IOException {
        deleteCopy();
        Path copy = options.directory().resolve(COPY);
        try (StoredFile file = files.create(copy)) {
            ByteBuffer end = ByteBuffer.allocateDirect(SegmentFormat.PAGE_BYTES);
            file.write(end, segmentBytes - SegmentFormat.PAGE_BYTES, WriteCause.PREPARE);
        }
        return new SpareDraft(copy);
    }

    /** A spare file that gets its first content. */
    private final class SpareDraft implements Draft {
        private final Path path;

        SpareDraft(Path path) {
            this.path = path;
        }

        @Override
        public StoredFile open() throws IOException {
            return files.open(path, Access.READ_WRITE);
        }

        @Override
        public StoredFile publish(SegmentFileName name) throws IOException {
            files.rename(path, options.path(name));
            files.forceDirectory(options.directory());
            return LocalSegmentStore.this.open(name, Access.READ_WRITE);
        }

        @Override
        public void putBack() {
            spares.putBack(path);
        }

        @Override
        public IOException discard(IOException cause) {
            return spares.discard(path, cause);
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    @Override
    public StoredFile open(SegmentFileName name, Access access) throws IOException {
        return files.open(options.path(name), access);
    }

    @Override
    public void retire(SegmentFileName name) throws IOException {
        spares.recycle(name);
    }

    @Override
    public boolean resumesHeads() {
        return true;
    }

    @Override
    public boolean sharesStreams() {
        return true;
    }

    @Override
    public int ready() {
        return spares.size();
    }

    @Override
    public void prepareSoon() {
        spares.prepareSoon();
    }

    @Override
    public long available(SpacePriority priority) {
        return spares.available(priority);
    }

    @Override
    public SegmentReserve reserve() {
        return spares.reserve();
    }

    @Override
    public void useReserve(SegmentReserve other) {
        spares.useReserve(other);
    }

    @Override
    public void reserveForOthers(ToLongFunction<SpacePriority> bytes) {
        spares.reserveForOthers(bytes);
    }

    @Override
    public String remedy() {
        return "Repair the disk or file system that holds " + options.directory();
    }

    @Override
    public void close() {
        spares.close();
    }
}
