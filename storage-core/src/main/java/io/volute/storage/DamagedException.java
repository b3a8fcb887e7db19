package io.volute.storage;

import java.io.IOException;

/** Stored bytes are not what was written: a checksum or identity mismatch inside durable data. */
public final class DamagedException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param file name of the file, without directories
     * @param offset in that file, bytes
     * @param found what was expected and what was found, and what is hit by it
     */
    public DamagedException(String file, long offset, String found) {
        super("damaged: " + file + " at offset " + offset + ": " + found);
    }
}
