package io.volute.adminapi;

import static io.volute.adminapi.Route.get;
import static io.volute.adminapi.Route.post;
import static io.volute.adminapi.Route.put;

import io.volute.adminapi.AuditApi.Audit;
import io.volute.adminapi.AuditApi.AuditChoice;
import io.volute.adminapi.AuditApi.AuditRequest;
import io.volute.adminapi.AuditApi.AuditorRequest;
import io.volute.adminapi.AuditApi.Auditors;
import io.volute.adminapi.AuditApi.Checkpoint;
import io.volute.adminapi.AuditApi.CheckpointRequest;
import io.volute.adminapi.AuditApi.Checkpoints;
import io.volute.adminapi.AuditApi.CheckpointsRequest;
import io.volute.adminapi.AuditApi.Hidden;
import io.volute.adminapi.AuditApi.HiddenRequest;
import io.volute.adminapi.AuditApi.SetHiddenRequest;
import io.volute.adminapi.BackupApi.Backup;
import io.volute.adminapi.BackupApi.BackupRequest;
import io.volute.adminapi.CheckApi.Check;
import io.volute.adminapi.CheckApi.CheckRequest;
import io.volute.adminapi.CheckApi.Checks;
import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.DrainRequest;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.ClusterApi.MoveStoreRequest;
import io.volute.adminapi.CubesApi.BucketParts;
import io.volute.adminapi.CubesApi.Buckets;
import io.volute.adminapi.CubesApi.BucketsRequest;
import io.volute.adminapi.CubesApi.CubeChoice;
import io.volute.adminapi.CubesApi.CubeInfo;
import io.volute.adminapi.CubesApi.CubeRequest;
import io.volute.adminapi.CubesApi.Cubes;
import io.volute.adminapi.CubesApi.MergeRequest;
import io.volute.adminapi.CubesApi.MigrateRequest;
import io.volute.adminapi.CubesApi.Move;
import io.volute.adminapi.CubesApi.MoveRequest;
import io.volute.adminapi.CubesApi.Moves;
import io.volute.adminapi.CubesApi.PartsRequest;
import io.volute.adminapi.CubesApi.RemovedCube;
import io.volute.adminapi.CubesApi.ReopenRequest;
import io.volute.adminapi.CubesApi.SplitRequest;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.adminapi.DamageApi.Repair;
import io.volute.adminapi.DamageApi.RepairRequest;
import io.volute.adminapi.EncryptionApi.EncryptionKey;
import io.volute.adminapi.EncryptionApi.EncryptionKeys;
import io.volute.adminapi.EncryptionApi.RotateRequest;
import io.volute.adminapi.EncryptionApi.ShredRequest;
import io.volute.adminapi.EncryptionApi.Shredded;
import io.volute.adminapi.HistoryApi.Activities;
import io.volute.adminapi.HistoryApi.ActivityRequest;
import io.volute.adminapi.HistoryApi.Actors;
import io.volute.adminapi.HistoryApi.ActorsRequest;
import io.volute.adminapi.HistoryApi.PolicyRequest;
import io.volute.adminapi.HistoryApi.PurgeRequest;
import io.volute.adminapi.HistoryApi.Purged;
import io.volute.adminapi.HistoryApi.SetPolicyRequest;
import io.volute.adminapi.HistoryApi.States;
import io.volute.adminapi.HistoryApi.StatesRequest;
import io.volute.adminapi.HistoryApi.Steps;
import io.volute.adminapi.HistoryApi.TraceRequest;
import io.volute.adminapi.HistoryApi.Usage;
import io.volute.adminapi.HistoryApi.UsageRequest;
import io.volute.adminapi.IdentityApi.AttachRequest;
import io.volute.adminapi.IdentityApi.Changes;
import io.volute.adminapi.IdentityApi.ChangesRequest;
import io.volute.adminapi.IdentityApi.CreateKeyRequest;
import io.volute.adminapi.IdentityApi.CreateRoleRequest;
import io.volute.adminapi.IdentityApi.Group;
import io.volute.adminapi.IdentityApi.Groups;
import io.volute.adminapi.IdentityApi.Holder;
import io.volute.adminapi.IdentityApi.InlineRequest;
import io.volute.adminapi.IdentityApi.KeyName;
import io.volute.adminapi.IdentityApi.KeyState;
import io.volute.adminapi.IdentityApi.MemberRequest;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.PageRequest;
import io.volute.adminapi.IdentityApi.Policies;
import io.volute.adminapi.IdentityApi.ProvisionRequest;
import io.volute.adminapi.IdentityApi.PutPolicyRequest;
import io.volute.adminapi.IdentityApi.Role;
import io.volute.adminapi.IdentityApi.Roles;
import io.volute.adminapi.IdentityApi.User;
import io.volute.adminapi.IdentityApi.Users;
import io.volute.adminapi.LifecycleApi.LifecycleRequest;
import io.volute.adminapi.LifecycleApi.Removals;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.adminapi.ProvenanceApi.Entries;
import io.volute.adminapi.ProvenanceApi.EntriesRequest;
import io.volute.adminapi.ProvenanceApi.ExportRequest;
import io.volute.adminapi.ProvenanceApi.Keys;
import io.volute.adminapi.ProvenanceApi.PrincipalRequest;
import io.volute.adminapi.ReplicationApi.RefusedChanges;
import io.volute.adminapi.ReplicationApi.ReplicatedBucket;
import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.adminapi.ReplicationApi.ReplicationRequest;
import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.adminapi.ReplicationApi.StartReplicationRequest;
import io.volute.adminapi.RequestsApi.Requests;
import io.volute.adminapi.RestoreApi.CancelRequest;
import io.volute.adminapi.RestoreApi.Plan;
import io.volute.adminapi.RestoreApi.PlanRequest;
import io.volute.adminapi.RestoreApi.Run;
import io.volute.adminapi.RestoreApi.Runs;
import io.volute.adminapi.RestoreApi.RunsRequest;
import io.volute.adminapi.RestoreApi.StartRequest;
import io.volute.adminapi.Route.Nothing;
import io.volute.adminapi.SpaceApi.CleanRequest;
import io.volute.adminapi.SpaceApi.Cleaned;
import io.volute.adminapi.SpaceApi.Spaces;
import io.volute.adminapi.VersionApi.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The routes of the admin API, a row for each. A row is all that there is of a route but its
 * records, the code that answers it, and rights of its own.
 */
