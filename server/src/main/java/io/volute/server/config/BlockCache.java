package io.volute.server.config;

import com.sun.management.OperatingSystemMXBean;
import io.volute.server.Wiring;
import java.lang.management.ManagementFactory;

/**
 * The size of the cache for blocks of the index. A block that is not cached is read and unpacked
 * again, which takes a quarter of the time of a scan. So the cache grows with the machine's memory;
 * it fills only as far as the index does.
 */
final class BlockCache {
    static final long BYTES_MIN = 64L << 20;
    static final long BYTES_MAX = 1L << 30;
    private static final int SHARE = 16;

    private BlockCache() {}

    /**
     * @param wanted bytes; 0 for a sixteenth of the memory of the machine or container
     */
    static long bytes(long wanted) {
        return wanted > 0 ? wanted : ofMachine(machineBytes());
    }

    static long ofMachine(long machineBytes) {
        return Math.clamp(machineBytes / SHARE, BYTES_MIN, BYTES_MAX);
    }

    @Wiring
    private static long machineBytes() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                .getTotalMemorySize();
    }
}
