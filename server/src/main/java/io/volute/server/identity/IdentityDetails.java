package io.volute.server.identity;

import io.volute.server.Limits;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The fields of a user, group, role or managed policy that describe or limit it. Immutable.
 *
 * @param path begins and ends with a slash; part of the ARN
 * @param description empty when there is none
 * @param sessionSeconds longest session of a role
 * @param tags values by key
 * @param boundary name of the managed policy that limits the permissions of a user or role
 */
public record IdentityDetails(
        String path,
        String description,
        int sessionSeconds,
        SortedMap<String, String> tags,
        Optional<String> boundary) {
    /** The details of an identity that was created without any. */
    public static final IdentityDetails NONE =
            new IdentityDetails(
                    "/", "", Limits.ROLE_SECONDS_MAX, new TreeMap<>(), Optional.empty());

    public IdentityDetails {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
    }

    public IdentityDetails withPath(String other) {
        return new IdentityDetails(other, description, sessionSeconds, tags, boundary);
    }

    public IdentityDetails withDescription(String other) {
        return new IdentityDetails(path, other, sessionSeconds, tags, boundary);
    }

    public IdentityDetails withSessionSeconds(int other) {
        return new IdentityDetails(path, description, other, tags, boundary);
    }

    public IdentityDetails withTags(SortedMap<String, String> other) {
        return new IdentityDetails(path, description, sessionSeconds, other, boundary);
    }

    public IdentityDetails withBoundary(Optional<String> other) {
        return new IdentityDetails(path, description, sessionSeconds, tags, other);
    }
}
