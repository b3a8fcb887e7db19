package io.volute.server.notification;

import io.volute.server.config.ServerConfig;
import io.volute.server.s3.call.ParsedDocuments;
import io.volute.server.s3.notification.EventMessage;
import io.volute.server.s3.notification.EventRecord;
import io.volute.server.s3.notification.EventType;
import io.volute.server.s3.notification.NotificationRules;
import io.volute.server.s3.notification.NotificationRules.Rule;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.KeyChange;
import java.util.Optional;

/** Chooses the changes that targets of event notifications get, by the rules of the buckets. */
public final class EventRouter implements ChangeRouter {
    private final String region;
    private final long messagesMax;
    private final ParsedDocuments<NotificationRules> rules =
            new ParsedDocuments<>(NotificationRules::ofDocument);

    /**
     * @param messagesMax most messages that wait for one target
     */
    public EventRouter(String region, long messagesMax) {
        this.region = region;
        this.messagesMax = messagesMax;
    }

    /** Creates the router of a server. */
    public static EventRouter of(ServerConfig config) {
        return new EventRouter(config.protocol().region(), config.notifications().queueLimit());
    }

    @Override
    public boolean isWatched(BucketInfo bucket) {
        return bucket.document(BucketDocument.NOTIFICATION).isPresent();
    }

    @Override
    public Routed route(KeyChange change) {
        Optional<EventType> type = EventType.of(change);
        Optional<String> document = change.bucket().document(BucketDocument.NOTIFICATION);
        if (type.isEmpty() || document.isEmpty()) {
            return Routed.NOWHERE;
        }
        Optional<Rule> rule =
                rules.of(document.get()).find(type.get(), change.version().key().value());
        return rule.map(each -> new Routed(message(change, type.get(), each), () -> {}))
                .orElse(Routed.NOWHERE);
    }

    private Optional<Message> message(KeyChange change, EventType type, Rule rule) {
        byte[] document = EventRecord.of(change, type, rule.id(), region);
        String subject = change.bucket().name().value() + "/" + change.version().key().value();
        return Optional.of(
                new Message(rule.target().target(), new EventMessage(subject, document).encode()));
    }

    @Override
    public long messagesMax() {
        return messagesMax;
    }
}
