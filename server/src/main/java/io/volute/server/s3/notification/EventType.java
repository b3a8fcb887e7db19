package io.volute.server.s3.notification;

import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyChange;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The event types of S3 that occur here (S3 User Guide, "Supported event types"). */
public enum EventType {
    CREATED_PUT("ObjectCreated:Put", "2.1"),
    CREATED_POST("ObjectCreated:Post", "2.1"),
    CREATED_COPY("ObjectCreated:Copy", "2.1"),
    CREATED_MULTIPART("ObjectCreated:CompleteMultipartUpload", "2.1"),
    REMOVED_DELETE("ObjectRemoved:Delete", "2.1"),
    REMOVED_MARKER("ObjectRemoved:DeleteMarkerCreated", "2.1"),
    EXPIRED_DELETE("LifecycleExpiration:Delete", "2.3"),
    EXPIRED_MARKER("LifecycleExpiration:DeleteMarkerCreated", "2.3"),
    TAGS_PUT("ObjectTagging:Put", "2.3"),
    TAGS_DELETED("ObjectTagging:Delete", "2.3"),
    ACL_PUT("ObjectAcl:Put", "2.3");

    private static final String SERVICE = "s3:";
    private static final String ALL = ":*";
    private static final String LIFECYCLE = "lifecycle";

    private final String title;
    private final String recordVersion;

    EventType(String title, String recordVersion) {
        this.title = title;
        this.recordVersion = recordVersion;
    }

    /** Returns the name in records: that of the configuration without {@code s3:}. */
    public String title() {
        return title;
    }

    /** Returns the version of S3 records that has this event first. */
    String recordVersion() {
        return recordVersion;
    }

    /** Returns whether the event makes a version with content. */
    boolean isCreation() {
        return title.startsWith("ObjectCreated");
    }

    /** Returns whether the object has no content after the event. */
    boolean isRemoval() {
        return title.startsWith("ObjectRemoved") || title.startsWith("LifecycleExpiration");
    }

    /** Returns the types that a name of the configuration means; empty for an unknown name. */
    public static Set<EventType> named(String name) {
        Set<EventType> types = EnumSet.noneOf(EventType.class);
        if (name.startsWith(SERVICE)) {
            String rest = name.substring(SERVICE.length());
            String group = rest.endsWith(ALL) ? rest.substring(0, rest.length() - 1) : "";
            Arrays.stream(values())
                    .filter(
                            type ->
                                    type.title.equals(rest)
                                            || !group.isEmpty() && type.title.startsWith(group))
                    .forEach(types::add);
        }
        return Collections.unmodifiableSet(types);
    }

    /** Returns the type of a change; empty for a change that S3 has no event for. */
    public static Optional<EventType> of(KeyChange change) {
        Caller caller = change.caller();
        String operation = caller.request().map(Caller.Request::operation).orElse("");
        boolean isExpiry =
                caller.actor().kind() == ActorName.Kind.SERVER
                        && caller.actor().name().equals(LIFECYCLE);
        return switch (change.kind()) {
            case PUT -> Optional.of(created(caller, operation));
            case MARK -> Optional.of(isExpiry ? EXPIRED_MARKER : REMOVED_MARKER);
            case REMOVE -> Optional.of(isExpiry ? EXPIRED_DELETE : REMOVED_DELETE);
            case TAG ->
                    Optional.of(operation.equals("DeleteObjectTagging") ? TAGS_DELETED : TAGS_PUT);
            case ACL -> Optional.of(ACL_PUT);
            case LOCK -> Optional.empty();
        };
    }

    /** A restore copies an old state, so its event is a copy. */
    private static EventType created(Caller caller, String operation) {
        return switch (operation) {
            case "PostObject" -> CREATED_POST;
            case "CopyObject" -> CREATED_COPY;
            case "CompleteMultipartUpload" -> CREATED_MULTIPART;
            default ->
                    caller.actor().kind() == ActorName.Kind.SERVER
                                    && caller.actor().name().startsWith("restore-")
                            ? CREATED_COPY
                            : CREATED_PUT;
        };
    }
}
