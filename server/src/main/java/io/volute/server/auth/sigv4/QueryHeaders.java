package io.volute.server.auth.sigv4;

import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.QueryParameters;
import java.util.ArrayList;
import java.util.List;
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

    private QueryHeaders() {}

    /** The headers that arrived, and those of the query behind them. */
    static HeaderList of(HeaderList headers, QueryParameters query) {
        List<HeaderList.Header> all = new ArrayList<>(headers.headers());
        for (QueryParameters.Parameter parameter : query.parameters()) {
            HeaderList.Header header = new HeaderList.Header(parameter.name(), parameter.value());
            if (!header.name().startsWith("x-amz-")
                    || OF_SIGNATURE.contains(parameter.name())
                    || isOfBody(header)) {
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
     * Whether it tells the checksum of a body: SDKs that presign have none, and sign that of an
     * empty one. S3 takes any body then.
     */
    private static boolean isOfBody(HeaderList.Header header) {
        return header.isChecksum() || header.name().equals("x-amz-sdk-checksum-algorithm");
    }
}
