package io.volute.adminapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The state of the replication of buckets. */
public final class ReplicationApi {
    private ReplicationApi() {}

    /**
     * A request for the state.
     *
     * @param bucket whose changes are counted; without one, those of all buckets
     */
    public record ReplicationRequest(Optional<String> bucket) {}

    /**
     * The state.
     *
     * @param refused changes of the bucket that their target refused for good, the first ones;
     *     empty without a bucket
     * @param complete false when more messages wait than one request counts
     */
    public record Replication(
            List<ReplicationTarget> targets, List<RefusedChange> refused, boolean complete) {}

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
            boolean configured,
            long replicated,
            long failures,
            long waiting,
            long lagMillis,
            long refused,
            Optional<String> failure) {}

    /**
     * A change that its target refused for good.
     *
     * @param change {@code version}, {@code marker}, {@code removal}, {@code tags} or {@code lock}
     * @param at time of the change
     */
    public record RefusedChange(
            String target, String change, String key, String versionId, Instant at) {}
}
