package io.volute.adminapi;

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

/** All routes of the admin API. Those that answer Void answer bytes, which are no JSON. */
public final class Routes {
    /** Header of an export: about how many chains it has. */
    public static final String CHAINS = "x-volute-chains";

    public static final Route<Nothing, Spaces> SPACE =
            new Route<>("GET", "/_volute/v1/space", Nothing.class, Spaces.class);
    public static final Route<Nothing, Requests> REQUESTS =
            new Route<>("GET", "/_volute/v1/requests", Nothing.class, Requests.class);
    public static final Route<Nothing, Cluster> CLUSTER =
            new Route<>("GET", "/_volute/v1/cluster", Nothing.class, Cluster.class);
    public static final Route<MoveStoreRequest, HandOver> MOVE_STORE =
            new Route<>("POST", "/_volute/v1/cluster/move", MoveStoreRequest.class, HandOver.class);
    public static final Route<DrainRequest, HandOver> DRAIN_NODE =
            new Route<>("POST", "/_volute/v1/cluster/drain", DrainRequest.class, HandOver.class);
    public static final Route<CleanRequest, Cleaned> CLEAN =
            new Route<>("POST", "/_volute/v1/clean", CleanRequest.class, Cleaned.class);
    public static final Route<Nothing, Cubes> LIST_CUBES =
            new Route<>("GET", "/_volute/v1/cubes", Nothing.class, Cubes.class);
    public static final Route<CubeRequest, CubeInfo> CREATE_CUBE =
            new Route<>("POST", "/_volute/v1/cubes", CubeRequest.class, CubeInfo.class);
    public static final Route<CubeRequest, RemovedCube> DELETE_CUBE =
            new Route<>("POST", "/_volute/v1/cubes/remove", CubeRequest.class, RemovedCube.class);
    public static final Route<ReopenRequest, CubeInfo> REOPEN_CUBE =
            new Route<>("POST", "/_volute/v1/cubes/reopen", ReopenRequest.class, CubeInfo.class);
    public static final Route<MigrateRequest, CubeInfo> MIGRATE_CUBE =
            new Route<>("POST", "/_volute/v1/cubes/migrate", MigrateRequest.class, CubeInfo.class);
    public static final Route<MoveRequest, Move> MOVE_BUCKET =
            new Route<>("POST", "/_volute/v1/cubes/moves", MoveRequest.class, Move.class);
    public static final Route<Nothing, Moves> LIST_MOVES =
            new Route<>("GET", "/_volute/v1/cubes/moves", Nothing.class, Moves.class);
    public static final Route<SplitRequest, Move> SPLIT_BUCKET =
            new Route<>("POST", "/_volute/v1/buckets/split", SplitRequest.class, Move.class);
    public static final Route<MergeRequest, Move> MERGE_BUCKET =
            new Route<>("POST", "/_volute/v1/buckets/merge", MergeRequest.class, Move.class);
    public static final Route<BucketsRequest, Buckets> LIST_BUCKETS =
            new Route<>("GET", "/_volute/v1/buckets", BucketsRequest.class, Buckets.class);
    public static final Route<PartsRequest, BucketParts> BUCKET_PARTS =
            new Route<>("GET", "/_volute/v1/buckets/parts", PartsRequest.class, BucketParts.class);
    public static final Route<CheckRequest, Check> START_CHECK =
            new Route<>("POST", "/_volute/v1/check", CheckRequest.class, Check.class);
    public static final Route<CubeChoice, Checks> CHECK =
            new Route<>("GET", "/_volute/v1/check", CubeChoice.class, Checks.class);
    public static final Route<Nothing, Scrub> START_SCRUB =
            new Route<>("POST", "/_volute/v1/scrub", Nothing.class, Scrub.class);
    public static final Route<Nothing, Scrub> SCRUB =
            new Route<>("GET", "/_volute/v1/scrub", Nothing.class, Scrub.class);
    public static final Route<Nothing, Damages> DAMAGE =
            new Route<>("GET", "/_volute/v1/damage", Nothing.class, Damages.class);
    public static final Route<RepairRequest, Repair> REPAIR_DAMAGE =
            new Route<>("POST", "/_volute/v1/damage/repair", RepairRequest.class, Repair.class);
    public static final Route<BackupRequest, Backup> START_BACKUP =
            new Route<>("POST", "/_volute/v1/backup", BackupRequest.class, Backup.class);
    public static final Route<Nothing, Backup> BACKUP =
            new Route<>("GET", "/_volute/v1/backup", Nothing.class, Backup.class);
    public static final Route<StatesRequest, States> HISTORY =
            new Route<>("GET", "/_volute/v1/history", StatesRequest.class, States.class);
    public static final Route<ActorsRequest, Actors> ACTORS =
            new Route<>("GET", "/_volute/v1/actors", ActorsRequest.class, Actors.class);
    public static final Route<ActivityRequest, Activities> ACTIVITY =
            new Route<>("GET", "/_volute/v1/activity", ActivityRequest.class, Activities.class);
    public static final Route<TraceRequest, Steps> TRACE =
            new Route<>("GET", "/_volute/v1/trace", TraceRequest.class, Steps.class);
    public static final Route<PolicyRequest, HistoryApi.Policy> POLICY =
            new Route<>("GET", "/_volute/v1/policy", PolicyRequest.class, HistoryApi.Policy.class);
    public static final Route<SetPolicyRequest, HistoryApi.Policy> SET_POLICY =
            new Route<>(
                    "PUT", "/_volute/v1/policy", SetPolicyRequest.class, HistoryApi.Policy.class);
    public static final Route<UsageRequest, Usage> USAGE =
            new Route<>("GET", "/_volute/v1/usage", UsageRequest.class, Usage.class);
    public static final Route<PurgeRequest, Purged> PURGE =
            new Route<>("POST", "/_volute/v1/purge", PurgeRequest.class, Purged.class);
    public static final Route<ShredRequest, Shredded> SHRED =
            new Route<>("POST", "/_volute/v1/shred", ShredRequest.class, Shredded.class);
    public static final Route<Nothing, EncryptionKeys> ENCRYPTION_KEYS =
            new Route<>("GET", "/_volute/v1/encryption/keys", Nothing.class, EncryptionKeys.class);
    public static final Route<RotateRequest, EncryptionKey> ROTATE_ENCRYPTION_KEY =
            new Route<>(
                    "POST",
                    "/_volute/v1/encryption/keys/rotate",
                    RotateRequest.class,
                    EncryptionKey.class);
    public static final Route<Nothing, Targets> NOTIFICATION_TARGETS =
            new Route<>("GET", "/_volute/v1/notification/targets", Nothing.class, Targets.class);
    public static final Route<ReplicationRequest, Replication> REPLICATION =
            new Route<>(
                    "GET", "/_volute/v1/replication", ReplicationRequest.class, Replication.class);
    public static final Route<StartReplicationRequest, ReplicationRun> START_REPLICATION =
            new Route<>(
                    "POST",
                    "/_volute/v1/replication",
                    StartReplicationRequest.class,
                    ReplicationRun.class);
    public static final Route<ReplicatedBucket, ReplicationRun> STOP_REPLICATION =
            new Route<>(
                    "POST",
                    "/_volute/v1/replication/stop",
                    ReplicatedBucket.class,
                    ReplicationRun.class);
    public static final Route<ReplicatedBucket, RefusedChanges> RETRY_REPLICATION =
            new Route<>(
                    "POST",
                    "/_volute/v1/replication/retry",
                    ReplicatedBucket.class,
                    RefusedChanges.class);
    public static final Route<ReplicatedBucket, RefusedChanges> FORGET_REPLICATION =
            new Route<>(
                    "POST",
                    "/_volute/v1/replication/forget",
                    ReplicatedBucket.class,
                    RefusedChanges.class);
    public static final Route<LifecycleRequest, Removals> LIFECYCLE =
            new Route<>("GET", "/_volute/v1/lifecycle", LifecycleRequest.class, Removals.class);
    public static final Route<PlanRequest, Plan> PLAN_RESTORE =
            new Route<>("POST", "/_volute/v1/restore/plan", PlanRequest.class, Plan.class);
    public static final Route<StartRequest, Run> START_RESTORE =
            new Route<>("POST", "/_volute/v1/restore", StartRequest.class, Run.class);
    public static final Route<RunsRequest, Runs> RESTORES =
            new Route<>("GET", "/_volute/v1/restore", RunsRequest.class, Runs.class);

