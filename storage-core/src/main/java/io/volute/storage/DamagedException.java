package io.volute.storage;

import java.io.IOException;

/**
 * Thrown when stored bytes are not the written ones: a checksum or identity mismatch inside durable
 * data.
 */
public final class DamagedException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param file name of the file, without directories
     * @param offset offset in that file, in bytes
     * @param found the expected bytes, the ones found, and the data concerned
     */
    public DamagedException(String file, long offset, String found) {
        super("damaged: " + file + " at offset " + offset + ": " + found);
    }
}
