package io.volute.benchmarks.suite;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.cleaning.SpaceAnswer;
import io.volute.benchmarks.http.ServerProcess;
import io.volute.benchmarks.http.SignedConnection;
import io.volute.benchmarks.load.LoadOptions.Target;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A server under test: one that was started for it, with its data, or one that runs already. */
final class MeasuredServer implements AutoCloseable {
    /** In a setting: a directory beside the data. */
    private static final String SCRATCH = "{scratch}";

    private final Target target;
    private final Optional<Own> own;

    /** What goes with the server. */
    private record Own(Scratch scratch, ServerProcess process) {}

    private MeasuredServer(Target target, Optional<Own> own) {
        this.target = target;
        this.own = own;
    }

    /** One that is left as it is at the end. */
    static MeasuredServer running(Target target) {
        return new MeasuredServer(target, Optional.empty());
    }

    /**
     * Starts one of this build on a fresh data directory, which goes with it.
     *
     * @param name as it is called in results
     * @param parent of its directory
     */
    static MeasuredServer start(String name, Map<String, String> settings, Path parent)
            throws IOException, InterruptedException {
        Scratch scratch = Scratch.in(parent);
        boolean started = false;
        try {
            Path data = scratch.directory().resolve("data");
            Map<String, String> placed = new TreeMap<>(settings);
            String place = scratch.directory().toAbsolutePath().toString();
            placed.replaceAll((key, value) -> value.replace(SCRATCH, place));
            ServerProcess process = ServerProcess.start(data, placed);
            started = true;
            Target target =
                    new Target(
                            name,
                            URI.create("http://127.0.0.1:" + process.address().getPort()),
                            ServerProcess.ACCOUNT,
                            OptionalLong.of(process.process().pid()));
            return new MeasuredServer(target, Optional.of(new Own(scratch, process)));
        } finally {
            if (!started) {
                scratch.close();
            }
        }
    }

    Target target() {
        return target;
    }

    /** Where its bytes are; only for one of this build. */
    SpaceAnswer space() throws IOException {
        try (SignedConnection connection =
                new SignedConnection(target.address(), target.account())) {
            return SpaceAnswer.ask(connection);
        }
    }

    @Override
    public void close() throws IOException {
        if (own.isPresent()) {
            try (Scratch scratch = own.get().scratch()) {
                own.get().process().close();
            }
        }
    }
}