    /** The same route as {@link #RESTORES}, for requests with an id. */
    public static final Route<RunsRequest, Run> RESTORE =
            new Route<>("GET", "/_volute/v1/restore", RunsRequest.class, Run.class);

    public static final Route<CancelRequest, Run> CANCEL_RESTORE =
            new Route<>("POST", "/_volute/v1/restore/cancel", CancelRequest.class, Run.class);
    public static final Route<EntriesRequest, Entries> ENTRIES =
            new Route<>(
                    "GET", "/_volute/v1/provenance/entries", EntriesRequest.class, Entries.class);
    public static final Route<ExportRequest, Void> EXPORT =
            new Route<>("GET", "/_volute/v1/provenance/export", ExportRequest.class, Void.class);
    public static final Route<CubeChoice, Keys> KEYS =
            new Route<>("GET", "/_volute/v1/provenance/keys", CubeChoice.class, Keys.class);
    public static final Route<CubeChoice, Void> KEY_LIST =
            new Route<>("GET", "/_volute/v1/provenance/key-list", CubeChoice.class, Void.class);
    public static final Route<CubeChoice, Keys> ROTATE =
            new Route<>("POST", "/_volute/v1/provenance/rotate", CubeChoice.class, Keys.class);
    public static final Route<Nothing, Auditors> AUDITORS =
            new Route<>("GET", "/_volute/v1/provenance/auditors", Nothing.class, Auditors.class);
    public static final Route<AuditorRequest, Auditors> SET_AUDITOR =
            new Route<>(
                    "POST",
                    "/_volute/v1/provenance/auditors",
                    AuditorRequest.class,
                    Auditors.class);
    public static final Route<HiddenRequest, Hidden> HIDDEN =
            new Route<>("GET", "/_volute/v1/provenance/hidden", HiddenRequest.class, Hidden.class);
    public static final Route<SetHiddenRequest, Hidden> SET_HIDDEN =
            new Route<>(
                    "PUT", "/_volute/v1/provenance/hidden", SetHiddenRequest.class, Hidden.class);
    public static final Route<ExportRequest, Void> OPENINGS =
            new Route<>("GET", "/_volute/v1/provenance/openings", ExportRequest.class, Void.class);
    public static final Route<PrincipalRequest, Keys> PRINCIPALS =
            new Route<>(
                    "POST",
                    "/_volute/v1/provenance/principals",
                    PrincipalRequest.class,
                    Keys.class);
    public static final Route<CheckpointsRequest, Checkpoints> CHECKPOINTS =
            new Route<>(
                    "GET",
                    "/_volute/v1/provenance/checkpoints",
                    CheckpointsRequest.class,
                    Checkpoints.class);
    public static final Route<CubeChoice, Checkpoint> MAKE_CHECKPOINT =
            new Route<>(
                    "POST",
                    "/_volute/v1/provenance/checkpoints",
                    CubeChoice.class,
                    Checkpoint.class);
    public static final Route<CheckpointRequest, Void> CHECKPOINT =
            new Route<>(
                    "GET",
                    "/_volute/v1/provenance/checkpoint",
                    CheckpointRequest.class,
                    Void.class);
    public static final Route<CheckpointRequest, Void> HEADS =
            new Route<>("GET", "/_volute/v1/provenance/heads", CheckpointRequest.class, Void.class);
    public static final Route<AuditRequest, Audit> START_AUDIT =
            new Route<>("POST", "/_volute/v1/provenance/audit", AuditRequest.class, Audit.class);
    public static final Route<AuditChoice, Audit> AUDIT =
            new Route<>("GET", "/_volute/v1/provenance/audit", AuditChoice.class, Audit.class);
    public static final Route<AuditChoice, Audit> CANCEL_AUDIT =
            new Route<>(
                    "POST", "/_volute/v1/provenance/audit/cancel", AuditChoice.class, Audit.class);
    public static final Route<PageRequest, Users> LIST_USERS =
            new Route<>("GET", "/_volute/v1/users", PageRequest.class, Users.class);
    public static final Route<Name, User> CREATE_USER =
            new Route<>("POST", "/_volute/v1/users", Name.class, User.class);
    public static final Route<ProvisionRequest, NewKey> PROVISION_USER =
            new Route<>(
                    "POST", "/_volute/v1/users/provision", ProvisionRequest.class, NewKey.class);
    public static final Route<Name, Name> DELETE_USER =
            new Route<>("POST", "/_volute/v1/users/remove", Name.class, Name.class);
    public static final Route<CreateKeyRequest, NewKey> CREATE_KEY =
            new Route<>("POST", "/_volute/v1/keys", CreateKeyRequest.class, NewKey.class);
    public static final Route<KeyState, KeyState> SET_KEY =
            new Route<>("POST", "/_volute/v1/keys/state", KeyState.class, KeyState.class);
    public static final Route<KeyName, KeyName> DELETE_KEY =
            new Route<>("POST", "/_volute/v1/keys/remove", KeyName.class, KeyName.class);
    public static final Route<PageRequest, Groups> LIST_GROUPS =
            new Route<>("GET", "/_volute/v1/groups", PageRequest.class, Groups.class);
    public static final Route<Name, Group> CREATE_GROUP =
            new Route<>("POST", "/_volute/v1/groups", Name.class, Group.class);
    public static final Route<Name, Name> DELETE_GROUP =
            new Route<>("POST", "/_volute/v1/groups/remove", Name.class, Name.class);
    public static final Route<MemberRequest, Group> SET_MEMBER =
            new Route<>("POST", "/_volute/v1/groups/members", MemberRequest.class, Group.class);
    public static final Route<PageRequest, Roles> LIST_ROLES =
            new Route<>("GET", "/_volute/v1/roles", PageRequest.class, Roles.class);
    public static final Route<CreateRoleRequest, Role> CREATE_ROLE =
            new Route<>("POST", "/_volute/v1/roles", CreateRoleRequest.class, Role.class);
    public static final Route<Name, Name> DELETE_ROLE =
            new Route<>("POST", "/_volute/v1/roles/remove", Name.class, Name.class);
    public static final Route<PageRequest, Policies> LIST_POLICIES =
            new Route<>("GET", "/_volute/v1/policies", PageRequest.class, Policies.class);
    public static final Route<PutPolicyRequest, Name> PUT_POLICY =
            new Route<>("PUT", "/_volute/v1/policies", PutPolicyRequest.class, Name.class);
    public static final Route<Name, Name> DELETE_POLICY =
            new Route<>("POST", "/_volute/v1/policies/remove", Name.class, Name.class);
    public static final Route<AttachRequest, Holder> ATTACH_POLICY =
            new Route<>("POST", "/_volute/v1/policies/attach", AttachRequest.class, Holder.class);
    public static final Route<InlineRequest, Holder> PUT_INLINE_POLICY =
            new Route<>("PUT", "/_volute/v1/policies/inline", InlineRequest.class, Holder.class);
    public static final Route<ChangesRequest, Changes> LIST_IDENTITY_CHANGES =
            new Route<>("GET", "/_volute/v1/identity-changes", ChangesRequest.class, Changes.class);

    private Routes() {}
}
