package io.volute.storage.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.storage.DamagedException;
import io.volute.storage.format.BatchCodec;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.LogWorkbench;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Walks over segments with bytes changed at will: every batch that is untouched and reached is
 * found, none is invented, a touched one is damage or the torn tail, and the walk ends.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl storage-core test -Dtest=SegmentWalkFuzz} searches on.
 */
class SegmentWalkFuzz {
    private static final int BATCHES_MAX = 12;
    private static final long SEGMENT = 3;
    private static final int CHANGE_BYTES = 4;

    static Stream<byte[]> seeds() {
        SplittableRandom random = new SplittableRandom(5);
        return Stream.concat(
                Stream.of(new byte[] {0, 0}, new byte[] {12, 0}, new byte[] {5, 1}),
                Stream.generate(
                                () -> {
                                    byte[] seed =
                                            new byte[2 + CHANGE_BYTES * (1 + random.nextInt(3))];
                                    random.nextBytes(seed);
                                    seed[3] &= 0xF;
                                    return seed;
                                })
                        .limit(40));
    }

    /**
     * Walks a changed segment. The first byte is the number of batches, the second whether the
     * segment is sealed. Then changes follow: three bytes of offset, and one byte of content.
     */
    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void walks(byte[] data) throws IOException {
        if (data.length < 2) {
            return;
        }
        int count = Math.floorMod(data[0], BATCHES_MAX + 1);
        boolean sealed = (data[1] & 1) != 0;
        ByteBuffer content = ByteBuffer.allocate(BATCHES_MAX * 4 * SegmentFormat.PAGE_BYTES);
        List<Integer> begins = fill(content, count);
        int written = begins.getLast();
        byte[] whole = content.array().clone();
        for (int at = 2; at + CHANGE_BYTES <= data.length; at += CHANGE_BYTES) {
            int offset =
                    (data[at] & 0xFF) | (data[at + 1] & 0xFF) << 8 | (data[at + 2] & 0xFF) << 16;
            content.put(Math.floorMod(offset, content.capacity()), data[at + 3]);
        }
        Set<Long> untouched = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            if (same(whole, content.array(), begins.get(i), begins.get(i + 1))) {
                untouched.add((long) begins.get(i + 1));
            }
        }
        int limit = sealed ? written : content.capacity();
        Set<Long> found = walk(content, limit, sealed, written);
        assertThat(found).containsAll(untouched);
        // A batch that is found although it was changed was changed in its padding only.
        assertThat(begins.stream().map(Integer::longValue).toList()).containsAll(found);
    }

    /** Writes batches; returns where each begins, and where the last ends. */
    private static List<Integer> fill(ByteBuffer content, int count) {
        BatchCodec codec = new BatchCodec(new PlaceChecksum(LogWorkbench.CUBE));
        List<Integer> begins = new ArrayList<>(List.of(0));
        for (int i = 0; i < count; i++) {
            int begin = begins.getLast();
            List<LogEntry> entries = new ArrayList<>();
            for (int each = 0; each <= i % 3; each++) {
                entries.add(LogWorkbench.record(i * 3 + each + 1, 700 * (i % 5)));
            }
            ByteBuffer batch = ByteBuffer.allocate(4 * SegmentFormat.PAGE_BYTES);
            codec.encode(entries, new BatchCodec.Stamp(SEGMENT, begin, i, 1), batch);
            content.put(begin, batch, 0, batch.limit());
            begins.add(begin + batch.limit());
        }
        return begins;
    }

    private static boolean same(byte[] left, byte[] right, int begin, int end) {
        return java.util.Arrays.equals(left, begin, end, right, begin, end);
    }

    private static Set<Long> walk(ByteBuffer content, int limit, boolean sealed, int written)
            throws IOException {
        SimFileSystem files = new SimFileSystem();
        files.createDirectories(LogWorkbench.DIRECTORY);
        Set<Long> ends = new TreeSet<>();
        try (StoredFile file = files.create(LogWorkbench.DIRECTORY.resolve("walked"))) {
            file.write(content.duplicate().clear(), 0, WriteCause.CLIENT_DATA);
            SegmentWalk.Walked walked =
                    new SegmentWalk(LogWorkbench.CUBE, file)
                            .walk(
                                    new SegmentWalk.Target(
                                            SEGMENT,
                                            "walked",
                                            file,
                                            limit,
                                            sealed
                                                    ? SegmentWalk.Ending.SEALED
                                                    : SegmentWalk.Ending.OPEN),
                                    0,
                                    new SegmentWalk.Sink() {
                                        @Override
                                        public void batch(SegmentLog.LoggedBatch batch) {
                                            ends.add(batch.end().offset());
                                        }

                                        @Override
                                        public void damage(DamagedException damage) {
                                            assertThat(damage).hasMessageContaining("walked");
                                        }
                                    });
            assertThat(walked.end()).isBetween(0L, (long) written);
            assertThat(walked.bytes()).isLessThanOrEqualTo(written);
        }
        return ends;
    }
}
