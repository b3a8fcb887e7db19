package io.volute.versioning;

import java.time.Instant;

/** A bucket. */
public record BucketInfo(
        long id, BucketName name, String owner, Instant created, VersioningState versioning) {

    /** S3's three states. */
    public enum VersioningState {
        UNVERSIONED,
        ENABLED,
        SUSPENDED
    }
}
