package io.volute.server.config;

import io.volute.server.config.key.Key;
import java.util.List;

/**
 * A configuration with the origin of each of its values.
 *
 * @param config has the default for each wrong value
 * @param settings all keys, in the order of docs/reference/settings.md
 * @param problems the errors, each with a description of valid values
 */
public record EffectiveConfig(ServerConfig config, List<Setting> settings, List<String> problems) {
    public EffectiveConfig {
        settings = List.copyOf(settings);
        problems = List.copyOf(problems);
    }

    /**
     * The configuration, when nothing is wrong with it.
     *
     * @throws ConfigException with all problems
     */
    public ServerConfig checked() throws ConfigException {
        if (!problems.isEmpty()) {
            throw new ConfigException(String.join(System.lineSeparator(), problems));
        }
        return config;
    }

    /** The origin of a value; later origins override earlier ones. */
    public enum Origin {
        DEFAULT,
        FILE,
        ENVIRONMENT,
        FLAG
    }

    /**
     * A key with its value.
     *
     * @param value as it was written, right or wrong; of objects, their names alone
     * @param where more exactly: file and line, or variable; empty for a default
     */
    public record Setting(Key<?> key, String value, Origin origin, String where) {}
}
