package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/** The place of a sealed {@link Keyring}, which several servers may share. Thread-safe. */
public interface KeyringPlace {
    /** The version of a keyring that is not in its place yet. */
    int ABSENT = -1;

    /** A sealed keyring and the number of its version. */
    record Stored(Bytes sealed, int version) {}

    /** Thrown when keys are destroyed, but another server may still have them in memory. */
    final class UnconfirmedException extends IOException {
        private static final long serialVersionUID = 1L;

        /**
         * @param message names the servers
         */
        public UnconfirmedException(String message) {
            super(message);
        }
    }

    /** Returns the sealed keyring; empty when there is none yet. */
    Optional<Stored> load() throws IOException;

    /** Returns whether a version is the newest one. */
    boolean isNewest(int version) throws IOException;

    /**
     * Replaces the sealed keyring of a version. When it returns a version, the new keyring survives
     * a crash, and the old one is overwritten.
     *
     * @return the new version; empty if another server has replaced that version
     */
    OptionalInt replace(Bytes sealed, int version) throws IOException;

    /**
     * Waits until no other server can open data keys with a keyring older than a version.
     *
     * @throws UnconfirmedException if one may still do so; a repetition can succeed
     */
    void awaitLoaded(int version) throws IOException;
}
