package io.volute.versioning.provenance;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/** The erasure secrets that the signed shreds of a key destroyed. Not thread-safe. */
public final class ErasedSecrets {
    static final Bytes DETAIL = Bytes.of("erased");

    private final SortedSet<Long> secrets = new TreeSet<>();
    private long lastUnnamed = -1;

    /** Returns the detail of the entry of a shred. */
    static Field field(Collection<Long> secrets) {
        ByteBuffer numbers = ByteBuffer.allocate(secrets.size() * Long.BYTES);
        secrets.forEach(numbers::putLong);
        return new Field(Field.Form.PLAIN, Bytes.of(numbers.array()));
    }

    /** Takes an entry of the chain, in any order. */
    public void add(Entry entry) {
        boolean isShred =
                entry.kind() == EventKind.PURGE
                        && entry.details().containsKey(ProvenanceRecorder.SHREDDED);
        Field named = entry.details().get(DETAIL);
        if (isShred && named == null) {
            lastUnnamed = Math.max(lastUnnamed, entry.sequence());
        } else if (isShred && named.value().length() % Long.BYTES == 0) {
            ByteBuffer numbers = ByteBuffer.wrap(named.value().toArray());
            while (numbers.hasRemaining()) {
                secrets.add(numbers.getLong());
            }
        }
    }

    /** Returns the secrets that entries name. */
    public SortedSet<Long> named() {
        return secrets;
    }

    /** Returns whether an entry states that a secret was destroyed. */
    public boolean has(long secret) {
        return secrets.contains(secret);
    }

    /**
     * Returns whether a shred follows an entry and does not name what it destroyed, as those of
     * older programs.
     */
    public boolean hasUnnamedBehind(long entry) {
        return entry < lastUnnamed;
    }
}
