package io.volute.server.outbound;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.provenance.keys.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The means to use a bucket of another server.
 *
 * @param signer makes the signer for each request, because credentials may be renewed
 * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
 */
public record S3Access(Signers signer, Optional<Path> authorities) {

    /** Makes signers of requests. */
    @FunctionalInterface
    public interface Signers {
        /**
         * @throws IOException when there are no usable credentials; the message has the next step
         */
        RequestSigner get() throws IOException;
    }

    /**
     * Returns access with the credentials of a private file: access key, white space, secret key.
     *
     * @param what name of the file for messages
     */
    public static S3Access ofFile(
            String what, Path file, String region, Optional<Path> authorities) {
        PrivateFile credentials = new PrivateFile(what, file);
        Signers signers =
                () -> {
                    String[] pair = credentials.read().split("\\s+");
                    if (pair.length != 2) {
                        throw credentials.unusable(
                                "is not an access key and a secret key with white space between"
                                        + " them");
                    }
                    return new RequestSigner(pair[0], pair[1], region);
                };
        return new S3Access(signers, authorities);
    }
}
