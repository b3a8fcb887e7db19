package io.volute.server.metrics;

import io.volute.server.accesslog.AccessLog;
import io.volute.server.accesslog.BucketLogs;
import io.volute.server.auditlog.AuditLog;
import io.volute.server.encryption.KeyService;
import io.volute.server.http.HttpServer;
import io.volute.server.notification.TargetFigures;
import io.volute.server.replication.ReplicationFigures;
import io.volute.server.tracing.Tracing;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The metrics of the server itself: its listeners, logs, targets and cluster. */
final class ServerMeters {
    private static final double MILLIS = 1e-3;

    static final MeterTable<Optional<AccessLog>> ACCESS_LOG =
            new MeterTable<Optional<AccessLog>>("access log")
                    .counter(
                            "volute_access_log_lines_total",
                            "Lines written to the access log",
                            now -> now.map(AccessLog::written).orElse(0L))
                    .counter(
                            "volute_access_log_lost_lines_total",
                            "Lines of the access log dropped because 8,192 lines or 8 MiB waited",
                            "Any: the disk or the reader of standard output is too slow, or the"
                                    + " file cannot be written (see the log)",
                            now -> now.map(AccessLog::lost).orElse(0L));

    static final MeterTable<BucketLogs> BUCKET_LOGS =
            new MeterTable<BucketLogs>("access logs of buckets")
                    .counter(
                            "volute_bucket_log_lines_total",
                            "Lines of [server access logs](s3.md#server-access-logging) in"
                                    + " delivered objects",
                            BucketLogs::delivered)
                    .counter(
                            "volute_bucket_log_lost_lines_total",
                            "Lines of server access logs that were dropped: the memory for lines"
                                    + " was full, or the target refused them",
                            "Any: see the log for the target's refusal, or log fewer requests",
                            BucketLogs::lost);

    static final MeterTable<Optional<KeyService.State>> KEY_SERVICE =
            new MeterTable<Optional<KeyService.State>>("key service")
                    .counter(
                            "volute_key_service_calls_total",
                            "Calls to the key service that encrypt or decrypt a data key",
                            now -> now.map(KeyService.State::calls).orElse(0L))
                    .counter(
                            "volute_key_service_cache_hits_total",
                            "Data keys decrypted from the cache (`encryption.vault.cache`),"
                                    + " without a call to the key service",
                            now -> now.map(KeyService.State::cacheHits).orElse(0L))
                    .counter(
                            "volute_key_service_failures_total",
                            "Failed calls to the key service, including the health check every 30"
                                    + " s",
                            "Rising: the log names the reason",
                            now -> now.map(KeyService.State::failures).orElse(0L))
                    .gauge(
                            "volute_key_service_failing",
                            "1 if the last call to the key service failed, else 0",
                            "1: objects under keys of the service answer 503",
                            now -> now.flatMap(KeyService.State::failure).isPresent() ? 1 : 0);

