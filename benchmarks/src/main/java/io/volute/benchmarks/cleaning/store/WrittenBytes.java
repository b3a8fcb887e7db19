package io.volute.benchmarks.cleaning.store;

import io.volute.storage.io.WriteCause;
import io.volute.storage.report.CubeStats;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Bytes written, by cause: since a store was opened, or between two looks at it.
 *
 * @param forces group commits; empty when the store does not report them
 */
public record WrittenBytes(Map<WriteCause, Long> bytes, OptionalLong forces) {

    /** Returns the bytes that a cube has written since it was opened. */
    static WrittenBytes of(CubeStats stats) {
        return new WrittenBytes(stats.bytesWritten(), OptionalLong.of(stats.batches()));
    }

    /** Returns the bytes written since an earlier sample of the same store. */
    public WrittenBytes since(WrittenBytes before) {
        Map<WriteCause, Long> more = new EnumMap<>(WriteCause.class);
        for (WriteCause cause : WriteCause.values()) {
            more.put(cause, of(cause) - before.of(cause));
        }
        return new WrittenBytes(
                more,
                forces.isPresent() && before.forces.isPresent()
                        ? OptionalLong.of(forces.getAsLong() - before.forces.getAsLong())
                        : OptionalLong.empty());
    }

    /** Bytes. */
    public long of(WriteCause cause) {
        return bytes.getOrDefault(cause, 0L);
    }

    /** Bytes for a byte that clients wrote. */
    public double amplification(WriteCause cause) {
        return (double) of(cause) / Math.max(1, of(WriteCause.CLIENT_DATA));
    }

    public double amplification() {
        long all = bytes.values().stream().mapToLong(Long::longValue).sum();
        return (double) all / Math.max(1, of(WriteCause.CLIENT_DATA));
    }
}
