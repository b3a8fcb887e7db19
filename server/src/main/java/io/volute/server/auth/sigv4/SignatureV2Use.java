package io.volute.server.auth.sigv4;

/** The requests that may have a signature of version 2: setting {@code s3.signature-v2}. */
public enum SignatureV2Use {
    /** None. */
    OFF,
    /** Presigned URLs. */
    PRESIGNED,
    /** Presigned URLs, and requests that are signed in their Authorization header. */
    ALL
}
