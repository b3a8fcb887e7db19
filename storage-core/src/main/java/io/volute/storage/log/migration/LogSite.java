package io.volute.storage.log.migration;

import io.volute.storage.log.LogOptions;
import io.volute.storage.log.space.SegmentStores;
import java.io.IOException;

/** A place where the log of one cube is or can be. */
public interface LogSite {

    /** Returns the stores of the place; the first call connects to its servers. */
    SegmentStores stores() throws IOException;

    /** Returns the options of the log there, with the directory of its files. */
    LogOptions options();
}
