package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Bucket configurations that cannot be set: reads answer as S3 does for a bucket where they are not
 * set, and deletes have nothing to do. SDKs and Terraform probe these.
 */
public final class UnsetConfiguration {
    private static final Map<String, S3Error> ERRORS =
            new TreeMap<>(Map.of("website", S3Error.NO_SUCH_WEBSITE_CONFIGURATION));

    /** Root elements of the documents that S3 returns empty. */
    private static final Map<String, String> EMPTY =
            new TreeMap<>(
                    Map.of(
                            "analytics", "ListBucketAnalyticsConfigurationsResult",
                            "intelligent-tiering",
                                    "ListBucketIntelligentTieringConfigurationsOutput",
                            "inventory", "ListInventoryConfigurationsResult",
                            "metrics", "ListMetricsConfigurationsResult"));

    private static final Set<String> LISTED =
            Set.of("analytics", "intelligent-tiering", "inventory", "metrics");

    private static final List<String> DELETABLE = List.of("website");

    private UnsetConfiguration() {}

    /** The sub-resources that these calls answer. */
    public static List<String> names(S3Call call) {
        if (call == S3Call.DELETE_UNSET_CONFIGURATION) {
            return DELETABLE;
        }
        return java.util.stream.Stream.concat(ERRORS.keySet().stream(), EMPTY.keySet().stream())
                .toList();
    }

    /** GET of such a sub-resource. */
    public static S3Response read(S3Request request) {
        for (Map.Entry<String, S3Error> entry : ERRORS.entrySet()) {
            if (request.query().has(entry.getKey())) {
                throw new S3Exception(entry.getValue())
                        .with("BucketName", request.target().bucket());
            }
        }
        Optional<String> name = EMPTY.keySet().stream().filter(request.query()::has).findFirst();
        String subresource = name.orElseThrow();
        boolean listed = LISTED.contains(subresource);
        if (listed && request.query().has("id")) {
            throw new S3Exception(S3Error.NO_SUCH_CONFIGURATION);
        }
        XmlWriter xml = XmlWriter.document(EMPTY.get(subresource));
        if (listed) {
            xml.element("IsTruncated", false);
        }
        return Answer.of(200).xml(xml.finish());
    }

    /** DELETE of such a sub-resource. */
    public static S3Response delete(S3Request request) {
        return Answer.of(204).withoutBody(-1);
    }
}
