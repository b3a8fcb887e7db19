package io.volute.server.auth.sigv4;

import static io.volute.server.auth.sigv4.PayloadMode.STREAMING_SIGNED;
import static io.volute.server.auth.sigv4.PayloadMode.STREAMING_SIGNED_TRAILER;
import static io.volute.server.auth.sigv4.PayloadMode.STREAMING_UNSIGNED_TRAILER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.signing.ChunkSigning;
import io.volute.adminapi.signing.SigningKey;
import io.volute.server.auth.sigv4.ChunkedBody.ChunkListener;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the decoder of chunked bodies: accepted forms, at any read size, and all refusals. */
final class ChunkedBodyTest {
    static final TestSigner SIGNER =
            new TestSigner("KEY", "secret", "20261121T100000Z", "us-east-1");
    static final String SEED = "a".repeat(64);
    static final String TRAILER = "x-amz-checksum-crc32:AAAAAA==";
    private static final byte[] CONTENT = content(10_000);

    private static byte[] content(int bytes) {
        byte[] content = new byte[bytes];
        new Random(42).nextBytes(content);
        return content;
    }

    static ChunkedBody decoder(PayloadMode mode, byte[] body, int piece, long decoded) {
        return decoder(mode, body, piece, decoded, ChunkListener.NONE);
    }

    private static ChunkedBody decoder(
            PayloadMode mode, byte[] body, int piece, long decoded, ChunkListener listener) {
        ChunkSigning signing =
                new ChunkSigning(
                        SigningKey.derive("secret", "20261121", "us-east-1", "s3"),
                        SIGNER.date(),
                        SIGNER.scope(),
                        SEED);
        Set<String> announced = mode.hasTrailers() ? Set.of("x-amz-checksum-crc32") : Set.of();
        return new ChunkedBody(
                new TestBody(body, piece), mode, signing, announced, decoded, listener);
    }

    @ParameterizedTest
    @EnumSource(
            value = PayloadMode.class,
            names = {"STREAMING_SIGNED", "STREAMING_SIGNED_TRAILER", "STREAMING_UNSIGNED_TRAILER"})
    void verifiedChunksTellTheirHash(PayloadMode mode) throws IOException {
        byte[] body = TestChunks.join(pieces(mode));
        List<String> told = new ArrayList<>();
        ChunkedBody chunked =
                decoder(
                        mode,
                        body,
                        7,
                        CONTENT.length,
                        (bytes, sha256) ->
                                told.add(bytes + " " + HexFormat.of().formatHex(sha256)));
        List<String> wanted = new ArrayList<>();
        for (int from = 0; from < CONTENT.length; from += 3000) {
            byte[] chunk = Arrays.copyOfRange(CONTENT, from, Math.min(CONTENT.length, from + 3000));
            wanted.add(chunk.length + " " + TestSigner.sha256(chunk));
        }
        while (chunked.next()) {
            assertThat(told).isEqualTo(wanted.subList(0, told.size()));
        }
        assertThat(told).isEqualTo(mode.hasChunkSignatures() ? wanted : List.of());
    }

    private static byte[] decode(PayloadMode mode, byte[] body, int piece, long decoded)
            throws IOException {
        ChunkedBody chunked = decoder(mode, body, piece, decoded);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (chunked.next()) {
            byte[] bytes = new byte[chunked.buffer().remaining()];
            chunked.buffer().get(bytes);
            out.writeBytes(bytes);
        }
        assertThat(chunked.next()).isFalse();
        if (mode.hasTrailers()) {
            assertThat(chunked.trailer("x-amz-checksum-crc32")).contains("AAAAAA==");
        }
        return out.toByteArray();
    }

    private static List<byte[]> pieces(PayloadMode mode) {
        return new ArrayList<>(TestChunks.pieces(mode, SIGNER, SEED, CONTENT, 3000, TRAILER));
    }

    private static void refused(PayloadMode mode, byte[] body) {
        for (int piece : new int[] {1, 3, 4096}) {
            assertThatThrownBy(() -> decode(mode, body, piece, CONTENT.length))
                    .as("read by %d", piece)
                    .isInstanceOf(S3Exception.class);
        }
    }

