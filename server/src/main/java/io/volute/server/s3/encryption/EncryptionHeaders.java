package io.volute.server.s3.encryption;

import io.volute.server.encryption.EncryptionContext;
import io.volute.server.json.Json;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.encryption.StoredEncryption.Mode;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The encryption by the store that the headers of a request select.
 *
 * @param isNamed whether a named key wraps the data key (SSE-KMS)
 * @param key the named key; empty for the default one
 * @param context what the client binds to the data key
 */
record EncryptionHeaders(
        boolean isNamed, Optional<String> key, boolean bucketKey, EncryptionContext context) {
    static final String MODE = "x-amz-server-side-encryption";
    static final String KEY_ID = MODE + "-aws-kms-key-id";
    static final String BUCKET_KEY = MODE + "-bucket-key-enabled";
    static final String STORE = "AES256";
    static final String NAMED = "aws:kms";
    static final String CONTEXT = MODE + "-context";
    private static final String[] ALL = {MODE, KEY_ID, CONTEXT, BUCKET_KEY};
    private static final String TWO_LAYERS = "aws:kms:dsse";

    /** Begins the names of a context that S3 itself adds. */
    private static final String RESERVED = "aws:";

    /**
     * Returns the selection of a request; empty when its headers select nothing.
     *
     * @throws S3Exception InvalidArgument for headers that do not fit together or a context that is
     *     none, NotImplemented for two layers
     */
    static Optional<EncryptionHeaders> of(S3Request request) {
        Optional<String> mode = request.header(MODE);
        Optional<String> key = request.header(KEY_ID);
        Optional<String> context = request.header(CONTEXT);
        boolean bucketKey = request.header(BUCKET_KEY).orElse("").equalsIgnoreCase("true");
        if (mode.isEmpty()) {
            if (key.isPresent() || context.isPresent()) {
                throw S3Exception.invalidArgument(
                        MODE,
                        "",
                        "Server Side Encryption with KMS managed key requires HTTP header"
                                + " x-amz-server-side-encryption : aws:kms");
            }
            return Optional.empty();
        }
        boolean isNamed = isNamed(MODE, mode.get());
        if (!isNamed && (key.isPresent() || context.isPresent())) {
            throw S3Exception.invalidArgument(
                    MODE,
                    mode.get(),
                    "Server Side Encryption with KMS managed key requires HTTP header"
                            + " x-amz-server-side-encryption : aws:kms");
        }
        return Optional.of(
                new EncryptionHeaders(
                        isNamed,
                        key,
                        bucketKey,
                        context.map(EncryptionHeaders::context).orElse(EncryptionContext.NONE)));
    }

    private static EncryptionContext context(String base64) {
        Map<String, String> pairs = new HashMap<>();
        try {
            Json.read(Base64.getDecoder().decode(base64))
                    .forEach((name, value) -> pairs.put(name, text(value)));
        } catch (IOException | IllegalArgumentException e) {
            throw S3Exception.invalidArgument(
                    CONTEXT,
                    base64,
                    "The header '"
                            + CONTEXT
                            + "' shall be Base64-encoded UTF-8 string holding JSON which represents"
                            + " a string-string map");
        }
        for (String name : pairs.keySet()) {
            if (name.startsWith(RESERVED)) {
                throw S3Exception.invalidArgument(
                        CONTEXT, base64, "The encryption context has the reserved name " + name);
            }
        }
        return EncryptionContext.of(pairs);
    }

    private static String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("no text");
    }

    /**
     * Refuses the headers of the store's encryption on a request that reads: the store knows how
     * the object is encrypted.
     */
    static void refuse(S3Request request) {
        for (String name : ALL) {
            Optional<String> value = request.header(name);
            if (value.isPresent()) {
                throw S3Exception.unsupportedHeader(name, value.get());
            }
        }
    }

    /**
     * Refuses headers that do not repeat the encryption of an upload. S3 refuses them with every
     * completion, and clients of MinIO repeat them.
     */
    static void requireRepeating(S3Request request, Optional<StoredEncryption> upload) {
        boolean isSame =
                of(request)
                        .map(each -> upload.filter(each::isOf).isPresent())
                        .orElse(request.header(BUCKET_KEY).isEmpty());
        if (!isSame) {
            refuse(request);
        }
    }

    private boolean isOf(StoredEncryption stored) {
        boolean isSameKey = key.isEmpty() || key.get().equals(stored.key().name());
        return stored.mode() == (isNamed ? Mode.NAMED : Mode.STORE)
                && isSameKey
                && context.equals(stored.key().context());
    }

    /** Returns whether an algorithm of S3 stands for named keys. */
    static boolean isNamed(String name, String algorithm) {
        return switch (algorithm) {
            case STORE -> false;
            case NAMED -> true;
            case TWO_LAYERS -> throw S3Exception.notImplemented(name + " " + TWO_LAYERS);
            default ->
                    throw new S3Exception(
                                    S3Error.INVALID_ARGUMENT,
                                    "The encryption method specified is not supported")
                            .with("ArgumentName", name)
                            .with("ArgumentValue", algorithm);
        };
    }
}
