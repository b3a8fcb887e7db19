package io.volute.server.config;

/** The configuration cannot be used. The message names each key and says what to write instead. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
