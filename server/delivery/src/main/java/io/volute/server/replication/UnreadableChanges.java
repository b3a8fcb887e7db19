package io.volute.server.replication;

import io.volute.server.LogText;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.replication.ReplicationMessage.Kind;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.server.s3.replication.ReplicationRule;
import io.volute.server.s3.replication.ReplicationRules;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what messages concerned that cannot be read: a version bears the number of its last
 * message, and a delete marker is as old as its message. The present states of these versions are
 * sent instead. This reads all versions of the replicated buckets, once for many messages. Used by
 * one thread.
 *
 * @param target whose messages they are
 */
record UnreadableChanges(VersionedStore store, String target) {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadableChanges.class);
    private static final int PAGE = 1000;

    /** A delete marker is made about when its message is. */
    private static final Duration ABOUT = Duration.ofSeconds(5);

    private static final int MOST_MARKERS = 1000;
    private static final Caller CALLER = ReplicationRouter.caller("");

    /**
     * Adds messages with the present states of what some messages concerned.
     *
     * @param goesOn ends the search early
     * @return whether the search was ended early; then it is to be done again
     * @throws IOException when the new messages are not durable
     */
    boolean sendAgain(List<Message> unreadable, BooleanSupplier goesOn) throws IOException {
        Map<Long, Message> byNumber = new HashMap<>();
        List<Marker> markers = new ArrayList<>();
        unreadable.forEach(each -> byNumber.put(each.number(), each));
        for (BucketInfo bucket : store.listBuckets(Optional.empty(), "", "", Integer.MAX_VALUE)) {
            Optional<ReplicationRules> rules =
                    bucket.document(BucketDocument.REPLICATION).map(ReplicationRules::ofDocument);
            if (rules.isPresent() && !search(bucket, rules.get(), byNumber, markers, goesOn)) {
                return true;
            }
        }
        sendMarkers(markers, byNumber);
        for (Message each : byNumber.values()) {
            LOG.error(
                    "A change of {} for replication target {} is lost: message {} of cube '{}'"
                            + " cannot be read ({}), and no version bears its number. It was a"
                            + " delete marker, whose like are sent again, or the removal of a"
                            + " version: compare the destination with the source.",
                    each.at(),
                    target,
                    each.number(),
                    each.cube(),
                    LogText.of(each.damage().orElse("")));
        }
        return false;
    }

    /** A newest delete marker, which bears no number. */
    private record Marker(BucketInfo bucket, ReplicationRules rules, ObjectVersion version) {
        boolean isOfOne(Collection<Message> messages) {
            return messages.stream().anyMatch(this::isOf);
        }

        boolean isOf(Message message) {
            return Duration.between(message.at(), version.modified()).abs().compareTo(ABOUT) <= 0;
        }
    }

    /** Sends the delete markers of about the time of the messages again. */
    private void sendMarkers(List<Marker> markers, Map<Long, Message> wanted) throws IOException {
        String consumer = ReplicaTarget.consumer(target);
        for (Marker each : markers) {
            List<byte[]> messages = new ArrayList<>();
            for (ReplicationRule rule : each.rules().matching(each.version())) {
                if (rule.markers() && rule.destination().target().equals(target)) {
                    messages.add(
                            ReplicationMessage.of(each.bucket(), each.version(), Kind.MARKER, rule)
                                    .encode());
                }
            }
            if (!messages.isEmpty() && each.isOfOne(wanted.values())) {
                store.outbox().addAll(each.bucket().name(), consumer, messages);
                LOG.warn(
                        "The delete marker of {}/{} is sent to replication target {} again: it is"
                                + " as old as a message that cannot be read.",
                        each.bucket().name().value(),
                        LogText.of(each.version().key().value()),
                        target);
            }
        }
    }

    /**
     * Searches a bucket, and removes from the map what it finds.
     *
     * @return false when it was ended early
     */
    private boolean search(
            BucketInfo bucket,
            ReplicationRules rules,
            Map<Long, Message> wanted,
            List<Marker> markers,
            BooleanSupplier goesOn)
            throws IOException {
        String keyMarker = "";
        Optional<VersionSelector> versionMarker = Optional.empty();
        boolean hasMore = true;
        while (hasMore && !wanted.isEmpty()) {
            if (!goesOn.getAsBoolean()) {
                return false;
            }
            VersionPage page =
                    store.listVersions(
                            CALLER,
                            bucket,
                            new VersionQuery("", "", keyMarker, versionMarker, PAGE));
            for (ObjectVersion each : page.versions()) {
                Optional<ObjectVersion> version =
                        store.head(
                                CALLER,
                                bucket,
                                each.key(),
                                new VersionSelector.Numbered(each.number()));
                if (version.isPresent() && version.get().deleteMarker()) {
                    if (each.latest() && markers.size() < MOST_MARKERS) {
                        markers.add(new Marker(bucket, rules, version.get()));
                        markers.removeIf(marker -> !marker.isOfOne(wanted.values()));
                    }
                } else if (version.isPresent()) {
                    compare(bucket, rules, version.get(), wanted);
                }
            }
            hasMore = page.nextKey().isPresent();
            keyMarker = page.nextKey().orElse("");
            versionMarker = page.nextVersionId().flatMap(VersionId::parse);
        }
        return true;
    }

    private void compare(
            BucketInfo bucket,
            ReplicationRules rules,
            ObjectVersion version,
            Map<Long, Message> wanted)
            throws IOException {
        String mark = version.attributes().headers().get(ObjectAttributes.REPLICATION);
        if (mark == null) {
            return;
        }
        List<String> words = List.of(mark.split(" "));
        long number = Long.parseLong(words.getFirst(), 16);
        String consumer = ReplicaTarget.consumer(target);
        if (!wanted.containsKey(number) || !words.contains(consumer)) {
            return;
        }
        List<byte[]> messages = new ArrayList<>();
        for (ReplicationRule rule : rules.matching(version)) {
            if (rule.destination().target().equals(target)) {
                for (Kind kind : List.of(Kind.VERSION, Kind.TAGS, Kind.LOCK)) {
                    messages.add(ReplicationMessage.of(bucket, version, kind, rule).encode());
                }
            }
        }
        store.outbox().addAll(bucket.name(), consumer, messages);
        Message message = wanted.remove(number);
        LOG.error(
                "Message {} of cube '{}' for replication target {} cannot be read ({}). It"
                        + " concerned version {} of {}/{}, {}.",
                number,
                message.cube(),
                target,
                LogText.of(message.damage().orElse("")),
                version.versionId(),
                bucket.name().value(),
                LogText.of(version.key().value()),
                messages.isEmpty()
                        ? "which no rule sends to this target any more"
                        : "whose present state is sent instead");
    }
}
