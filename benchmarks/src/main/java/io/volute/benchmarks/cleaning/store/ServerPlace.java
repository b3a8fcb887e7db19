package io.volute.benchmarks.cleaning.store;

import io.volute.benchmarks.http.ServerProcess;
import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The data directory of a server that is started for each opening. */
public record ServerPlace(Path directory, Content content) implements StorePlace {
    /** The one cube of a server, see {@link io.volute.storage.directory.StoreDirectory}. */
    private static final Path CUBE = Path.of("cubes", "default");

    @Override
    public MeasuredStore open(StoreSettings settings) throws IOException, InterruptedException {
        return ServerStore.open(ServerProcess.start(directory, settings(settings.log())), content);
    }

    @Override
    public void discardIndex() throws IOException {
        Cubes.rebuildIndex(directory.resolve(CUBE));
    }

    /** Returns, by key, the server settings that are equivalent to the given log settings. */
    private static Map<String, String> settings(LogSettings log) {
        CleaningSettings cleaning = log.cleaning();
        return Map.ofEntries(
                Map.entry("log.capacity", bytes(cleaning.capacityBytes())),
                Map.entry("log.segment-size", bytes(log.segmentBytes())),
                Map.entry("log.inline-limit", bytes(log.inlineLimitBytes())),
                Map.entry("log.chunk-size", bytes(log.chunkBytes())),
                Map.entry("log.expansion-factor", Double.toString(cleaning.expansionFactor())),
                Map.entry("cleaner.threads", Integer.toString(cleaning.threads())),
                Map.entry("cleaner.free-share", Double.toString(cleaning.freeShare())),
                Map.entry("cleaner.tombstone-share", Double.toString(cleaning.tombstoneShare())),
                Map.entry("cleaner.expansion-share", Double.toString(cleaning.expansionShare())),
                Map.entry("cleaner.reserve-segments", Integer.toString(cleaning.reserveSegments())),
                Map.entry("index.flush-log-size", bytes(log.indexFlushLogBytes())),
                Map.entry("index.block-cache", bytes(log.blockCacheBytes())),
                Map.entry("index.write-buffer", bytes(log.writeBufferBytes())),
                // Entries stay for good, and would fill what objects are cleaned in.
                Map.entry("provenance.signatures", "none"),
                // Connections rest while objects are read back by few of them.
                Map.entry("timeouts.idle", "1h"));
    }

    private static String bytes(long number) {
        return number + "B";
    }
}
