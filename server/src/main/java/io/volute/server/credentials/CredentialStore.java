package io.volute.server.credentials;

import java.util.Optional;

/** Finds the secret of an access key. Safe for use by many threads. */
public interface CredentialStore {

    /** Finds the credential of an access key; empty when there is none. */
    Optional<Credential> find(String accessKey);

    /**
     * Returns the name for people of a user, who may own objects and have grants; empty when there
     * is no such user.
     */
    default Optional<String> displayName(String principal) {
        return Optional.empty();
    }

    /** Returns a store that has the credentials of this one and then those of another. */
    default CredentialStore or(CredentialStore other) {
        CredentialStore first = this;
        return new CredentialStore() {
            @Override
            public Optional<Credential> find(String accessKey) {
                return first.find(accessKey).or(() -> other.find(accessKey));
            }

            @Override
            public Optional<String> displayName(String principal) {
                return first.displayName(principal).or(() -> other.displayName(principal));
            }
        };
    }

    /**
     * Finds a temporary credential, which may have expired.
     *
     * @param token the session token that was issued with it
     * @return empty when the token is not that key's, or when the creator's own key was deleted
     */
    default Optional<Credential> session(String accessKey, String token) {
        return Optional.empty();
    }
}
