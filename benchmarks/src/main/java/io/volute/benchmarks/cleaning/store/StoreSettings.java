package io.volute.benchmarks.cleaning.store;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;

/** Sizes of the parts of a store, and how it is cleaned. */
public record StoreSettings(int segmentBytes, CleaningSettings cleaning) {
    /** Keeps the index in memory as in the paper, so that index reads do not dominate. */
    private static final long INDEX_CACHE_BYTES = 512L << 20;

    LogSettings log() {
        LogSettings server = LogSettings.defaults();
        return new LogSettings(
                segmentBytes,
                server.inlineLimitBytes(),
                server.chunkBytes(),
                Math.min(server.indexFlushLogBytes(), 16L * segmentBytes),
                INDEX_CACHE_BYTES,
                server.writeBufferBytes(),
                OnDamage.REFUSE,
                cleaning);
    }

    public StoreSettings notCleaning() {
        return new StoreSettings(segmentBytes, CleaningSettings.onlyWhenAsked());
    }
}
