package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import java.util.Optional;
import java.util.SortedSet;

/**
 * A service outside of this server that encrypts short texts under named keys, which never leave
 * it. Its calls block for a bounded time. Implementations are thread-safe.
 */
public interface KeyService {

    /** Returns the names of the keys that new objects may select. */
    SortedSet<String> names();

    /**
     * A text that only the service decrypts.
     *
     * @param version the version of the key, from 1 on
     * @param ciphertext in the form of the service
     */
    record Encrypted(int version, String ciphertext) {}

    /** Encrypts a text under the newest version of a key. */
    Encrypted encrypt(String name, Bytes plain) throws KeyServiceException;

    /** Decrypts what {@link #encrypt} returned as ciphertext. */
    Bytes decrypt(String name, String ciphertext) throws KeyServiceException;

    /** Returns the state of the service. */
    State state();

    /**
     * The state of a service as this server sees it.
     *
     * @param address of the service
     * @param failure why the last call failed; empty if it succeeded
     * @param calls number of calls
     * @param failures number of failed calls
     * @param cacheHits number of decryptions that needed no call
     */
    record State(
            String address, Optional<String> failure, long calls, long failures, long cacheHits) {}
}