public final class Routes {
    private static final List<Route<?, ?>> ALL = new ArrayList<>();

    /** Header of an export: about how many chains it has. */
    public static final String CHAINS = "x-volute-chains";

    public static final Route<Nothing, Version> VERSION =
            add(
                    get(
                            "Version",
                            "/version",
                            Nothing.class,
                            Version.class,
                            "Returns the version of the server, and the start of this run"));

    public static final Route<Nothing, Spaces> SPACE =
            add(
                    get(
                            "Space",
                            "/space",
                            Nothing.class,
                            Spaces.class,
                            "Returns the use of space of each cube, the writes by cause, and"
                                    + " the last decision of the balancer"));

    public static final Route<Nothing, Requests> REQUESTS =
            add(
                    get(
                            "Requests",
                            "/requests",
                            Nothing.class,
                            Requests.class,
                            "Returns the requests since the start by operation: number,"
                                    + " durations, errors, bytes"));

    public static final Route<Nothing, Cluster> CLUSTER =
            add(
                    get(
                                    "Cluster",
                                    "/cluster",
                                    Nothing.class,
                                    Cluster.class,
                                    "Lists the nodes and cubes of a [cluster](../guide/cluster.md),"
                                            + " with the owners of the store and of each cube")
                            .details("404 `NoCluster` without a cluster."));

    public static final Route<MoveStoreRequest, HandOver> MOVE_STORE =
            add(
                    post(
                                    "MoveStore",
                                    "/cluster/move",
                                    MoveStoreRequest.class,
                                    HandOver.class,
                                    "Hands the store, or a placed cube, over to a node")
                            .details(
                                    "400 `InvalidArgument` if that node does not run, is drained,"
                                            + " or has the store or the cube already. The same for"
                                            + " an unknown cube, one with a divided bucket of the"
                                            + " system cube, or one that a bucket moves from.")
                            .accepted());

    public static final Route<DrainRequest, HandOver> DRAIN_NODE =
            add(
                    post(
                                    "DrainNode",
                                    "/cluster/drain",
                                    DrainRequest.class,
                                    HandOver.class,
                                    "Takes the store and all cubes from a node, or lets it have"
                                            + " them again")
                            .details(
                                    "400 `InvalidArgument` if that node does not run, or no other"
                                            + " node could have the store.")
                            .accepted());

