package io.volute.server.credentials;

import java.util.Optional;

/** Finds the secret of an access key. Safe for use by many threads. */
public interface CredentialStore {

    /** Finds the credential of an access key; empty when there is none. */
    Optional<Credential> find(String accessKey);

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
