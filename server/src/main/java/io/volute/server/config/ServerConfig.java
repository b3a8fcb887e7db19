package io.volute.server.config;

import io.volute.server.auth.sigv4.SignatureV2Use;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.config.cluster.LogStoreConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.http.HttpSettings;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.versioning.StoreCubes.Placement;
import io.volute.versioning.StoreOptions.HistorySettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a server, checked.
 *
 * @param dataDirectory absolute
 * @param logStore place of the logs of the cubes
 * @param cluster the other nodes with this store; empty when there are none
 * @param placement of new buckets among the cubes
 * @param lifecycleDay length of the days that lifecycle rules count
 * @param tracing empty when nothing is traced
 * @param oidc the provider whose tokens STS accepts; empty when there is none
 * @param shutdown how long a stop waits for requests in flight
 * @param adminAddress where alone the admin API is; empty when it is where S3 is
 * @param users besides the root
 */
public record ServerConfig(
        Path dataDirectory,
        HttpSettings http,
        Protocol protocol,
        LogSettings log,
        LogStoreConfig logStore,
        Optional<ClusterConfig> cluster,
        MemorySettings memory,
        Placement placement,
        HistorySettings history,
        HistoryRoom historyRoom,
        ProvenanceConfig provenance,
        ScrubConfig scrub,
        Duration lifecycleDay,
        MetricsListener metrics,
        AccessLogConfig accessLog,
        AuditLogConfig auditLog,
        Optional<TracingConfig> tracing,
        Optional<OidcConfig> oidc,
        BackupConfig backup,
        NotificationConfig notifications,
        ReplicationConfig replication,
        Duration shutdown,
        Optional<InetSocketAddress> adminAddress,
        List<Credential> users) {
    public ServerConfig {
        users = List.copyOf(users);
    }

    /**
     * The repeated check of everything that is stored.
     *
     * @param interval from the beginning of one pass to that of the next; zero: never
     * @param rateMax bytes a second that a pass reads at most
     */
    public record ScrubConfig(Duration interval, long rateMax) {}

    /**
     * The settings of the S3 protocol.
     *
     * @param domains host names under which {@code bucket.domain} names a bucket
     * @param signatureV2 requests that may have a signature of version 2
     * @param ownership of the objects of new buckets
     * @param listsReadable whether ListBuckets shows callers the buckets that they may read
     * @param encryptionKeys named keys for SSE-KMS that everybody may use unless a policy denies it
     * @param restrictedKeys named keys that only callers whose policies allow it may use
     * @param beginsKeyringAnew whether a start may make a keyring in place of a lost one
     * @param vault the service that has the named keys; empty if the keyring has them
     * @param customerKeysOverHttp whether clients may send keys of SSE-C over an open connection
     * @param unsignedPayloadOverHttp without TLS, a signed request may leave its body unsigned
     * @param bucketsOfUserMax buckets of one owner beyond which only the root makes more
     */
    public record Protocol(
            String region,
            List<String> domains,
            SignatureV2Use signatureV2,
            ObjectOwnership ownership,
            boolean listsReadable,
            List<String> encryptionKeys,
            List<String> restrictedKeys,
            boolean beginsKeyringAnew,
            Optional<VaultConfig> vault,
            boolean customerKeysOverHttp,
            boolean unsignedPayloadOverHttp,
            int bucketsOfUserMax) {
        public Protocol {
            domains = List.copyOf(domains);
            encryptionKeys = List.copyOf(encryptionKeys);
            restrictedKeys = List.copyOf(restrictedKeys);
        }
    }

    /**
     * The settings of the metrics endpoint.
     *
     * @param listen address of the listener for metrics alone; empty disables metrics
     * @param tokenFile file with the token that requests must carry; empty when none is required
     * @param hosts host names of this listener in lower case, besides the one of its address
     */
    public record MetricsListener(
            Optional<InetSocketAddress> listen, Optional<Path> tokenFile, List<String> hosts) {

        public MetricsListener {
            hosts = List.copyOf(hosts);
        }
    }

    /** Returns the same settings with other listeners. */
    public ServerConfig listening(
            HttpSettings other, Optional<InetSocketAddress> admin, MetricsListener figures) {
        return new ServerConfig(
                dataDirectory,
                other,
                protocol,
                log,
                logStore,
                cluster,
                memory,
                placement,
                history,
                historyRoom,
                provenance,
                scrub,
                lifecycleDay,
                figures,
                accessLog,
                auditLog,
                tracing,
                oidc,
                backup,
                notifications,
                replication,
                shutdown,
                admin,
                users);
    }

    /** Returns the same settings without logs of requests, and without places for events. */
    public ServerConfig silent() {
        return new ServerConfig(
                dataDirectory,
                http,
                protocol,
                log,
                logStore,
                cluster,
                memory,
                placement,
                history,
                historyRoom,
                provenance,
                scrub,
                lifecycleDay,
                metrics,
                new AccessLogConfig(Optional.empty(), false),
                new AuditLogConfig(
                        false, auditLog.directory(), auditLog.fileBytesMax(), auditLog.filesMax()),
                Optional.empty(),
                oidc,
                backup,
                new NotificationConfig(List.of(), notifications.queueLimit()),
                new ReplicationConfig(List.of()),
                shutdown,
                adminAddress,
                users);
    }
}
