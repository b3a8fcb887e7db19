package io.volute.server.identity;

import io.volute.server.Limits;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The descriptive fields of a user, group, role or managed policy. Immutable.
 *
 * @param path begins and ends with a slash; part of the ARN
 * @param description empty when there is none
 * @param sessionSeconds longest session of a role
 * @param tags values by key
 */
public record IdentityDetails(
        String path, String description, int sessionSeconds, SortedMap<String, String> tags) {
    /** The details of an identity that was created without any. */
    public static final IdentityDetails NONE =
            new IdentityDetails("/", "", Limits.ROLE_SECONDS_MAX, new TreeMap<>());

    public IdentityDetails {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
    }

    public IdentityDetails withPath(String other) {
        return new IdentityDetails(other, description, sessionSeconds, tags);
    }

    public IdentityDetails withDescription(String other) {
        return new IdentityDetails(path, other, sessionSeconds, tags);
    }

    public IdentityDetails withSessionSeconds(int other) {
        return new IdentityDetails(path, description, other, tags);
    }

    public IdentityDetails withTags(SortedMap<String, String> other) {
        return new IdentityDetails(path, description, sessionSeconds, other);
    }
}
