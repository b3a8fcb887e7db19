package io.volute.server.config;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
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

        static final Key.Section SECTION = new Key.Section("backups");

        private static final String ABSOLUTE = "/.*";

        static final Key<String> TARGET =
                SECTION.add(
                        "backup.target",
                        "",
                        ValueType.matching(
                                "the absolute path of a directory, or https://HOST/BUCKET/PREFIX",
                                "|" + ABSOLUTE + "|https?://[^ ]+/[^ ]+"),
                        "Directory, or bucket of another server.",
                        "To make backups by schedule, or to let others than the root request"
                                + " them.");

        static final Key<Optional<Path>> CREDENTIALS =
                SECTION.file(
                        "backup.credentials",
                        "File (mode 0600) with an access key, white space and a secret key for"
                                + " buckets. It is read again for each request.",
                        "With a bucket.");

        static final Key<String> REGION =
                SECTION.add(
                        "backup.region",
                        "us-east-1",
                        ValueType.region(),
                        "Region of the bucket.",
                        "If the bucket is in another region.");

        static final Key<Optional<Path>> AUTHORITIES =
                SECTION.file(
                        "backup.ca",
                        "PEM file of the certificates that TLS trusts at the target. Without it,"
                                + " the authorities of Java.",
                        "For a private certificate authority.");

        static final Key<Optional<Path>> PASSPHRASE =
                SECTION.file(
                        "backup.passphrase-file",
                        "File (mode 0600) whose first line is a passphrase. With it, backups are"
                                + " encrypted and have all private files.",
                        "If others can read the target.");

        static final Key<Long> RATE =
                SECTION.size(
                        "backup.rate",
                        64L << 20,
                        1L << 20,
                        1L << 40,
                        "Greatest rate at which a backup reads, bytes a second.",
                        "If backups disturb clients.");

        /** 0: only on request. */
        static final Key<Duration> SCHEDULE =
                SECTION.time(
                        "backup.schedule",
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ofDays(365),
                        "Time from the start of one backup to the start of the next; `0s` makes"
                                + " them only on request.",
                        "`1d` is usual.");

        /** 0: all. */
        static final Key<Long> KEEP =
                SECTION.number(
                        "backup.keep",
                        0,
                        0,
                        100_000,
                        "Snapshots that are kept in `backup.target`, the newest; `0` keeps all.",
                        "To the space of the target.");
    }
}
