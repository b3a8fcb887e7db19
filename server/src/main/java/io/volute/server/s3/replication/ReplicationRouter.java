package io.volute.server.s3.replication;

import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.replication.ReplicationMessage.Kind;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Chooses the changes that are replicated, by the rules of the buckets, besides those that another
 * router chooses.
 *
 * @param events the other router
 */
public record ReplicationRouter(ChangeRouter events) implements ChangeRouter {

    @Override
    public boolean isWatched(BucketInfo bucket) {
        return bucket.has(BucketDocument.REPLICATION) || events.isWatched(bucket);
    }

    @Override
    public Routed route(KeyChange change) {
        Routed others = events.isWatched(change.bucket()) ? events.route(change) : Routed.NOWHERE;
        Optional<String> document = change.bucket().document(BucketDocument.REPLICATION);
        if (document.isEmpty() || isExempt(change)) {
            return others;
        }
        List<Message> messages = new ArrayList<>(others.messages());
        for (ReplicationRule rule :
                ReplicationRules.ofDocument(document.get()).matching(change.version())) {
            kind(change, rule).map(kind -> message(change, kind, rule)).ifPresent(messages::add);
        }
        return new Routed(messages, others.committed());
    }

    /** Replicas are not replicated again, and lifecycle rules are each bucket's own. */
    private static boolean isExempt(KeyChange change) {
        ActorName actor = change.caller().actor();
        boolean isLifecycle =
                actor.kind() == ActorName.Kind.SERVER && actor.name().equals("lifecycle");
        return change.version().attributes().headers().containsKey(ObjectAttributes.REPLICA)
                || isLifecycle;
    }

    private static Optional<Kind> kind(KeyChange change, ReplicationRule rule) {
        return switch (change.kind()) {
            case PUT -> isTaken(change.version(), rule) ? Optional.of(Kind.VERSION) : none();
            case MARK -> rule.markers() ? Optional.of(Kind.MARKER) : none();
            case REMOVE -> rule.removals() ? Optional.of(Kind.REMOVAL) : none();
            case TAG -> mayBeThere(change.version(), rule) ? Optional.of(Kind.TAGS) : none();
            case LOCK -> mayBeThere(change.version(), rule) ? Optional.of(Kind.LOCK) : none();
            case ACL -> none();
        };
    }

    private static Optional<Kind> none() {
        return Optional.empty();
    }

    /** A customer's key is not here, and named keys need the rule's permission. */
    public static boolean isTaken(ObjectVersion version, ReplicationRule rule) {
        return StoredEncryption.of(version.attributes())
                .map(
                        each ->
                                switch (each.mode()) {
                                    case STORE -> true;
                                    case NAMED -> rule.named();
                                    case CUSTOMER -> false;
                                })
                .orElse(true);
    }

    /** A run for existing objects may have sent a version without a mark. */
    private static boolean mayBeThere(ObjectVersion version, ReplicationRule rule) {
        return rule.existing() || isMarked(version, rule);
    }

    /** Returns whether a version notes that it has a message to the target of a rule. */
    public static boolean isMarked(ObjectVersion version, ReplicationRule rule) {
        String mark = version.attributes().headers().get(ObjectAttributes.REPLICATION);
        String consumer = ReplicaTarget.consumer(rule.destination().target());
        return mark != null && List.of(mark.split(" ")).contains(consumer);
    }

    private static Message message(KeyChange change, Kind kind, ReplicationRule rule) {
        boolean isOfVersion = kind != Kind.TAGS && kind != Kind.LOCK;
        return new Message(
                ReplicaTarget.consumer(rule.destination().target()),
                ReplicationMessage.of(change.bucket(), change.version(), kind, rule).encode(),
                isOfVersion || isMarked(change.version(), rule));
    }

    /** Changes to replicate have no limit: a copy with a gap is none. */
    @Override
    public long messagesMax(String consumer) {
        return ReplicaTarget.isConsumer(consumer) ? Long.MAX_VALUE : events.messagesMax(consumer);
    }

    /** Returns the caller of replication's own reads and writes. */
    public static Caller caller(String account) {
        return Caller.ofTask(account, "replication");
    }
}
