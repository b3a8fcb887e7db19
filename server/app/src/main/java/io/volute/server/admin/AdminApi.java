package io.volute.server.admin;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.BackupApi.Backup;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.adminapi.ReplicationApi.RefusedChanges;
import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.adminapi.RequestsApi.Requests;
import io.volute.adminapi.Routes;
import io.volute.server.backup.BackupControl;
import io.volute.server.credentials.Credential;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.s3.encryption.KeyringOpenings;
import io.volute.server.s3.replication.ReplicationControl;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The admin API: executes each route. Thread-safe. */
public final class AdminApi implements AutoCloseable {
    /** Fields of answers that the audit log has, too. */
    private static final Set<String> TOLD =
            Set.of("accessKey", "id", "number", "hash", "freedBytes");

    /** Versions a second that a run for existing objects sends. */
    private static final long REPLICATION_RATE = 1000;

    private static final long REPLICATION_RATE_MOST = 100_000;

    private static final String NODE = "node";

    private final CubeRoutes cubes;
    private final VersionedStore store;
    private final HistoryRoutes history;
    private final RestoreRoutes restore;
    private final IdentityRoutes identities;
    private final EncryptionRoutes encryption;
    private final LifecycleRoutes lifecycle;
    private final ProvenanceRoutes provenance;
    private final ScrubRoutes scrub;
    private final BackupControl backups;
    private final RequestTally requests;
    private final Supplier<Targets> targets;
    private final ReplicationControl replication;
    private final Optional<AdminParts.ClusterControl> cluster;

    public AdminApi(AdminParts parts, InstantSource clock) {
        this.cubes = new CubeRoutes(parts.cubes(), parts.logs(), parts.scrubber().damages(), clock);
        this.store = parts.store();
        this.history = new HistoryRoutes(parts.store(), parts.history(), parts.cubes());
        this.restore = new RestoreRoutes(parts.restore());
        this.identities = new IdentityRoutes(parts.identities());
        this.encryption = new EncryptionRoutes(parts.history(), parts.dataKeys());
        this.lifecycle = new LifecycleRoutes(parts.store(), clock, parts.lifecycleDay());
        this.provenance =
                new ProvenanceRoutes(
                        parts.provenance(),
                        parts.cubes(),
                        parts.store(),
                        parts.dataKeys().map(KeyringOpenings::new),
                        clock);
        this.scrub = new ScrubRoutes(parts.scrubber(), parts.backups(), parts.replication());
        this.backups = parts.backups();
        this.requests = parts.requests();
        this.targets = parts.targets();
        this.replication = parts.replication();
        this.cluster = parts.cluster();
    }

    /**
     * Audits by the server since start.
     *
     * @param ended runs
     * @param chains that were looked at
     * @param findings in them, and in checkpoints
     */
    public record Audits(long ended, long chains, long findings) {}

    /** Counts since start. */
    public Audits audits() {
        return provenance.auditsSoFar();
    }

    /**
     * An answer; its content is JSON, or else bytes.
     *
     * @param headers beside the one of the type
     * @param told the details of the outcome for the audit log
     */
    record Reply(
            int status,
            boolean isJson,
            List<Header> headers,
            Content content,
            Map<String, Object> told) {
        Reply(int status, boolean isJson, Content content) {
            this(status, isJson, List.of(), content, Map.of());
        }
    }

    /** Returns the fields that identify the outcome; none of them is a secret. */
    private static Map<String, Object> told(Record answer) {
        Map<String, Object> told = AdminJson.fields(answer);
        told.keySet().retainAll(TOLD);
        return told;
    }

    VersionedStore store() {
        return store;
    }

    Optional<BucketInfo> bucket(BucketName name) {
        return store.bucket(name);
    }

    /**
     * Returns the remedy for a request that needs a cube of another node; empty when the cube is
     * not on another one, or the store is not on this one.
     */
    Optional<String> elsewhere(String cube) {
        List<String> names =
                cubes.infos().stream()
                        .filter(each -> each.phase() == StoreCubes.Phase.ELSEWHERE)
                        .map(StoreCubes.CubeInfo::name)
                        .toList();
        return names.contains(cube) && !names.contains(StoreCubes.SYSTEM)
                ? Optional.of(
                        "This request needs cube "
                                + cube
                                + " on the node of the store, and another node has it. Bring it"
                                + " there: volute cluster move "
                                + cube
                                + " NODE. Cubes on other nodes: "
                                + String.join(", ", names)
                                + ".")
                : Optional.empty();
    }

