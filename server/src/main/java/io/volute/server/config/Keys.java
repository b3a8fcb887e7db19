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
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Every key there is, with its default, its bounds and its texts. docs/reference/settings.md and
 * volute.conf are generated from it: see SettingsReferenceTest.
 */
final class Keys {
    private Keys() {}

    private static final LogSettings LOG_DEFAULTS = LogSettings.defaults();
    private static final CleaningSettings CLEANER_DEFAULTS = CleaningSettings.defaults();
    private static final MemorySettings MEMORY_DEFAULTS = MemorySettings.defaults();
    private static final HistorySettings HISTORY_DEFAULTS = HistorySettings.DEFAULTS;
    private static final Caps CAPS = Caps.defaults();
    private static final Timeouts TIMES = Timeouts.defaults();
    private static final Duration TIME_MIN = Duration.ofMillis(10);
    private static final Duration TIME_MAX = Duration.ofHours(24);
    private static final Duration HISTORY_TIME_MIN = Duration.ofSeconds(1);
    private static final Duration HISTORY_TIME_MAX = Duration.ofDays(36_500);

    private static final Key.Section SERVER = new Key.Section("server");
    private static final Key.Section ENCRYPTION = new Key.Section("encryption");
    private static final Key.Section TLS = new Key.Section("tls");
    private static final Key.Section LOG = new Key.Section("log");
    private static final Key.Section CLEANER = new Key.Section("cleaner");
    private static final Key.Section INDEX = new Key.Section("index and memory");
    private static final Key.Section HISTORY = new Key.Section("history");
    private static final Key.Section PROVENANCE = new Key.Section("provenance");
    private static final Key.Section SCRUB = new Key.Section("scrub");
    private static final Key.Section LIFECYCLE = new Key.Section("lifecycle");
    private static final Key.Section LOG_FILES = new Key.Section("access and audit log");
    private static final Key.Section METRICS = new Key.Section("metrics");
    private static final Key.Section TRACES = new Key.Section("traces");
    private static final Key.Section IDENTITIES = new Key.Section("web identities");
    private static final Key.Section NOTIFICATIONS = new Key.Section("notifications");
    private static final Key.Section REPLICATION = new Key.Section("replication");
    private static final Key.Section LIMITS = new Key.Section("limits");
    private static final Key.Section TIMEOUTS = new Key.Section("timeouts");
    private static final Key.Section CREDENTIALS = new Key.Section("credentials");

    static final Key<Path> DATA =
            SERVER.add(
                    "data.directory",
                    "./volute-data",
                    ValueType.path(),
                    "The data directory; flag `--data`.",
                    "Always, for a service.");

    static final Key<InetSocketAddress> LISTEN =
            SERVER.add(
                    "server.listen",
                    "127.0.0.1:9000",
                    ValueType.address(),
                    "Address and port of S3; flag `--listen`.",
                    "To serve other machines. Without TLS the start then warns.");

    static final Key<List<AddressRange>> TRUSTED_PROXIES =
            SERVER.add(
                    "server.trusted-proxies",
                    "",
                    ValueType.addressRanges(),
                    "Addresses and ranges of reverse proxies. Only they may report the address of a"
                            + " client.",
                    "If clients use [a proxy](../guide/proxy.md#settings-of-volute).");

    static final Key<Proxies.Means> CLIENT_ADDRESS =
            SERVER.oneOf(
                    "server.client-address",
                    Proxies.Means.X_FORWARDED_FOR,
                    "The way in which proxies pass the address of a client: a header, or the PROXY"
                            + " protocol of version 1 or 2.",
                    "If the proxy uses the PROXY protocol.");

    static final Key<Duration> SHUTDOWN =
            SERVER.time(
                    "server.shutdown-timeout",
                    Duration.ofSeconds(30),
                    Duration.ZERO,
                    TIME_MAX,
                    "Time that a stop waits for requests in flight.",
                    "For long uploads, or an impatient supervisor.");

    static final Key<Optional<InetSocketAddress>> ADMIN_ADDRESS =
            SERVER.add(
                    "admin.address",
                    "",
                    ValueType.addressOrNone(),
                    "Address and port of the [admin API](admin-api.md) alone. Without it the API is"
                            + " at `server.listen`.",
                    "To keep the API off the public network.");
    static final Key<String> REGION =
            SERVER.add(
                    "s3.region",
                    "us-east-1",
                    ValueType.region(),
                    "Region that requests must be signed for.",
                    "If clients use another region.");

