package io.volute.storage.accounting;

import io.volute.storage.Place;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * The uploads with bytes in stream segments that no commit covers yet. Their segments have no live
 * bytes and must still not be freed. Thread-safe.
 *
 * <p>A thread that frees segments queries in this order: the sealed segments, then {@link
 * #bytesBySegment}, then the live bytes. A chunk in a segment that was sealed at the first step was
 * written before the second, and an upload leaves this set only after its commit is live.
 */
public final class ActiveUploads {
    private final SegmentLog log;
    private final LongConsumer onAbandoned;
    private final Set<Upload> uploads = ConcurrentHashMap.newKeySet();

    /**
     * Creates an empty set.
     *
     * @param onAbandoned takes the bytes of each abandoned upload
     */
    public ActiveUploads(SegmentLog log, LongConsumer onAbandoned) {
        this.log = log;
        this.onAbandoned = onAbandoned;
    }

    public Upload begin(long blobId, OptionalLong expectedBytes) throws IOException {
        Upload upload = new Upload();
        uploads.add(upload);
        boolean opened = false;
        try {
            upload.open(blobId, expectedBytes);
            opened = true;
            return upload;
        } finally {
            if (!opened) {
                uploads.remove(upload);
            }
        }
    }

    /** Returns the bytes of unfinished and uncommitted uploads in each segment. */
    public Map<Long, Long> bytesBySegment() {
        Map<Long, Long> bytes = new HashMap<>();
        for (Upload upload : uploads) {
            for (Place extent : upload.extents()) {
                bytes.merge(extent.segmentId(), extent.bytes(), Long::sum);
            }
        }
        return bytes;
    }

    /** Returns the extents of unfinished and uncommitted uploads in one segment. */
    public List<Place> extentsIn(long segment) {
        List<Place> found = new ArrayList<>();
        for (Upload upload : uploads) {
            for (Place extent : upload.extents()) {
                if (extent.segmentId() == segment) {
                    found.add(extent);
                }
            }
        }
        return found;
    }

    /** One upload. One thread writes it; others may query it. */
    public final class Upload {
        private final ReentrantLock lock = new ReentrantLock();
        private Optional<SegmentLog.StreamAppender> appender = Optional.empty();
        private List<Place> finished = List.of();

        private Upload() {}

        private void open(long blobId, OptionalLong expectedBytes) throws IOException {
            lock.lock();
            try {
                appender = Optional.of(log.openStream(blobId, expectedBytes));
            } finally {
                lock.unlock();
            }
        }

        public void write(ByteBuffer content) throws IOException {
            lock.lock();
            try {
                appender.orElseThrow().write(content);
            } finally {
                lock.unlock();
            }
        }

        public int chunkBytes() {
            return appender.orElseThrow().chunkBytes();
        }

        /**
         * Makes everything durable. The extents stay protected until the upload is committed or
         * abandoned.
         */
        public void finish() throws IOException {
            lock.lock();
            try {
                finished = List.copyOf(appender.orElseThrow().finish());
            } finally {
                lock.unlock();
            }
        }

        public List<Place> extents() {
            lock.lock();
            try {
                return finished.isEmpty()
                        ? appender.map(each -> List.copyOf(each.abandoned()))
                                .orElseGet(ArrayList::new)
                        : finished;
            } finally {
                lock.unlock();
            }
        }

        /** Ends the protection after a commit: the bytes are live now. */
        public void committed() {
            closeAppender();
            uploads.remove(this);
        }

        /** Abandons the upload: its bytes are dead space from here on. */
        public void abandon() {
            closeAppender();
            long bytes = extents().stream().mapToLong(Place::bytes).sum();
            uploads.remove(this);
            onAbandoned.accept(bytes);
        }

        private void closeAppender() {
            lock.lock();
            try {
                appender.ifPresent(SegmentLog.StreamAppender::close);
            } finally {
                lock.unlock();
            }
        }
    }
}
