package io.volute.server.s3.replication;

import io.volute.server.s3.call.Answer;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The replication status of a version (S3 User Guide, "Getting replication status information"). It
 * follows from the messages that wait, so no write records it.
 */
public enum ReplicationStatus {
    PENDING,
    COMPLETED,
    FAILED,
    REPLICA;

    private static final String HEADER = "x-amz-replication-status";

    /** Adds the header of an answer about a version, if the version has a status. */
    public static void describe(
            Answer answer, ObjectReader store, BucketName bucket, ObjectVersion version) {
        of(store, bucket, version).ifPresent(status -> answer.header(HEADER, status.name()));
    }

    /** Returns whether a target has taken the last change of a version. */
    public static boolean isTaken(
            VersionedStore store, BucketName bucket, ObjectVersion version, String target) {
        String mark = version.attributes().headers().getOrDefault(ObjectAttributes.REPLICATION, "");
        List<String> words = List.of(mark.split(" "));
        String consumer = ReplicaTarget.consumer(target);
        if (!words.contains(consumer)) {
            return false;
        }
        long number = Long.parseLong(words.get(0), 16);
        return Stream.of(consumer, ReplicaTarget.failedOf(consumer))
                .noneMatch(each -> store.outbox().has(bucket, each, number));
    }

    /** Returns the status of a version; empty if it is not replicated. */
    public static Optional<ReplicationStatus> of(
            ObjectReader store, BucketName bucket, ObjectVersion version) {
        Map<String, String> headers = version.attributes().headers();
        if (headers.containsKey(ObjectAttributes.REPLICA)) {
            return Optional.of(REPLICA);
        }
        String mark = headers.get(ObjectAttributes.REPLICATION);
        if (mark == null) {
            return Optional.empty();
        }
        List<String> words = List.of(mark.split(" "));
        long number = Long.parseLong(words.get(0), 16);
        List<String> consumers = words.subList(1, words.size());
        if (!(store instanceof VersionedStore present)) {
            return Optional.of(COMPLETED);
        }
        boolean isFailed =
                consumers.stream()
                        .map(ReplicaTarget::failedOf)
                        .anyMatch(each -> present.outbox().has(bucket, each, number));
        boolean isPending =
                consumers.stream().anyMatch(each -> present.outbox().has(bucket, each, number));
        return Optional.of(isFailed ? FAILED : isPending ? PENDING : COMPLETED);
    }
}
