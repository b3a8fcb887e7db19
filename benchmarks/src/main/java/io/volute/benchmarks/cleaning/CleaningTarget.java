package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.MeasuredStore;
import io.volute.benchmarks.cleaning.store.ObjectCube;
import io.volute.benchmarks.cleaning.store.ServerStore;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import io.volute.storage.Cubes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The layers between the writers and the log. */
enum CleaningTarget {
    /** Nothing: the public API of a cube in this process. */
    CUBE,
    /** A server process and HTTP. */
    SERVER;

    /** Opens the store in a directory; it is empty the first time. */
    MeasuredStore open(Path directory, StoreSettings settings, Content content)
            throws IOException, InterruptedException {
        return this == CUBE
                ? new ObjectCube(directory, settings, content)
                : ServerStore.start(directory, settings, content);
    }

    /** Deletes the index of the closed store. The next start rebuilds it. */
    void discardIndex(Path directory) throws IOException {
        Cubes.rebuildIndex(this == CUBE ? directory : directory.resolve(ServerStore.CUBE));
    }

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
