package io.volute.server.config;

import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.server.Limits;
import io.volute.server.auth.policy.AddressRange;
import io.volute.server.auth.sigv4.SignatureV2Use;
import io.volute.server.config.HistoryRoom.UnderPressure;
import io.volute.server.config.ProvenanceConfig.Construction;
import io.volute.server.config.ProvenanceConfig.OnMissingSettings;
import io.volute.server.config.ProvenanceConfig.Signatures;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.config.cluster.LogStoreConfig;
import io.volute.server.config.key.Key;
import io.volute.server.config.key.ValueType;
import io.volute.server.http.Proxies;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.versioning.StoreCubes.Placement;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.HistoryPolicy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Every key there is, with its default and its bounds. Documented in docs/reference/settings.md.
 */
final class Keys {
    private Keys() {}

    private static final List<Key<?>> ALL = new ArrayList<>();
    private static final LogSettings LOG = LogSettings.defaults();
    private static final CleaningSettings CLEANING = CleaningSettings.defaults();
    private static final MemorySettings MEMORY = MemorySettings.defaults();
    private static final int ENTRY_BYTES = MemorySettings.ENTRY_BYTES_MAX;
    private static final HistorySettings HISTORY = HistorySettings.DEFAULTS;
    private static final Duration TIME_MIN = Duration.ofMillis(10);
    private static final Duration TIME_MAX = Duration.ofHours(24);
    private static final Duration HISTORY_TIME_MIN = Duration.ofSeconds(1);
    private static final Duration HISTORY_TIME_MAX = Duration.ofDays(36_500);

    static final Key<Path> DATA = add("data.directory", "./volute-data", ValueType.path());

    static final Key<InetSocketAddress> LISTEN =
            add("server.listen", "127.0.0.1:9000", ValueType.address());

    static final Key<List<AddressRange>> TRUSTED_PROXIES =
            add("server.trusted-proxies", "", ValueType.addressRanges());

    static final Key<Proxies.Means> CLIENT_ADDRESS =
            add("server.client-address", "x-forwarded-for", ValueType.oneOf(Proxies.Means.class));

    static final Key<Duration> SHUTDOWN =
            add(
                    "server.shutdown-timeout",
                    Limits.SHUTDOWN_SECONDS_MAX + "s",
                    ValueType.duration(Duration.ZERO, TIME_MAX));

    static final Key<Optional<InetSocketAddress>> ADMIN_ADDRESS =
            add("admin.address", "", ValueType.addressOrNone());
    static final Key<String> REGION = add("s3.region", "us-east-1", ValueType.region());

    static final Key<List<String>> DOMAINS =
            add("s3.virtual-host-domains", "", ValueType.hostNames("s3.example.org"));

    static final Key<SignatureV2Use> SIGNATURE_V2 =
            add("s3.signature-v2", "presigned", ValueType.oneOf(SignatureV2Use.class));

    static final Key<ObjectOwnership> OBJECT_OWNERSHIP =
            add("s3.object-ownership", "BucketOwnerEnforced", ValueType.ownership());

    static final Key<Answer> LIST_READABLE_BUCKETS =
            add("s3.list-readable-buckets", "true", ValueType.oneOf(Answer.class));

    static final Key<Answer> UNSIGNED_PAYLOAD =
            add("auth.allow-unsigned-payload-over-http", "true", ValueType.oneOf(Answer.class));

    static final Key<List<String>> ENCRYPTION_KEYS =
            add(
                    "encryption.keys",
                    "",
                    ValueType.list("names of keys separated by commas", "[A-Za-z0-9:/_.-]{1,256}"));

    static final Key<List<String>> RESTRICTED_KEYS =
            add("encryption.restricted-keys", "", ENCRYPTION_KEYS.type());

    static final Key<OnMissingSettings> ON_MISSING_KEYRING =
            add(
                    "encryption.on-missing-keyring",
                    "refuse",
                    ValueType.oneOf(OnMissingSettings.class));

