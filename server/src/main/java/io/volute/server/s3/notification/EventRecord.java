package io.volute.server.s3.notification;

import io.volute.server.json.Json;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Slash;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectVersion;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The documents that targets get (S3 User Guide, "Event message structure"). */
public final class EventRecord {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private EventRecord() {}

    /**
     * Returns the document of one event.
     *
     * @param id of the rule that the event matches
     */
    public static byte[] of(KeyChange change, EventType type, String id, String region) {
        return Json.write(Map.of("Records", List.of(event(change, type, id, region))));
    }

    private static Map<String, Object> event(
            KeyChange change, EventType type, String id, String region) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("eventVersion", type.recordVersion());
        event.put("eventSource", "aws:s3");
        event.put("awsRegion", region);
        event.put("eventTime", TIME.format(change.at()));
        event.put("eventName", type.title());
        event.put("userIdentity", principal(change.caller().principal()));
        event.put("requestParameters", Map.of("sourceIPAddress", source(change.caller())));
        String request = change.caller().request().map(Caller.Request::id).orElse("");
        event.put("responseElements", Map.of("x-amz-request-id", request, "x-amz-id-2", request));
        event.put("s3", subject(change, type, id));
        return event;
    }

    /** Returns the client's address, or the name of the server's own task. */
    private static String source(Caller caller) {
        ActorName actor = caller.actor();
        return actor.kind() == ActorName.Kind.SERVER ? actor.name() : actor.address();
    }

    private static Map<String, Object> principal(String id) {
        return Map.of("principalId", id);
    }

    private static Map<String, Object> subject(KeyChange change, EventType type, String id) {
        BucketInfo bucket = change.bucket();
        Map<String, Object> place = new LinkedHashMap<>();
        place.put("name", bucket.name().value());
        place.put("ownerIdentity", principal(bucket.owner()));
        place.put("arn", "arn:aws:s3:::" + bucket.name().value());
        ObjectVersion version = change.version();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("key", key(version.key().value()));
        if (!type.isRemoval()) {
            object.put("size", version.bytes());
        }
        if (!version.deleteMarker()) {
            object.put("eTag", version.attributes().etag());
        }
        if (bucket.versioning() != VersioningState.UNVERSIONED) {
            object.put("versionId", version.versionId());
        }
        object.put("sequencer", sequencer(change.number()));
        Map<String, Object> subject = new LinkedHashMap<>();
        subject.put("s3SchemaVersion", "1.0");
        subject.put("configurationId", id);
        subject.put("bucket", place);
        subject.put("object", object);
        return subject;
    }

    /** Returns a key as records have it: percent-encoded, a blank as a plus sign. */
    static String key(String key) {
        return PercentCoding.encode(key, Slash.KEPT).replace("%20", "+");
    }

    /** Returns a number as text of which a greater one is later, of fixed length. */
    private static String sequencer(long number) {
        return String.format(Locale.ROOT, "%016X", number);
    }

    /** Returns the document that a target gets when a bucket is configured to use it. */
    static byte[] ofTest(BucketInfo bucket, Instant now, String requestId) {
        Map<String, Object> test = new LinkedHashMap<>();
        test.put("Service", "Amazon S3");
        test.put("Event", "s3:TestEvent");
        test.put("Time", TIME.format(now));
        test.put("Bucket", bucket.name().value());
        test.put("RequestId", requestId);
        test.put("HostId", requestId);
        return Json.write(test);
    }

    /**
     * Returns the document that a target gets in the place of events that had no room.
     *
     * @param from time of the first of them
     */
    static byte[] ofGap(Instant from) {
        Map<String, Object> gap = new LinkedHashMap<>();
        gap.put("Service", "Volute");
        gap.put("Event", "volute:EventsOmitted");
        gap.put("Time", TIME.format(from));
        return Json.write(gap);
    }
}
