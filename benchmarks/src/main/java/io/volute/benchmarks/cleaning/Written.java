package io.volute.benchmarks.cleaning;

import io.volute.storage.CubeStats;
import io.volute.storage.io.WriteCause;
import java.util.EnumMap;
import java.util.Map;

/** Bytes written between two looks at a cube's counters, by cause. */
record Written(Map<WriteCause, Long> bytes, long forces) {

    static Written between(CubeStats before, CubeStats after) {
        Map<WriteCause, Long> bytes = new EnumMap<>(WriteCause.class);
        for (WriteCause cause : WriteCause.values()) {
            bytes.put(
                    cause,
                    after.bytesWritten().getOrDefault(cause, 0L)
                            - before.bytesWritten().getOrDefault(cause, 0L));
        }
        return new Written(bytes, after.batches() - before.batches());
    }

    long of(WriteCause cause) {
        return bytes.get(cause);
    }

    /** Bytes for a byte that clients wrote. */
    double amplification(WriteCause cause) {
        return (double) bytes.get(cause) / Math.max(1, bytes.get(WriteCause.CLIENT_DATA));
    }

    double amplification() {
        long all = bytes.values().stream().mapToLong(Long::longValue).sum();
        return (double) all / Math.max(1, bytes.get(WriteCause.CLIENT_DATA));
    }
}