    static final MeterTable<ClusterFigures> CLUSTER =
            new MeterTable<ClusterFigures>("cluster")
                    .gauge(
                            "volute_cluster_owner",
                            "1 if this node owns the store, else 0",
                            "The sum over all nodes is not 1",
                            now -> now.isOwner() ? 1 : 0)
                    .gauge(
                            "volute_cluster_nodes",
                            "Running nodes of the cluster",
                            "Fewer than you have",
                            ClusterFigures::nodes)
                    .gauge(
                            "volute_cluster_connected",
                            "1 if ZooKeeper answers this node within the session time, else 0",
                            "0: requests wait, then get 503",
                            now -> now.isConnected() ? 1 : 0)
                    .counter(
                            "volute_cluster_take_overs_total",
                            "Take-overs of the store by this node",
                            "Rising without a reason: pauses longer than the session",
                            ClusterFigures::takeOvers)
                    .counter(
                            "volute_cluster_forwarded_requests_total",
                            "Requests to this node that the owner answered",
                            ClusterFigures::forwarded)
                    .gauge(
                            "volute_cluster_lease_seconds",
                            "Seconds until the lease of this owner ends, at most `cluster.lease`;"
                                    + " 0 on other nodes",
                            "Near 0 on the owner: ZooKeeper answers late",
                            now -> now.lease().leftSeconds())
                    .counter(
                            "volute_cluster_lease_waits_total",
                            "Requests at this owner that waited for its lease, before or after"
                                    + " the store handled them",
                            "Rising: as above",
                            now -> now.lease().waited())
                    .counter(
                            "volute_cluster_lease_refused_total",
                            "Requests refused because the lease of this owner was not renewed in"
                                    + " time",
                            "Rising without a take-over: as above",
                            now -> now.lease().refused())
                    .counter(
                            "volute_cluster_waiting_requests_total",
                            "Requests that waited for an owner",
                            "Rising without a take-over",
                            ClusterFigures::waited)
                    .counter(
                            "volute_cluster_failed_requests_total",
                            "Requests to this node that no owner answered (503)",
                            "Rising without a take-over",
                            ClusterFigures::failed)
                    .counter(
                            "volute_cluster_exchange_calls_total",
                            "Calls to [owners of other cubes](../design/cubes.md#between-owners)"
                                    + " before writes",
                            now -> now.exchange().calls())
                    .counter(
                            "volute_cluster_exchange_failures_total",
                            "Calls to owners of other cubes that got no complete answer",
                            "Rising: a node does not answer, or has another release",
                            now -> now.exchange().failed())
                    .counter(
                            "volute_cluster_exchange_skipped_total",
                            "Requests that continued without the answer of an owner: their writes"
                                    + " may lack causes",
                            "Rising: as above",
                            now -> now.exchange().skipped())
                    .counter(
                            "volute_cluster_exchange_wait_seconds_total",
                            "Seconds that requests waited for owners of other cubes",
                            "Rising faster than the requests: a slow node or network",
                            now -> now.exchange().waitedSeconds())
                    .gauge(
                            "volute_cluster_placed_cubes",
                            "[placed cubes](../guide/cluster.md#give-cubes-to-several-nodes) that"
                                    + " this node serves",
                            now -> now.placed().served())
                    .gauge(
                            "volute_cluster_unserved_cubes",
                            "Placed cubes that no node serves",
                            "Above 0 for longer than a take-over",
                            now -> now.placed().unserved());

    static final MeterTable<StandbyFigures> STANDBYS =
            new MeterTable<StandbyFigures>("standby indexes", "cube")
                    .gauge(
                            "volute_standby_following",
                            "1 while the standby index follows the log of the cube's owner, else 0",
                            "0 for long: a take-over by this node builds the index",
                            now -> now.isFollowing() ? 1 : 0)
                    .gauge(
                            "volute_standby_lag_seconds",
                            "Seconds since the standby index last had all confirmed entries",
                            "Above `cluster.standby-lag`: see the log of the node",
                            StandbyFigures::lagSeconds)
                    .gauge(
                            "volute_standby_lag_bytes",
                            "Confirmed bytes of the log missing in the standby index",
                            "Rising",
                            StandbyFigures::lagBytes)
                    .gauge(
                            "volute_standby_builds",
                            "Builds of the standby index since this node lost the store",
                            "Rising: the node is too slow to follow",
                            StandbyFigures::builds);

