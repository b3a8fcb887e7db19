package io.volute.server.replication;

import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.replication.ReplicationMessage.Kind;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.server.s3.replication.ReplicationRule;
import io.volute.server.s3.replication.ReplicationRules;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * One step of a run: adds the messages about the versions of some keys, those of a key oldest
 * first. Not thread-safe.
 */
final class ExistingScan {
    private static final int PAGE = 1000;

    /** Messages of one commit. */
    private static final int MOST_TOGETHER = 100;

    private final VersionedStore store;
    private final ExistingRun run;
    private final BucketInfo bucket;
    private final ReplicationRules rules;
    private final Caller caller = ReplicationRouter.caller("");
    private final Map<String, List<byte[]>> messages = new LinkedHashMap<>();
    private long looked;
    private long sent;
    private long leftOut;
    private String lastKey;

    ExistingScan(VersionedStore store, ExistingRun run, BucketInfo bucket, ReplicationRules rules) {
        this.store = store;
        this.run = run;
        this.bucket = bucket;
        this.rules = rules;
        this.lastKey = run.after();
    }

    /** Returns the number of versions that it has looked at. */
    long looked() {
        return looked;
    }

    /** Returns the number of versions that got a message. */
    long sent() {
        return sent;
    }

    /** Returns the number of versions that are older than a replica. */
    long leftOut() {
        return leftOut;
    }

    /** Returns the last key of which all messages are durable. */
    String lastKey() {
        return lastKey;
    }

    /**
     * Looks at keys until the budget of a second is used up, and then at the rest of the key.
     *
     * @param goesOn ends the step early
     * @return whether there are no more keys
     */
    boolean run(BooleanSupplier goesOn) throws IOException {
        String keyMarker = run.after();
        Optional<VersionSelector> versionMarker = Optional.empty();
        List<ObjectVersion> ofKey = new ArrayList<>();
        while (goesOn.getAsBoolean()) {
            VersionPage page =
                    store.listVersions(
                            caller,
                            bucket,
                            new VersionQuery("", "", keyMarker, versionMarker, PAGE));
            for (ObjectVersion each : page.versions()) {
                if (!ofKey.isEmpty() && !ofKey.get(0).key().equals(each.key())) {
                    add(ofKey);
                    ofKey.clear();
                    if (looked >= run.rate()) {
                        flush();
                        return false;
                    }
                }
                ofKey.add(each);
            }
            if (page.nextKey().isEmpty()) {
                if (!ofKey.isEmpty()) {
                    add(ofKey);
                }
                flush();
                return true;
            }
            keyMarker = page.nextKey().get();
            versionMarker = page.nextVersionId().flatMap(VersionId::parse);
        }
        flush();
        return false;
    }

    /** Adds the messages about the versions of one key, which are listed newest first. */
    private void add(List<ObjectVersion> listed) throws IOException {
        Map<String, List<byte[]>> ofKey = new LinkedHashMap<>();
        Set<String> replicated = new HashSet<>();
        for (ObjectVersion each : listed) {
            looked++;
            Optional<ObjectVersion> version =
                    store.head(
                            caller,
                            bucket,
                            each.key(),
                            new VersionSelector.Numbered(each.number()));
            if (version.isPresent()) {
                add(version.get(), ofKey, replicated);
            }
        }
        for (Map.Entry<String, List<byte[]>> each : ofKey.entrySet()) {
            Collections.reverse(each.getValue());
            messages.computeIfAbsent(each.getKey(), same -> new ArrayList<>())
                    .addAll(each.getValue());
        }
        String key = listed.get(0).key().value();
        if (messages.values().stream().mapToInt(List::size).sum() >= MOST_TOGETHER) {
            flush();
        }
        lastKey = key;
    }

    /**
     * @param replicated consumers to which a newer version was replicated
     */
    private void add(
            ObjectVersion version, Map<String, List<byte[]>> ofKey, Set<String> replicated) {
        if (version.attributes().headers().containsKey(ObjectAttributes.REPLICA)) {
            return;
        }
        for (ReplicationRule rule : rules.matching(version)) {
            String consumer = ReplicaTarget.consumer(rule.destination().target());
            if (!run.isAgain() && ReplicationRouter.isMarked(version, rule)) {
                replicated.add(consumer);
            } else if (isWanted(version, rule) && replicated.contains(consumer)) {
                leftOut++;
            } else if (isWanted(version, rule)) {
                sent++;
                ofKey.computeIfAbsent(consumer, same -> new ArrayList<>())
                        .add(ReplicationMessage.of(bucket, version, Kind.EXISTING, rule).encode());
            }
        }
    }

    private static boolean isWanted(ObjectVersion version, ReplicationRule rule) {
        boolean isTaken =
                version.deleteMarker() ? rule.markers() : ReplicationRouter.isTaken(version, rule);
        return rule.existing() && isTaken;
    }

    private void flush() throws IOException {
        for (Map.Entry<String, List<byte[]>> each : messages.entrySet()) {
            List<byte[]> all = each.getValue();
            for (int from = 0; from < all.size(); from += MOST_TOGETHER) {
                int end = Math.min(from + MOST_TOGETHER, all.size());
                store.outbox().addAll(run.bucket(), each.getKey(), all.subList(from, end));
            }
        }
        messages.clear();
    }
}