    Reply answer(AdminRoute route, Caller caller, Arguments asked) throws IOException {
        asked.only(route.records().request());
        return switch (route) {
            case EXPORT -> {
                ProvenanceRoutes.Export export = provenance.export(asked);
                Header chains = new Header(Routes.CHAINS, Long.toString(export.chains()));
                yield new Reply(route.status(), false, List.of(chains), export.content(), Map.of());
            }
            case OPENINGS -> new Reply(route.status(), false, provenance.openings(asked));
            case KEY_LIST -> new Reply(route.status(), false, provenance.keyList(asked));
            case CHECKPOINT ->
                    new Reply(route.status(), false, provenance.checkpoints().bytes(asked));
            case HEADS -> new Reply(route.status(), false, provenance.checkpoints().heads(asked));
            default -> {
                Record answer = record(route, caller, asked);
                Content content = new Content.Bytes(AdminJson.write(answer));
                yield new Reply(route.status(), true, List.of(), content, told(answer));
            }
        };
    }

    private Record record(AdminRoute route, Caller caller, Arguments asked) throws IOException {
        return switch (route) {
            case SPACE -> cubes.space();
            case REQUESTS -> requests();
            case CLUSTER -> cluster().cluster(cubes.infos()).orElseThrow(AdminApi::noCluster);
            case MOVE_STORE -> move(asked.text("cube"), asked.neededText(NODE));
            case DRAIN_NODE -> cluster().drain(asked.neededText(NODE), asked.flag("off"));
            case CLEAN -> cubes.clean(asked);
            case LIST_CUBES -> cubes.list();
            case CREATE_CUBE -> cubes.create(asked);
            case DELETE_CUBE -> cubes.delete(asked);
            case REOPEN_CUBE -> cubes.reopen(asked);
            case MIGRATE_CUBE -> cubes.migrate(asked, cluster.isPresent());
            case MOVE_BUCKET -> cubes.move(asked);
            case LIST_MOVES -> cubes.moves();
            case SPLIT_BUCKET -> cubes.split(asked);
            case MERGE_BUCKET -> cubes.merge(asked);
            case LIST_BUCKETS -> history.buckets(asked);
            case BUCKET_PARTS -> cubes.parts(asked);
            case START_CHECK -> cubes.startCheck(asked);
            case CHECK -> cubes.checks(asked);
            case START_SCRUB -> scrub.begin();
            case SCRUB -> scrub.status();
            case DAMAGE -> scrub.damages();
            case REPAIR_DAMAGE -> scrub.repair(caller, asked);
            case START_BACKUP -> startBackup(caller, asked);
            case BACKUP -> backups.status();
            case HISTORY -> history.states(caller, asked);
            case ACTORS -> history.actors(asked);
            case ACTIVITY -> history.activity(asked);
            case TRACE -> history.trace(asked);
            case POLICY -> history.policy(asked);
            case SET_POLICY -> history.setPolicy(caller, asked);
            case USAGE -> history.usage(asked);
            case PURGE -> history.purge(caller, asked);
            case SHRED -> encryption.shred(caller, asked);
            case ENCRYPTION_KEYS -> encryption.keys();
            case ROTATE_ENCRYPTION_KEY -> encryption.rotate(asked);
            case NOTIFICATION_TARGETS -> targets.get();
            case REPLICATION -> replication.status(asked.bucket());
            case START_REPLICATION -> startReplication(asked);
            case STOP_REPLICATION ->
                    replication
                            .stop(asked.neededBucket())
                            .orElseThrow(() -> AdminException.badRequest("there is no such run"));
            case RETRY_REPLICATION ->
                    new RefusedChanges(
                            asked.neededBucket().value(), replication.retry(asked.neededBucket()));
            case FORGET_REPLICATION ->
                    new RefusedChanges(
                            asked.neededBucket().value(), replication.forget(asked.neededBucket()));
            case LIFECYCLE -> lifecycle.plan(caller, asked);
            case PLAN_RESTORE -> restore.plan(caller, asked);
            case START_RESTORE -> restore.start(caller, asked);
            case RESTORES -> restore.runs(asked);
            case CANCEL_RESTORE -> restore.cancel(asked);
            case ENTRIES -> provenance.entries(asked);
            case KEYS -> provenance.keys(asked);
            case ROTATE -> provenance.rotate(asked);
            case PRINCIPALS -> provenance.principal(asked);
            case AUDITORS -> provenance.auditors().list();
            case SET_AUDITOR -> provenance.auditors().set(asked);
            case HIDDEN -> provenance.hiding().get(asked);
            case SET_HIDDEN -> provenance.hiding().set(asked);
            case CHECKPOINTS -> provenance.checkpoints().list(asked);
            case MAKE_CHECKPOINT -> provenance.checkpoints().make(asked);
            case START_AUDIT -> provenance.startAudit(asked);
            case AUDIT -> provenance.audit();
            case CANCEL_AUDIT -> provenance.cancelAudit();
            case PROVISION_USER -> identities.provision(caller, asked, store);
            case LIST_USERS,
                    CREATE_USER,
                    DELETE_USER,
                    CREATE_KEY,
                    SET_KEY,
                    DELETE_KEY,
                    LIST_GROUPS,
                    CREATE_GROUP,
                    DELETE_GROUP,
                    SET_MEMBER,
                    LIST_ROLES,
                    CREATE_ROLE,
                    DELETE_ROLE,
                    LIST_POLICIES,
                    PUT_POLICY,
                    DELETE_POLICY,
                    ATTACH_POLICY,
                    PUT_INLINE_POLICY,
                    LIST_IDENTITY_CHANGES ->
                    identities.answer(route, caller, asked);
            case EXPORT, OPENINGS, KEY_LIST, CHECKPOINT, HEADS ->
                    throw new IllegalStateException(route + " answers no record");
        };
    }

