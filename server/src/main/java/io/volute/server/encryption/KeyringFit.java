package io.volute.server.encryption;

/** The result of the comparison of a data key with a keyring. */
public enum KeyringFit {
    /** It does, or only the customer or a key service can decide. */
    OPENS,
    /** The erasure secret was destroyed. */
    ERASED,
    /** The keyring lacks the named key, or has other secrets. */
    OTHER
}
