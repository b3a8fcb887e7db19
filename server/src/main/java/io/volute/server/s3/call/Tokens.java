package io.volute.server.s3.call;

import io.volute.server.s3.error.S3Exception;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Continuation tokens: a name, opaque to clients. */
public final class Tokens {
    private Tokens() {}

    public static String encode(String name) {
        return Base64.getUrlEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }

    public static String decode(String token) {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(token);
            if (bytes.length > 0) {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            }
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw invalid(token);
        }
        throw invalid(token);
    }

    private static S3Exception invalid(String token) {
        return S3Exception.invalidArgument(
                "continuation-token", token, "The continuation token provided is incorrect");
    }
}
