package io.volute.storage.log.space;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.NoSpaceException;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Creates and fills the files of the {@link SparePool}. Thread-safe. */
final class SpareFiles {
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

    private final LogOptions options;
    private final FileSystem files;
    private final int segmentBytes;
    private final BooleanSupplier isClosed;
    private final AtomicLong lastNumber = new AtomicLong();

    SpareFiles(LogOptions options, BooleanSupplier isClosed) {
        this.options = options;
        this.files = options.fileSystem();
        this.segmentBytes = options.settings().segmentBytes();
        this.isClosed = isClosed;
    }

    /** Records a number in use, so that it is not given out again. */
    void seen(long number) {
        lastNumber.accumulateAndGet(number, Math::max);
    }

    /** Creates a file with all its blocks, full of zeros. */
    Path whole() throws IOException {
        Path prep = newFile();
        try (StoredFile file = files.open(prep, Access.READ_WRITE)) {
            for (long offset = 0; offset < segmentBytes; offset += ZEROS.capacity()) {
                zero(file, offset, ZEROS.capacity());
            }
            file.force();
        } catch (IOException e) {
            throw discard(prep, e);
        }
        Path spare = free(prep);
        files.forceDirectory(options.directory());
        return spare;
    }

    /** Creates an empty file of full size without blocks. */
    Path sparse() throws IOException {
        Path prep = newFile();
        try (StoredFile file = files.open(prep, Access.READ_WRITE)) {
            ByteBuffer page = ZEROS.duplicate();
            page.limit(SegmentFormat.PAGE_BYTES);
            file.write(page, segmentBytes - SegmentFormat.PAGE_BYTES, WriteCause.PREPARE);
            return prep;
        } catch (IOException e) {
            throw discard(prep, e);
        }
    }

    /** Writes zeros where the file has holes. */
    void fill(Path spare) throws IOException {
        try (StoredFile file = files.open(spare, Access.READ_WRITE)) {
            for (long offset = 0; offset < segmentBytes; offset += ZEROS.capacity()) {
                fill(file, offset, Math.min(ZEROS.capacity(), segmentBytes - offset));
            }
            file.force();
        } catch (IOException e) {
            throw discard(spare, e);
        }
    }

    private void fill(StoredFile file, long offset, long bytes) throws IOException {
        long missing = bytes - file.allocatedBytes(offset, bytes);
        if (missing == bytes || missing > 0 && bytes == SegmentFormat.PAGE_BYTES) {
            zero(file, offset, bytes);
        } else if (missing > 0) {
            long half = SegmentFormat.pageUp(bytes / 2);
            fill(file, offset, half);
            fill(file, offset + half, bytes - half);
        }
    }

    private void zero(StoredFile file, long offset, long bytes) throws IOException {
        if (isClosed.getAsBoolean()) {
            throw new IOException("the log is closing");
        }
        ByteBuffer zeros = ZEROS.duplicate();
        zeros.limit((int) Math.min(bytes, segmentBytes - offset));
        file.write(zeros, offset, WriteCause.PREPARE);
    }

    /** Renames a file that is not needed any more to the name of a spare. */
    Path free(Path file) throws IOException {
        Path spare = newPath(SegmentFileName.State.FREE);
        files.rename(file, spare);
        return spare;
    }

    /** The possible use of a spare. */
    enum Use {
        /** For every segment. */
        WHOLE,
        /** For segments that are written once; for a head after it is filled. */
        HOLED,
        /** For no segment: its length is not that of a segment. */
        NONE
    }

    Use use(Path path) throws IOException {
        try (StoredFile file = files.open(path, Access.READ)) {
            if (file.size() != segmentBytes) {
                return Use.NONE;
            }
            return file.allocatedBytes(0, segmentBytes) < segmentBytes ? Use.HOLED : Use.WHOLE;
        }
    }

    private Path newPath(SegmentFileName.State state) {
        return options.path(new SegmentFileName(lastNumber.incrementAndGet(), state));
    }

    private Path newFile() throws IOException {
        Path prep = newPath(SegmentFileName.State.PREP);
        try {
            files.create(prep).close();
            return prep;
        } catch (IOException e) {
            throw NoSpaceException.isNoSpace(e)
                    ? LogHealth.full(options.directory(), segmentBytes, e)
                    : e;
        }
    }

    /** Removes a half-made file; returns the failure for the caller. */
    IOException discard(Path prep, IOException why) {
        try {
            files.delete(prep);
        } catch (IOException e) {
            why.addSuppressed(e);
        }
        return NoSpaceException.isNoSpace(why)
                ? LogHealth.full(options.directory(), segmentBytes, why)
                : why;
    }
}