    public static final Route<CleanRequest, Cleaned> CLEAN =
            add(
                    post(
                                    "Clean",
                                    "/clean",
                                    CleanRequest.class,
                                    Cleaned.class,
                                    "Runs one pass of cleaning, and answers when it has ended")
                            .inOneCube());

    public static final Route<Nothing, Cubes> LIST_CUBES =
            add(
                    get(
                            "ListCubes",
                            "/cubes",
                            Nothing.class,
                            Cubes.class,
                            "Lists the cubes with their state and the number of their"
                                    + " buckets, the system cube first"));

    public static final Route<CubeRequest, CubeInfo> CREATE_CUBE =
            add(post("CreateCube", "/cubes", CubeRequest.class, CubeInfo.class, "Creates a cube"));

    public static final Route<CubeRequest, RemovedCube> DELETE_CUBE =
            add(
                    post(
                                    "DeleteCube",
                                    "/cubes/remove",
                                    CubeRequest.class,
                                    RemovedCube.class,
                                    "Removes a cube without buckets from the store; its files stay")
                            .details(
                                    "400 `InvalidArgument` for the system cube, and for a cube"
                                            + " with buckets."));

    public static final Route<ReopenRequest, CubeInfo> REOPEN_CUBE =
            add(
                    post(
                                    "ReopenCube",
                                    "/cubes/reopen",
                                    ReopenRequest.class,
                                    CubeInfo.class,
                                    "Closes a cube and opens it again")
                            .accepted());

    public static final Route<MigrateRequest, CubeInfo> MIGRATE_CUBE =
            add(
                    post(
                                    "MigrateCube",
                                    "/cubes/migrate",
                                    MigrateRequest.class,
                                    CubeInfo.class,
                                    "Begins, resumes or gives up the migration of the log of a cube"
                                            + " to BookKeeper or back")
                            .details(
                                    "The place that has the log gives up the present migration."
                                            + " 400 if there is nothing to do, or not at this"
                                            + " time; 409 `CannotMigrate` if the place cannot take"
                                            + " the log.")
                            .accepted());

    public static final Route<MoveRequest, Move> MOVE_BUCKET =
            add(
                    post(
                                    "MoveBucket",
                                    "/cubes/moves",
                                    MoveRequest.class,
                                    Move.class,
                                    "Begins, resumes or gives up the move of a bucket to another"
                                            + " cube")
                            .details(
                                    "The cube that has the bucket gives up the present move. 400"
                                            + " `InvalidArgument` if the bucket is in that cube"
                                            + " already, or moves to another one.")
                            .accepted());

    public static final Route<Nothing, Moves> LIST_MOVES =
            add(
                    get(
                            "ListMoves",
                            "/cubes/moves",
                            Nothing.class,
                            Moves.class,
                            "Lists the moves that have not ended, with the cause of a halt"));

    public static final Route<SplitRequest, Move> SPLIT_BUCKET =
            add(
                    post(
                                    "SplitBucket",
                                    "/buckets/split",
                                    SplitRequest.class,
                                    Move.class,
                                    "Begins or resumes the move of a range of keys of a bucket to"
                                            + " another cube")
                            .details(
                                    "The range begins at the key, and ends with the part that has"
                                            + " the key. 400 `InvalidArgument` if a part begins at"
                                            + " the key. The same if the cube has keys of the"
                                            + " bucket or is the system cube, while a restore of"
                                            + " the bucket runs, or while other keys of it move.")
                            .accepted());

    public static final Route<MergeRequest, Move> MERGE_BUCKET =
            add(
                    post(
                                    "MergeBucket",
                                    "/buckets/merge",
                                    MergeRequest.class,
                                    Move.class,
                                    "Begins or resumes the move of a part of a bucket to the cube"
                                            + " of the keys before it")
                            .details(
                                    "Gives up a split at this key that is being copied. 400"
                                            + " `InvalidArgument` if no part begins at the key,"
                                            + " while a restore of the bucket runs, or while other"
                                            + " keys of it move.")
                            .accepted());

