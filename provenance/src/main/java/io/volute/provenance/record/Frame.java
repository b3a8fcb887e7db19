package io.volute.provenance.record;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;

/** A piece of an export. */
public record Frame(int type, Bytes payload) {
    public static final Bytes MAGIC = new ByteWriter().raw(Bytes.of("VOLPROV")).u8(1).toBytes();
    public static final int BYTES_MAX = 1 << 20;

    /** The type of the payload (TREE: an auditors' tree); the ordinal + 1 is the code. */
    public enum Type {
        CHAIN,
        BATCH,
        ENTRY,
        END,
        TREE;

        public int code() {
            return ordinal() + 1;
        }
    }

    public Bytes encode() {
        return new ByteWriter().u8(type).bytes32(payload).toBytes();
    }
}
