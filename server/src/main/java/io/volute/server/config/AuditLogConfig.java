package io.volute.server.config;

import java.nio.file.Path;

/**
 * Where what is done to the server and its rules is written down.
 *
 * @param directory absolute
 * @param fileBytesMax from which on a new file is begun
 * @param filesMax that are kept; 0: all
 */
public record AuditLogConfig(boolean isOn, Path directory, long fileBytesMax, long filesMax) {}