    public static final Route<BucketsRequest, Buckets> LIST_BUCKETS =
            add(
                    get(
                            "ListBuckets",
                            "/buckets",
                            BucketsRequest.class,
                            Buckets.class,
                            "Lists the buckets of all cubes and nodes by name, with owner,"
                                    + " cubes and size; reads the index rows of every version"));

    public static final Route<PartsRequest, BucketParts> BUCKET_PARTS =
            add(
                    get(
                            "BucketParts",
                            "/buckets/parts",
                            PartsRequest.class,
                            BucketParts.class,
                            "Lists the parts of a bucket in the order of their keys"));

    public static final Route<CheckRequest, Check> START_CHECK =
            add(
                    post(
                                    "StartCheck",
                                    "/check",
                                    CheckRequest.class,
                                    Check.class,
                                    "Begins a check of a cube")
                            .accepted()
                            .inOneCube());

    public static final Route<CubeChoice, Checks> CHECK =
            add(
                    get(
                                    "Check",
                                    "/check",
                                    CubeChoice.class,
                                    Checks.class,
                                    "Returns the progress and the problems of the last check of"
                                            + " each cube")
                            .inOneCube());

    public static final Route<Nothing, Scrub> START_SCRUB =
            add(
                    post(
                                    "StartScrub",
                                    "/scrub",
                                    Nothing.class,
                                    Scrub.class,
                                    "Begins a scrub before it is due")
                            .details(
                                    "409 `ScrubInProgress` while a scrub of the node runs. One of"
                                            + " another owner goes on, and `missing` names it.")
                            .accepted());

    public static final Route<Nothing, Scrub> SCRUB =
            add(
                    get(
                            "Scrub",
                            "/scrub",
                            Nothing.class,
                            Scrub.class,
                            "Returns the result of the last scrub, and the progress of a"
                                    + " running one"));

    public static final Route<Nothing, Damages> DAMAGE =
            add(
                    get(
                            "Damage",
                            "/damage",
                            Nothing.class,
                            Damages.class,
                            "Lists the damaged states: bucket, key, version and use"));

    public static final Route<RepairRequest, Repair> REPAIR_DAMAGE =
            add(
                    post(
                                    "RepairDamage",
                                    "/damage/repair",
                                    RepairRequest.class,
                                    Repair.class,
                                    "Replaces damaged bytes by right ones, and answers when the"
                                            + " repair has ended")
                            .inOneCube());

    public static final Route<BackupRequest, Backup> START_BACKUP =
            add(
                    post(
                                    "StartBackup",
                                    "/backup",
                                    BackupRequest.class,
                                    Backup.class,
                                    "Begins a [backup](../guide/back-up.md) of the store")
                            .accepted());

    public static final Route<Nothing, Backup> BACKUP =
            add(
                    get(
                            "Backup",
                            "/backup",
                            Nothing.class,
                            Backup.class,
                            "Returns the progress and the outcome of the latest backup since"
                                    + " the start"));

    public static final Route<StatesRequest, States> HISTORY =
            add(
                    get(
                                    "History",
                                    "/history",
                                    StatesRequest.class,
                                    States.class,
                                    "Lists the kept states of a key, also those that S3 clients"
                                            + " cannot see, the newest first")
                            .details(
                                    "For callers with `s3:ListBucketVersions`, only the states"
                                            + " that they may see.")
                            .inOneCube());

    public static final Route<ActorsRequest, Actors> ACTORS =
            add(
                    get(
                            "Actors",
                            "/actors",
                            ActorsRequest.class,
                            Actors.class,
                            "Lists the actors, the latest first"));

    public static final Route<ActivityRequest, Activities> ACTIVITY =
            add(
                    get(
                                    "Activity",
                                    "/activity",
                                    ActivityRequest.class,
                                    Activities.class,
                                    "Lists the actions with actor and time, in the order of the"
                                            + " log")
                            .details(
                                    "The log gets a read together with the next write of its"
                                            + " actor."));

    public static final Route<TraceRequest, Steps> TRACE =
            add(
                    get(
                            "Trace",
                            "/trace",
                            TraceRequest.class,
                            Steps.class,
                            "Lists the sources of a state, or the states that derive from it"));