    static final Key<List<String>> DOMAINS =
            SERVER.add(
                    "s3.virtual-host-domains",
                    "",
                    ValueType.hostNames("s3.example.org"),
                    "Host names under which `bucket.NAME` denotes a bucket.",
                    "For virtual-host style URLs.");

    static final Key<SignatureV2Use> SIGNATURE_V2 =
            SERVER.oneOf(
                    "s3.signature-v2",
                    SignatureV2Use.PRESIGNED,
                    "Requests that may have a [signature of version"
                            + " 2](s3.md#signatures-of-version-2): none, presigned URLs, or all.",
                    "`off` if no client needs it; `all` for clients that know no other.");

    static final Key<ObjectOwnership> OBJECT_OWNERSHIP =
            SERVER.add(
                    "s3.object-ownership",
                    "BucketOwnerEnforced",
                    ValueType.ownership(),
                    "[Ownership](../guide/access.md#ownership-and-acls) of new buckets whose"
                            + " request selects none. With the last two values, buckets have ACLs.",
                    "For clients that set ACLs and cannot select the ownership.");

    static final Key<Boolean> LIST_READABLE_BUCKETS =
            SERVER.flag(
                    "s3.list-readable-buckets",
                    true,
                    "With `true`, ListBuckets also shows a caller [the buckets of"
                            + " others](../guide/access.md#the-decision) that the caller may list"
                            + " or read.",
                    "`false` to show callers their own buckets alone.");

    static final Key<Boolean> UNSIGNED_PAYLOAD =
            SERVER.flag(
                    "auth.allow-unsigned-payload-over-http",
                    true,
                    "With `true`, a signed request may leave its body unsigned without TLS.",
                    "`false` on an untrusted network without TLS.");

    static final Key<List<String>> ENCRYPTION_KEYS =
            ENCRYPTION.add(
                    "encryption.keys",
                    "",
                    ValueType.list("names of keys separated by commas", "[A-Za-z0-9:/_.-]{1,256}"),
                    "Names of keys that requests may select with `aws:kms`; made at the start,"
                            + " besides `aws/s3`. A name that is taken away keeps its key.",
                    "[To separate tenants](../guide/encrypt.md#named-keys).");

    static final Key<List<String>> RESTRICTED_KEYS =
            ENCRYPTION.add(
                    "encryption.restricted-keys",
                    "",
                    ENCRYPTION_KEYS.type(),
                    "Names of further keys, which only callers may use whose [policies allow"
                            + " it](../guide/encrypt.md#permissions-for-named-keys).",
                    "To separate tenants that may write to the same bucket.");

    static final Key<OnMissingSettings> ON_MISSING_KEYRING =
            ENCRYPTION.oneOf(
                    "encryption.on-missing-keyring",
                    OnMissingSettings.REFUSE,
                    "Action at a start of a store that had a keyring and [has lost"
                            + " it](../guide/encrypt.md#keys).",
                    "To go on without the objects that it encrypted. Set it for one start.");

    static final Key<VaultConfig.Service> KMS =
            ENCRYPTION.oneOf(
                    "encryption.kms",
                    VaultConfig.Service.EMBEDDED,
                    "Place of named keys: `embedded` in the keyring, or `vault`, the [Transit"
                            + " engine](../guide/encrypt.md#keys-of-vault-or-openbao) of HashiCorp"
                            + " Vault or OpenBao.",
                    "If keys must not be on this machine.");

    static final Key<Boolean> CUSTOMER_KEYS_OVER_HTTP =
            ENCRYPTION.flag(
                    "encryption.customer-keys-over-http",
                    false,
                    "With `true`, clients may send their own keys (SSE-C) without TLS.",
                    "If a proxy ends TLS.");

    static final Key<Optional<Path>> CERTIFICATE =
            TLS.pem(
                    "tls.certificate",
                    "PEM file of the certificate chain. With `tls.key` it turns on TLS 1.2 and 1.3"
                            + " ([renewal](../guide/tls.md#renewal)).",
                    "To serve TLS.");
    static final Key<Optional<Path>> TLS_KEY =
            TLS.pem(
                    "tls.key",
                    "PEM file of the private key, PKCS#8, not encrypted.",
                    "To serve TLS.");

    static final Key<Long> SEGMENT =
            LOG.add(
                    "log.segment-size",
                    "0",
                    ValueType.zeroOr(0L, ValueType.size(64L << 10, 1L << 30, 4096)),
                    "Size of a new segment file. `0` is a 128th of the capacity, 4 to 64 MiB.",
                    "Rarely.");

