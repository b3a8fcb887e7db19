package io.volute.server.s3.notification;

import io.volute.server.s3.call.ParsedDocuments;
import io.volute.server.s3.notification.NotificationRules.Rule;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.KeyChange;
import java.util.Optional;

/**
 * Chooses the changes that targets of event notifications get, by the rules of the buckets, and
 * those that listening clients get.
 */
public final class EventRouter implements ChangeRouter {
    private final String region;
    private final long messagesMax;
    private final EventStreams streams;
    private final ParsedDocuments<NotificationRules> rules =
            new ParsedDocuments<>(NotificationRules::ofDocument);

    /**
     * @param messagesMax most messages that wait for one target
     * @param streams the clients that listen
     */
    public EventRouter(String region, long messagesMax, EventStreams streams) {
        this.streams = streams;
        this.region = region;
        this.messagesMax = messagesMax;
    }

    @Override
    public boolean isWatched(BucketInfo bucket) {
        return bucket.has(BucketDocument.NOTIFICATION) || streams.isWatched(bucket);
    }

    @Override
    public Routed route(KeyChange change) {
        return EventType.of(change)
                .map(
                        type ->
                                new Routed(
                                        message(change, type).stream().toList(),
                                        streams.offering(change, type)))
                .orElse(Routed.NOWHERE);
    }

    private Optional<Message> message(KeyChange change, EventType type) {
        return change.bucket()
                .document(BucketDocument.NOTIFICATION)
                .map(rules::of)
                .flatMap(all -> all.find(type, change.version().key().value()))
                .map(rule -> message(change, type, rule));
    }

    private Message message(KeyChange change, EventType type, Rule rule) {
        byte[] document = EventRecord.of(change, type, rule.id(), region);
        String subject = change.bucket().name().value() + "/" + change.version().key().value();
        return new Message(rule.target().target(), new EventMessage(subject, document).encode());
    }

    @Override
    public long messagesMax(String consumer) {
        return messagesMax;
    }
}