    public static final Route<PolicyRequest, HistoryApi.Policy> POLICY =
            add(
                    get(
                                    "Policy",
                                    "/policy",
                                    PolicyRequest.class,
                                    HistoryApi.Policy.class,
                                    "Returns the policy that decides which states of a bucket are"
                                            + " kept")
                            .inOneCube());

    public static final Route<SetPolicyRequest, HistoryApi.Policy> SET_POLICY =
            add(
                    put(
                                    "SetPolicy",
                                    "/policy",
                                    SetPolicyRequest.class,
                                    HistoryApi.Policy.class,
                                    "Sets the policy for the states of a bucket from now on")
                            .inOneCube());

    public static final Route<UsageRequest, Usage> USAGE =
            add(
                    get(
                                    "Usage",
                                    "/usage",
                                    UsageRequest.class,
                                    Usage.class,
                                    "Returns the bytes of a bucket, or of each, that S3 clients"
                                            + " cannot see")
                            .inOneCube());

    public static final Route<PurgeRequest, Purged> PURGE =
            add(
                    post(
                                    "Purge",
                                    "/purge",
                                    PurgeRequest.class,
                                    Purged.class,
                                    "Removes the states of a bucket that ended before an instant,"
                                            + " for good")
                            .inOneCube());

    public static final Route<ShredRequest, Shredded> SHRED =
            add(
                    post(
                                    "Shred",
                                    "/shred",
                                    ShredRequest.class,
                                    Shredded.class,
                                    "Destroys the data keys of all states of a key, for good")
                            .inOneCube());

    public static final Route<Nothing, EncryptionKeys> ENCRYPTION_KEYS =
            add(
                    get(
                            "EncryptionKeys",
                            "/encryption/keys",
                            Nothing.class,
                            EncryptionKeys.class,
                            "Lists the named keys that wrap data keys, with their newest"
                                    + " versions and the state of the [key"
                                    + " service](../guide/encrypt.md#keys-of-vault-or-openbao)"));

    public static final Route<RotateRequest, EncryptionKey> ROTATE_ENCRYPTION_KEY =
            add(
                    post(
                            "RotateEncryptionKey",
                            "/encryption/keys/rotate",
                            RotateRequest.class,
                            EncryptionKey.class,
                            "Adds a version to a named key"));

    public static final Route<Nothing, Targets> NOTIFICATION_TARGETS =
            add(
                    get(
                            "NotificationTargets",
                            "/notification/targets",
                            Nothing.class,
                            Targets.class,
                            "Lists the targets of event notifications with their lag"));

    public static final Route<ReplicationRequest, Replication> REPLICATION =
            add(
                    get(
                                    "Replication",
                                    "/replication",
                                    ReplicationRequest.class,
                                    Replication.class,
                                    "Lists the targets of replication with their lag, the runs for"
                                            + " existing objects, and the refused changes of a"
                                            + " bucket")
                            .inOneCube());

    public static final Route<StartReplicationRequest, ReplicationRun> START_REPLICATION =
            add(
                    post(
                                    "StartReplication",
                                    "/replication",
                                    StartReplicationRequest.class,
                                    ReplicationRun.class,
                                    "Begins to send the content of a bucket from before its"
                                            + " replication")
                            .accepted()
                            .inOneCube());

    public static final Route<ReplicatedBucket, ReplicationRun> STOP_REPLICATION =
            add(
                    post(
                                    "StopReplication",
                                    "/replication/stop",
                                    ReplicatedBucket.class,
                                    ReplicationRun.class,
                                    "Ends the run for existing objects of a bucket")
                            .inOneCube());

    public static final Route<ReplicatedBucket, RefusedChanges> RETRY_REPLICATION =
            add(
                    post(
                                    "RetryReplication",
                                    "/replication/retry",
                                    ReplicatedBucket.class,
                                    RefusedChanges.class,
                                    "Sends the refused changes of a bucket again")
                            .inOneCube());

    public static final Route<ReplicatedBucket, RefusedChanges> FORGET_REPLICATION =
            add(
                    post(
                                    "ForgetReplication",
                                    "/replication/forget",
                                    ReplicatedBucket.class,
                                    RefusedChanges.class,
                                    "Removes the refused changes of a bucket; the copy stays"
                                            + " without them")
                            .inOneCube());

