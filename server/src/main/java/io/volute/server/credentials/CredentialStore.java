package io.volute.server.credentials;

import java.util.Optional;

/** Who may call: finds the secret that belongs to an access key. Safe for use by many threads. */
public interface CredentialStore {

    /** The credential of an access key; empty when nobody has it. */
    Optional<Credential> find(String accessKey);

    /**
     * A temporary credential, which may have expired.
     *
     * @param token what was given with it
     * @return empty when the token is not that key's, or whoever asked for it has lost his own key
     */
    default Optional<Credential> session(String accessKey, String token) {
        return Optional.empty();
    }
}
