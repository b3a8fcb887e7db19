package io.volute.server.s3.lifecycle;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What S3 refuses in a rule of a lifecycle beyond what {@link LifecycleRules} cannot read.
 * Documents that an earlier version stored may have it.
 */
final class LifecycleSchema {
    private static final Set<String> REPEATABLE =
            Set.of("Transition", "NoncurrentVersionTransition");

    private LifecycleSchema() {}

    /**
     * Checks a rule of a client.
     *
     * @throws S3Exception MalformedXML, InvalidArgument or InvalidRequest
     */
    static void check(XmlElement rule) {
        requireOnce(rule);
        requireKnown(
                rule, "NoncurrentVersionExpiration", "NoncurrentDays", "NewerNoncurrentVersions");
        requireKnown(rule, "AbortIncompleteMultipartUpload", "DaysAfterInitiation");
        boolean hasSizes =
                rule.child("Filter")
                        .map(filter -> filter.child("And").orElse(filter))
                        .filter(
                                parts ->
                                        parts.children().stream().anyMatch(LifecycleSchema::isSize))
                        .isPresent();
        if (hasSizes && rule.child("AbortIncompleteMultipartUpload").isPresent()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "AbortIncompleteMultipartUpload cannot be specified with Object Size.");
        }
        Transitions.check(rule);
    }

    private static boolean isSize(XmlElement element) {
        return element.name().startsWith("ObjectSize");
    }

    private static void requireOnce(XmlElement element) {
        Set<String> names = new HashSet<>();
        for (XmlElement child : element.children()) {
            if (!names.add(child.name()) && !REPEATABLE.contains(child.name())) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
        }
    }

    private static void requireKnown(XmlElement rule, String action, String... names) {
        rule.child(action)
                .ifPresent(
                        element -> {
                            requireOnce(element);
                            for (XmlElement child : element.children()) {
                                if (!List.of(names).contains(child.name())) {
                                    throw new S3Exception(S3Error.MALFORMED_XML);
                                }
                            }
                        });
    }
}
