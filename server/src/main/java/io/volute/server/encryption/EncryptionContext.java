package io.volute.server.encryption;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.RefusedException;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Names and values that a client binds to the data key of its object: the data key opens only with
 * the same ones (AWS KMS Developer Guide, "Encryption context"). They are no secret. Immutable.
 *
 * @param pairs values by name
 */
public record EncryptionContext(SortedMap<String, String> pairs) {
    /** A context without pairs. */
    public static final EncryptionContext NONE = new EncryptionContext(new TreeMap<>());

    private static final int LONGEST_TEXT_BYTES = 0xFFFF;

    public EncryptionContext {
        pairs = Collections.unmodifiableSortedMap(new TreeMap<>(pairs));
    }

    /** Creates a context from pairs in any order. */
    public static EncryptionContext of(Map<String, String> pairs) {
        return new EncryptionContext(new TreeMap<>(pairs));
    }

    /** Returns the associated data of the wrapped key; empty for a context without pairs. */
    Bytes associatedData() {
        if (pairs.isEmpty()) {
            return Bytes.EMPTY;
        }
        ByteWriter out = new ByteWriter().raw(Domain.prefix("encryption-context"));
        encode(out);
        return out.toBytes();
    }

    /** Writes the pairs, by name. */
    public void encode(ByteWriter out) {
        out.u16(pairs.size());
        pairs.forEach((name, value) -> out.text(name).text(value));
    }

    /** Reads what {@link #encode} writes. */
    public static EncryptionContext decode(ByteReader in) throws RefusedException {
        SortedMap<String, String> pairs = new TreeMap<>();
        for (int left = in.u16("pairs"); left > 0; left--) {
            String name = in.text(0, LONGEST_TEXT_BYTES, "name");
            pairs.put(name, in.text(0, LONGEST_TEXT_BYTES, "value"));
        }
        return new EncryptionContext(pairs);
    }
}
