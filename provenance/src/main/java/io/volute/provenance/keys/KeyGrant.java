package io.volute.provenance.keys;

/**
 * A public key, what it is for and when.
 *
 * @param owner principal, witness or auditor; empty for the store
 * @param validFrom the first commit sequence
 * @param validUntil the first commit sequence at which it is not valid any more; {@link #OPEN}
 */
public record KeyGrant(PublicKey key, KeyRole role, String owner, long validFrom, long validUntil) {
    public static final long OPEN = Long.MAX_VALUE;

    /**
     * @throws IllegalArgumentException when an auditor's key signs, or another one does not
     */
    public KeyGrant {
        if (key.algorithm().signs() == (role == KeyRole.AUDITOR)) {
            throw new IllegalArgumentException(key.algorithm() + " is not for a " + role);
        }
    }

    public boolean isValidAt(long commitSequence) {
        return commitSequence >= validFrom && commitSequence < validUntil;
    }

    public KeyGrant until(long end) {
        return new KeyGrant(key, role, owner, validFrom, end);
    }

    /** Returns whether this grant differs from an earlier one only by an earlier end. */
    boolean shortens(KeyGrant earlier) {
        return equals(earlier.until(validUntil)) && validUntil < earlier.validUntil;
    }
}
