package io.volute.storage.log.ledger;

import java.io.IOException;
import java.util.Optional;

/** The segment list of a log that another process may own. Thread-safe. */
public interface SegmentListView {

    /**
     * Returns the list at one moment, without a claim; empty when nobody has claimed the log yet.
     * The same object is returned while the list has not changed.
     */
    Optional<SegmentList.Claimed> read() throws IOException;
}
