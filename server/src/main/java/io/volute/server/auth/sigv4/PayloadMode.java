package io.volute.server.auth.sigv4;

import io.volute.server.s3.error.S3Exception;

/** The protection of a body, by its {@code x-amz-content-sha256}. */
public enum PayloadMode {
    /** The header is the SHA-256 of the body. */
    SIGNED_SINGLE,
    /** The body has no protection but that of the connection. */
    UNSIGNED_PAYLOAD,
    /** The body is the file of a form, whose length nothing announces. */
    FORM,
    /** Chunks, each with a signature. */
    STREAMING_SIGNED,
    /** Chunks, each with a signature, and signed trailers. */
    STREAMING_SIGNED_TRAILER,
    /** Chunks without signatures, and a checksum as trailer. */
    STREAMING_UNSIGNED_TRAILER;

    /** The mode that a value of {@code x-amz-content-sha256} names. */
    static PayloadMode of(String value) {
        switch (value) {
            case "UNSIGNED-PAYLOAD":
                return UNSIGNED_PAYLOAD;
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD":
                return STREAMING_SIGNED;
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER":
                return STREAMING_SIGNED_TRAILER;
            case "STREAMING-UNSIGNED-PAYLOAD-TRAILER":
                return STREAMING_UNSIGNED_TRAILER;
            default:
                if (Claim.isHex64(value)) {
                    return SIGNED_SINGLE;
                }
                throw S3Exception.invalidArgument(
                        "x-amz-content-sha256",
                        value,
                        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD,"
                                + " STREAMING-AWS4-HMAC-SHA256-PAYLOAD,"
                                + " STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER,"
                                + " STREAMING-UNSIGNED-PAYLOAD-TRAILER or a valid sha256 value.");
        }
    }

    /** The body is {@code aws-chunked}. */
    public boolean isStreaming() {
        return switch (this) {
            case SIGNED_SINGLE, UNSIGNED_PAYLOAD, FORM -> false;
            case STREAMING_SIGNED, STREAMING_SIGNED_TRAILER, STREAMING_UNSIGNED_TRAILER -> true;
        };
    }

    /** Chunks carry signatures. */
    public boolean hasChunkSignatures() {
        return switch (this) {
            case SIGNED_SINGLE, UNSIGNED_PAYLOAD, FORM, STREAMING_UNSIGNED_TRAILER -> false;
            case STREAMING_SIGNED, STREAMING_SIGNED_TRAILER -> true;
        };
    }

    /** Trailers must follow the last chunk. */
    public boolean hasTrailers() {
        return switch (this) {
            case SIGNED_SINGLE, UNSIGNED_PAYLOAD, FORM, STREAMING_SIGNED -> false;
            case STREAMING_SIGNED_TRAILER, STREAMING_UNSIGNED_TRAILER -> true;
        };
    }

    /** Returns whether no signature covers the bytes. */
    public boolean isUnsigned() {
        return switch (this) {
            case UNSIGNED_PAYLOAD, FORM, STREAMING_UNSIGNED_TRAILER -> true;
            case SIGNED_SINGLE, STREAMING_SIGNED, STREAMING_SIGNED_TRAILER -> false;
        };
    }
}
