package io.volute.admin.client;

import io.volute.adminapi.CubesApi.CubeChoice;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that selects one cube of a store with several. */
public final class CubeOption {
    @Option(
            names = "--cube",
            paramLabel = "CUBE",
            description =
                    "The cube, in a store with several: each signs for itself. Without it the"
                            + " system cube, default.")
    private Optional<String> cube = Optional.empty();

    /** Returns the name of the cube; empty for the server's choice. */
    public Optional<String> name() {
        return cube;
    }

    /** Returns the request for something of the cube. */
    public CubeChoice choice() {
        return new CubeChoice(cube);
    }
}