    static final Key<VaultConfig.Service> KMS =
            add("encryption.kms", "embedded", ValueType.oneOf(VaultConfig.Service.class));

    static {
        ALL.addAll(VaultConfig.VaultKeys.ALL);
    }

    static final Key<Answer> CUSTOMER_KEYS_OVER_HTTP =
            add("encryption.customer-keys-over-http", "false", ValueType.oneOf(Answer.class));

    static final Key<Optional<Path>> CERTIFICATE =
            add("tls.certificate", "", ValueType.pathOrNone("the path of a PEM file"));
    static final Key<Optional<Path>> TLS_KEY =
            add("tls.key", "", ValueType.pathOrNone("the path of a PEM file"));

    /** 0: what suits the capacity. */
    static final Key<Long> SEGMENT =
            add(
                    "log.segment-size",
                    "0",
                    ValueType.zeroOr(0L, ValueType.size(64L << 10, 1L << 30, 4096)));

    static final Key<Long> INLINE =
            size("log.inline-limit", LOG.inlineLimitBytes(), 0, 16L << 20, 1);
    static final Key<Long> CHUNK = size("log.chunk-size", LOG.chunkBytes(), 4096, 4L << 20, 4096);

    /** 0: what the file system has. */
    static final Key<Long> CAPACITY =
            add(
                    "log.capacity",
                    Long.toString(CLEANING.capacityBytes()),
                    ValueType.size(0, 1L << 50, 1));

    static final Key<Double> EXPANSION_FACTOR =
            add(
                    "log.expansion-factor",
                    Double.toString(CLEANING.expansionFactor()),
                    ValueType.fraction(1.01, 1000));
    static final Key<Long> CLEANERS =
            add("cleaner.threads", Integer.toString(CLEANING.threads()), ValueType.number(0, 64));
    static final Key<Double> FREE_SHARE = share("cleaner.free-share", CLEANING.freeShare());
    static final Key<Double> TOMBSTONE_SHARE =
            share("cleaner.tombstone-share", CLEANING.tombstoneShare());
    static final Key<Double> EXPANSION_SHARE =
            share("cleaner.expansion-share", CLEANING.expansionShare());
    static final Key<Long> HOLE_MIN =
            size("cleaner.hole-min", CLEANING.holeBytesMin(), 0, 1L << 30, 1);
    static final Key<Long> RESERVE =
            add(
                    "cleaner.reserve-segments",
                    Integer.toString(CLEANING.reserveSegments()),
                    ValueType.number(0, 1000));

    static final Key<Long> INDEX_FLUSH =
            size("index.flush-log-size", LOG.indexFlushLogBytes(), 1L << 20, 1L << 40, 1);

    /** 0: a share of the machine's memory. */
    static final Key<Long> BLOCK_CACHE =
            add("index.block-cache", "0", ValueType.size(0, 1L << 40, 1));

    static final Key<Long> WRITE_BUFFER =
            size("index.write-buffer", LOG.writeBufferBytes(), 1L << 20, 1L << 40, 1);
    static final Key<Long> IMAGES =
            size("memory.images.bytes", MEMORY.imageBytes(), 0, MemorySettings.IMAGE_BYTES_MAX, 1);
    static final Key<Long> IMAGE_ENTRY =
            size("memory.images.entry-limit", MEMORY.entryBytesMax(), 0, ENTRY_BYTES, 1);
    static final Key<Placement> PLACEMENT =
            add("cubes.placement", "default", ValueType.oneOf(Placement.class));
    static final Key<OnDamage> ON_DAMAGE =
            add("log.on-damage", "refuse", ValueType.oneOf(OnDamage.class));

