package io.volute.server.s3.encryption;

import io.volute.server.encryption.KeyGoneException;
import io.volute.server.encryption.KeyServiceException;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.util.Optional;

/** The errors that S3 clients see when a data key cannot be made or opened. */
final class KeyRefusals {
    /** Long enough for the next attempt to reach the key service. */
    private static final String RETRY_SECONDS = "5";

    private KeyRefusals() {}

    /** Returns the error for a data key that does not open; empty for a fault of the server. */
    static Optional<S3Exception> of(KeyGoneException e) {
        return switch (e.reason()) {
            case SHREDDED -> Optional.of(new S3Exception(S3Error.OBJECT_SHREDDED));
            case OTHER_KEY ->
                    Optional.of(
                            new S3Exception(
                                    S3Error.INVALID_REQUEST,
                                    "The provided encryption parameters did not match the ones used"
                                            + " originally."));
            case UNKNOWN_KEY -> Optional.empty();
        };
    }

    /** Returns the error for a call of the key service that failed. */
    static S3Exception of(KeyServiceException e) {
        return switch (e.kind()) {
            case UNAVAILABLE ->
                    new S3Exception(
                                    S3Error.SERVICE_UNAVAILABLE,
                                    "The key service of this server cannot be used now. Try again.")
                            .withHeader("retry-after", RETRY_SECONDS);
            case REFUSED -> new S3Exception(S3Error.KMS_INVALID_STATE);
        };
    }
}