    static final Key<Long> INLINE =
            LOG.size(
                    "log.inline-limit",
                    LOG_DEFAULTS.inlineLimitBytes(),
                    0,
                    16L << 20,
                    "Longest body that is packed into the head segment; at most half a segment.",
                    "With `log.store = bookkeeper` and many larger bodies: each of them has a"
                            + " ledger ([why](../design/performance.md#a-log-on-three-bookies)).");
    static final Key<Long> CHUNK =
            LOG.add(
                    "log.chunk-size",
                    ValueType.show(LOG_DEFAULTS.chunkBytes()),
                    ValueType.size(4096, 4L << 20, 4096),
                    "Content of a chunk in a stream segment; at most a segment less 8 KiB.",
                    "Rarely.");

    static final Key<Long> CAPACITY =
            LOG.size(
                    "log.capacity",
                    CLEANER_DEFAULTS.capacityBytes(),
                    0,
                    1L << 50,
                    "Bytes that segments may take, reserves included. `0` is the size of the file"
                            + " system.",
                    "If other programs share the disk.");

    static final Key<Double> EXPANSION_FACTOR =
            LOG.add(
                    "log.expansion-factor",
                    Double.toString(CLEANER_DEFAULTS.expansionFactor()),
                    ValueType.fraction(1.01, 1000),
                    "Greatest ratio of segment bytes to live bytes. Combined cleaning keeps it even"
                            + " if much is free.",
                    "Higher for less write amplification.");
    static final Key<Long> CLEANERS =
            CLEANER.number(
                    "cleaner.threads",
                    CLEANER_DEFAULTS.threads(),
                    0,
                    64,
                    "Number of cleaning threads. With `0` only `volute clean --now` returns space,"
                            + " and a full store refuses writes.",
                    "For very high write rates.");
    static final Key<Double> FREE_SHARE =
            CLEANER.share(
                    "cleaner.free-share",
                    CLEANER_DEFAULTS.freeShare(),
                    "Free share of the capacity at which cleaning begins, or half of the share that"
                            + " is not live if that is less.",
                    "Rarely.");
    static final Key<Double> TOMBSTONE_SHARE =
            CLEANER.share(
                    "cleaner.tombstone-share",
                    CLEANER_DEFAULTS.tombstoneShare(),
                    "Share of tombstones in the bytes that are not live, from which combined"
                            + " cleaning is preferred.",
                    "Rarely.");
    static final Key<Double> EXPANSION_SHARE =
            CLEANER.share(
                    "cleaner.expansion-share",
                    CLEANER_DEFAULTS.expansionShare(),
                    "Share of `log.expansion-factor` at which combined cleaning begins.",
                    "Rarely.");
    static final Key<Long> HOLE_MIN =
            CLEANER.size(
                    "cleaner.hole-min",
                    CLEANER_DEFAULTS.holeBytesMin(),
                    0,
                    1L << 30,
                    "Minimum dead bytes of one packed body before a hole is punched, provided that"
                            + " the segment returns at least 1/8 of its size.",
                    "Rarely.");
    static final Key<Long> RESERVE =
            CLEANER.number(
                    "cleaner.reserve-segments",
                    CLEANER_DEFAULTS.reserveSegments(),
                    0,
                    1000,
                    "Segments that only the cleaner fills. Half as many more, at least one, are for"
                            + " deletes.",
                    "On very small capacities.");

    static final Key<Long> INDEX_FLUSH =
            INDEX.size(
                    "index.flush-log-size",
                    LOG_DEFAULTS.indexFlushLogBytes(),
                    1L << 20,
                    1L << 40,
                    "Bytes of log after which the index is flushed.",
                    "Lower for a faster recovery.");

    static final Key<Long> BLOCK_CACHE =
            INDEX.size(
                    "index.block-cache",
                    0,
                    0,
                    1L << 40,
                    "Memory for blocks of the index, outside the heap. `0` is a sixteenth of the"
                            + " memory, 64 MiB to 1 GiB.",
                    "Higher if the index does not fit.");

