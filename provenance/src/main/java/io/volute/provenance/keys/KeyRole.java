package io.volute.provenance.keys;

/** What a key is for; the ordinal + 1 is the code. */
public enum KeyRole {
    /** Batches, checkpoints, key records. */
    STORE,
    /** What its owner does. */
    PRINCIPAL,
    /** Checkpoints of others. */
    WITNESS,
    /** Signs nothing: may read what is encrypted. */
    AUDITOR
}