    /** Others could name a place that they may read. */
    private Backup startBackup(Caller caller, Arguments asked) {
        Optional<String> target =
                Optional.of(String.valueOf(asked.value("to", ""))).filter(text -> !text.isEmpty());
        if (target.isPresent() && !caller.principal().equals(Credential.ROOT_PRINCIPAL)) {
            throw new AdminException(
                    403,
                    "AccessDenied",
                    "only the root user may name a target; others use that of backup.target");
        }
        try {
            if (!backups.begin(target)) {
                throw new AdminException(
                        409,
                        "BackupInProgress",
                        "a backup is running: GET /_volute/v1/backup shows its progress");
            }
        } catch (IOException e) {
            throw AdminException.badRequest("to: " + e.getMessage());
        }
        return backups.status();
    }

    private ReplicationRun startReplication(Arguments asked) throws IOException {
        BucketName name = asked.neededBucket();
        BucketInfo bucket = store.bucket(name).orElseThrow(() -> StoreException.noSuchBucket(name));
        if (!bucket.has(BucketDocument.REPLICATION)) {
            throw AdminException.badRequest(
                    "bucket "
                            + name.value()
                            + " has no replication: configure it with aws s3api"
                            + " put-bucket-replication first");
        }
        long rate = asked.number("rate").orElse(REPLICATION_RATE);
        if (rate < 1 || rate > REPLICATION_RATE_MOST) {
            throw AdminException.badRequest(
                    "rate is a number of versions a second from 1 to " + REPLICATION_RATE_MOST);
        }
        return replication
                .start(name, asked.flag("again"), (int) rate)
                .orElseThrow(
                        () ->
                                new AdminException(
                                        409,
                                        "ReplicationInProgress",
                                        "a run of the bucket is in progress: GET"
                                                + " /_volute/v1/replication shows its progress"));
    }

    private HandOver move(Optional<String> cube, String node) throws IOException {
        return cube.isPresent() ? cluster().moveCube(cube.get(), node) : cluster().moveTo(node);
    }

    private AdminParts.ClusterControl cluster() {
        return cluster.orElseThrow(AdminApi::noCluster);
    }

    private static AdminException noCluster() {
        return new AdminException(
                404, "NoCluster", "this server is no node of a cluster: cluster.name makes it one");
    }

    private Requests requests() {
        return RequestsDocument.of(requests);
    }

    /** Stops running checks and audits. */
    @Override
    public void close() throws InterruptedException {
        provenance.close();
        cubes.close();
    }
}
