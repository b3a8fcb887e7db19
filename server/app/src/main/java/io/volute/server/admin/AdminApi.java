package io.volute.server.admin;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.BackupApi.Backup;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.ClusterApi.MissingOwner;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.adminapi.OwnersAnswer;
import io.volute.adminapi.ReplicationApi.RefusedChanges;
import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.adminapi.RequestsApi.Requests;
import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.adminapi.VersionApi.Version;
import io.volute.server.admin.OtherAnswers.Part;
import io.volute.server.backup.BackupControl;
import io.volute.server.credentials.Credential;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityException;
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
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    private static final String VERSION =
            Objects.requireNonNullElse(
                    AdminApi.class.getPackage().getImplementationVersion(), "unknown");

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
    private final Instant started;
    private final OtherAnswers others;
    private final Map<Route<?, ?>, Handler<Reply>> answers = new HashMap<>();

    /** The parts of this node, of the routes of all owners. */
    private final Map<Route<?, ?>, Handler<? extends Record>> parts = new HashMap<>();

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
        this.others = parts.others();
        this.started = clock.instant();
        answerStore();
        answerHistory();
        answerIdentities();
        Routes.all().stream()
                .filter(route -> !answers.containsKey(route))
                .forEach(
                        route -> {
                            throw new IllegalStateException("No code answers " + route.name());
                        });
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

    /** The code that answers a route. */
    private interface Handler<A> {
        A answer(Caller caller, Arguments asked) throws IOException;
    }

    /** Registers the code that answers a route with a record: in one cube, or of the store. */
    private <A> void on(Route<?, A> route, Handler<? extends A> handler) {
        if (route.isOfAllOwners()) {
            throw new IllegalArgumentException(route.name() + " has parts of other owners");
        }
        answers.put(route, (caller, asked) -> reply(route, handler.answer(caller, asked)));
    }

    /** Registers the code that answers the part of this node. */
    private <A extends Record & OwnersAnswer<A>> void onAll(Route<?, A> route, Handler<A> handler) {
        parts.put(route, handler);
        answers.put(route, (caller, asked) -> reply(route, merged(route, handler, caller, asked)));
    }

    /** Returns the merged answer of all owners; that of this one if a request names its cube. */
    private <A extends Record & OwnersAnswer<A>> A merged(
            Route<?, A> route, Handler<A> handler, Caller caller, Arguments asked)
            throws IOException {
        A own = handler.answer(caller, asked);
        if (route.isInOneCube() && (asked.has("cube") || asked.has("bucket"))) {
            return own;
        }
        A all = own;
        List<MissingOwner> missing = new ArrayList<>();
        for (Part part : others.ask(route, caller, AdminJson.write(asked.all()))) {
            switch (part) {
                case Part.Missing(MissingOwner owner) -> missing.add(owner);
                case Part.Given(String node, List<String> names, byte[] json) -> {
                    try {
                        all = all.with(node, AdminJson.read(json, route.answer()));
                    } catch (IOException e) {
                        missing.add(new MissingOwner(Optional.of(node), names, e.getMessage()));
                    }
                }
            }
        }
        return all.without(missing);
    }

    /**
     * Returns the part of this node of an answer, as JSON. The caller's rights were judged at the
     * first node.
     *
     * @param route name of a route of all owners
     * @param arguments of the request, as a JSON object
     * @throws IOException when this server does not answer the request; the message has the reason
     */
    public byte[] part(String route, Caller caller, byte[] arguments) throws IOException {
        Route<?, ?> wanted =
                parts.keySet().stream()
                        .filter(each -> each.name().equals(route))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "owners have no part of "
                                                        + route
                                                        + ": compare the releases"));
        try {
            Arguments asked = Arguments.again(wanted, arguments);
            asked.only(wanted.request());
            return AdminJson.write(parts.get(wanted).answer(caller, asked));
        } catch (AdminException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static <A> Reply reply(Route<?, A> route, A answer) {
        Content content = new Content.Bytes(AdminJson.write(answer));
        return new Reply(route.status(), true, List.of(), content, told((Record) answer));
    }

    /** Registers the code that answers a route with bytes. */
    private void bytes(Route<?, Void> route, Handler<Content> handler) {
        answers.put(
                route,
                (caller, asked) -> new Reply(route.status(), false, handler.answer(caller, asked)));
    }

    private void answerStore() {
        on(Routes.VERSION, (caller, asked) -> new Version(VERSION, started));
        onAll(Routes.SPACE, (caller, asked) -> cubes.space());
        onAll(Routes.REQUESTS, (caller, asked) -> requests());
        on(
                Routes.CLUSTER,
                (caller, asked) ->
                        cluster().cluster(cubes.infos()).orElseThrow(AdminApi::noCluster));
        on(Routes.MOVE_STORE, (caller, asked) -> move(asked.text("cube"), asked.neededText(NODE)));
        on(
                Routes.DRAIN_NODE,
                (caller, asked) -> cluster().drain(asked.neededText(NODE), asked.flag("off")));
        on(Routes.CLEAN, (caller, asked) -> cubes.clean(asked));
        on(Routes.LIST_CUBES, (caller, asked) -> cubes.list());
        on(Routes.CREATE_CUBE, (caller, asked) -> cubes.create(asked));
        on(Routes.DELETE_CUBE, (caller, asked) -> cubes.delete(asked));
        on(Routes.REOPEN_CUBE, (caller, asked) -> cubes.reopen(asked));
        on(Routes.MIGRATE_CUBE, (caller, asked) -> cubes.migrate(asked, cluster.isPresent()));
        on(Routes.MOVE_BUCKET, (caller, asked) -> cubes.move(asked));
        on(Routes.LIST_MOVES, (caller, asked) -> cubes.moves());
        on(Routes.SPLIT_BUCKET, (caller, asked) -> cubes.split(asked));
        on(Routes.MERGE_BUCKET, (caller, asked) -> cubes.merge(asked));
        on(Routes.LIST_BUCKETS, (caller, asked) -> history.buckets(asked));
        on(Routes.BUCKET_PARTS, (caller, asked) -> cubes.parts(asked));
        on(Routes.START_CHECK, (caller, asked) -> cubes.startCheck(asked));
        onAll(Routes.CHECK, (caller, asked) -> cubes.checks(asked));
        onAll(Routes.START_SCRUB, (caller, asked) -> scrub.begin());
        onAll(Routes.SCRUB, (caller, asked) -> scrub.status());
        onAll(Routes.DAMAGE, (caller, asked) -> scrub.damages());
        on(Routes.REPAIR_DAMAGE, (caller, asked) -> scrub.repair(caller, asked));
        on(Routes.START_BACKUP, (caller, asked) -> startBackup(caller, asked));
        on(Routes.BACKUP, (caller, asked) -> backups.status());
        on(Routes.ENCRYPTION_KEYS, (caller, asked) -> encryption.keys());
        on(Routes.ROTATE_ENCRYPTION_KEY, (caller, asked) -> encryption.rotate(asked));
        onAll(Routes.NOTIFICATION_TARGETS, (caller, asked) -> targets.get());
        onAll(Routes.REPLICATION, (caller, asked) -> replication.status(asked.bucket()));
        on(Routes.START_REPLICATION, (caller, asked) -> startReplication(asked));
        on(
                Routes.STOP_REPLICATION,
                (caller, asked) ->
                        replication
                                .stop(asked.neededBucket())
                                .orElseThrow(
                                        () -> AdminException.badRequest("there is no such run")));
        on(
                Routes.RETRY_REPLICATION,
                (caller, asked) ->
                        new RefusedChanges(
                                asked.neededBucket().value(),
                                replication.retry(asked.neededBucket())));
        on(
                Routes.FORGET_REPLICATION,
                (caller, asked) ->
                        new RefusedChanges(
                                asked.neededBucket().value(),
                                replication.forget(asked.neededBucket())));
    }

    private void answerHistory() {
        on(Routes.HISTORY, (caller, asked) -> history.states(caller, asked));
        on(Routes.ACTORS, (caller, asked) -> history.actors(asked));
        on(Routes.ACTIVITY, (caller, asked) -> history.activity(asked));
        on(Routes.TRACE, (caller, asked) -> history.trace(asked));
        on(Routes.POLICY, (caller, asked) -> history.policy(asked));
        on(Routes.SET_POLICY, (caller, asked) -> history.setPolicy(caller, asked));
        on(Routes.USAGE, (caller, asked) -> history.usage(asked));
        on(Routes.PURGE, (caller, asked) -> history.purge(caller, asked));
        on(Routes.SHRED, (caller, asked) -> encryption.shred(caller, asked));
        on(Routes.LIFECYCLE, (caller, asked) -> lifecycle.plan(caller, asked));
        on(Routes.PLAN_RESTORE, (caller, asked) -> restore.plan(caller, asked));
        on(Routes.START_RESTORE, (caller, asked) -> restore.start(caller, asked));
        answers.put(
                Routes.RESTORES,
                (caller, asked) ->
                        asked.has("id")
                                ? reply(Routes.RESTORE, restore.run(asked))
                                : reply(Routes.RESTORES, restore.runs()));
        on(Routes.CANCEL_RESTORE, (caller, asked) -> restore.cancel(asked));
        on(Routes.ENTRIES, (caller, asked) -> provenance.entries(asked));
        on(Routes.KEYS, (caller, asked) -> provenance.keys(asked));
        on(Routes.ROTATE, (caller, asked) -> provenance.rotate(asked));
        on(Routes.PRINCIPALS, (caller, asked) -> provenance.principal(asked));
        on(Routes.AUDITORS, (caller, asked) -> provenance.auditors().list());
        on(Routes.SET_AUDITOR, (caller, asked) -> provenance.auditors().set(asked));
        on(Routes.HIDDEN, (caller, asked) -> provenance.hiding().get(asked));
        on(Routes.SET_HIDDEN, (caller, asked) -> provenance.hiding().set(asked));
        on(Routes.CHECKPOINTS, (caller, asked) -> provenance.checkpoints().list(asked));
        on(Routes.MAKE_CHECKPOINT, (caller, asked) -> provenance.checkpoints().make(asked));
        on(Routes.START_AUDIT, (caller, asked) -> provenance.startAudit(asked));
        on(Routes.AUDIT, (caller, asked) -> provenance.audit());
        on(Routes.CANCEL_AUDIT, (caller, asked) -> provenance.cancelAudit());
        answers.put(Routes.EXPORT, (caller, asked) -> export(asked));
        bytes(Routes.OPENINGS, (caller, asked) -> provenance.openings(asked));
        bytes(Routes.KEY_LIST, (caller, asked) -> provenance.keyList(asked));
        bytes(Routes.CHECKPOINT, (caller, asked) -> provenance.checkpoints().bytes(asked));
        bytes(Routes.HEADS, (caller, asked) -> provenance.checkpoints().heads(asked));
    }

    private void answerIdentities() {
        on(Routes.PROVISION_USER, (caller, asked) -> identities.provision(caller, asked, store));
        on(Routes.LIST_USERS, (caller, asked) -> identities.users(asked));
        on(Routes.LIST_GROUPS, (caller, asked) -> identities.groups(asked));
        on(Routes.LIST_ROLES, (caller, asked) -> identities.roles(asked));
        on(Routes.LIST_POLICIES, (caller, asked) -> identities.policies(asked));
        on(Routes.LIST_IDENTITY_CHANGES, (caller, asked) -> identities.changes(asked));
        on(Routes.CREATE_USER, (caller, asked) -> identities.addUser(caller, asked));
        on(Routes.CREATE_GROUP, (caller, asked) -> identities.addGroup(caller, asked));
        on(Routes.CREATE_ROLE, (caller, asked) -> identities.addRole(caller, asked));
        on(Routes.DELETE_USER, (caller, asked) -> identities.remove(Kind.USER, caller, asked));
        on(Routes.DELETE_GROUP, (caller, asked) -> identities.remove(Kind.GROUP, caller, asked));
        on(Routes.DELETE_ROLE, (caller, asked) -> identities.remove(Kind.ROLE, caller, asked));
        on(Routes.CREATE_KEY, (caller, asked) -> identities.addKey(caller, asked));
        on(Routes.SET_KEY, (caller, asked) -> identities.setKey(caller, asked));
        on(Routes.DELETE_KEY, (caller, asked) -> identities.removeKey(caller, asked));
        on(Routes.SET_MEMBER, (caller, asked) -> identities.setMember(caller, asked));
        on(Routes.PUT_POLICY, (caller, asked) -> identities.putPolicy(caller, asked));
        on(Routes.DELETE_POLICY, (caller, asked) -> identities.removePolicy(caller, asked));
        on(Routes.ATTACH_POLICY, (caller, asked) -> identities.attach(caller, asked));
        on(Routes.PUT_INLINE_POLICY, (caller, asked) -> identities.putInline(caller, asked));
    }

    private Reply export(Arguments asked) throws IOException {
        ProvenanceRoutes.Export export = provenance.export(asked);
        Header chains = new Header(Routes.CHAINS, Long.toString(export.chains()));
        return new Reply(
                Routes.EXPORT.status(), false, List.of(chains), export.content(), Map.of());
    }

    Reply answer(Route<?, ?> route, Caller caller, Arguments asked) throws IOException {
        asked.only(route.request());
        try {
            return answers.get(route).answer(caller, asked);
        } catch (IdentityException e) {
            throw IdentityRoutes.refused(e);
        }
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
