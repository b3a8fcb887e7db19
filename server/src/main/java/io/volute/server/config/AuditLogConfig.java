package io.volute.server.config;

import java.nio.file.Path;

/**
 * Where what is done to the server and its rules is written down.
 *
 * @param directory absolute
 * @param fileBytesMax from which on a new file is begun
 * @param filesMax that are kept; 0: all
 */
public record AuditLogConfig(boolean isOn, Path directory, long fileBytesMax, long filesMax) {

    static AuditLogConfig of(ConfigSource from) {
        return new AuditLogConfig(
                from.get(Keys.AUDIT_LOG) == Keys.Answer.TRUE,
                from.get(Keys.AUDIT_DIRECTORY)
                        .orElse(from.get(Keys.DATA).resolve("audit"))
                        .toAbsolutePath()
                        .normalize(),
                from.get(Keys.AUDIT_FILE),
                from.get(Keys.AUDIT_FILES));
    }
}
