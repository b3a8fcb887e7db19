package io.volute.server.s3.lifecycle;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.ParsedDocuments;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.HttpDates;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.ObjectVersion;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The headers that tell when a lifecycle rule removes a current version (Amazon S3 API Reference,
 * HeadObject) or an unfinished upload (CreateMultipartUpload). Thread-safe.
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

    /** Adds the headers that tell when a rule of the bucket aborts an upload, if one does. */
    public static void describe(Answer answer, S3Request request, UploadInfo upload) {
        request.bucketInfo()
                .document(BucketDocument.LIFECYCLE)
                .map(RULES::of)
                .flatMap(rules -> rules.abort(upload))
                .ifPresent(
                        end -> {
                            answer.header("x-amz-abort-date", HttpDates.header(end.end()));
                            answer.header("x-amz-abort-rule-id", inHeader(end.rule()));
                        });
    }

    /** Returns an id as it is, unless a header cannot have it. */
    private static String inHeader(String id) {
        boolean isPlain = id.chars().allMatch(each -> each > ' ' && each < 0x7f);
        return isPlain ? id : encoded(id);
    }

    private static String encoded(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8);
    }
}
