package io.volute.server.config;

import java.nio.file.Path;

/**
 * The settings of the audit log.
 *
 * @param directory absolute
 * @param fileBytesMax bytes of a file from which on a new file is begun
 * @param filesMax number of files to keep; 0 keeps all
 */
public record AuditLogConfig(boolean isOn, Path directory, long fileBytesMax, long filesMax) {

    static AuditLogConfig of(ConfigSource from) {
        return new AuditLogConfig(
                from.get(Keys.AUDIT_LOG),
                from.get(Keys.AUDIT_DIRECTORY)
                        .orElse(from.get(Keys.DATA).resolve("audit"))
                        .toAbsolutePath()
                        .normalize(),
                from.get(Keys.AUDIT_FILE),
                from.get(Keys.AUDIT_FILES));
    }
}
