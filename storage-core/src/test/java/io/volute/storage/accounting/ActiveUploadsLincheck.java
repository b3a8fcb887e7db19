package io.volute.storage.accounting;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Place;
import io.volute.storage.cube.HookedLog;
import io.volute.storage.cube.LincheckRuns;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/**
 * Bytes of an upload are protected from its first write on: by the set of active uploads, and from
 * the commit on by being live, without a gap for who asks in the order that {@link ActiveUploads}
 * prescribes.
 */
class ActiveUploadsLincheck {
    private static final int THREADS = 8;

    @Test
    void anUploadIsProtectedUntilItIsGivenUp() {
        LincheckRuns.stress()
                .invocationsPerIteration(LincheckRuns.isFull() ? 50_000 : 100)
                .sequentialSpecification(ProtectedOrNot.class)
                .check(OperationsOnUploads.class);
    }

    /** The canary: leaving the set before the bytes are live must be found. */
    @Test
    void findsTheGapBetweenUploadAndCommit() {
        assertThatThrownBy(
                        () ->
                                LincheckRuns.canary()
                                        .invocationsPerIteration(100)
                                        .sequentialSpecification(ProtectedOrNot.class)
                                        .check(LeavesTooEarly.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    /** Each thread uploads into a segment of its own; all ask about all of them. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    @Param(name = "uploader", gen = IntGen.class, conf = "1:2")
    public static class OperationsOnUploads {
        private final Set<Long> live = ConcurrentHashMap.newKeySet();
        private final ActiveUploads uploads = new ActiveUploads(new ExtentsOnly(), bytes -> {});
        private final ActiveUploads.Upload[] mine = new ActiveUploads.Upload[THREADS];
        private final boolean[] ended = new boolean[THREADS];

        @Operation
        public void write(@Param(name = "thread") int thread) throws IOException {
            if (!ended[thread]) {
                if (mine[thread] == null) {
                    mine[thread] = uploads.begin(thread + 1, OptionalLong.empty());
                }
                mine[thread].write(ByteBuffer.allocate(1));
            }
        }

        @Operation
        public void commit(@Param(name = "thread") int thread) throws IOException {
            if (!ended[thread] && mine[thread] != null) {
                ended[thread] = true;
                mine[thread].finish();
                endCommit(thread, mine[thread]);
            }
        }

        void endCommit(int thread, ActiveUploads.Upload upload) {
            becomeLive(thread);
            upload.committed();
        }

        void becomeLive(int thread) {
            live.add(thread + 1L);
        }

        @Operation
        public void abandon(@Param(name = "thread") int thread) {
            if (!ended[thread] && mine[thread] != null) {
                ended[thread] = true;
                mine[thread].abandon();
            }
        }

        @Operation
        public boolean isProtected(@Param(name = "uploader") int thread) {
            return uploads.bytesBySegment().containsKey(thread + 1L) || live.contains(thread + 1L);
        }
    }

    /** A variant with a planted mistake. */
    public static class LeavesTooEarly extends OperationsOnUploads {
        @Override
        void endCommit(int thread, ActiveUploads.Upload upload) {
            upload.committed();
            // Wide enough for threads on few processors to meet in the gap.
            for (int i = 0; i < 10_000; i++) {
                Thread.onSpinWait();
            }
            becomeLive(thread);
        }
    }

    /** The sequential specification. */
    public static class ProtectedOrNot {
        private final boolean[] begun = new boolean[THREADS];
        private final boolean[] ended = new boolean[THREADS];
        private final boolean[] abandoned = new boolean[THREADS];

        public void write(int thread) {
            begun[thread] = true;
        }

        public void commit(int thread) {
            ended[thread] |= begun[thread];
        }

        public void abandon(int thread) {
            if (begun[thread] && !ended[thread]) {
                ended[thread] = true;
                abandoned[thread] = true;
            }
        }

        public boolean isProtected(int thread) {
            return begun[thread] && !abandoned[thread];
        }
    }

    /** A log that only notes extents: one byte for each write, in the segment of the blob's id. */
    private static final class ExtentsOnly extends HookedLog {
        ExtentsOnly() {
            super(null, new Hooks());
        }

        @Override
        public SegmentLog.StreamAppender openStream(long blobId, OptionalLong expectedBytes) {
            return new StreamAppender() {
                private long bytes;

                @Override
                public void write(ByteBuffer content) {
                    bytes += content.remaining();
                }

                @Override
                public List<Place> finish() {
                    return abandoned();
                }

                @Override
                public long bytes() {
                    return bytes;
                }

                @Override
                public int chunkBytes() {
                    return 1;
                }

                @Override
                public void close() {}

                @Override
                public List<Place> abandoned() {
                    return bytes == 0 ? List.of() : List.of(new Place(blobId, 0, bytes));
                }
            };
        }
    }
}
