package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.cleaning.store.StoreSettings;
import io.volute.storage.CleaningSettings;
import io.volute.storage.CleaningSettings.Age;
import java.util.Locale;

/** Ways to clean that are compared. */
enum Variant {
    /** Compaction and combined cleaning, as in a server. */
    TWO_LEVEL(true, Age.SEGMENT),
    /** Combined cleaning only. */
    ONE_LEVEL(false, Age.SEGMENT),
    /** Combined cleaning only, of segments with old objects. */
    OBJECT_AGE(false, Age.OBJECT);

    private static final double EXPANSION_FACTOR = 1000;

    private final boolean compaction;
    private final Age age;

    Variant(boolean compaction, Age age) {
        this.compaction = compaction;
        this.age = age;
    }

    /**
     * Returns the settings of a store whose log only its capacity bounds. Used bytes may be any
     * multiple of live bytes.
     */
    StoreSettings settings(CleaningOptions options) {
        CleaningSettings server = CleaningSettings.defaults();
        return new StoreSettings(
                Math.toIntExact(options.segmentBytes),
                new CleaningSettings(
                        server.threads(),
                        options.capacityBytes,
                        server.freeShare(),
                        server.tombstoneShare(),
                        EXPANSION_FACTOR,
                        server.expansionShare(),
                        options.reserveSegments,
                        compaction,
                        server.holeBytesMin(),
                        age));
    }

    /** Returns whether a server can clean this way; it has no settings for the other variants. */
    boolean isServers() {
        return this == TWO_LEVEL;
    }

    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
