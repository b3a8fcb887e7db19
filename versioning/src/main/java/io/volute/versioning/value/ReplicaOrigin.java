package io.volute.versioning.value;

import java.util.Optional;

/**
 * The version or delete marker that a replica is a copy of.
 *
 * @param source the bucket that has it, unique among stores: the id of the store, a slash and the
 *     name of the bucket
 * @param number its number there; ascends among the versions of a key
 */
public record ReplicaOrigin(String source, long number) {
    private static final int MOST_CHARS = 256;

    /** Returns the origin of a replica; empty for other versions. */
    public static Optional<ReplicaOrigin> of(ObjectAttributes attributes) {
        return Optional.ofNullable(attributes.headers().get(ObjectAttributes.REPLICA))
                .flatMap(ReplicaOrigin::parse);
    }

    /** Parses the text form; empty when it is none. */
    public static Optional<ReplicaOrigin> parse(String text) {
        int slash = text.lastIndexOf('/');
        if (text.length() > MOST_CHARS || !text.matches("[0-9a-f-]{36}/[a-z0-9.-]{3,63}/v.*")) {
            return Optional.empty();
        }
        return VersionId.parse(text.substring(slash + 1))
                .map(
                        selector ->
                                new ReplicaOrigin(
                                        text.substring(0, slash),
                                        ((VersionSelector.Numbered) selector).number()));
    }

    /** Returns the text form: the source, a slash and the version id. */
    public String text() {
        return source + "/" + VersionId.format(number, false);
    }
}
