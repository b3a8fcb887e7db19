package io.volute.server.s3.lifecycle;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.request.HttpDates;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectVersion;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The header {@code x-amz-expiration} of current versions that a lifecycle rule removes some day
 * (Amazon S3 API Reference, HeadObject). Thread-safe.
 */
public final class ExpirationHeader {
    private static final String NAME = "x-amz-expiration";

    /** Documents whose rules stay in memory once they were read. */
    private static final int MOST_READ = 256;

    private static final Map<String, LifecycleRules> READ =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, LifecycleRules> eldest) {
                    return size() > MOST_READ;
                }
            };

    private ExpirationHeader() {}

    /** Adds the header if a rule of the bucket removes the version. */
    public static void describe(Answer answer, S3Request request, ObjectVersion version) {
        if (version.latest() && !version.deleteMarker()) {
            rules(request.bucketInfo())
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

    private static Optional<LifecycleRules> rules(BucketInfo bucket) {
        return bucket.document(BucketDocument.LIFECYCLE).map(ExpirationHeader::read);
    }

    private static LifecycleRules read(String document) {
        synchronized (READ) {
            return READ.computeIfAbsent(document, LifecycleRules::ofDocument);
        }
    }

    private static String encoded(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8);
    }
}
