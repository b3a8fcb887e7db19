package io.volute.server.auth.sigv4;

import io.volute.server.s3.TestSigner;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Encodes bodies as {@code aws-chunked}, from the client's side. */
public final class TestChunks {
    private static final String EMPTY = TestSigner.sha256(new byte[0]);

    private TestChunks() {}

    /** Each chunk with its framing, and the trailers last; joined they are the body. */
    public static List<byte[]> pieces(
            PayloadMode mode,
            TestSigner signer,
            String seed,
            byte[] content,
            int chunkBytes,
            String trailer) {
        List<byte[]> pieces = new ArrayList<>();
        String previous = seed;
        for (int at = 0; ; at += chunkBytes) {
            int count = Math.max(0, Math.min(chunkBytes, content.length - at));
            byte[] chunk =
                    java.util.Arrays.copyOfRange(
                            content,
                            Math.min(at, content.length),
                            Math.min(at, content.length) + count);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            String header = Integer.toHexString(count);
            if (mode.hasChunkSignatures()) {
                previous =
                        signature(
                                signer,
                                "PAYLOAD",
                                previous,
                                EMPTY + "\n" + TestSigner.sha256(chunk));
                header += ";chunk-signature=" + previous;
            }
            out.writeBytes((header + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            out.writeBytes(chunk);
            if (count > 0) {
                out.writeBytes("\r\n".getBytes(StandardCharsets.ISO_8859_1));
            }
            pieces.add(out.toByteArray());
            if (count == 0) {
                break;
            }
        }
        String end = "";
        if (mode.hasTrailers()) {
            end = trailer + "\r\n";
            if (mode.hasChunkSignatures()) {
                String hash = TestSigner.sha256((trailer + "\n").getBytes(StandardCharsets.UTF_8));
                String signature = signature(signer, "TRAILER", previous, hash);
                end += "x-amz-trailer-signature:" + signature + "\r\n";
            }
        }
        pieces.add((end + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        return pieces;
    }

    public static byte[] join(List<byte[]> pieces) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        pieces.forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static String signature(
            TestSigner signer, String kind, String previous, String hashes) {
        String toSign =
                String.join(
                        "\n",
                        "AWS4-HMAC-SHA256-" + kind,
                        signer.date(),
                        signer.scope(),
                        previous,
                        hashes);
        return HexFormat.of().formatHex(TestSigner.hmac(signer.signingKey(), toSign));
    }
}
