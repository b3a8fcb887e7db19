package io.volute.adminapi;

import java.util.List;

/** The named keys that wrap the data keys of encrypted objects, and the erasure of data keys. */
public final class EncryptionApi {
    private EncryptionApi() {}

    public record EncryptionKeys(List<EncryptionKey> keys) {}

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
