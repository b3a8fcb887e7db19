package io.volute.server.s3.encryption;

import io.volute.provenance.secrecy.Aead;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.encryption.StoredEncryption.Mode;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;

/**
 * The key of SSE-C that a request sends. {@link #toString} has no secret.
 *
 * @param secret 32 bytes
 * @param md5 of the secret, as the client sent it
 */
record CustomerKey(byte[] secret, String md5) {
    private static final String CUSTOMER = "server-side-encryption-customer-";
    static final String ALGORITHM = "AES256";

    /** The object that a key belongs to: the target, or the source of a copy. */
    enum Role {
        OBJECT("x-amz-"),
        COPY_SOURCE("x-amz-copy-source-");

        final String algorithm;
        final String key;
        final String md5;

        Role(String prefix) {
            algorithm = prefix + CUSTOMER + "algorithm";
            key = prefix + CUSTOMER + "key";
            md5 = prefix + CUSTOMER + "key-md5";
        }
    }

    /**
     * Returns the key; empty when the request sends none.
     *
     * @throws S3Exception InvalidArgument or InvalidRequest for an incomplete or wrong one
     */
    static Optional<CustomerKey> of(S3Request request, Role role) {
        Optional<String> algorithm = request.header(role.algorithm);
        Optional<String> key = request.header(role.key);
        Optional<String> md5 = request.header(role.md5);
        if (algorithm.isEmpty() && key.isEmpty() && md5.isEmpty()) {
            return Optional.empty();
        }
        if (algorithm.isEmpty()) {
            throw missing("a valid encryption algorithm");
        }
        if (!algorithm.get().equals(ALGORITHM)) {
            throw S3Exception.invalidArgument(
                    role.algorithm,
                    algorithm.get(),
                    "The requested encryption algorithm is not valid, must be AES256.");
        }
        if (key.isEmpty()) {
            throw missing("an appropriate secret key");
        }
        if (md5.isEmpty()) {
            throw missing("the client calculated MD5 of the secret key");
        }
        byte[] secret = decode(key.get());
        if (secret.length != Aead.KEY_BYTES) {
            throw S3Exception.invalidArgument(
                    role.key, "", "The secret key was invalid for the specified algorithm.");
        }
        if (!MessageDigest.isEqual(md5(secret), decode(md5.get()))) {
            throw S3Exception.invalidArgument(
                    role.md5,
                    md5.get(),
                    "The calculated MD5 hash of the key did not match the hash that was provided.");
        }
        return Optional.of(new CustomerKey(secret, md5.get()));
    }

    private static S3Exception missing(String what) {
        return new S3Exception(
                S3Error.INVALID_ARGUMENT,
                "Requests specifying Server Side Encryption with Customer provided keys must"
                        + " provide "
                        + what
                        + ".");
    }

    private static byte[] decode(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static byte[] md5(byte[] secret) {
        try {
            return MessageDigest.getInstance("MD5").digest(secret);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }

    @Override
    public String toString() {
        return "customer key of MD5 " + md5;
    }

    /** Refuses a key for an object that needs none, and an object whose key is missing. */
    static void requireFitting(
            Optional<StoredEncryption> encryption, Optional<CustomerKey> customer) {
        boolean needed = encryption.map(each -> each.mode() == Mode.CUSTOMER).orElse(false);
        if (needed && customer.isEmpty()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The object was stored using a form of Server Side Encryption. The correct"
                            + " parameters must be provided to retrieve the object.");
        }
        if (!needed && customer.isPresent()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The encryption parameters are not applicable to this object.");
        }
    }
}
