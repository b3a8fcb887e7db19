package io.volute.server.config.key;

import java.util.Locale;

/**
 * A key of the configuration.
 *
 * @param name as in the file, dotted
 * @param defaultText as one would write it
 */
public record Key<T>(String name, String defaultText, ValueType<T> type) {

    /** The environment variable that overrides it. */
    public String variable() {
        return variable(name);
    }

    /** Returns the environment variable of the key with this name. */
    public static String variable(String name) {
        return "VOLUTE_" + name.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