    static final Key<Long> WRITE_BUFFER =
            INDEX.size(
                    "index.write-buffer",
                    LOG_DEFAULTS.writeBufferBytes(),
                    1L << 20,
                    1L << 40,
                    "Memory for unflushed changes of the index.",
                    "Rarely.");
    static final Key<Long> IMAGES =
            INDEX.size(
                    "memory.images.bytes",
                    MEMORY_DEFAULTS.imageBytes(),
                    0,
                    MemorySettings.IMAGE_BYTES_MAX,
                    "Memory outside the heap for recent or popular bodies over 256 bytes. `0` for"
                            + " none, else at least 1 MiB.",
                    "Higher for many hot small objects.");
    static final Key<Long> IMAGE_ENTRY =
            INDEX.size(
                    "memory.images.entry-limit",
                    MEMORY_DEFAULTS.entryBytesMax(),
                    0,
                    MemorySettings.ENTRY_BYTES_MAX,
                    "Longest body in the memory of `memory.images.bytes`.",
                    "Rarely.");
    static final Key<Placement> PLACEMENT =
            INDEX.oneOf(
                    "cubes.placement",
                    Placement.DEFAULT,
                    "The cube of a new bucket whose creator names none: `default` is the system"
                            + " cube, `spread` the writable cube with the fewest buckets.",
                    "To [commit in parallel](../guide/cubes.md).");
    static final Key<OnDamage> ON_DAMAGE =
            LOG.oneOf(
                    "log.on-damage",
                    OnDamage.REFUSE,
                    "Action at a start with damaged durable data.",
                    "To rescue data from a damaged disk.");

    static final Key<HistoryPolicy> HISTORY_POLICY =
            HISTORY.oneOf(
                    "history.policy",
                    HISTORY_DEFAULTS.policy(),
                    "[Policy](../guide/history.md#policies) of new buckets.",
                    "`every-write` to keep every state, `none` to keep no state.");
    static final Key<Duration> HISTORY_RESOLUTION =
            HISTORY.add(
                    "history.resolution",
                    "1s",
                    ValueType.zeroOr(
                            Duration.ZERO,
                            ValueType.duration(
                                    Duration.ofMillis(1), HistorySettings.RESOLUTION_MAX)),
                    "The past is exact at each multiple of this time. With `0` the policy decides"
                            + " alone.",
                    "Coarser for keys that change very often.");
    static final Key<Duration> RETENTION =
            HISTORY.time(
                    "history.retention",
                    HISTORY_DEFAULTS.retention(),
                    HISTORY_TIME_MIN,
                    HISTORY_TIME_MAX,
                    "Time for which a kept state stays after it was replaced.",
                    "To the time in which you notice a theft.");
    static final Key<Double> HISTORY_SHARE =
            HISTORY.share(
                    "history.max-share",
                    0.3,
                    "Share of the capacity for kept states when less than a quarter is free or"
                            + " dead. Beyond it states are [removed"
                            + " early](../guide/history.md#retention).",
                    "If history displaces data, or the reverse.");
    static final Key<UnderPressure> HISTORY_UNDER_PRESSURE =
            HISTORY.oneOf(
                    "history.under-pressure",
                    UnderPressure.TRIM,
                    "Action when space is short: `trim` removes the oldest states, `refuse` removes"
                            + " none and refuses writes once full.",
                    "`refuse` if history outranks new writes.");

    static final Key<Long> HISTORY_STATES =
            HISTORY.number(
                    "history.max-states",
                    HISTORY_DEFAULTS.statesMax(),
                    0,
                    HistorySettings.STATES_MAX,
                    "Greatest number of kept states of a key; the oldest is removed. `0` is no"
                            + " limit.",
                    "For keys that change very often.");

    static final Key<List<String>> CAUSALITY_IGNORE =
            HISTORY.add(
                    "causality.ignore",
                    "",
                    ValueType.list(
                            "keys as BUCKET/KEY separated by commas, * for any text, such as"
                                    + " photos/index.json or */cache/*",
                            "[a-z0-9.*-]+/.+|[*]"),
                    "Keys without causal edges, as BUCKET/KEY with `*` for any text"
                            + " ([meaning](../guide/history.md#what-is-written-down)).",
                    "For shared indexes and locks.");
    static final Key<Duration> ACTOR_IDLE =
            HISTORY.time(
                    "actor.idle-timeout",
                    HISTORY_DEFAULTS.idleTimeout(),
                    HISTORY_TIME_MIN,
                    HISTORY_TIME_MAX,
                    "Idle time after which the next request of an actor begins a new session.",
                    "Rarely.");

