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
    @Described("The key service that has further keys")
    public record KeyServiceState(
            String address,
            @Described("Names of its keys that objects may select") List<String> keys,
            @Described("Cause of the failure of the last call; absent if it succeeded")
                    Optional<String> failure) {}

    /**
     * A named key.
     *
     * @param version the number of its newest version, which wraps the data keys of new objects
     */
    public record EncryptionKey(
            String name,
            @Described("The newest one, which wraps the data keys of new objects") long version) {}

    /** Adds a version to a named key. */
    public record RotateRequest(String name) {}

    /** Destroys the data keys of all states of a key. */
    public record ShredRequest(String bucket, String key) {}

    public record Shredded(String bucket, String key, long shreddedStates) {}
}
