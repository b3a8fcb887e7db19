package io.volute.server.s3.checksum;

import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.PayloadMode;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The digests that a request promises for its body, in binary form.
 *
 * @param sha256 from {@code x-amz-content-sha256}
 * @param md5 from {@code Content-MD5}
 * @param algorithm of the additional checksum, in a header or in a trailer
 * @param checksum its value, when it came in a header
 */
public record Promises(
        Optional<byte[]> sha256,
        Optional<byte[]> md5,
        Optional<Algorithm> algorithm,
        Optional<byte[]> checksum) {
    /** The absence of promises. */
    public static final Promises NONE =
            new Promises(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * Reads the promises of a request whose body is data (an object, a part or a document).
     *
     * @throws S3Exception InvalidDigest or InvalidRequest for what cannot be a digest
     */
    public static Promises of(Verified verified) {
        HeaderList headers = verified.headers();
        Optional<byte[]> sha256 =
                verified.payload() == PayloadMode.SIGNED_SINGLE
                        ? Optional.of(HexFormat.of().parseHex(verified.payloadHash()))
                        : Optional.empty();
        Optional<byte[]> md5 = headers.first("content-md5").map(Promises::md5);
        Optional<Algorithm> trailer = trailer(verified);
        Optional<Algorithm> named = Optional.empty();
        Optional<byte[]> value = Optional.empty();
        for (HeaderList.Header header : headers.headers()) {
            if (header.isChecksum()) {
                if (named.isPresent() || trailer.isPresent()) {
                    throw several();
                }
                Algorithm algorithm =
                        ChecksumFamily.byHeader(header.name())
                                .orElseThrow(() -> S3Exception.notImplementedHeader(header.name()));
                named = Optional.of(algorithm);
                value = Optional.of(decode(algorithm, header.value()));
            }
        }
        Optional<Algorithm> algorithm = named.isPresent() ? named : trailer;
        checkAlgorithmHeader(headers, algorithm);
        return new Promises(sha256, md5, algorithm, value);
    }

    /**
     * Returns promises like {@link #of}, for a document whose checksum headers are not its own:
     * those of CompleteMultipartUpload are the object's.
     */
    public static Promises ofEnvelope(Verified verified) {
        Optional<byte[]> sha256 =
                verified.payload() == PayloadMode.SIGNED_SINGLE
                        ? Optional.of(HexFormat.of().parseHex(verified.payloadHash()))
                        : Optional.empty();
        return new Promises(
                sha256,
                verified.headers().first("content-md5").map(Promises::md5),
                trailer(verified),
                Optional.empty());
    }

    /** The SHA-256 of the body, as it is before it has come. */
    public Optional<byte[]> contentSha256() {
        return sha256.or(
                () -> algorithm.filter(Algorithm.SHA256::equals).flatMap(same -> checksum));
    }

    private static byte[] md5(String value) {
        S3Exception invalid = new S3Exception(S3Error.INVALID_DIGEST).with("Content-MD5", value);
        try {
            byte[] raw = Base64.getDecoder().decode(value);
            if (raw.length == 16) {
                return raw;
            }
        } catch (IllegalArgumentException e) {
            throw invalid;
        }
        throw invalid;
    }

    /** The raw checksum of a header, trailer or document value. */
    public static byte[] decode(Algorithm algorithm, String value) {
        try {
            byte[] raw = Base64.getDecoder().decode(value);
            if (raw.length == algorithm.bytes()) {
                return raw;
            }
        } catch (IllegalArgumentException e) {
            throw invalid(algorithm);
        }
        throw invalid(algorithm);
    }

    /** Creates the error for more than one checksum. */
    public static S3Exception several() {
        return new S3Exception(
                S3Error.INVALID_REQUEST,
                "Expecting a single x-amz-checksum- header. Multiple checksum Types are not"
                        + " allowed.");
    }

    private static S3Exception invalid(Algorithm algorithm) {
        return new S3Exception(
                S3Error.INVALID_REQUEST,
                "Value for " + ChecksumFamily.header(algorithm) + " header is invalid.");
    }

    private static Optional<Algorithm> trailer(Verified verified) {
        List<String> announced = verified.headers().all("x-amz-trailer");
        if (announced.isEmpty()) {
            return Optional.empty();
        }
        if (!verified.payload().hasTrailers() || announced.size() > 1) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "x-amz-trailer needs a payload with trailers, and one value.");
        }
        String name = announced.get(0).toLowerCase(Locale.ROOT);
        return Optional.of(
                ChecksumFamily.byHeader(name)
                        .orElseThrow(
                                () ->
                                        new S3Exception(
                                                S3Error.INVALID_REQUEST,
                                                "The value specified in the x-amz-trailer header is"
                                                        + " not supported")));
    }

    private static void checkAlgorithmHeader(HeaderList headers, Optional<Algorithm> algorithm) {
        Optional<String> named = headers.first("x-amz-sdk-checksum-algorithm");
        if (named.isEmpty()) {
            return;
        }
        Algorithm wanted = ChecksumFamily.named(named.get());
        if (algorithm.isEmpty()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-*"
                            + " or x-amz-trailer headers were found.");
        }
        if (algorithm.get() != wanted) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Value for x-amz-sdk-checksum-algorithm header is invalid.");
        }
    }
}