    static final Key<Signatures> PROVENANCE_SIGNATURES =
            PROVENANCE.oneOf(
                    "provenance.signatures",
                    Signatures.ED25519,
                    "Signature of each change of a key: `ed25519`, `ml-dsa-65` (post-quantum),"
                            + " `both`, or `none` for no signed history.",
                    "`none` for more throughput.");
    static final Key<Construction> PROVENANCE_CONSTRUCTION =
            PROVENANCE.oneOf(
                    "provenance.construction",
                    Construction.ONE_LINK,
                    "Links of new chains: `one-link` (a forgery shows in many later entries) or"
                            + " `link-per-dimension` (one dimension can be audited alone).",
                    "For summaries of exports.");
    static final Key<Long> PROVENANCE_SPIRAL =
            PROVENANCE.number(
                    "provenance.spiral-exponent",
                    3,
                    0,
                    SpiralShape.EXPONENT_MAX,
                    "R: links of new chains reach 1, 2, 4, ... 2^R entries back.",
                    "Rarely.");
    static final Key<List<String>> PROVENANCE_ENCRYPT =
            PROVENANCE.add(
                    "provenance.encrypt",
                    "",
                    ValueType.fields(),
                    "[Fields](../format/provenance.md#confidentiality) of new entries for auditors"
                            + " only. A bucket may override it (`volute provenance hidden`).",
                    "If exports leave the organisation.");
    static final Key<List<String>> PROVENANCE_COMMIT =
            PROVENANCE.add(
                    "provenance.commit",
                    "",
                    ValueType.fields(),
                    "Fields that new entries only commit to, so an export can withhold them. A"
                            + " bucket may override it.",
                    "If exports leave the organisation.");
    static final Key<Long> PROVENANCE_AUDITORS_NEEDED =
            PROVENANCE.number(
                    "provenance.auditors-needed",
                    1,
                    1,
                    SharedTree.AUDITORS_MAX,
                    "Number of auditors that must act together to read an entry.",
                    "To divide the power to read.");
    static final Key<Optional<Path>> PROVENANCE_MASTER_KEY =
            PROVENANCE.file(
                    "provenance.master-key",
                    "File that seals the signing keys. Without it, `keys/provenance.key` in the"
                            + " data directory.",
                    "[To keep it off the data disk](#signing-keys).");
    static final Key<Optional<Path>> PROVENANCE_PASSPHRASE =
            PROVENANCE.file(
                    "provenance.passphrase-file",
                    "File (mode 0600) with a passphrase that seals the signing keys, instead of"
                            + " `provenance.master-key`.",
                    "[To keep no key on the disk](#signing-keys).");

    static final Key<Duration> CHECKPOINT_INTERVAL =
            PROVENANCE.time(
                    "provenance.checkpoint-interval",
                    Duration.ofHours(1),
                    Duration.ZERO,
                    HISTORY_TIME_MAX,
                    "Time between signed checkpoints; `0s` is on request only.",
                    "Shorter for earlier proof.");

    static final Key<Optional<Path>> CHECKPOINT_DIRECTORY =
            PROVENANCE.add(
                    "provenance.checkpoint-directory",
                    "",
                    ValueType.pathOrNone("the path of a directory"),
                    "Directory that receives a copy of every checkpoint. Choose a location that the"
                            + " operator of this server cannot modify.",
                    "For evidence against the operator.");
    static final Key<String> CHECKPOINT_EXPORT =
            PROVENANCE.add(
                    "provenance.checkpoint-export",
                    "",
                    ValueType.matching(
                            "s3://BUCKET/PREFIX for a bucket of this server, or"
                                    + " https://HOST/BUCKET/PREFIX for one of another server",
                            "|" + CheckpointExport.FORM.pattern()),
                    "[Bucket](#checkpoint-export) that receives every checkpoint.",
                    "For evidence against the operator.");
    static final Key<Optional<Path>> CHECKPOINT_EXPORT_CREDENTIALS =
            PROVENANCE.file(
                    "provenance.checkpoint-export-credentials",
                    "File (mode 0600) with access key and secret key for that host, separated by"
                            + " white space. The keys need the permission to put only.",
                    "With a host.");
    static final Key<String> CHECKPOINT_EXPORT_REGION =
            PROVENANCE.add(
                    "provenance.checkpoint-export-region",
                    "us-east-1",
                    ValueType.region(),
                    "Region that requests there are signed for.",
                    "If the host has another region.");
    static final Key<Optional<Path>> CHECKPOINT_EXPORT_CA =
            PROVENANCE.file(
                    "provenance.checkpoint-export-ca",
                    "PEM file of the certificates that TLS trusts there. Without it, the"
                            + " authorities of Java.",
                    "For a private certificate authority.");
    static final Key<OnMissingSettings> ON_MISSING_SETTINGS =
            PROVENANCE.oneOf(
                    "provenance.on-missing-settings",
                    OnMissingSettings.REFUSE,
                    "Action at a start of a store with signing keys [whose own chain is"
                            + " missing](../format/provenance.md#a-store-without-its-own-chain).",
                    "To go on with a store whose evidence is lost. Set it for one start.");

