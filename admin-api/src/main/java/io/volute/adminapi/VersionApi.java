package io.volute.adminapi;

import java.time.Instant;

/** The program of a server. */
public final class VersionApi {
    private VersionApi() {}

    /**
     * The version of a server.
     *
     * @param version of the program; {@code unknown} if it runs outside a jar
     * @param started start of this run
     */
    public record Version(String version, Instant started) {}
}
