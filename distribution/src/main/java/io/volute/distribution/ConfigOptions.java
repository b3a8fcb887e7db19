package io.volute.distribution;

import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.EffectiveConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options for the sources of a server's configuration other than the environment. */
final class ConfigOptions {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Data directory (default: ./volute-data).")
    private Optional<String> data = Optional.empty();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Address to listen on (default: 127.0.0.1:9000).")
    private Optional<String> listen = Optional.empty();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration file (docs/reference/settings.md).")
    private Optional<Path> file = Optional.empty();

    /**
     * Reads it.
     *
     * @throws ConfigException when the file cannot be read at all
     */
    EffectiveConfig effective(Map<String, String> environment) throws ConfigException {
        Map<String, String> flags = new HashMap<>();
        data.ifPresent(text -> flags.put("data.directory", text));
        listen.ifPresent(text -> flags.put("server.listen", text));
        Optional<Path> named =
                file.or(() -> Optional.ofNullable(environment.get("VOLUTE_CONFIG")).map(Path::of));
        return ConfigSource.effective(named, environment, flags);
    }
}
