package io.volute.server.auth.sigv4;

import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * S3 takes {@code x-amz-} parameters of a signed query as headers; SDKs that presign move them
 * there.
 */
final class QueryHeaders {
    private static final Set<String> OF_SIGNATURE =
            Set.of(
                    "X-Amz-Algorithm",
                    "X-Amz-Credential",
                    "X-Amz-Date",
                    "X-Amz-Expires",
                    "X-Amz-SignedHeaders",
                    "X-Amz-Signature");

    /** The checksums of an empty body. */
    static final Map<String, String> OF_EMPTY_BODY =
            Map.of(
                    "x-amz-checksum-crc32", "AAAAAA==",
                    "x-amz-checksum-crc32c", "AAAAAA==",
                    "x-amz-checksum-crc64nvme", "AAAAAAAAAAA=",
                    "x-amz-checksum-sha1", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
                    "x-amz-checksum-sha256", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
                    "x-amz-checksum-sha512",
                            "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+D"
                                    + "GNKHfuwvY7kxvUdB"
                                    + "eoGlODJ6+SfaPg==",
                    "x-amz-checksum-md5", "1B2M2Y8AsgTpgAmY7PhCfg==",
                    "x-amz-checksum-xxhash64", "70bbN1HY6Zk=",
                    "x-amz-checksum-xxhash3", "LQaABTjTlMI=",
                    "x-amz-checksum-xxhash128", "maoG0wFHmNhgAcMkRo1Jfw==");

    private QueryHeaders() {}

    /** The headers that arrived, and those of the query behind them. */
    static HeaderList of(HttpHead head, QueryParameters query) {
        HeaderList headers = head.headers();
        List<HeaderList.Header> all = new ArrayList<>(headers.headers());
        for (QueryParameters.Parameter parameter : query.parameters()) {
            HeaderList.Header header = new HeaderList.Header(parameter.name(), parameter.value());
            if (!header.name().startsWith("x-amz-")
                    || OF_SIGNATURE.contains(parameter.name())
                    || isOfNoBody(header, head)) {
                continue;
            }
            if (headers.first(header.name()).isPresent()) {
                throw S3Exception.invalidArgument(
                        parameter.name(),
                        parameter.value(),
                        "Given as a header and as a query parameter.");
            }
            all.add(header);
        }
        return all.size() == headers.headers().size() ? headers : new HeaderList(all);
    }

    /**
     * Returns whether a header makes no statement about this body. SDKs that presign without a body
     * sign the checksum of an empty one. Every other checksum is a promise about the body, and is
     * enforced.
     */
    private static boolean isOfNoBody(HeaderList.Header header, HttpHead head) {
        return header.name().equals("x-amz-sdk-checksum-algorithm")
                || head.contentLength() != 0
                        && header.value().equals(OF_EMPTY_BODY.get(header.name()));
    }
}
