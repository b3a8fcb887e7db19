package io.volute.server.credentials;

import java.util.Optional;

/** Who may call: finds the secret that belongs to an access key. Safe for use by many threads. */
public interface CredentialStore {

    /** The credential of an access key; empty when nobody has it. */
    Optional<Credential> find(String accessKey);
}
