package io.volute.storage.rows;

import io.volute.storage.format.LogEntry;
import java.util.Arrays;

/** The identity of a record: family id and key bytes, compared by value. */
public final class RecordKey {
    private final int family;
    private final byte[] key;
    private final int hash;

    public RecordKey(int family, byte[] key) {
        this.family = family;
        this.key = key;
        this.hash = 31 * Arrays.hashCode(key) + family;
    }

    public static RecordKey of(LogEntry.RecordPut put) {
        return new RecordKey(put.family(), put.key());
    }

    public int family() {
        return family;
    }

    public byte[] key() {
        return key;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RecordKey that
                && hash == that.hash
                && family == that.family
                && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "family " + family + " key of " + key.length + " bytes";
    }
}
