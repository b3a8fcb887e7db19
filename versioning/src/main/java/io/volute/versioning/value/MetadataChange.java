package io.volute.versioning.value;

import java.util.Map;
import java.util.Optional;

/** A change of the metadata of a version that leaves its content as it is. */
public sealed interface MetadataChange {

    /** Returns the changed attributes. */
    ObjectAttributes apply(ObjectAttributes attributes);

    /**
     * Replaces the tags.
     *
     * @param tags empty to remove them
     */
    record Tags(Map<String, String> tags) implements MetadataChange {
        public Tags {
            tags = Map.copyOf(tags);
        }

        @Override
        public ObjectAttributes apply(ObjectAttributes attributes) {
            return attributes.withTags(tags);
        }
    }

    /**
     * Replaces the ACL, which is the header {@link ObjectAttributes#ACL}.
     *
     * @param text its stored form, which the server defines; empty to remove it
     */
    record Acl(Optional<String> text) implements MetadataChange {
        @Override
        public ObjectAttributes apply(ObjectAttributes attributes) {
            return attributes.withHeader(ObjectAttributes.ACL, text);
        }
    }
}
