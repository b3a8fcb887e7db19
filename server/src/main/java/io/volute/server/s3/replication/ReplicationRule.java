package io.volute.server.s3.replication;

import io.volute.versioning.value.ObjectVersion;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A rule of a replication configuration.
 *
 * @param priority among the rules with the same destination; the greatest wins
 * @param isFirstForm whether it has the form without Filter
 * @param tags that an object must have
 * @param markers whether delete markers are replicated
 * @param removals whether removals of versions are replicated
 * @param named whether objects with named keys of encryption are replicated
 * @param existing whether a run for existing objects takes them
 * @param storageClass of the replicas; empty for that of the object
 * @param keyId named key of encryption of such replicas
 */
public record ReplicationRule(
        String id,
        int priority,
        boolean isEnabled,
        boolean isFirstForm,
        String prefix,
        SortedMap<String, String> tags,
        boolean markers,
        boolean removals,
        boolean named,
        boolean existing,
        String arn,
        ReplicaTarget destination,
        Optional<String> storageClass,
        Optional<String> keyId) {

    /** Returns whether a version is one of those that the rule is about. */
    boolean matches(ObjectVersion version) {
        return isEnabled && version.key().value().startsWith(prefix) && hasTags(version);
    }

    private boolean hasTags(ObjectVersion version) {
        Map<String, String> present = version.attributes().tags();
        return present.entrySet().containsAll(tags.entrySet());
    }
}
