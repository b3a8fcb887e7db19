package io.volute.server.s3.replication;

import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.versioning.Damages;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.util.Optional;

/** Shows and changes the state of replication for operators. Thread-safe. */
public interface ReplicationControl {
    /**
     * Returns the state.
     *
     * @param bucket whose changes are counted; empty for those of all buckets
     */
    Replication status(Optional<BucketName> bucket) throws IOException;

    /**
     * Begins to send what was in a bucket before its configuration; durable when it returns.
     *
     * @param isAgain whether versions that were replicated before are sent again, for a new
     *     destination
     * @param rate versions a second
     * @return empty when a run of the bucket is in progress
     */
    Optional<ReplicationRun> start(BucketName bucket, boolean isAgain, int rate) throws IOException;

    /** Ends a run in progress, and returns the last run; empty if there was none. */
    Optional<ReplicationRun> stop(BucketName bucket) throws IOException;

    /** Sends the refused changes of a bucket again, and returns their number. */
    long retry(BucketName bucket) throws IOException;

    /** Removes the refused changes of a bucket, and returns their number. */
    long forget(BucketName bucket) throws IOException;

    /** Returns the replicas, of which damaged versions can be repaired. */
    Damages.Source.OfReplica replicas();
}
