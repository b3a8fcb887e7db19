package io.volute.storage.log.space;

import io.volute.storage.log.LogOptions;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/**
 * A kind of place for the segments of one cube. A log that migrates has a copy in a second place,
 * which no start takes for the log before {@link #adoptCopy}.
 */
public interface SegmentStores {

    /** Returns the id of the cube that this place has; empty when it has none. */
    Optional<UUID> identity() throws IOException;

    /** Creates the store for one life of the log, which closes it. */
    SegmentStore open(LogOptions options) throws IOException;

    /**
     * Creates the store for a copy of a log that is in another place.
     *
     * @throws IOException when another cube has this place; nothing has changed then
     */
    SegmentStore openCopy(LogOptions options) throws IOException;

    /** Makes the copy the log of its cube. Does nothing if it is that already. */
    void adoptCopy(UUID cube) throws IOException;

    /** Returns whether the log left this place by an attempt; see {@link SegmentStore#leave}. */
    boolean hasLeft(UUID cube, UUID token) throws IOException;

    /** Removes a copy, or what a log that has left this place left behind. */
    void remove(LogOptions options) throws IOException;
}