    static final Key<Duration> PROVENANCE_RETENTION =
            PROVENANCE.time(
                    "provenance.retention",
                    Duration.ZERO,
                    Duration.ZERO,
                    HISTORY_TIME_MAX,
                    "Age of a covering checkpoint after which old entries of a chain [may be"
                            + " removed](../format/provenance.md#entries-that-are-gone). `0s` keeps"
                            + " all.",
                    "To bound the space of entries.");

    static final Key<Duration> SCRUB_INTERVAL =
            SCRUB.time(
                    "scrub.interval",
                    Duration.ofDays(14),
                    Duration.ZERO,
                    HISTORY_TIME_MAX,
                    "Time in which everything stored is read and verified once; `0s` is never. A"
                            + " new server begins after a minute.",
                    "Shorter for old disks.");

    static final Key<Long> SCRUB_RATE =
            SCRUB.size(
                    "scrub.rate",
                    64L << 20,
                    1L << 20,
                    1L << 40,
                    "Greatest read rate of the scrub, bytes a second. It reads at least 1 MiB/s,"
                            + " and otherwise only fast enough for half of `scrub.interval`.",
                    "If the scrub disturbs clients.");

    static final Key<Duration> LIFECYCLE_DAY =
            LIFECYCLE.time(
                    "lifecycle.day",
                    Duration.ofDays(1),
                    HISTORY_TIME_MIN,
                    TIME_MAX,
                    "Length of the days that [lifecycle rules](s3.md#lifecycle) count. The server"
                            + " looks at rules at least 20 times a day.",
                    "To test a program with days of seconds, on a store without other data.");

    static final Key<Optional<Path>> ACCESS_LOG =
            LOG_FILES.add(
                    "log.access",
                    "",
                    ValueType.pathOrNone("the path of a file, or - for standard output"),
                    "File for one [JSON line](logs.md) a request. A moved file is opened again.",
                    "To record requests.");

    static final Key<Boolean> AUDIT_LOG =
            LOG_FILES.flag(
                    "log.audit",
                    true,
                    "With `true`, changes of the server, users and rules have [linked"
                            + " lines](logs.md#the-audit-log). A change without its line is"
                            + " refused.",
                    "`false` only if another system records them.");

    static final Key<Optional<Path>> AUDIT_DIRECTORY =
            LOG_FILES.add(
                    "log.audit-directory",
                    "",
                    ValueType.pathOrNone("the path of a directory"),
                    "Directory of the audit log. Without it, `audit` in the data directory.",
                    "To keep it on another disk.");

    static final Key<Long> AUDIT_FILE =
            LOG_FILES.size(
                    "log.audit-file-size",
                    16L << 20,
                    64L << 10,
                    256L << 20,
                    "Size from which a new file of the audit log begins.",
                    "Rarely.");

    static final Key<Long> AUDIT_FILES =
            LOG_FILES.number(
                    "log.audit-files",
                    64,
                    0,
                    1_000_000,
                    "Number of files of the audit log that are kept; `0` keeps all.",
                    "To the time that you must keep them.");

    static final Key<Optional<InetSocketAddress>> METRICS_LISTEN =
            METRICS.add(
                    "metrics.listen",
                    "",
                    ValueType.addressOrNone(),
                    "Address for Prometheus [metrics](metrics.md) at `/metrics` and the [status"
                            + " page](metrics.md#a-page-to-look-at) at `/`. With `tls.certificate`"
                            + " it uses TLS.",
                    "To monitor the server.");

    static final Key<Optional<Path>> METRICS_TOKEN_FILE =
            METRICS.file(
                    "metrics.token-file",
                    "File with a token of 16 to 256 letters, digits and `- . _ ~ + / =`, required"
                            + " as a bearer token or password.",
                    "If other machines can reach the address.");

    static final Key<List<String>> METRICS_HOSTS =
            METRICS.add(
                    "metrics.hosts",
                    "",
                    ValueType.hostNames("metrics.example.org"),
                    "Host names of this listener in lower case. IP addresses, `localhost` and the"
                            + " host of `metrics.listen` need no entry; requests for [other"
                            + " names](metrics.md) get 421.",
                    "If Prometheus or a browser asks by name.");

