package io.volute.server.auth.sigv4;

import static io.volute.server.auth.sigv4.ChunkedBodyTest.SEED;
import static io.volute.server.auth.sigv4.ChunkedBodyTest.SIGNER;
import static io.volute.server.auth.sigv4.ChunkedBodyTest.TRAILER;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.server.s3.FuzzSeeds;
import io.volute.server.s3.error.S3Exception;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Chunked bodies of any bytes: what comes out does not depend on how the bytes arrive, is never
 * more than was announced, and is complete when the end is reached.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=ChunkedBodyFuzz
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class ChunkedBodyFuzz {
    private static final PayloadMode[] MODES = {
        PayloadMode.STREAMING_SIGNED,
        PayloadMode.STREAMING_SIGNED_TRAILER,
        PayloadMode.STREAMING_UNSIGNED_TRAILER
    };

    static Stream<byte[]> seeds() {
        byte[] content = "the content of a small object".getBytes(StandardCharsets.UTF_8);
        Stream<byte[]> valid =
                Stream.of(0, 1, 2)
                        .flatMap(
                                mode ->
                                        Stream.of(0, 1, 5, content.length)
                                                .map(bytes -> seed(mode, content, bytes)));
        Stream<byte[]> broken =
                FuzzSeeds.latin1(
                                "\r\n",
                                "0\r\n\r\n",
                                "-1\r\nx\r\n0\r\n\r\n",
                                "ffffffffff\r\n",
                                "fffffffffff\r\n",
                                "2\r\nab\r\n0\r\n" + TRAILER + "\r\n" + TRAILER + "\r\n\r\n",
                                "2\r\nabc\r\n0\r\n\r\n",
                                "2;chunk-signature=" + SEED + "\r\nab\r\n0\r\n\r\n",
                                "2\nab\n0\n\n")
                        .map(body -> framed(2, 2, body));
        return Stream.concat(valid, broken);
    }

    private static byte[] seed(int mode, byte[] content, int chunkBytes) {
        byte[] some = chunkBytes == 0 ? new byte[0] : content;
        return framed(
                mode,
                some.length,
                TestChunks.join(
                        TestChunks.pieces(
                                MODES[mode],
                                SIGNER,
                                SEED,
                                some,
                                Math.max(1, chunkBytes),
                                TRAILER)));
    }

    private static byte[] framed(int mode, int decoded, byte[] body) {
        byte[] framed = new byte[body.length + 2];
        framed[0] = (byte) mode;
        framed[1] = (byte) decoded;
        System.arraycopy(body, 0, framed, 2, body.length);
        return framed;
    }

    /** The first byte is the mode, the second the announced length, the rest the body. */
    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void bodies(byte[] data) throws IOException {
        if (data.length < 2) {
            return;
        }
        PayloadMode mode = MODES[Math.floorMod(data[0], MODES.length)];
        int announced = data[1] & 0xFF;
        byte[] body = Arrays.copyOfRange(data, 2, data.length);
        String whole = outcome(mode, announced, body, 1 << 20);
        assertThat(outcome(mode, announced, body, 1)).as("byte by byte").isEqualTo(whole);
        assertThat(outcome(mode, announced, body, 7)).as("by seven").isEqualTo(whole);
    }

    private static String outcome(PayloadMode mode, int announced, byte[] body, int piece)
            throws IOException {
        ChunkedBody chunked = ChunkedBodyTest.decoder(mode, body, piece, announced);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            while (chunked.next()) {
                byte[] bytes = new byte[chunked.buffer().remaining()];
                chunked.buffer().get(bytes);
                out.writeBytes(bytes);
                assertThat(out.size()).isLessThanOrEqualTo(announced);
            }
        } catch (S3Exception e) {
            assertThat(e.error().status()).isBetween(400, 403);
            return e.error() + " after " + out.size();
        }
        assertThat(out.size()).as("complete").isEqualTo(announced);
        assertThat(chunked.trailer("x-amz-checksum-crc32").isPresent())
                .isEqualTo(mode.hasTrailers());
        return HexFormat.of().formatHex(out.toByteArray());
    }
}