    static final MeterTable<TargetFigures> NOTIFICATION =
            new MeterTable<TargetFigures>("event notifications", "target")
                    .counter(
                            "volute_notification_delivered_total",
                            "Event messages that the target accepted",
                            TargetFigures::delivered)
                    .counter(
                            "volute_notification_failures_total",
                            "Failed attempts to deliver event messages",
                            "Rising: the log has the cause",
                            TargetFigures::failures)
                    .gauge(
                            "volute_notification_waiting",
                            "Event messages waiting for delivery to the target",
                            "Near `notifications.queue-limit`: events get a gap instead",
                            TargetFigures::waiting)
                    .gauge(
                            "volute_notification_lag_seconds",
                            "Age of the oldest waiting event message, in seconds",
                            "Minutes: the target is down or too slow",
                            now -> now.lag().toMillis() * MILLIS)
                    .counter(
                            "volute_notification_omitted_total",
                            "Events without a message because the queue of the target was full",
                            "Any: the target misses events. See [the guide]"
                                    + "(../guide/notifications.md"
                                    + "#limits-of-a-target-that-is-down)",
                            TargetFigures::omitted)
                    .counter(
                            "volute_notification_unreadable_total",
                            "Unreadable event messages; the target got a gap in place of each",
                            "Any: the log has time and cause, `volute check` names damage",
                            TargetFigures::unreadable);

    static final MeterTable<ReplicationFigures> REPLICATION =
            new MeterTable<ReplicationFigures>("replication", "target")
                    .counter(
                            "volute_replication_replicated_total",
                            "Changes replicated to the target",
                            ReplicationFigures::replicated)
                    .counter(
                            "volute_replication_failures_total",
                            "Failed attempts to replicate a change",
                            "Rising: the log has the cause",
                            ReplicationFigures::failures)
                    .gauge(
                            "volute_replication_waiting",
                            "Changes waiting for replication to the target",
                            "Rising for long: the target is down or too slow",
                            ReplicationFigures::waiting)
                    .gauge(
                            "volute_replication_lag_seconds",
                            "Age of the oldest waiting change, in seconds",
                            "Minutes: the target is down or too slow",
                            now -> now.lag().toMillis() * MILLIS)
                    .gauge(
                            "volute_replication_refused",
                            "Changes that the target refused permanently (status `FAILED`)",
                            "Any: `volute replication status BUCKET` names them",
                            ReplicationFigures::refused)
                    .counter(
                            "volute_replication_unreadable_total",
                            "Unreadable messages about changes; where a version names the object,"
                                    + " its present state was sent instead",
                            "Any: the log names each",
                            ReplicationFigures::unreadable);

    static final MeterTable<Optional<AuditLog>> AUDIT_LOG =
            new MeterTable<Optional<AuditLog>>("audit log")
                    .counter(
                            "volute_audit_log_lines_total",
                            "Lines written to the audit log",
                            now -> now.map(AuditLog::written).orElse(0L))
                    .counter(
                            "volute_audit_log_failures_total",
                            "Failed attempts to write to the audit log",
                            "Any: changes by operators and of permissions are refused until"
                                    + " writing succeeds; the log has the cause",
                            now -> now.map(AuditLog::failures).orElse(0L))
                    .counter(
                            "volute_audit_log_lost_lines_total",
                            "Lines of completed actions (outcomes, refusals, damage, cleaning)"
                                    + " missing in the audit log because writing failed",
                            "Any: the next line has the number",
                            now -> now.map(AuditLog::lost).orElse(0L))
                    .gauge(
                            "volute_audit_log_problems",
                            "Files and lines of the audit log found missing or changed at startup",
                            "Any: the log and `volute doctor` name them",
                            now -> now.map(AuditLog::problems).map(List::size).orElse(0));

    static final MeterTable<Tracing.Spans> TRACING =
            new MeterTable<Tracing.Spans>("tracing")
                    .counter(
                            "volute_tracing_spans_total",
                            "Spans sent to the tracing endpoint",
                            Tracing.Spans::sent)
                    .counter(
                            "volute_tracing_lost_spans_total",
                            "Spans dropped because 4,096 waited or the endpoint failed",
                            "Any: the log has failures of the endpoint; else it is too slow, or"
                                    + " `tracing.sample` too large",
                            Tracing.Spans::lost);