    static final Key<HistoryPolicy> HISTORY_POLICY =
            add("history.policy", HISTORY.policy().text(), ValueType.oneOf(HistoryPolicy.class));
    static final Key<Duration> HISTORY_RESOLUTION =
            add(
                    "history.resolution",
                    "1s",
                    ValueType.zeroOr(
                            Duration.ZERO,
                            ValueType.duration(
                                    Duration.ofMillis(1), HistorySettings.RESOLUTION_MAX)));
    static final Key<Duration> RETENTION = historyTime("history.retention", HISTORY.retention());
    static final Key<Double> HISTORY_SHARE = share("history.max-share", 0.3);
    static final Key<UnderPressure> HISTORY_UNDER_PRESSURE =
            add("history.under-pressure", "trim", ValueType.oneOf(UnderPressure.class));

    /** 0: as many as there are. */
    static final Key<Long> HISTORY_STATES =
            add(
                    "history.max-states",
                    Integer.toString(HISTORY.statesMax()),
                    ValueType.number(0, HistorySettings.STATES_MAX));

    static final Key<List<String>> CAUSALITY_IGNORE =
            add(
                    "causality.ignore",
                    "",
                    ValueType.list(
                            "keys as BUCKET/KEY separated by commas, * for any text, such as"
                                    + " photos/index.json or */cache/*",
                            "[a-z0-9.*-]+/.+|[*]"));
    static final Key<Duration> ACTOR_IDLE =
            historyTime("actor.idle-timeout", HISTORY.idleTimeout());

    static final Key<Signatures> PROVENANCE_SIGNATURES =
            add("provenance.signatures", "ed25519", ValueType.oneOf(Signatures.class));
    static final Key<Construction> PROVENANCE_CONSTRUCTION =
            add("provenance.construction", "one-link", ValueType.oneOf(Construction.class));
    static final Key<Long> PROVENANCE_SPIRAL =
            add("provenance.spiral-exponent", "3", ValueType.number(0, SpiralShape.EXPONENT_MAX));
    static final Key<List<String>> PROVENANCE_ENCRYPT =
            add("provenance.encrypt", "", ValueType.fields());
    static final Key<List<String>> PROVENANCE_COMMIT =
            add("provenance.commit", "", ValueType.fields());
    static final Key<Long> PROVENANCE_AUDITORS_NEEDED =
            add("provenance.auditors-needed", "1", ValueType.number(1, SharedTree.AUDITORS_MAX));
    static final Key<Optional<Path>> PROVENANCE_MASTER_KEY =
            add("provenance.master-key", "", ValueType.pathOrNone("the path of a file"));
    static final Key<Optional<Path>> PROVENANCE_PASSPHRASE =
            add("provenance.passphrase-file", "", ValueType.pathOrNone("the path of a file"));

    /** Time between checkpoints; 0 makes them only on request. */
    static final Key<Duration> CHECKPOINT_INTERVAL =
            add(
                    "provenance.checkpoint-interval",
                    "1h",
                    ValueType.duration(Duration.ZERO, HISTORY_TIME_MAX));

    static final Key<Optional<Path>> CHECKPOINT_DIRECTORY =
            add(
                    "provenance.checkpoint-directory",
                    "",
                    ValueType.pathOrNone("the path of a directory"));
    static final Key<String> CHECKPOINT_EXPORT =
            add(
                    "provenance.checkpoint-export",
                    "",
                    ValueType.matching(
                            "s3://BUCKET/PREFIX for a bucket of this server, or"
                                    + " https://HOST/BUCKET/PREFIX for one of another server",
                            "|" + CheckpointExport.FORM.pattern()));
    static final Key<Optional<Path>> CHECKPOINT_EXPORT_CREDENTIALS =
            add(
                    "provenance.checkpoint-export-credentials",
                    "",
                    ValueType.pathOrNone("the path of a file"));
    static final Key<String> CHECKPOINT_EXPORT_REGION =
            add("provenance.checkpoint-export-region", "us-east-1", ValueType.region());
    static final Key<Optional<Path>> CHECKPOINT_EXPORT_CA =
            add("provenance.checkpoint-export-ca", "", ValueType.pathOrNone("the path of a file"));
    static final Key<OnMissingSettings> ON_MISSING_SETTINGS =
            add(
                    "provenance.on-missing-settings",
                    "refuse",
                    ValueType.oneOf(OnMissingSettings.class));

