package io.volute.provenance.keys;

/** The purpose of a key; the ordinal + 1 is the code. */
public enum KeyRole {
    /** Signs batches, checkpoints and key records. */
    STORE,
    /** Signs the actions of its owner. */
    PRINCIPAL,
    /** Co-signs checkpoints of the store. */
    WITNESS,
    /** Signs nothing; decrypts encrypted fields. */
    AUDITOR
}
