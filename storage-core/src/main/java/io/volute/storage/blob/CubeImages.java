package io.volute.storage.blob;

import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.memory.MemoryImages;
import io.volute.storage.report.ImageStats;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory images of a cube, and the thread of their upkeep. Nothing here can fail a commit or a
 * read: a failure turns the images off. Thread-safe.
 */
public final class CubeImages implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CubeImages.class);

    private final MemoryImages images;
    private final boolean isOn;

    /** Tasks; an empty one stops the thread. At most one task and one stop wait at a time. */
    private final LinkedBlockingQueue<Optional<Runnable>> tasks = new LinkedBlockingQueue<>();

    private final Thread thread;

    public CubeImages(MemorySettings settings, CubeThreads threads) {
        this.images = new MemoryImages(settings, task -> tasks.add(Optional.of(task)));
        this.isOn = settings.imageBytes() > 0;
        this.thread = threads.newThread("images-0", this::run);
    }

    public void start() {
        if (isOn) {
            thread.start();
        }
    }

    private void run() {
        try {
            Optional<Runnable> task = tasks.take();
            while (task.isPresent()) {
                guarded(task.get());
                task = tasks.take();
            }
        } catch (InterruptedException e) {
            // The images refuse what no longer fits; reads go to the disk.
            LOG.debug("the upkeep of the memory images was interrupted");
        }
    }

    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            turnOff(e);
        }
    }

    private void turnOff(RuntimeException cause) {
        LOG.error("memory images failed and are off until restart; reads go to the disk", cause);
        images.close();
    }

    /**
     * Takes the blobs of a batch that is durable and in the index. Called by the committing thread.
     *
     * @param diedBlobs ids of blobs that the batch leaves without references
     */
    public void applied(List<LogEntry> entries, List<Long> diedBlobs) {
        if (isOn) {
            guarded(
                    () -> {
                        for (LogEntry entry : entries) {
                            if (entry instanceof LogEntry.InlineBlob blob) {
                                images.written(blob.blobId(), blob.content());
                            }
                        }
                        diedBlobs.forEach(images::died);
                    });
        }
    }

    /**
     * Reads a whole inline blob; see {@link MemoryImages#read}.
     *
     * @param bytes length of the blob
     */
    boolean read(long blobId, long bytes, ByteBuffer target) {
        if (!isOn || bytes > target.capacity()) {
            return false;
        }
        try {
            return images.read(blobId, (int) bytes, target);
        } catch (RuntimeException e) {
            turnOff(e);
            return false;
        }
    }

    /** Takes a whole inline blob that was read from the disk and verified. */
    void readFromDisk(long blobId, ByteBuffer content) {
        if (isOn) {
            guarded(() -> images.readFromDisk(blobId, content));
        }
    }

    public ImageStats stats() {
        return images.stats();
    }

    @Override
    public void close() {
        tasks.add(Optional.empty());
        UninterruptibleJoin.join(thread);
        images.close();
    }
}
