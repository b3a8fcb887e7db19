package io.volute.benchmarks.cleaning.store;

import io.volute.storage.Cubes;
import java.io.IOException;
import java.nio.file.Path;

/** The directory of a cube that is opened in this process. */
public record CubePlace(Path directory, Content content) implements StorePlace {
    @Override
    public MeasuredStore open(StoreSettings settings) throws IOException {
        return new ObjectCube(directory, settings, content);
    }

    @Override
    public void discardIndex() throws IOException {
        Cubes.rebuildIndex(directory);
    }
}