    static final Key<String> TRACING_ENDPOINT =
            TRACES.add(
                    "tracing.endpoint",
                    "",
                    ValueType.matching(
                            "the address of a receiver, such as http://127.0.0.1:4318/v1/traces, or"
                                    + " nothing",
                            "|" + TracingConfig.FORM),
                    "Receiver of [traces](tracing.md) by OTLP over HTTP. Without a path,"
                            + " `/v1/traces`.",
                    "To trace requests.");

    static final Key<Double> TRACING_SAMPLE =
            TRACES.share(
                    "tracing.sample",
                    0.01,
                    "Share of the requests that are traced.",
                    "Higher at low load.");

    static final Key<Long> TRACING_PARENT_RATE =
            TRACES.number(
                    "tracing.parent-rate",
                    10,
                    0,
                    1_000_000,
                    "Greatest number of requests a second that are traced because of their"
                            + " `traceparent`. `0` ignores the header.",
                    "With traced clients.");

    static final Key<Optional<Path>> TRACING_HEADERS_FILE =
            TRACES.file(
                    "tracing.headers-file",
                    "File (mode 0600) with headers for the endpoint, one `NAME: VALUE` a line, at"
                            + " most 8 KiB.",
                    "If the endpoint requires them.");

    static final Key<String> OIDC_ISSUER =
            IDENTITIES.add(
                    "identity.oidc.issuer",
                    "",
                    OidcConfig.issuerType(),
                    "Issuer of the tokens, exactly as their `iss`.",
                    "To let users of a provider assume roles.");
    static final Key<List<String>> OIDC_AUDIENCES =
            IDENTITIES.add(
                    "identity.oidc.audiences",
                    "",
                    ValueType.list("client ids separated by commas", "[!-~&&[^,]]{1,255}"),
                    "Client ids. A token must have one as `aud`; its `azp` alone is not enough.",
                    "With an issuer.");
    static final Key<Optional<Path>> OIDC_CA =
            IDENTITIES.file(
                    "identity.oidc.ca-file",
                    "PEM file of the certificates that TLS trusts at the provider. Without it, the"
                            + " authorities of Java.",
                    "For a private certificate authority.");
    static final Key<Boolean> OIDC_PLAIN_LOOPBACK =
            IDENTITIES.flag(
                    "identity.oidc.http-on-loopback",
                    false,
                    "With `true`, the provider may have a loopback address with `http`.",
                    "For a provider on this machine without TLS.");

    static final Key<List<String>> TARGETS =
            NOTIFICATIONS.objects(
                    "notifications.targets",
                    "{ name = ..., type = ... }",
                    "[Targets](#targets-of-notifications) of event notifications.",
                    "To send events of buckets.");

    static final Key<List<String>> REPLICATION_TARGETS =
            REPLICATION.objects(
                    "replication.targets",
                    "{ name = ..., endpoint = ..., credential-file = ... }",
                    "[Targets](#targets-of-replication) of replication.",
                    "To replicate buckets to other servers.");

    static final Key<Long> QUEUE_LIMIT =
            NOTIFICATIONS.number(
                    "notifications.queue-limit",
                    1_000_000,
                    1,
                    100_000_000,
                    "Most messages that wait for one target. Further events get a"
                            + " [gap](../guide/notifications.md#limits-of-a-target-that-is-down)"
                            + " instead.",
                    "To the number of events in the longest time that a target may be down.");

