package io.volute.provenance.audit;

/** The likely cause of a finding; of several indistinguishable causes, the most common one. */
public enum Cause {
    UNREADABLE(Promise.I2, "the record is damaged, or of a program that is not known"),
    UNVERIFIABLE(Promise.I1, "the chain cannot be verified in the requested way"),
    REMOVED(Promise.I1, "entries were taken out"),
    REMOVED_TOO_SOON(Promise.I1, "entries were taken out that the store had to keep"),
    ROLLED_BACK(Promise.I1, "an older state of the chain is shown"),
    HIDDEN(Promise.I1, "the chains differ from a checkpoint: hidden, cut off or replaced"),
    MISPLACED(Promise.I2, "an entry was inserted, repeated or moved"),
    BACKDATED(Promise.I2, "an entry claims a commit before its predecessor's"),
    HIDDEN_FROM_KIND(Promise.I1, "an entry skips others of its kind"),
    ALTERED(Promise.I2, "the entry was changed after it was signed, or never signed"),
    REPLACED(Promise.I4, "somebody with a key signed another entry in its place"),
    FALSE_SOURCE(Promise.I2, "a copy or restore names a source that is not there"),
    UNKNOWN_KEY(Promise.I2, "signed with a key that no other key signed in"),
    EXPIRED_KEY(Promise.I2, "signed with a key outside its validity"),
    NOT_OF_STORE(Promise.I2, "signed with a key that is not the store's"),
    FOREIGN_NAME(Promise.I3, "made in the name of somebody else"),
    BAD_ATTESTATION(Promise.I3, "the principal did not sign this"),
    REPEATED_ATTESTATION(Promise.I3, "a principal's signature was used twice"),
    BAD_SIGNATURE(Promise.I5, "a signature is missing or was changed"),
    TRANSPLANTED(Promise.I6, "it belongs to another key, bucket or store"),
    CONTENT_CHANGED(Promise.I7, "the content was changed without an entry"),
    CONTENT_DAMAGED(Promise.I7, "the stored bytes fail their checksum, as after a bad sector"),
    STATE_CHANGED(Promise.I7, "metadata, tags, a lock or another attribute was changed"),
    STATE_REMOVED(Promise.I7, "a version or delete marker was removed without an entry"),
    UNSIGNED_STATE(Promise.I7, "a version or delete marker was made without an entry"),
    CURRENT_CHANGED(Promise.I7, "another version was made the current one without an entry"),
    ERASURE_CHANGED(Promise.I7, "the keyring does not fit the signed shreds"),
    BAD_KEY_MATERIAL(Promise.C1, "key material was exchanged"),
    BAD_OPENING(Promise.C2, "a text was put back that is not the one withheld");

    private final Promise promise;
    private final String text;

    Cause(Promise promise, String text) {
        this.promise = promise;
        this.text = text;
    }

    public Promise promise() {
        return promise;
    }

    public String text() {
        return text;
    }
}
