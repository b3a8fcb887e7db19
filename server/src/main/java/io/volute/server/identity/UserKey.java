package io.volute.server.identity;

import io.volute.server.credentials.Credential;
import java.time.Instant;
import java.util.Optional;

/**
 * An access key of a user.
 *
 * @param secret in clear, in memory only
 * @param sealed as it is kept, Base64
 * @param active whether it is taken
 * @param generation how often it was disabled
 */
public record UserKey(
        String accessKey,
        String user,
        Instant created,
        boolean active,
        long generation,
        String secret,
        String sealed) {

    /** Disabling it invalidates the sessions that it began, also for the time after. */
    UserKey withActive(boolean other) {
        long later = other ? generation : generation + 1;
        return new UserKey(accessKey, user, created, other, later, secret, sealed);
    }

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "UserKey[accessKey=" + accessKey + ", user=" + user + ", active=" + active + "]";
    }

    /** Returns the credential that it is for its user. */
    Credential credential(Holder owner) {
        return new Credential(
                accessKey,
                secret,
                owner.name(),
                owner.name(),
                Credential.Kind.USER,
                generation,
                Optional.empty(),
                owner.details().path(),
                owner.details().tags());
    }
}
