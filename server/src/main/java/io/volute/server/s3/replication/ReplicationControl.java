package io.volute.server.s3.replication;

import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.versioning.value.BucketName;

import java.io.IOException;
import java.util.Optional;

/** Shows the state of replication to operators. Thread-safe. */
public interface ReplicationControl {
    /**
     * Returns the state.
     *
     * @param bucket whose changes are counted; empty for those of all buckets
     */
    Replication status(Optional<BucketName> bucket) throws IOException;
}
