package io.volute.versioning;

import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.util.Optional;

/** Compares the data keys of encrypted versions with the keyring. Thread-safe. */
@FunctionalInterface
public interface Openings {
    /**
     * Compares the data key of a version; returns at once.
     *
     * @param bucket name of the bucket
     * @return empty when the version is not encrypted
     */
    Optional<Opening> of(String bucket, ObjectKey key, ObjectAttributes attributes);

    /**
     * The result of a comparison with the keyring.
     *
     * @param secret number of the erasure secret of the data key
     * @param fit whether the keyring opens the data key
     */
    record Opening(long secret, Fit fit) {}

    /** The ways in which a keyring fits a data key. */
    enum Fit {
        /** It does, as far as can be decided without the client and without a key service. */
        OPENS,
        /** The erasure secret was destroyed. */
        ERASED,
        /** The keyring lacks the named key, or has other secrets. */
        OTHER
    }
}
