package io.volute.server.credentials;

/**
 * An access key with its secret and the one it stands for.
 *
 * @param accessKey sent in the clear with each request
 * @param secretKey shared secret of SigV4; never logged
 * @param principal stable name of the caller, as kept with what it writes
 * @param displayName for people to read
 * @param root may do everything
 */
public record Credential(
        String accessKey, String secretKey, String principal, String displayName, boolean root) {

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "Credential[accessKey="
                + accessKey
                + ", principal="
                + principal
                + ", root="
                + root
                + "]";
    }
}