    private static void refused(PayloadMode mode, byte[] body, S3Error error) {
        for (int piece : new int[] {1, 2, 3, 4096}) {
            assertThatThrownBy(() -> decode(mode, body, piece, CONTENT.length))
                    .as("read by %d", piece)
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.error()).isEqualTo(error));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = PayloadMode.class,
            names = {"STREAMING_SIGNED", "STREAMING_SIGNED_TRAILER", "STREAMING_UNSIGNED_TRAILER"})
    void outputDoesNotDependOnReadSizes(PayloadMode mode) throws IOException {
        byte[] body = TestChunks.join(pieces(mode));
        for (int piece : new int[] {1, 2, 3, 7, 4096, 1 << 20}) {
            assertThat(decode(mode, body, piece, CONTENT.length)).isEqualTo(CONTENT);
        }
        byte[] empty =
                TestChunks.join(TestChunks.pieces(mode, SIGNER, SEED, new byte[0], 3000, TRAILER));
        assertThat(decode(mode, empty, 1, 0)).isEmpty();
    }

    @Test
    void refusesAnyFlippedBitOfASignedBody() {
        byte[] body = TestChunks.join(pieces(STREAMING_SIGNED));
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            byte[] spoilt = body.clone();
            // The last line is a final CR LF, where an LF alone would be accepted too.
            spoilt[random.nextInt(body.length - 2)] ^= (byte) (1 << random.nextInt(8));
            if (!sameMeaning(spoilt, body)) {
                assertThatThrownBy(() -> decode(STREAMING_SIGNED, spoilt, 4096, CONTENT.length))
                        .isInstanceOf(S3Exception.class);
            }
        }
    }

    /** Hex sizes mean the same in either case. */
    private static boolean sameMeaning(byte[] a, byte[] b) {
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return Character.toLowerCase((char) a[i]) == Character.toLowerCase((char) b[i])
                        && Character.digit((char) b[i], 16) > 9
                        && (i == 0 || b[i - 1] == '\n');
            }
        }
        return true;
    }

    @Test
    void refusesSwappedDroppedAndRepeatedChunks() {
        List<byte[]> swapped = pieces(STREAMING_SIGNED);
        swapped.add(0, swapped.remove(1));
        refused(STREAMING_SIGNED, TestChunks.join(swapped), S3Error.SIGNATURE_DOES_NOT_MATCH);

        List<byte[]> dropped = pieces(STREAMING_SIGNED);
        dropped.remove(1);
        refused(STREAMING_SIGNED, TestChunks.join(dropped), S3Error.SIGNATURE_DOES_NOT_MATCH);

        List<byte[]> repeated = pieces(STREAMING_SIGNED);
        repeated.add(1, repeated.get(0));
        refused(STREAMING_SIGNED, TestChunks.join(repeated), S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void refusesABodyWithoutItsFinalChunk() {
        for (PayloadMode mode :
                List.of(STREAMING_SIGNED, STREAMING_SIGNED_TRAILER, STREAMING_UNSIGNED_TRAILER)) {
            List<byte[]> cut = pieces(mode);
            cut.removeLast();
            cut.removeLast();
            refused(mode, TestChunks.join(cut), S3Error.INCOMPLETE_BODY);
        }
    }

    @Test
    void refusesEveryCut() {
        byte[] body = TestChunks.join(pieces(STREAMING_UNSIGNED_TRAILER));
        // A body without only its last, empty line is still complete.
        for (int length = 0; length < body.length - 3; length += 1 + length / 97) {
            byte[] cut = java.util.Arrays.copyOf(body, length);
            assertThatThrownBy(() -> decode(STREAMING_UNSIGNED_TRAILER, cut, 4096, CONTENT.length))
                    .as("cut to %d", cut.length)
                    .isInstanceOf(S3Exception.class);
        }
    }

    @Test
    void refusesSizesThatAreNotSmallHexNumbers() {
        for (String size :
                List.of("-1", "+5", "", " 5", "5 ", "0x5", "FFFFFFFFFFF", "g", "1_0", "\u0665")) {
            byte[] body =
                    (size + "\r\nhello\r\n0\r\n" + TRAILER + "\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1);
            refused(STREAMING_UNSIGNED_TRAILER, body, S3Error.INCOMPLETE_BODY);
        }
    }

    @Test
    void refusesMoreOrFewerBytesThanAnnounced() {
        byte[] body = TestChunks.join(pieces(STREAMING_UNSIGNED_TRAILER));
        for (long announced : new long[] {0, CONTENT.length - 1, CONTENT.length + 1}) {
            assertThatThrownBy(() -> decode(STREAMING_UNSIGNED_TRAILER, body, 64, announced))
                    .isInstanceOfSatisfying(
                            S3Exception.class,
                            e -> assertThat(e.error()).isEqualTo(S3Error.INCOMPLETE_BODY));
        }
    }

    @Test
    void refusesLongLinesAndWrongLineEnds() {
        String end = "0\r\n" + TRAILER + "\r\n\r\n";
        for (String start :
                List.of(
                        "5" + "0".repeat(300) + "\r\nhello\r\n",
                        "5\nhello\r\n",
                        "5\r\nhello\n\n",
                        "5\r\nhelloworld\r\n",
                        "5\r\rhello\r\n",
                        "5;chunk-signature=" + SEED + "\r\nhello\r\n")) {
            refused(STREAMING_UNSIGNED_TRAILER, (start + end).getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Test
    void refusesTrailersThatAreMissingRepeatedOrNotAnnounced() {
        for (String trailers :
                List.of(
                        "",
                        "x-amz-checksum-crc32c:AAAAAA==\r\n",
                        TRAILER + "\r\n" + TRAILER + "\r\n",
                        TRAILER + "\r\nx-amz-meta-a:b\r\n",
                        "nocolon\r\n" + TRAILER + "\r\n",
                        ":AAAAAA==\r\n" + TRAILER + "\r\n",
                        "x".repeat(400) + "\r\n" + TRAILER + "\r\n",
                        "\r\n".repeat(20) + TRAILER + "\r\n",
                        TRAILER)) {
            List<byte[]> pieces = pieces(STREAMING_UNSIGNED_TRAILER);
            pieces.removeLast();
            pieces.add(
                    (trailers + (trailers.equals(TRAILER) ? "" : "\r\n"))
                            .getBytes(StandardCharsets.US_ASCII));
            refused(STREAMING_UNSIGNED_TRAILER, TestChunks.join(pieces), S3Error.MALFORMED_TRAILER);
        }
    }

    @Test
    void refusesTrailersWhoseSignatureIsMissingOrWrong() {
        List<byte[]> without = pieces(STREAMING_SIGNED_TRAILER);
        without.removeLast();
        without.add((TRAILER + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        refused(STREAMING_SIGNED_TRAILER, TestChunks.join(without), S3Error.MALFORMED_TRAILER);

        List<byte[]> changed = pieces(STREAMING_SIGNED_TRAILER);
        String last = new String(changed.removeLast(), StandardCharsets.US_ASCII);
        changed.add(last.replace("AAAAAA==", "AAAAAB==").getBytes(StandardCharsets.US_ASCII));
        refused(
                STREAMING_SIGNED_TRAILER,
                TestChunks.join(changed),
                S3Error.SIGNATURE_DOES_NOT_MATCH);

        List<byte[]> behind = pieces(STREAMING_SIGNED_TRAILER);
        behind.add("x-amz-checksum-crc32:BBBBBB==\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        refused(STREAMING_SIGNED_TRAILER, TestChunks.join(behind), S3Error.MALFORMED_TRAILER);
    }

    @Test
    void takesTrailersWithBareLineFeedsAsMinioClientsSendThem() throws IOException {
        List<byte[]> pieces = pieces(STREAMING_SIGNED_TRAILER);
        String last = new String(pieces.removeLast(), StandardCharsets.US_ASCII);
        pieces.add(
                last.replace(TRAILER + "\r\n", TRAILER + "\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        assertThat(decode(STREAMING_SIGNED_TRAILER, TestChunks.join(pieces), 3, CONTENT.length))
                .isEqualTo(CONTENT);
    }

    @Test
    void refusesChunksWithoutSignatureWhereTheyAreDue() {
        byte[] unsigned =
                TestChunks.join(
                        TestChunks.pieces(
                                STREAMING_UNSIGNED_TRAILER, SIGNER, SEED, CONTENT, 3000, TRAILER));
        refused(STREAMING_SIGNED_TRAILER, unsigned, S3Error.INCOMPLETE_BODY);
        refused(STREAMING_SIGNED, unsigned, S3Error.INCOMPLETE_BODY);
    }

    @Test
    void survivesRandomBytes() {
        Random random = new Random(99);
        for (int i = 0; i < 2000; i++) {
            byte[] garbage = new byte[random.nextInt(64)];
            random.nextBytes(garbage);
            PayloadMode mode = i % 2 == 0 ? STREAMING_SIGNED_TRAILER : STREAMING_UNSIGNED_TRAILER;
            assertThatThrownBy(() -> decode(mode, garbage, 1 + random.nextInt(8), 5))
                    .isInstanceOf(S3Exception.class);
        }
    }
}
