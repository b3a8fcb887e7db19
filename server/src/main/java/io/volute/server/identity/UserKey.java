package io.volute.server.identity;

import java.time.Instant;

/**
 * An access key of a user.
 *
 * @param secret in clear, in memory only
 * @param sealed as it is kept, Base64
 * @param active whether it is taken
 */
public record UserKey(
        String accessKey,
        String user,
        Instant created,
        boolean active,
        String secret,
        String sealed) {

    UserKey withActive(boolean other) {
        return new UserKey(accessKey, user, created, other, secret, sealed);
    }

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "UserKey[accessKey=" + accessKey + ", user=" + user + ", active=" + active + "]";
    }
}
