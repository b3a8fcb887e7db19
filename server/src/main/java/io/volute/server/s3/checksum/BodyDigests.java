package io.volute.server.s3.checksum;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Computes, in one pass, every digest that a body's promises and its stored form need, each once.
 * Used by one thread.
 */
public final class BodyDigests {

    /** The need for an ETag. */
    public enum Etag {
        NEEDED,
        NOT_NEEDED
    }

    private static final int PIECE_BYTES = 16 << 10;

    private final Promises promises;
    private final Optional<Algorithm> kept;
    private final Map<Algorithm, RunningChecksum> checksums = new EnumMap<>(Algorithm.class);
    private final Map<Algorithm, byte[]> finished = new EnumMap<>(Algorithm.class);
    private byte[] piece = new byte[0];
    private long bytes;

    /**
     * @param kept algorithm of the checksum to keep with the bytes
     */
    public BodyDigests(Promises promises, Optional<Algorithm> kept, Etag etag) {
        this.promises = promises;
        this.kept = kept;
        if (etag == Etag.NEEDED || promises.md5().isPresent()) {
            add(Algorithm.MD5);
        }
        kept.ifPresent(this::add);
        promises.algorithm().ifPresent(this::add);
        if (promises.sha256().isPresent()) {
            add(Algorithm.SHA256);
        }
    }

    private void add(Algorithm algorithm) {
        if (!checksums.containsKey(algorithm)) {
            checksums.put(algorithm, RunningChecksum.of(algorithm));
        }
    }

    /** Adds the remaining bytes; leaves the buffer as it was. */
    public void update(ByteBuffer source) {
        bytes += source.remaining();
        // Digests work on arrays: one copy serves them all, and stays in the cache between them.
        ByteBuffer rest = source.duplicate();
        if (piece.length < Math.min(PIECE_BYTES, rest.remaining())) {
            piece = new byte[Math.min(PIECE_BYTES, rest.remaining())];
        }
        while (rest.hasRemaining()) {
            int count = Math.min(piece.length, rest.remaining());
            rest.get(piece, 0, count);
            for (RunningChecksum checksum : checksums.values()) {
                checksum.update(piece, count);
            }
        }
    }

    /** Bytes seen. */
    public long bytes() {
        return bytes;
    }

    /**
     * Ends the computation and checks every promise.
     *
     * @param trailer value of the trailer that was announced
     * @throws S3Exception BadDigest or XAmzContentSHA256Mismatch
     */
    public void verify(Optional<String> trailer) {
        checksums.forEach((algorithm, checksum) -> finished.put(algorithm, checksum.finish()));
        if (promises.sha256().isPresent()
                && !MessageDigest.isEqual(
                        promises.sha256().get(), finished.get(Algorithm.SHA256))) {
            throw new S3Exception(S3Error.X_AMZ_CONTENT_SHA256_MISMATCH)
                    .with(
                            "ClientComputedContentSHA256",
                            HexFormat.of().formatHex(promises.sha256().get()))
                    .with(
                            "S3ComputedContentSHA256",
                            HexFormat.of().formatHex(finished.get(Algorithm.SHA256)));
        }
        byte[] md5 = finished.get(Algorithm.MD5);
        if (promises.md5().isPresent() && !MessageDigest.isEqual(promises.md5().get(), md5)) {
            // As S3 has it: the one in hex, the other in Base64.
            throw new S3Exception(S3Error.BAD_DIGEST)
                    .with("ExpectedDigest", HexFormat.of().formatHex(promises.md5().get()))
                    .with("CalculatedDigest", Base64.getEncoder().encodeToString(md5));
        }
        if (promises.algorithm().isPresent()) {
            verifyChecksum(promises.algorithm().get(), trailer);
        }
    }

    private void verifyChecksum(Algorithm algorithm, Optional<String> trailer) {
        Optional<byte[]> promised =
                promises.checksum().isPresent()
                        ? promises.checksum()
                        : trailer.map(value -> Promises.decode(algorithm, value));
        if (promised.isEmpty()) {
            throw new S3Exception(S3Error.MALFORMED_TRAILER, "The announced trailer is missing.");
        }
        if (!MessageDigest.isEqual(promised.get(), finished.get(algorithm))) {
            throw new S3Exception(
                    S3Error.BAD_DIGEST,
                    "The "
                            + algorithm.name()
                            + " you specified did not match the calculated checksum.");
        }
    }

    /** Hex MD5 of the body, if an ETag was needed; after {@link #verify}. */
    public String etag() {
        return HexFormat.of().formatHex(finished.get(Algorithm.MD5));
    }

    /** The checksum to keep; after {@link #verify}. */
    public Optional<Checksum> checksum() {
        return kept.map(this::of);
    }

    /** The checksum to answer with: the promised one, else the one to keep. */
    public Optional<Checksum> answered() {
        return promises.algorithm().isPresent() ? promises.algorithm().map(this::of) : checksum();
    }

    private Checksum of(Algorithm algorithm) {
        return new Checksum(
                algorithm,
                Type.FULL_OBJECT,
                Base64.getEncoder().encodeToString(finished.get(algorithm)));
    }
}