    static final MeterTable<HttpServer> CONNECTIONS =
            new MeterTable<HttpServer>("connections")
                    .gauge(
                            "volute_http_connections",
                            "Open client connections",
                            "Near `limits.connections`: see `limits.connections-per-address`",
                            HttpServer::connections)
                    .gauge(
                            "volute_http_requests_in_flight",
                            "Requests in progress",
                            "Near `limits.requests-in-flight`: the server cannot keep up",
                            HttpServer::requests)
                    .counter(
                            "volute_http_accepted_connections_total",
                            "Accepted connections",
                            "A high rate: clients do not keep connections",
                            now -> now.connectionsSoFar().admitted())
                    .counter(
                            "volute_http_refused_connections_total",
                            "Connections refused because `limits.connections` or its bound per"
                                    + " address was reached",
                            "As for `volute_http_connections`",
                            now -> now.connectionsSoFar().refused())
                    .counter(
                            "volute_http_pipelined_requests_total",
                            "Refused requests that arrived on a connection before the previous"
                                    + " answer was complete",
                            "A client pipelines: have it stopped",
                            HttpServer::pipelinedRequests)
                    .gauge(
                            "volute_http_buffer_free_bytes",
                            "Unused bytes of `limits.buffers`",
                            "0: transfers use one buffer each and are slower; raise"
                                    + " `limits.buffers`",
                            HttpServer::freeBudgetBytes)
                    .gauge(
                            "volute_http_unauthenticated_requests",
                            "Requests in progress from unauthenticated callers",
                            "At `limits.unauthenticated-requests`: an attack, or many readers of"
                                    + " public buckets",
                            HttpServer::unauthenticatedRequests)
                    .gauge(
                            "volute_http_memory_bytes",
                            "Bytes of heap used by documents and answers of requests",
                            "Near `limits.request-memory`: clients read slowly, or raise it with"
                                    + " the heap",
                            now -> now.memory().held())
                    .gauge(
                            "volute_http_unauthenticated_memory_bytes",
                            "Bytes of heap used by documents and answers of unauthenticated"
                                    + " callers",
                            now -> now.memory().unauthenticated())
                    .gauge(
                            "volute_http_memory_waiting_requests",
                            "Requests waiting for heap (`limits.request-memory`)",
                            "Above 0 for long: as for the bytes",
                            now -> now.memory().waiting())
                    .counter(
                            "volute_http_memory_refused_requests_total",
                            "Requests refused with `SlowDown` after waiting 5 s for heap",
                            "Any: as for the bytes",
                            now -> now.memory().refused())
                    .counter(
                            "volute_http_slow_readers_total",
                            "Clients disconnected because they read too slowly while other"
                                    + " requests waited",
                            "Many: an attack, or a slow network",
                            now -> now.memory().cut())
                    .gauge(
                            "volute_netty_direct_memory_bytes",
                            "Bytes of direct memory (outside the heap) allocated for connection"
                                    + " buffers",
                            "Far above `limits.buffers` with few connections: tell the developers",
                            HttpServer::directBytes);

    static final MeterTable<Certificates> CERTIFICATES =
            new MeterTable<Certificates>("connections")
                    .gauges(
                            "volute_certificate_end_timestamp_seconds",
                            "Expiry of the certificate of the listeners (`tls.certificate`), of"
                                    + " `cluster.tls` or of `log.bookkeeper.tls`, in seconds since"
                                    + " 1970; 0 without a readable certificate",
                            "Less than two weeks from now: renew it; the listeners read it again"
                                    + " without a restart",
                            "use",
                            now ->
                                    Map.of(
                                            "listener",
                                            Certificates.endSecond(now.listener()),
                                            "cluster",
                                            Certificates.endSecond(now.cluster()),
                                            "bookkeeper",
                                            Certificates.endSecond(now.bookkeeper())));

    static final List<MeterTable<?>> TABLES =
            List.of(
                    ACCESS_LOG,
                    BUCKET_LOGS,
                    KEY_SERVICE,
                    CLUSTER,
                    STANDBYS,
                    NOTIFICATION,
                    REPLICATION,
                    AUDIT_LOG,
                    TRACING,
                    CONNECTIONS,
                    CERTIFICATES);

    private ServerMeters() {}
}
