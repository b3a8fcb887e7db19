package io.volute.server.s3.replication;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The form of a rule in a replication configuration that a client sends (S3 API Reference,
 * "ReplicationRule"). Stored documents of earlier versions of the program may break it.
 */
final class ReplicationSchema {
    private static final Set<String> CRITERIA =
            Set.of("SseKmsEncryptedObjects", "ReplicaModifications");
    private static final Set<String> DESTINATION =
            Set.of(
                    "Bucket",
                    "Account",
                    "StorageClass",
                    "AccessControlTranslation",
                    "EncryptionConfiguration",
                    "ReplicationTime",
                    "Metrics");
    private static final Set<String> STORAGE_CLASSES =
            Set.of(
                    "STANDARD",
                    "REDUCED_REDUNDANCY",
                    "STANDARD_IA",
                    "ONEZONE_IA",
                    "INTELLIGENT_TIERING",
                    "GLACIER",
                    "GLACIER_IR",
                    "DEEP_ARCHIVE");

    /** The elements that the form with Filter needs, and the first form lacks. */
    private static final List<String> OF_FILTER_FORM =
            List.of("Priority", "DeleteMarkerReplication");

    private ReplicationSchema() {}

    /**
     * Refuses a rule of another form.
     *
     * @throws S3Exception MalformedXML, InvalidRequest or InvalidArgument; NotImplemented for what
     *     this server lacks
     */
    static void require(XmlElement rule) {
        Optional<XmlElement> filter = rule.child("Filter");
        for (String name : OF_FILTER_FORM) {
            if (filter.isPresent() != rule.child(name).isPresent()) {
                throw invalid(
                        name
                                + (filter.isPresent() ? " must be specified" : " cannot be used")
                                + " for this version of Cross Region Replication configuration"
                                + " schema. Rules with Filter need it, rules without Filter cannot"
                                + " have it.");
            }
        }
        filter.ifPresent(ReplicationSchema::requireFilter);
        rule.child("SourceSelectionCriteria")
                .ifPresent(criteria -> requireChildren(criteria, CRITERIA));
        rule.child("Destination").ifPresent(ReplicationSchema::requireDestination);
    }

    private static void requireFilter(XmlElement filter) {
        Optional<XmlElement> and = filter.child("And");
        if (and.isPresent()) {
            // One condition needs no And.
            require(and.get().children().size() > 1 && and.get().all("Prefix").size() <= 1);
        }
        for (XmlElement tag : and.orElse(filter).all("Tag")) {
            require(tag.child("Key").isPresent() && tag.child("Value").isPresent());
        }
    }

    private static void requireDestination(XmlElement destination) {
        requireChildren(destination, DESTINATION);
        require(destination.childText("StorageClass").stream().allMatch(STORAGE_CLASSES::contains));
        Optional<String> account = destination.childText("Account");
        if (account.isPresent() && !account.get().matches("[0-9]{12}")) {
            throw S3Exception.invalidArgument(
                    "Account", account.get(), "An account id has 12 digits");
        }
        Optional<XmlElement> translation = destination.child("AccessControlTranslation");
        if (translation.isPresent()) {
            require(translation.get().childText("Owner").filter("Destination"::equals).isPresent());
            if (account.isEmpty()) {
                throw invalid("Account must be specified with AccessControlTranslation");
            }
        }
        Optional<XmlElement> metrics = destination.child("Metrics");
        boolean isMeasured =
                metrics.flatMap(each -> each.childText("Status"))
                        .filter("Enabled"::equals)
                        .isPresent();
        if (isMeasured && metrics.flatMap(each -> each.child("EventThreshold")).isPresent()) {
            throw S3Exception.notImplemented("EventThreshold in Metrics of replication");
        }
    }

    private static void requireChildren(XmlElement element, Set<String> known) {
        element.children().forEach(child -> require(known.contains(child.name())));
    }

    private static void require(boolean isWellFormed) {
        if (!isWellFormed) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
    }

    private static S3Exception invalid(String message) {
        return new S3Exception(S3Error.INVALID_REQUEST, message);
    }
}