    /** 0: for ever. */
    static final Key<Duration> PROVENANCE_RETENTION =
            add("provenance.retention", "0s", ValueType.duration(Duration.ZERO, HISTORY_TIME_MAX));

    /** 0: never. */
    static final Key<Duration> SCRUB_INTERVAL =
            add("scrub.interval", "14d", ValueType.duration(Duration.ZERO, HISTORY_TIME_MAX));

    static final Key<Long> SCRUB_RATE = size("scrub.rate", 64L << 20, 1L << 20, 1L << 40, 1);

    static final Key<Duration> LIFECYCLE_DAY =
            add("lifecycle.day", "1d", ValueType.duration(HISTORY_TIME_MIN, TIME_MAX));

    /** {@code -}: standard output. */
    static final Key<Optional<Path>> ACCESS_LOG =
            add(
                    "log.access",
                    "",
                    ValueType.pathOrNone("the path of a file, or - for standard output"));

    static final Key<Answer> AUDIT_LOG = add("log.audit", "true", ValueType.oneOf(Answer.class));

    /** Directory of the audit log; by default it is in the data directory. */
    static final Key<Optional<Path>> AUDIT_DIRECTORY =
            add("log.audit-directory", "", ValueType.pathOrNone("the path of a directory"));

    static final Key<Long> AUDIT_FILE =
            size("log.audit-file-size", 16L << 20, 64L << 10, 256L << 20, 1);

    /** 0: all. */
    static final Key<Long> AUDIT_FILES =
            add("log.audit-files", "64", ValueType.number(0, 1_000_000));

    static final Key<Optional<InetSocketAddress>> METRICS_LISTEN =
            add("metrics.listen", "", ValueType.addressOrNone());

    static final Key<Optional<Path>> METRICS_TOKEN_FILE =
            add("metrics.token-file", "", ValueType.pathOrNone("the path of a file"));

    static final Key<List<String>> METRICS_HOSTS =
            add("metrics.hosts", "", ValueType.hostNames("metrics.example.org"));

    /** Receiver of spans; an empty value disables tracing. */
    static final Key<String> TRACING_ENDPOINT =
            add(
                    "tracing.endpoint",
                    "",
                    ValueType.matching(
                            "where spans are taken by OTLP over HTTP, such as"
                                    + " http://127.0.0.1:4318/v1/traces, or nothing",
                            "|" + TracingConfig.FORM));

    static final Key<Double> TRACING_SAMPLE = share("tracing.sample", 0.01);

    /** Traces/s that clients can request; 0 ignores their headers. */
    static final Key<Long> TRACING_PARENT_RATE =
            add("tracing.parent-rate", "10", ValueType.number(0, 1_000_000));

    static final Key<Optional<Path>> TRACING_HEADERS_FILE = file("tracing.headers-file");

    static final Key<String> OIDC_ISSUER = add("identity.oidc.issuer", "", OidcConfig.issuerType());
    static final Key<List<String>> OIDC_AUDIENCES =
            add(
                    "identity.oidc.audiences",
                    "",
                    ValueType.list("client ids separated by commas", "[!-~&&[^,]]{1,255}"));
    static final Key<Optional<Path>> OIDC_CA = file("identity.oidc.ca-file");
    static final Key<Answer> OIDC_PLAIN_LOOPBACK =
            add("identity.oidc.http-on-loopback", "false", ValueType.oneOf(Answer.class));

    static final Key<Long> QUEUE_LIMIT =
            number("notifications.queue-limit", 1_000_000, 100_000_000);

