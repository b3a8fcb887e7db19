package io.volute.server.auth.sigv4;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.server.s3.FuzzSeeds;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Claims of any text are well-formed or refused; canonical requests are those of a slow reference
 * written from the S3 API Reference, byte by byte.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=SignatureFuzz#claims
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class SignatureFuzz {
    private static final String SIGNATURE = "0123456789abcdef".repeat(4);
    private static final String TIME = "20261121T100000Z";
    private static final String PAYLOAD = "UNSIGNED-PAYLOAD";

    static Stream<byte[]> claimSeeds() {
        String whole =
                "AWS4-HMAC-SHA256 Credential=KEY/with/slash/20261121/us-east-1/s3/aws4_request,"
                        + " SignedHeaders=host;x-amz-date, Signature="
                        + SIGNATURE;
        return FuzzSeeds.latin1(
                whole,
                whole.replace("host;x-amz-date", "host;host"),
                whole.replace("host;x-amz-date", "x-amz-date;host"),
                whole.replace("host;x-amz-date", "Host"),
                whole.replace("host;x-amz-date", ""),
                whole.replace("host", "h\u00f6st"),
                whole.replace(SIGNATURE, SIGNATURE.toUpperCase(Locale.ROOT)),
                whole + ", Signature=" + SIGNATURE,
                whole.replace("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"),
                "AWS KEY:signature",
                "AWS4-HMAC-SHA256",
                "");
    }

    @MethodSource("claimSeeds")
    @FuzzTest(maxDuration = "60s")
    void claims(byte[] data) {
        String header = new String(data, StandardCharsets.ISO_8859_1);
        Claim claim;
        try {
            claim = Claim.ofHeader(header);
        } catch (S3Exception e) {
            assertThat(e.error().status()).isBetween(400, 403);
            return;
        }
        assertThat(claim.signature()).matches("[0-9a-f]{64}");
        assertThat(claim.accessKey()).isNotEmpty();
        assertThat(claim.scope().chars().filter(c -> c == '/')).hasSize(3);
        assertThat(claim.signedHeaders())
                .isNotEmpty()
                .containsExactlyElementsOf(new TreeSet<>(claim.signedHeaders()))
                .allMatch(name -> name.matches("[!-~&&[^A-Z:,;]]+"));
        assertThat(header).contains(String.join(";", claim.signedHeaders()));
    }

    static Stream<byte[]> requestSeeds() {
        return FuzzSeeds.latin1(
                "GET\n/\n\nhost:a",
                "PUT\n/bucket/a%20b(1)+%C3%A9/~\nversionId=1&acl&x=%2F+b&X-Amz-Signature=0"
                        + "\nhost:a\nx-amz-meta-b:  two   blanks \t x\nx-amz-meta-b:again",
                "GET\n/a%2Fb//c\nb=2&a=1&a-=0\nhost:a\nx-amz-date:" + TIME,
                "GET\n/%\n\nhost:a",
                "GET\n/%FF\n\nhost:a",
                "GET\n/\nprefix=%F0%9F%98%80&a\nhost:\u00e9",
                "GET\n/\na=1&a=2\nhost:a");
    }

    /** Lines: method, path, query, headers. */
    @MethodSource("requestSeeds")
    @FuzzTest(maxDuration = "60s")
    void canonicalRequests(byte[] data) {
        String[] lines = new String(data, StandardCharsets.ISO_8859_1).split("\n", -1);
        if (lines.length < 4 || !lines[1].startsWith("/")) {
            return;
        }
        HttpHead head = head(lines);
        TreeSet<String> names = new TreeSet<>();
        head.headers().headers().forEach(header -> names.add(header.name()));
        Claim claim =
                new Claim(
                        "KEY",
                        "20261121",
                        "us-east-1",
                        "s3",
                        "aws4_request",
                        List.copyOf(names),
                        SIGNATURE);
        QueryParameters query;
        List<String> paths;
        try {
            query = QueryParameters.parse(head.rawQuery());
            paths = CanonicalRequest.paths(head);
        } catch (S3Exception e) {
            assertThat(e.error().status()).isEqualTo(400);
            return;
        }
        assertThat(paths.getFirst()).isEqualTo(Reference.encode(Reference.decode(lines[1]), "/"));
        assertThat(paths).contains(lines[1]);
        for (String path : paths) {
            assertThat(Reference.decode(path)).isEqualTo(Reference.decode(lines[1]));
            String expected = Reference.canonical(head, path, "X-Amz-Signature", names);
            assertThat(
                            CanonicalRequest.stringToSign(
                                    head, path, query, "X-Amz-Signature", claim, TIME, PAYLOAD))
                    .as(expected)
                    .isEqualTo(
                            "AWS4-HMAC-SHA256\n"
                                    + TIME
                                    + "\n20261121/us-east-1/s3/aws4_request\n"
                                    + Reference.sha256(expected));
        }
    }

    private static HttpHead head(String[] lines) {
        List<HeaderList.Header> headers = new ArrayList<>();
        for (int i = 3; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.add(
                        new HeaderList.Header(
                                lines[i].substring(0, colon), lines[i].substring(colon + 1)));
            }
        }
        return new HttpHead(
                lines[0],
                lines[1],
                lines[2],
                new HeaderList(headers),
                false,
                "192.0.2.1",
                0,
                "REQUEST");
    }

    /** Slow and simple: bytes are chars here, so that no character set is in the way. */
    private static final class Reference {
        private Reference() {}

        static String canonical(HttpHead head, String path, String omitted, TreeSet<String> names) {
            String query =
                    Stream.of(head.rawQuery().split("&"))
                            .filter(pair -> !pair.isEmpty())
                            .map(pair -> pair.contains("=") ? pair : pair + "=")
                            .map(pair -> pair.replace('+', ' '))
                            .map(
                                    pair -> {
                                        int equals = pair.indexOf('=');
                                        return encode(decode(pair.substring(0, equals)), "")
                                                + "\0"
                                                + encode(decode(pair.substring(equals + 1)), "");
                                    })
                            .filter(pair -> !pair.startsWith(omitted + "\0"))
                            .sorted()
                            .map(pair -> pair.replace('\0', '='))
                            .collect(Collectors.joining("&"));
            String headers =
                    names.stream()
                            .map(
                                    name ->
                                            name
                                                    + ":"
                                                    + head.headers().all(name).stream()
                                                            .map(Reference::collapse)
                                                            .collect(Collectors.joining(","))
                                                    + "\n")
                            .collect(Collectors.joining());
            return String.join(
                    "\n", head.method(), path, query, headers, String.join(";", names), PAYLOAD);
        }

        static String collapse(String value) {
            return value.replaceAll("[ \t]+", " ").replaceAll("^ | $", "");
        }

        static String decode(String text) {
            StringBuilder out = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                if (text.charAt(i) == '%') {
                    out.append((char) Integer.parseInt(text.substring(i + 1, i + 3), 16));
                    i += 2;
                } else {
                    out.append(text.charAt(i));
                }
            }
            return out.toString();
        }

        static String encode(String bytes, String kept) {
            StringBuilder out = new StringBuilder();
            for (char c : bytes.toCharArray()) {
                String one = String.valueOf(c);
                out.append(
                        one.matches("[A-Za-z0-9._~-]") || !kept.isEmpty() && kept.equals(one)
                                ? one
                                : "%%%02X".formatted((int) c));
            }
            return out.toString();
        }

        static String sha256(String text) {
            try {
                return HexFormat.of()
                        .formatHex(
                                MessageDigest.getInstance("SHA-256")
                                        .digest(text.getBytes(StandardCharsets.ISO_8859_1)));
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError(e);
            }
        }
    }
}
