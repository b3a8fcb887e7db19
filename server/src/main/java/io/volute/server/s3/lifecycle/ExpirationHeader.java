package io.volute.server.s3.lifecycle;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.ParsedDocuments;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.HttpDates;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.ObjectVersion;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The header {@code x-amz-expiration} of current versions that a lifecycle rule removes some day
 * (Amazon S3 API Reference, HeadObject). Thread-safe.
 */
public final class ExpirationHeader {
    private static final String NAME = "x-amz-expiration";

    private static final ParsedDocuments<LifecycleRules> RULES =
            new ParsedDocuments<>(LifecycleRules::ofDocument);

    private ExpirationHeader() {}

    /** Adds the header if a rule of the bucket removes the version. */
    public static void describe(Answer answer, S3Request request, ObjectVersion version) {
        if (version.latest() && !version.deleteMarker()) {
            request.bucketInfo()
                    .document(BucketDocument.LIFECYCLE)
                    .map(RULES::of)
                    .flatMap(rules -> rules.expiration(version))
                    .ifPresent(
                            expiration ->
                                    answer.header(
                                            NAME,
                                            "expiry-date=\""
                                                    + HttpDates.header(expiration.end())
                                                    + "\", rule-id=\""
                                                    + encoded(expiration.rule())
                                                    + "\""));
        }
    }

    private static String encoded(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8);
    }
}
