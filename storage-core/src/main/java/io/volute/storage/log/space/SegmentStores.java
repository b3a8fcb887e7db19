package io.volute.storage.log.space;

import io.volute.storage.log.LogOptions;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/** The place of the segments of one cube, which is not the data directory. */
public interface SegmentStores {

    /** Returns the id of the cube that this place has; empty when it has none. */
    Optional<UUID> identity() throws IOException;

    /** Creates the store for one life of the log, which closes it. */
    SegmentStore open(LogOptions options) throws IOException;
}