    static final Key<Long> CONNECTIONS =
            number("limits.connections", Limits.CONNECTIONS_MAX, 1_000_000);
    static final Key<Long> CONNECTIONS_PER_ADDRESS =
            number("limits.connections-per-address", Limits.CONNECTIONS_OF_ADDRESS_MAX, 1_000_000);
    static final Key<Long> REQUESTS =
            number("limits.requests-in-flight", Limits.REQUESTS_IN_FLIGHT_MAX, 1_000_000);
    static final Key<Long> REQUESTS_PER_ADDRESS =
            number("limits.requests-per-address", Limits.REQUESTS_OF_ADDRESS_MAX, 1_000_000);
    static final Key<Long> BUCKETS_PER_USER =
            number("limits.buckets-per-user", Limits.BUCKETS_OF_USER_MAX, Limits.BUCKETS_MAX);
    static final Key<Long> UNAUTHENTICATED =
            number("limits.unauthenticated-requests", Limits.REQUESTS_UNKNOWN_MAX, 1_000_000);
    static final Key<Long> REQUEST_MEMORY =
            size("limits.request-memory", Limits.REQUEST_HEAP_BYTES_MAX, 16L << 20, 1L << 40, 1);
    static final Key<Long> BUFFERS =
            size("limits.buffers", Limits.BUFFER_BYTES_MAX, 0, 1L << 40, 1);
    static final Key<Long> BODY_RATE =
            size("limits.body-rate", Limits.BODY_RATE_BYTES_MIN, 0, 1L << 30, 1);
    static final Key<Duration> HEADER_TIME = time("timeouts.header", Limits.HEADER_SECONDS_MAX);
    static final Key<Duration> IDLE_TIME = time("timeouts.idle", Limits.IDLE_SECONDS_MAX);
    static final Key<Duration> BODY_TIME = time("timeouts.body-idle", Limits.BODY_IDLE_SECONDS_MAX);
    static final Key<Duration> BODY_WINDOW =
            time("timeouts.body-rate-window", Limits.BODY_RATE_WINDOW_SECONDS);
    static final Key<Duration> WRITE_TIME =
            time("timeouts.write-idle", Limits.WRITE_IDLE_SECONDS_MAX);

    /** The value of a boolean setting. */
    enum Answer {
        TRUE,
        FALSE
    }

    static {
        ALL.addAll(BackupConfig.BackupKeys.ALL);
        ALL.addAll(LogStoreConfig.LogStoreKeys.ALL);
        ALL.addAll(ClusterConfig.ClusterKeys.ALL);
    }

    static List<Key<?>> all() {
        return Collections.unmodifiableList(ALL);
    }

    private static <T> Key<T> add(String name, String defaultText, ValueType<T> type) {
        Key<T> key = new Key<>(name, defaultText, type);
        ALL.add(key);
        return key;
    }

    private static Key<Optional<Path>> file(String name) {
        return add(name, "", ValueType.pathOrNone("the path of a file"));
    }

    private static Key<Long> number(String name, long value, long max) {
        return add(name, Long.toString(value), ValueType.number(1, max));
    }

    private static Key<Double> share(String name, double value) {
        return add(name, Double.toString(value), ValueType.fraction(0, 1));
    }

    private static Key<Long> size(String name, long value, long min, long max, long multiple) {
        String text =
                value % (1 << 20) == 0 && value > 0
                        ? (value >> 20) + " MiB"
                        : value % 1024 == 0 ? (value >> 10) + " KiB" : value + " B";
        return add(name, text, ValueType.size(min, max, multiple));
    }

    private static Key<Duration> historyTime(String name, Duration value) {
        ValueType<Duration> type = ValueType.duration(HISTORY_TIME_MIN, HISTORY_TIME_MAX);
        return add(name, ValueType.show(value), type);
    }

    private static Key<Duration> time(String name, int seconds) {
        return add(name, seconds + "s", ValueType.duration(TIME_MIN, TIME_MAX));
    }
}
