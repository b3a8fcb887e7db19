package io.volute.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The destination of the access log; without one, there is no log.
 *
 * @param file absolute
 * @param toStandardOutput instead
 */
public record AccessLogConfig(Optional<Path> file, boolean toStandardOutput) {
    private static final Path STANDARD_OUTPUT = Path.of("-");

    static AccessLogConfig of(Optional<Path> asked) {
        return new AccessLogConfig(
                asked.filter(path -> !path.equals(STANDARD_OUTPUT)).map(Path::toAbsolutePath),
                asked.filter(STANDARD_OUTPUT::equals).isPresent());
    }
}
