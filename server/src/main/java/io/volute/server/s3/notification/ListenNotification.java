package io.volute.server.s3.notification;

import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.versioning.StoreException;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * ListenNotification and ListenBucketNotification, which MinIO has beside S3: the answer goes on
 * while the client reads it, one record a line. The credential and the permission are looked up
 * again for each event, and in each silence.
 */
public final class ListenNotification implements Operation {
    /** Groups of MinIO's events that do not occur here; clients name them by default. */
    private static final List<String> ELSEWHERE =
            List.of(
                    "s3:ObjectAccessed:",
                    "s3:BucketCreated:",
                    "s3:BucketRemoved:",
                    "s3:ObjectRestore:",
                    "s3:ObjectTransition:",
                    "s3:Replication:",
                    "s3:Scanner:");

    private final EventStreams streams;
    private final InstantSource clock;

    public ListenNotification(EventStreams streams, InstantSource clock) {
        this.streams = streams;
        this.clock = clock;
    }

    @Override
    public S3Response run(S3Request request) {
        EventStreams.Wanted wanted =
                new EventStreams.Wanted(
                        request.bucket(),
                        request.query().text("prefix"),
                        request.query().text("suffix"),
                        types(request.query()));
        EventStreams.Body body =
                streams.open(wanted, request.who().principal(), () -> isAllowed(request));
        return new S3Response(
                200,
                List.of(new Header("content-type", "application/json")),
                new Content.Stream(body::writeTo));
    }

    private static Set<EventType> types(QueryParameters query) {
        Set<EventType> types = EnumSet.noneOf(EventType.class);
        if (query.text("events").isEmpty()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "Name events, such as events=s3:ObjectCreated:*");
        }
        for (String name : query.all("events")) {
            Set<EventType> named = EventType.named(name);
            if (named.isEmpty() && ELSEWHERE.stream().noneMatch(name::startsWith)) {
                throw S3Exception.invalidArgument(
                        "events", name, "A specified event is not supported for notifications.");
            }
            types.addAll(named);
        }
        return types;
    }

    /** A credential, a permission, or the bucket itself may go while the client listens. */
    private boolean isAllowed(S3Request request) {
        try {
            Access.Thing thing = request.thingNow();
            return request.accessAt(clock.instant())
                    .filter(access -> access.allows(request.call().action(), thing))
                    .isPresent();
        } catch (S3Exception | StoreException e) {
            return false;
        }
    }
}