    public static final Route<LifecycleRequest, Removals> LIFECYCLE =
            add(
                    get(
                                    "Lifecycle",
                                    "/lifecycle",
                                    LifecycleRequest.class,
                                    Removals.class,
                                    "Lists the removals by the lifecycle rules of a bucket, now or"
                                            + " at an instant; removes nothing")
                            .details(
                                    "The order is rule by rule, then by key. A page may be empty,"
                                            + " or longer than max by the versions of one key.")
                            .inOneCube());

    public static final Route<PlanRequest, Plan> PLAN_RESTORE =
            add(
                    post(
                                    "PlanRestore",
                                    "/restore/plan",
                                    PlanRequest.class,
                                    Plan.class,
                                    "Returns the effect of a restore by key; changes nothing")
                            .inOneCube());

    public static final Route<StartRequest, Run> START_RESTORE =
            add(
                    post(
                                    "StartRestore",
                                    "/restore",
                                    StartRequest.class,
                                    Run.class,
                                    "Begins a restore")
                            .accepted()
                            .inOneCube());

    public static final Route<RunsRequest, Runs> RESTORES =
            add(
                    get(
                                    "Restores",
                                    "/restore",
                                    RunsRequest.class,
                                    Runs.class,
                                    "Returns the progress of a restore, or of all, the latest"
                                            + " first")
                            .inOneCube());

    /** The same route as {@link #RESTORES}, for requests with an id. */
    public static final Route<RunsRequest, Run> RESTORE =
            get("Restores", "/restore", RunsRequest.class, Run.class, RESTORES.does()).inOneCube();

    public static final Route<CancelRequest, Run> CANCEL_RESTORE =
            add(
                    post(
                                    "CancelRestore",
                                    "/restore/cancel",
                                    CancelRequest.class,
                                    Run.class,
                                    "Ends a restore; the keys that it put back stay so")
                            .inOneCube());

    public static final Route<EntriesRequest, Entries> ENTRIES =
            add(
                    get(
                                    "Entries",
                                    "/provenance/entries",
                                    EntriesRequest.class,
                                    Entries.class,
                                    "Lists the signed entries of a key, the oldest first, without"
                                            + " verification")
                            .inOneCube());

    public static final Route<ExportRequest, Void> EXPORT =
            add(
                    get(
                                    "Export",
                                    "/provenance/export",
                                    ExportRequest.class,
                                    Void.class,
                                    "Sends chains as an [export](../format/provenance.md#export)")
                            .details(
                                    "Sent in chunks: an export that was cut off lacks its last"
                                            + " chunk. The header `x-volute-chains` has about the"
                                            + " number of chains.")
                            .inOneCube());

    public static final Route<CubeChoice, Keys> KEYS =
            add(
                    get(
                                    "Keys",
                                    "/provenance/keys",
                                    CubeChoice.class,
                                    Keys.class,
                                    "Lists the public keys, with the ids of the root key and of the"
                                            + " store")
                            .inOneCube());

    public static final Route<CubeChoice, Void> KEY_LIST =
            add(
                    get(
                                    "KeyList",
                                    "/provenance/key-list",
                                    CubeChoice.class,
                                    Void.class,
                                    "Sends the [key list](../format/provenance.md#key-list)")
                            .inOneCube());

    public static final Route<CubeChoice, Keys> ROTATE =
            add(
                    post(
                                    "Rotate",
                                    "/provenance/rotate",
                                    CubeChoice.class,
                                    Keys.class,
                                    "Makes new signing keys, and returns all public keys")
                            .details(
                                    "409 `CubesElsewhere` without a cube if other nodes have some.")
                            .inOneCube());

    public static final Route<Nothing, Auditors> AUDITORS =
            add(
                    get(
                            "Auditors",
                            "/provenance/auditors",
                            Nothing.class,
                            Auditors.class,
                            "Lists the auditors, also ended ones, and the fields that are"
                                    + " encrypted for them"));

    public static final Route<AuditorRequest, Auditors> SET_AUDITOR =
            add(
                    post(
                            "SetAuditor",
                            "/provenance/auditors",
                            AuditorRequest.class,
                            Auditors.class,
                            "Registers an auditor, or ends one"));

    public static final Route<HiddenRequest, Hidden> HIDDEN =
            add(
                    get(
                                    "Hidden",
                                    "/provenance/hidden",
                                    HiddenRequest.class,
                                    Hidden.class,
                                    "Returns the hidden fields of new entries about keys of a"
                                            + " bucket")
                            .inOneCube());