    static final Key<Long> CONNECTIONS =
            LIMITS.number(
                    "limits.connections",
                    CAPS.connections(),
                    1,
                    1_000_000,
                    "Concurrent connections.",
                    "With the memory of the machine.");
    static final Key<Long> CONNECTIONS_PER_ADDRESS =
            LIMITS.number(
                    "limits.connections-per-address",
                    CAPS.connectionsPerAddress(),
                    1,
                    1_000_000,
                    "Concurrent connections of one client address (IPv6: a network of 64 bits).",
                    "If clients use a proxy that is not listed: all have its address.");
    static final Key<Long> REQUESTS =
            LIMITS.number(
                    "limits.requests-in-flight",
                    CAPS.requestsInFlight(),
                    1,
                    1_000_000,
                    "Concurrent requests.",
                    "With the memory of the machine.");
    static final Key<Long> REQUESTS_PER_ADDRESS =
            LIMITS.number(
                    "limits.requests-per-address",
                    CAPS.requestsPerAddress(),
                    1,
                    1_000_000,
                    "Concurrent requests of one client address.",
                    "If clients use a proxy that is not listed: all have its address.");
    static final Key<Long> BUCKETS_PER_USER =
            LIMITS.number(
                    "limits.buckets-per-user",
                    1_000,
                    1,
                    Limits.BUCKETS_MAX,
                    "[Buckets of one owner](#buckets-of-one-owner).",
                    "For clients with many buckets.");
    static final Key<Long> UNAUTHENTICATED =
            LIMITS.number(
                    "limits.unauthenticated-requests",
                    CAPS.unauthenticatedRequests(),
                    1,
                    1_000_000,
                    "Concurrent requests whose callers are not authenticated. They have the same"
                            + " part of `limits.request-memory`.",
                    "For many readers of public buckets.");
    static final Key<Long> REQUEST_MEMORY =
            LIMITS.size(
                    "limits.request-memory",
                    CAPS.memoryBytes(),
                    16L << 20,
                    1L << 40,
                    "Heap for documents and answers of requests.",
                    "With the heap.");
    static final Key<Long> BUFFERS =
            LIMITS.size(
                    "limits.buffers",
                    CAPS.bufferBytes(),
                    0,
                    1L << 40,
                    "Memory for buffers beyond the first of each request.",
                    "With the memory of the machine.");
    static final Key<Long> BODY_RATE =
            LIMITS.size(
                    "limits.body-rate",
                    TIMES.bodyRate().bytesPerSecond(),
                    0,
                    1L << 30,
                    "Slowest accepted body, bytes a second.",
                    "For very slow clients.");
    static final Key<Duration> HANDSHAKE_TIME =
            TIMEOUTS.time(
                    "timeouts.tls-handshake",
                    TIMES.handshake(),
                    TIME_MIN,
                    TIME_MAX,
                    "Time from a connection to the end of its TLS handshake.",
                    "For very slow clients.");
    static final Key<Duration> HEADER_TIME =
            TIMEOUTS.time(
                    "timeouts.header",
                    TIMES.header(),
                    TIME_MIN,
                    TIME_MAX,
                    "Time from the first byte of a request to its last header.",
                    "Rarely.");
    static final Key<Duration> IDLE_TIME =
            TIMEOUTS.time(
                    "timeouts.idle",
                    TIMES.idle(),
                    TIME_MIN,
                    TIME_MAX,
                    "Time of a connection between requests.",
                    "To match a proxy.");
    static final Key<Duration> BODY_TIME =
            TIMEOUTS.time(
                    "timeouts.body-idle",
                    TIMES.bodyIdle(),
                    TIME_MIN,
                    TIME_MAX,
                    "Time without a byte of a body.",
                    "For very slow clients.");
    static final Key<Duration> BODY_WINDOW =
            TIMEOUTS.time(
                    "timeouts.body-rate-window",
                    TIMES.bodyRate().window(),
                    TIME_MIN,
                    TIME_MAX,
                    "Time of waiting over which `limits.body-rate` is measured.",
                    "Rarely.");
    static final Key<Duration> WRITE_TIME =
            TIMEOUTS.time(
                    "timeouts.write-idle",
                    TIMES.writeIdle(),
                    TIME_MIN,
                    TIME_MAX,
                    "Time in which a client takes nothing of its response.",
                    "For very slow clients.");

    static final Key<List<String>> USERS =
            CREDENTIALS.objects(
                    "users",
                    "{ access-key = ..., secret-key = ... }",
                    "Users besides the root.",
                    "Prefer `volute user` ([access](../guide/access.md)).");

    private static final List<Key.Section> SECTIONS =
            List.of(
                    SERVER,
                    ENCRYPTION,
                    VaultConfig.VaultKeys.SECTION,
                    TLS,
                    LOG,
                    LogStoreConfig.LogStoreKeys.SECTION,
                    ClusterConfig.ClusterKeys.SECTION,
                    CLEANER,
                    INDEX,
                    HISTORY,
                    PROVENANCE,
                    SCRUB,
                    LIFECYCLE,
                    BackupConfig.BackupKeys.SECTION,
                    LOG_FILES,
                    METRICS,
                    TRACES,
                    IDENTITIES,
                    NOTIFICATIONS,
                    REPLICATION,
                    LIMITS,
                    TIMEOUTS,
                    CREDENTIALS);

    private static final Map<String, Key<?>> ALL = new LinkedHashMap<>();

    static {
        SECTIONS.forEach(section -> section.keys().forEach(key -> ALL.put(key.name(), key)));
    }

    static List<Key.Section> sections() {
        return SECTIONS;
    }

    /** Returns the keys by their names, in the order of the reference page. */
    static Map<String, Key<?>> all() {
        return Collections.unmodifiableMap(ALL);
    }
}
