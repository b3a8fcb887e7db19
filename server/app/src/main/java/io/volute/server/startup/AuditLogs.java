package io.volute.server.startup;

import io.volute.server.ResourceStack;
import io.volute.server.Upkeep;
import io.volute.server.auditlog.AuditLog;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.config.AuditLogConfig;
import io.volute.server.config.ServerConfig;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.NoSpaceException;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the audit log of a server, and records the start in it. */
public final class AuditLogs {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLogs.class);

    /**
     * Pauses between looks: at most one minute after failures. Changes write to the log without a
     * look.
     */
    private static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofMinutes(1));

    /** The way out of a log that is not whole. */
    public static final String PUT_BACK =
            "Find out who changed its files. Stop the server and put them back from a copy, or name"
                    + " another log.audit-directory, which begins a new log";

    private final Optional<AuditLog> log;

    private AuditLogs(Optional<AuditLog> log) {
        this.log = log;
    }

    /**
     * Opens the audit log, if the configuration enables it. On a full disk it is opened all the
     * same: the server must start, so that something can be deleted.
     *
     * @param data has the record of how far the log went
     * @param chains returns those that seal the log; empty while nothing is signed here
     * @throws IOException when it cannot be used; the message names the next step
     */
    public static AuditLogs open(
            ServerConfig config,
            StoreDirectory data,
            Supplier<Optional<Provenance>> chains,
            FileSystem files,
            InstantSource clock,
            ResourceStack resources)
            throws IOException {
        AuditLogConfig written = config.auditLog();
        if (!written.isOn()) {
            return new AuditLogs(Optional.empty());
        }
        AuditLog log = resources.add("audit log", open(written, data, chains, files, clock));
        for (String problem : log.problems()) {
            LOG.error(
                    "the audit log in {} is not whole: {}. {}",
                    written.directory(),
                    problem,
                    PUT_BACK);
        }
        try {
            log.started(settings(config));
        } catch (IOException e) {
            if (!NoSpaceException.isNoSpace(e)) {
                throw unusable(written, e);
            }
            LOG.warn("the disk is full: the audit log has no line of this start");
        }
        resources.add("audit log upkeep", Upkeep.start("audit-log", PAUSES, log::look));
        return new AuditLogs(Optional.of(log));
    }

    private static AuditLog open(
            AuditLogConfig written,
            StoreDirectory data,
            Supplier<Optional<Provenance>> chains,
            FileSystem files,
            InstantSource clock)
            throws IOException {
        try {
            return AuditLog.open(
                    new AuditLog.Settings(
                            written.directory(), written.fileBytesMax(), written.filesMax()),
                    data,
                    files,
                    (sequence, hash) -> chains.get().map(keys -> keys.sealLog(sequence, hash)),
                    clock);
        } catch (IOException e) {
            throw unusable(written, e);
        }
    }

    private static IOException unusable(AuditLogConfig written, IOException e) {
        return new IOException(
                "the audit log in "
                        + written.directory()
                        + " cannot be used: "
                        + e.getMessage()
                        + "; give this user write access, name another directory with"
                        + " log.audit-directory, or set log.audit to false",
                e);
    }

    /** Returns the settings that a later reader of the log needs. No secrets. */
    private static Map<String, Object> settings(ServerConfig config) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put(
                "version", String.valueOf(AuditLogs.class.getPackage().getImplementationVersion()));
        told.put("data", config.dataDirectory());
        told.put("listen", config.http().listen());
        told.put("admin", config.adminAddress().map(Object::toString).orElse(""));
        told.put("metrics", config.metrics().listen().map(Object::toString).orElse(""));
        told.put("tls", config.http().tls().isPresent());
        told.put("region", config.protocol().region());
        told.put("unsignedPayload", config.protocol().unsignedPayloadOverHttp());
        told.put("signatureV2", config.protocol().signatureV2());
        told.put("objectOwnership", config.protocol().ownership().word());
        told.put("users", config.users().size());
        told.put("history", config.history().policy().text());
        told.put("historyRetention", config.history().retention());
        told.put(
                "signatures",
                config.provenance().algorithms().stream().map(Object::toString).sorted().toList());
        told.put("provenanceRetention", config.provenance().retention());
        told.put("scrubInterval", config.scrub().interval());
        told.put("auditFiles", config.auditLog().filesMax());
        return told;
    }

    public Optional<AuditLog> log() {
        return log;
    }

    /** Hears of requests. */
    public AuditTrail trail() {
        return log.<AuditTrail>map(each -> each).orElse(AuditTrail.NONE);
    }

    /** Hears of damage. */
    public Consumer<String> damage() {
        return log.<Consumer<String>>map(each -> each::damage).orElse(what -> {});
    }
}
