package io.volute.server.config;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of backups.
 *
 * @param target directory or {@code https://HOST/BUCKET/PREFIX}; empty: a request names it
 * @param credentials private file for a bucket: access key, white space, secret key
 * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
 * @param passphrase private file; with it, new targets are encrypted
 * @param bytesPerSecond greatest rate of reads
 * @param interval time between two backups; zero makes them only on request
 * @param keep snapshots to keep in the target, the newest; 0 keeps all
 */
public record BackupConfig(
        Optional<String> target,
        Optional<Path> credentials,
        String region,
        Optional<Path> authorities,
        Optional<Path> passphrase,
        long bytesPerSecond,
        Duration interval,
        int keep) {

    /** Reads the settings. */
    static BackupConfig of(ConfigSource from) {
        String text = from.get(BackupKeys.TARGET);
        Duration interval = from.get(BackupKeys.SCHEDULE);
        if (text.isEmpty() && !interval.isZero()) {
            from.problem("backup.schedule needs backup.target: write a directory or a bucket");
        }
        boolean isServer = text.startsWith("http");
        Optional<Path> credentials = from.get(BackupKeys.CREDENTIALS).map(Path::toAbsolutePath);
        if (isServer && credentials.isEmpty()) {
            from.problem(
                    "backup.target names a bucket, so backup.credentials must name a private file"
                            + " with an access key, white space and a secret key");
        }
        String target =
                text.isEmpty() || isServer
                        ? text
                        : Path.of(text).toAbsolutePath().normalize().toString();
        return new BackupConfig(
                Optional.of(target).filter(each -> !each.isEmpty()),
                credentials,
                from.get(BackupKeys.REGION),
                from.get(BackupKeys.AUTHORITIES).map(Path::toAbsolutePath),
                from.get(BackupKeys.PASSPHRASE).map(Path::toAbsolutePath),
                from.get(BackupKeys.RATE),
                interval,
                Math.toIntExact(from.get(BackupKeys.KEEP)));
    }

    /** The keys of backups, with their defaults and bounds. */
    static final class BackupKeys {
        private BackupKeys() {}

        private static final String ABSOLUTE = "/.*";

        static final Key<String> TARGET =
                new Key<>(
                        "backup.target",
                        "",
                        ValueType.matching(
                                "the absolute path of a directory, or https://HOST/BUCKET/PREFIX",
                                "|" + ABSOLUTE + "|https?://[^ ]+/[^ ]+"));

        static final Key<Optional<Path>> CREDENTIALS = path("backup.credentials");

        static final Key<String> REGION =
                new Key<>("backup.region", "us-east-1", ValueType.region());

        static final Key<Optional<Path>> AUTHORITIES = path("backup.ca");

        static final Key<Optional<Path>> PASSPHRASE = path("backup.passphrase-file");

        static final Key<Long> RATE =
                new Key<>("backup.rate", "64 MiB", ValueType.size(1L << 20, 1L << 40, 1));

        /** 0: only on request. */
        static final Key<Duration> SCHEDULE =
                new Key<>(
                        "backup.schedule",
                        "0s",
                        ValueType.duration(Duration.ZERO, Duration.ofDays(365)));

        /** 0: all. */
        static final Key<Long> KEEP = new Key<>("backup.keep", "0", ValueType.number(0, 100_000));

        static final List<Key<?>> ALL =
                List.of(TARGET, CREDENTIALS, REGION, AUTHORITIES, PASSPHRASE, RATE, SCHEDULE, KEEP);

        private static Key<Optional<Path>> path(String name) {
            return new Key<>(name, "", ValueType.pathOrNone("the path of a file"));
        }
    }
}