    public static final Route<SetHiddenRequest, Hidden> SET_HIDDEN =
            add(
                    put(
                                    "SetHidden",
                                    "/provenance/hidden",
                                    SetHiddenRequest.class,
                                    Hidden.class,
                                    "Sets the hidden fields of new entries about keys of a bucket")
                            .inOneCube());

    public static final Route<ExportRequest, Void> OPENINGS =
            add(
                    get(
                                    "Openings",
                                    "/provenance/openings",
                                    ExportRequest.class,
                                    Void.class,
                                    "Sends the content that an export withholds, as a [file of"
                                            + " openings](../format/provenance.md#confidentiality)")
                            .inOneCube());

    public static final Route<PrincipalRequest, Keys> PRINCIPALS =
            add(
                    post(
                            "Principals",
                            "/provenance/principals",
                            PrincipalRequest.class,
                            Keys.class,
                            "Registers the public key of a principal, or ends it"));

    public static final Route<CheckpointsRequest, Checkpoints> CHECKPOINTS =
            add(
                    get(
                                    "Checkpoints",
                                    "/provenance/checkpoints",
                                    CheckpointsRequest.class,
                                    Checkpoints.class,
                                    "Lists the checkpoints, the oldest first")
                            .inOneCube());

    public static final Route<CubeChoice, Checkpoint> MAKE_CHECKPOINT =
            add(
                    post(
                                    "MakeCheckpoint",
                                    "/provenance/checkpoints",
                                    CubeChoice.class,
                                    Checkpoint.class,
                                    "Makes a checkpoint of all chains of a cube, or of each cube of"
                                            + " the node, and answers when it exists")
                            .details(
                                    "409 `CheckpointRefused` if the chains do not continue the"
                                            + " last checkpoint.")
                            .inOneCube());

    public static final Route<CheckpointRequest, Void> CHECKPOINT =
            add(
                    get(
                                    "Checkpoint",
                                    "/provenance/checkpoint",
                                    CheckpointRequest.class,
                                    Void.class,
                                    "Sends a [checkpoint]"
                                            + "(../format/provenance.md#map-and-checkpoint)")
                            .inOneCube());

    public static final Route<CheckpointRequest, Void> HEADS =
            add(
                    get(
                                    "Heads",
                                    "/provenance/heads",
                                    CheckpointRequest.class,
                                    Void.class,
                                    "Sends all heads of a checkpoint")
                            .details(
                                    "Sent in chunks: a file that was cut off lacks its last chunk.")
                            .inOneCube());

    public static final Route<AuditRequest, Audit> START_AUDIT =
            add(
                    post(
                                    "StartAudit",
                                    "/provenance/audit",
                                    AuditRequest.class,
                                    Audit.class,
                                    "Begins an audit")
                            .details(
                                    "409 `CubesElsewhere` for all keys of all cubes if other"
                                            + " nodes have some.")
                            .accepted()
                            .inOneCube());

    public static final Route<AuditChoice, Audit> AUDIT =
            add(
                    get(
                                    "Audit",
                                    "/provenance/audit",
                                    AuditChoice.class,
                                    Audit.class,
                                    "Returns the progress and the findings of the last audit")
                            .inOneCube());

    public static final Route<AuditChoice, Audit> CANCEL_AUDIT =
            add(
                    post(
                                    "CancelAudit",
                                    "/provenance/audit/cancel",
                                    AuditChoice.class,
                                    Audit.class,
                                    "Ends the audit after the chains that it reads now")
                            .inOneCube());

    public static final Route<PageRequest, Users> LIST_USERS =
            add(
                    get(
                            "ListUsers",
                            "/users",
                            PageRequest.class,
                            Users.class,
                            "Lists the users with their groups, policies and access keys,"
                                    + " without secrets"));

    public static final Route<Name, User> CREATE_USER =
            add(post("CreateUser", "/users", Name.class, User.class, "Creates a user"));

    public static final Route<ProvisionRequest, NewKey> PROVISION_USER =
            add(
                    post(
                            "ProvisionUser",
                            "/users/provision",
                            ProvisionRequest.class,
                            NewKey.class,
                            "Creates a user with a policy, which `bucket` can limit, and a"
                                    + " key, in one commit"));

