package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.volute.adminapi.ClusterApi.MissingOwner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The state of the replication of buckets. */
public final class ReplicationApi {
    private ReplicationApi() {}

    /**
     * A request for the state.
     *
     * @param bucket whose changes are counted; without one, those of all buckets
     */
    public record ReplicationRequest(
            @Described("Bucket whose waiting and refused changes are counted; without it, all")
                    Optional<String> bucket) {}

    /**
     * The state.
     *
     * @param refused changes of the bucket that their target refused for good, the first ones;
     *     empty without a bucket
     * @param runs for existing objects, the last one of each bucket
     * @param complete false when more messages wait than one request counts
     * @param missing owners of other cubes whose part is missing
     */
    public record Replication(
            List<ReplicationTarget> targets,
            @Described(
                            "Changes of the bucket that their target refused for good,"
                                    + " at most 100; empty without a bucket")
                    List<RefusedChange> refused,
            @Described("Runs for existing objects, the last one of each bucket")
                    List<ReplicationRun> runs,
            @Described("False when more messages wait than one request counts") boolean complete,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(value = OwnersAnswer.MISSING, canBeMissing = true)
                    List<MissingOwner> missing)
            implements OwnersAnswer<Replication> {
        public Replication(
                List<ReplicationTarget> targets,
                List<RefusedChange> refused,
                List<ReplicationRun> runs,
                boolean complete) {
            this(targets, refused, runs, complete, List.of());
        }

        @Override
        public Replication with(String node, Replication part) {
            Map<String, ReplicationTarget> byName = new LinkedHashMap<>();
            targets.forEach(each -> byName.put(each.name(), each));
            part.targets()
                    .forEach(each -> byName.merge(each.name(), each, ReplicationTarget::with));
            return new Replication(
                    new ArrayList<>(byName.values()),
                    OwnersAnswer.both(refused, part.refused()),
                    OwnersAnswer.both(runs, part.runs()),
                    complete && part.complete(),
                    missing);
        }

        @Override
        public Replication without(List<MissingOwner> owners) {
            return new Replication(
                    targets, refused, runs, complete, OwnersAnswer.both(missing, owners));
        }
    }

    /**
     * A target. Waiting and refused changes are those of the bucket if the request names one.
     *
     * @param configured false when the settings do not have the target any more
     * @param replicated changes since the start that the target has
     * @param failures attempts since the start that failed
     * @param waiting changes that the target does not have yet
     * @param lagMillis age of the oldest of them; 0 without one
     * @param refused changes that the target refused for good
     * @param failure why the last attempt failed
     */
    public record ReplicationTarget(
            String name,
            @Described("False when the settings do not have the target any more")
                    boolean configured,
            @Described("Changes since the start that the target has") long replicated,
            @Described("Attempts since the start that failed") long failures,
            @Described("Changes that the target does not have yet") long waiting,
            @Described("Age of the oldest of them") long lagMillis,
            @Described("Changes that the target refused for good") long refused,
            @Described("Cause of the failure of the last attempt") Optional<String> failure) {
        private ReplicationTarget with(ReplicationTarget other) {
            return new ReplicationTarget(
                    name,
                    configured || other.configured,
                    replicated + other.replicated,
                    failures + other.failures,
                    waiting + other.waiting,
                    Math.max(lagMillis, other.lagMillis),
                    refused + other.refused,
                    failure.or(other::failure));
        }
    }

    /**
     * A change that its target refused for good.
     *
     * @param change {@code version}, {@code marker}, {@code removal}, {@code tags}, {@code lock} or
     *     {@code existing}
     * @param at time of the change
     */
    public record RefusedChange(
            String target,
            @Described(oneOf = {"version", "marker", "removal", "tags", "lock", "existing"})
                    String change,
            String key,
            String versionId,
            Instant at) {}

    /**
     * A request to send what was in a bucket before its configuration.
     *
     * @param again whether versions that were replicated before are sent again; without it, no
     * @param rate versions a second; without one, 1,000
     */
    public record StartReplicationRequest(
            String bucket,
            @Described(
                            value =
                                    "True to send versions again that were replicated before,"
                                            + " for a new destination bucket",
                            byDefault = "false")
                    Optional<Boolean> again,
            @Described(value = "Versions a second", byDefault = "1000") OptionalLong rate) {}

    /** A request about the replication of a bucket. */
    public record ReplicatedBucket(String bucket) {}

    /**
     * A run that sends what was in a bucket before its configuration.
     *
     * @param state {@code running}, {@code finished} or {@code stopped}
     * @param looked versions that the run has looked at; at least, after a restart of the server
     * @param total about how many there are; 0 before they are counted
     * @param sent versions that were passed to the deliveries
     * @param leftOut versions that are older than a replica, so they cannot be added behind it
     * @param key the last key that the run looked at
     */
    public record ReplicationRun(
            String bucket,
            @Described(oneOf = {"running", "finished", "stopped"}) String state,
            boolean again,
            Instant started,
            @Described("Versions a second") long rate,
            @Described(
                            "Versions that the run has looked at; after a restart of"
                                    + " the server at least so many")
                    long looked,
            @Described("About how many versions there are; 0 before they are counted") long total,
            @Described("Versions that were passed to the deliveries") long sent,
            @Described("Versions that are older than a replica, so the target cannot add them")
                    long leftOut,
            @Described("The last key that the run looked at") Optional<String> key) {}

    /** The number of refused changes of a bucket that a request moved or removed. */
    public record RefusedChanges(
            String bucket,
            @Described("Number of refused changes that were moved or removed") long changes) {}
}
