package io.volute.provenance.keys;

/** What a key may sign; the ordinal + 1 is the code. */
public enum KeyRole {
    /** Batches, checkpoints, key records. */
    STORE,
    /** What its owner does. */
    PRINCIPAL,
    /** Checkpoints of others. */
    WITNESS
}
