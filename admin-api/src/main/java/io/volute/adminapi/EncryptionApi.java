package io.volute.adminapi;

import java.util.List;
import java.util.Optional;

/** The named keys that wrap the data keys of encrypted objects, and the erasure of data keys. */
public final class EncryptionApi {
    private EncryptionApi() {}

    /**
     * The named keys.
     *
     * @param keys those of the keyring
     * @param service the key service that has further ones; empty when there is none
     */
    public record EncryptionKeys(List<EncryptionKey> keys, Optional<KeyServiceState> service) {}

    /**
     * A key service outside of the server.
     *
     * @param keys names of its keys that objects may select
     * @param failure why the last call failed; empty if it succeeded
     */
    public record KeyServiceState(String address, List<String> keys, Optional<String> failure) {}

    /**
     * A named key.
     *
     * @param version the number of its newest version, which wraps the data keys of new objects
     */
    public record EncryptionKey(String name, long version) {}

    /** Adds a version to a named key. */
    public record RotateRequest(String name) {}

    /** Destroys the data keys of all states of a key. */
    public record ShredRequest(String bucket, String key) {}

    public record Shredded(String bucket, String key, long shreddedStates) {}
}
