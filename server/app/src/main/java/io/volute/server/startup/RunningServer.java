package io.volute.server.startup;

import java.util.List;

/** A running server, alone or as a node of a cluster. */
public interface RunningServer {
    /** Returns the lines of text for the person who started the server. */
    List<String> greeting();

    /**
     * Stops: no new requests, those in flight are finished within the time configured, everything
     * is closed.
     *
     * @return whether all of that went well
     */
    boolean stop();
}
