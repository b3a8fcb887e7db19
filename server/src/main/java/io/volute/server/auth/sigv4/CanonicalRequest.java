package io.volute.server.auth.sigv4;

import io.volute.provenance.format.Hash;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Plus;
import io.volute.server.s3.request.PercentCoding.Slash;
import io.volute.server.s3.request.QueryParameters;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The canonical form of a request (S3 API Reference, "Create a canonical request"). Path and query
 * are decoded once and encoded anew, so that what is signed is what the request means; header
 * values are taken byte by byte as they arrived.
 */
final class CanonicalRequest {
    private record Pair(String name, String value) {}

    private CanonicalRequest() {}

    /**
     * The string to sign.
     *
     * @param path in the form to take it in
     * @param omitted query parameter that is left out, empty for none
     */
    static String stringToSign(
            HttpHead head,
            String path,
            QueryParameters query,
            String omitted,
            Claim claim,
            String timestamp,
            String payloadHash) {
        StringBuilder text = new StringBuilder(512);
        text.append(head.method()).append('\n');
        text.append(path).append('\n');
        query(query, omitted, text);
        text.append('\n');
        for (String name : claim.signedHeaders()) {
            text.append(name).append(':');
            header(head.headers(), name, text);
            text.append('\n');
        }
        text.append('\n');
        for (int i = 0; i < claim.signedHeaders().size(); i++) {
            text.append(i == 0 ? "" : ";").append(claim.signedHeaders().get(i));
        }
        text.append('\n').append(payloadHash);
        String hash = sha256Hex(text.toString().getBytes(StandardCharsets.ISO_8859_1));
        return Claim.ALGORITHM + "\n" + timestamp + "\n" + claim.scope() + "\n" + hash;
    }

    /**
     * The forms of the path that a client may have signed: as S3 encodes it, and as sent, for
     * clients that leave characters like parentheses as they are. Both decode to the same key.
     */
    static List<String> paths(HttpHead head) {
        String encoded =
                PercentCoding.encode(
                        PercentCoding.decode(head.rawPath(), Plus.LITERAL), Slash.KEPT);
        return encoded.equals(head.rawPath()) ? List.of(encoded) : List.of(encoded, head.rawPath());
    }

    private static void query(QueryParameters query, String omitted, StringBuilder text) {
        if (query.parameters().isEmpty()) {
            return;
        }
        List<Pair> pairs = new ArrayList<>(query.parameters().size());
        for (QueryParameters.Parameter parameter : query.parameters()) {
            if (!parameter.name().equals(omitted)) {
                pairs.add(
                        new Pair(
                                PercentCoding.encode(parameter.name(), Slash.ENCODED),
                                PercentCoding.encode(parameter.value(), Slash.ENCODED)));
            }
        }
        // Only "events" comes more than once. MinIO's clients sign its values in the order in which
        // they send them; the algorithm of the signature would sort them.
        pairs.sort(Comparator.comparing(Pair::name));
        for (int i = 0; i < pairs.size(); i++) {
            text.append(i == 0 ? "" : "&")
                    .append(pairs.get(i).name())
                    .append('=')
                    .append(pairs.get(i).value());
        }
    }

    private static void header(HeaderList headers, String name, StringBuilder text) {
        boolean first = true;
        for (HeaderList.Header header : headers.headers()) {
            if (header.name().equals(name)) {
                text.append(first ? "" : ",");
                first = false;
                collapse(header.value(), text);
            }
        }
    }

    /** Trims, and makes each run of white space one space. */
    private static void collapse(String value, StringBuilder text) {
        if (isCollapsed(value)) {
            text.append(value);
            return;
        }
        boolean gap = false;
        boolean begun = false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == ' ' || c == '\t') {
                gap = begun;
            } else {
                if (gap) {
                    text.append(' ');
                    gap = false;
                }
                begun = true;
                text.append(c);
            }
        }
    }

    private static boolean isCollapsed(String value) {
        return value.indexOf('\t') < 0
                && !value.contains("  ")
                && !value.startsWith(" ")
                && !value.endsWith(" ");
    }

    /** Returns the SHA-256 in lower-case hexadecimal digits. */
    static String sha256Hex(byte[] bytes) {
        return Hash.ofContent(bytes).hex();
    }
}
