package io.volute.server.config;

/**
 * Signals an unusable configuration. The message names each wrong key and describes valid values.
 */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