    public static final Route<Name, Name> DELETE_USER =
            add(
                    post(
                            "DeleteUser",
                            "/users/remove",
                            Name.class,
                            Name.class,
                            "Removes a user with all keys"));

    public static final Route<CreateKeyRequest, NewKey> CREATE_KEY =
            add(
                    post(
                            "CreateKey",
                            "/keys",
                            CreateKeyRequest.class,
                            NewKey.class,
                            "Creates an access key; this answer alone has its secret"));

    public static final Route<KeyState, KeyState> SET_KEY =
            add(
                    post(
                            "SetKey",
                            "/keys/state",
                            KeyState.class,
                            KeyState.class,
                            "Enables or disables an access key"));

    public static final Route<KeyName, KeyName> DELETE_KEY =
            add(
                    post(
                            "DeleteKey",
                            "/keys/remove",
                            KeyName.class,
                            KeyName.class,
                            "Removes an access key"));

    public static final Route<PageRequest, Groups> LIST_GROUPS =
            add(
                    get(
                            "ListGroups",
                            "/groups",
                            PageRequest.class,
                            Groups.class,
                            "Lists the groups with their members and policies"));

    public static final Route<Name, Group> CREATE_GROUP =
            add(post("CreateGroup", "/groups", Name.class, Group.class, "Creates a group"));

    public static final Route<Name, Name> DELETE_GROUP =
            add(post("DeleteGroup", "/groups/remove", Name.class, Name.class, "Removes a group"));

    public static final Route<MemberRequest, Group> SET_MEMBER =
            add(
                    post(
                            "SetMember",
                            "/groups/members",
                            MemberRequest.class,
                            Group.class,
                            "Adds a user to a group, or removes a user"));

    public static final Route<PageRequest, Roles> LIST_ROLES =
            add(
                    get(
                            "ListRoles",
                            "/roles",
                            PageRequest.class,
                            Roles.class,
                            "Lists the roles with their trust and policies"));

    public static final Route<CreateRoleRequest, Role> CREATE_ROLE =
            add(
                    post(
                            "CreateRole",
                            "/roles",
                            CreateRoleRequest.class,
                            Role.class,
                            "Creates a role"));

    public static final Route<Name, Name> DELETE_ROLE =
            add(post("DeleteRole", "/roles/remove", Name.class, Name.class, "Removes a role"));

    public static final Route<PageRequest, Policies> LIST_POLICIES =
            add(
                    get(
                            "ListPolicies",
                            "/policies",
                            PageRequest.class,
                            Policies.class,
                            "Lists the policies of users, groups and roles"));

    public static final Route<PutPolicyRequest, Name> PUT_POLICY =
            add(
                    put(
                            "PutPolicy",
                            "/policies",
                            PutPolicyRequest.class,
                            Name.class,
                            "Creates or replaces a policy"));

    public static final Route<Name, Name> DELETE_POLICY =
            add(
                    post(
                            "DeletePolicy",
                            "/policies/remove",
                            Name.class,
                            Name.class,
                            "Removes a policy that is attached to no user, group or role"));

    public static final Route<AttachRequest, Holder> ATTACH_POLICY =
            add(
                    post(
                            "AttachPolicy",
                            "/policies/attach",
                            AttachRequest.class,
                            Holder.class,
                            "Attaches a policy to a user, group or role, or detaches it"));

    public static final Route<InlineRequest, Holder> PUT_INLINE_POLICY =
            add(
                    put(
                            "PutInlinePolicy",
                            "/policies/inline",
                            InlineRequest.class,
                            Holder.class,
                            "Sets or removes an inline policy of a user, group or role"));

    public static final Route<ChangesRequest, Changes> LIST_IDENTITY_CHANGES =
            add(
                    get(
                            "ListIdentityChanges",
                            "/identity-changes",
                            ChangesRequest.class,
                            Changes.class,
                            "Lists the changes of users, keys, groups, roles and policies"
                                    + " with author and time, the oldest first"));

    private Routes() {}

    private static <Q extends Record, A> Route<Q, A> add(Route<Q, A> route) {
        ALL.add(route);
        return route;
    }

    /** Returns all routes, in the order of their rows. */
    public static List<Route<?, ?>> all() {
        return Collections.unmodifiableList(ALL);
    }
}
