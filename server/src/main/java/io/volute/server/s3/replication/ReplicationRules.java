package io.volute.server.s3.replication;

import io.volute.server.Limits;
import io.volute.server.config.ReplicationConfig;
import io.volute.server.s3.call.ParsedDocuments;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.value.ObjectVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The replication configuration of a bucket (S3 API Reference, "ReplicationConfiguration"), in the
 * form with Filter and in the first form. Immutable.
 *
 * @param document as it is stored and answered
 */
public record ReplicationRules(List<ReplicationRule> rules, byte[] document) {
    private static final String ROOT = "ReplicationConfiguration";
    private static final String ENABLED = "Enabled";
    private static final String STATUS = "Status";
    private static final String PREFIX = "Prefix";
    private static final int MOST_RULES = 1000;

    /** Routing and delivery need the same documents. */
    private static final ParsedDocuments<ReplicationRules> STORED =
            new ParsedDocuments<>(
                    document ->
                            of(
                                    XmlReader.read(
                                            bytes(document), ROOT, Limits.RULES_XML_ELEMENTS_MAX)));

    private static final Set<String> ELEMENTS =
            Set.of(
                    "ID",
                    "Priority",
                    PREFIX,
                    "Filter",
                    STATUS,
                    "SourceSelectionCriteria",
                    "ExistingObjectReplication",
                    "Destination",
                    "DeleteMarkerReplication",
                    "DeleteReplication");

    public ReplicationRules {
        rules = List.copyOf(rules);
    }

    /** Returns the rules that decide about a version: for each target the one that wins. */
    public Collection<ReplicationRule> matching(ObjectVersion version) {
        Map<String, ReplicationRule> found = new LinkedHashMap<>();
        for (ReplicationRule rule : rules) {
            if (rule.matches(version)) {
                found.merge(
                        rule.destination().target(),
                        rule,
                        (one, other) -> other.priority() > one.priority() ? other : one);
            }
        }
        return found.values();
    }

    /** Reads a document that was stored, or returns what was read before. */
    public static ReplicationRules ofDocument(String document) {
        return STORED.of(document);
    }

    private static byte[] bytes(String document) {
        return document.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads a document of a client.
     *
     * @throws S3Exception MalformedXML, InvalidArgument or InvalidRequest; NotImplemented for what
     *     this server lacks
     */
    public static ReplicationRules read(byte[] sent) {
        XmlElement root = XmlReader.read(sent, ROOT, Limits.RULES_XML_ELEMENTS_MAX);
        root.all("Rule").forEach(ReplicationSchema::require);
        return of(root);
    }

    private static ReplicationRules of(XmlElement root) {
        String role = root.childText("Role").map(String::strip).orElse("");
        if (role.isEmpty()) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        List<XmlElement> elements = root.all("Rule");
        require(!elements.isEmpty() && elements.size() + 1 == root.children().size());
        if (elements.size() > MOST_RULES) {
            throw invalid("The number of replication rules must not exceed 1000");
        }
        List<ReplicationRule> rules = new ArrayList<>();
        for (XmlElement element : elements) {
            rules.add(rule(element, rules.size()));
        }
        check(rules);
        XmlWriter xml = XmlWriter.document(ROOT).element("Role", role);
        for (int i = 0; i < rules.size(); i++) {
            xml.begin("Rule").element("ID", rules.get(i).id());
            elements.get(i).children().stream()
                    .filter(child -> !child.name().equals("ID"))
                    .forEach(child -> write(xml, child));
            xml.end();
        }
        return new ReplicationRules(rules, xml.finish());
    }

    private static void write(XmlWriter xml, XmlElement element) {
        if (element.children().isEmpty()) {
            xml.element(element.name(), element.text());
            return;
        }
        xml.begin(element.name());
        element.children().forEach(child -> write(xml, child));
        xml.end();
    }

    private static void check(List<ReplicationRule> rules) {
        Set<String> ids = new HashSet<>();
        Map<String, Set<Integer>> priorities = new HashMap<>();
        Map<String, ReplicaTarget> destinations = new HashMap<>();
        for (ReplicationRule rule : rules) {
            if (!ids.add(rule.id())) {
                throw new S3Exception(S3Error.INVALID_ARGUMENT, "Rule Id must be unique")
                        .with("ArgumentName", "ID")
                        .with("ArgumentValue", rule.id());
            }
            String target = rule.destination().target();
            ReplicaTarget destination = destinations.putIfAbsent(target, rule.destination());
            if (destination != null && !destination.equals(rule.destination())) {
                throw S3Exception.notImplemented("two destination buckets at one target");
            }
            boolean isNew =
                    priorities
                            .computeIfAbsent(target, same -> new HashSet<>())
                            .add(rule.priority());
            if (!rule.isFirstForm() && !isNew) {
                throw invalid("Found duplicate priority " + rule.priority());
            }
            if (rule.isFirstForm() != rules.get(0).isFirstForm()) {
                throw invalid(
                        "Rules with Filter and rules without it cannot be in one replication"
                                + " configuration");
            }
            for (ReplicationRule other : rules) {
                if (!other.equals(rule)
                        && rule.isFirstForm()
                        && rule.prefix().startsWith(other.prefix())) {
                    throw invalid(
                            "Found overlapping prefixes '"
                                    + other.prefix()
                                    + "' and '"
                                    + rule.prefix()
                                    + "'");
                }
            }
        }
    }

    private static ReplicationRule rule(XmlElement element, int place) {
        element.children().forEach(child -> require(ELEMENTS.contains(child.name())));
        String id =
                element.childText("ID")
                        .filter(text -> !text.isEmpty())
                        .orElse("replication-" + (place + 1));
        if (id.length() > Limits.RULE_ID_CHARS_MAX) {
            throw S3Exception.invalidArgument(
                    "ID", id, "ID length should not exceed allowed limit of 255");
        }
        Optional<XmlElement> filter = element.child("Filter");
        boolean isFirstForm = filter.isEmpty();
        require(!isFirstForm || element.child(PREFIX).isPresent());
        require(isFirstForm || element.child(PREFIX).isEmpty());
        SortedMap<String, String> tags = new TreeMap<>();
        String prefix =
                isFirstForm
                        ? element.childText(PREFIX).orElse("")
                        : filter(filter.orElseThrow(), tags);
        Optional<Boolean> markers = status(element.child("DeleteMarkerReplication"));
        if (!isFirstForm && markers.isEmpty()) {
            throw invalid("DeleteMarkerReplication must be specified for this version of schema");
        }
        if (!tags.isEmpty() && markers.orElse(false)) {
            throw invalid("Delete marker replication is not supported if any Tag filter is used.");
        }
        Optional<XmlElement> criteria = element.child("SourceSelectionCriteria");
        if (status(criteria.flatMap(each -> each.child("ReplicaModifications"))).orElse(false)) {
            throw S3Exception.notImplemented("ReplicaModifications");
        }
        boolean named =
                status(criteria.flatMap(each -> each.child("SseKmsEncryptedObjects")))
                        .orElse(false);
        XmlElement destination =
                element.child("Destination").orElseThrow(ReplicationRules::malformed);
        if (status(destination.child("ReplicationTime")).orElse(false)) {
            throw S3Exception.notImplemented("ReplicationTime");
        }
        String arn =
                destination
                        .childText("Bucket")
                        .map(String::strip)
                        .orElseThrow(ReplicationRules::malformed);
        Optional<String> key =
                destination
                        .child("EncryptionConfiguration")
                        .flatMap(each -> each.childText("ReplicaKmsKeyID"));
        if (named != key.isPresent()) {
            throw invalid("SseKmsEncryptedObjects and EncryptionConfiguration need each other");
        }
        return new ReplicationRule(
                id,
                priority(element, isFirstForm),
                status(Optional.of(element)).orElseThrow(ReplicationRules::malformed),
                isFirstForm,
                prefix,
                tags,
                markers.orElse(isFirstForm),
                status(element.child("DeleteReplication")).orElse(false),
                named,
                status(element.child("ExistingObjectReplication")).orElse(true),
                arn,
                ReplicaTarget.of(arn)
                        .orElseThrow(
                                () ->
                                        S3Exception.invalidArgument(
                                                "Bucket", arn, "Invalid bucket ARN")),
                destination.childText("StorageClass").filter(text -> !text.isEmpty()),
                key);
    }

    private static int priority(XmlElement element, boolean isFirstForm) {
        Optional<String> text = element.childText("Priority").map(String::strip);
        require(text.isEmpty() || !isFirstForm);
        try {
            int priority = text.map(Integer::parseInt).orElse(0);
            require(priority >= 0);
            return priority;
        } catch (NumberFormatException e) {
            throw malformed();
        }
    }

    private static String filter(XmlElement filter, SortedMap<String, String> tags) {
        require(filter.children().size() <= 1);
        XmlElement holder = filter.child("And").orElse(filter);
        for (XmlElement child : holder.children()) {
            require(Set.of(PREFIX, "Tag").contains(child.name()));
        }
        for (XmlElement tag : holder.all("Tag")) {
            String name = tag.childText("Key").orElseThrow(ReplicationRules::malformed);
            require(tags.put(name, tag.childText("Value").orElse("")) == null);
        }
        return holder.childText(PREFIX).orElse("");
    }

    /** Returns whether the Status of an element is Enabled; empty without the element. */
    private static Optional<Boolean> status(Optional<XmlElement> element) {
        return element.map(
                each -> {
                    String text = each.childText(STATUS).map(String::strip).orElse("");
                    require(Set.of(ENABLED, "Disabled").contains(text));
                    return text.equals(ENABLED);
                });
    }

    /**
     * Refuses destinations at targets that the server does not have.
     *
     * @param targets names of the targets
     */
    public void requireTargets(Set<String> targets) {
        for (ReplicationRule rule : rules) {
            String name = rule.destination().target();
            if (!name.equals(ReplicationConfig.LOCAL) && !targets.contains(name)) {
                throw S3Exception.invalidArgument(
                        "Bucket",
                        rule.arn(),
                        "This server has no replication target "
                                + name
                                + ". Name one of replication.targets.");
            }
        }
    }

    private static void require(boolean isWellFormed) {
        if (!isWellFormed) {
            throw malformed();
        }
    }

    private static S3Exception malformed() {
        return new S3Exception(S3Error.MALFORMED_XML);
    }

    private static S3Exception invalid(String message) {
        return new S3Exception(S3Error.INVALID_REQUEST, message);
    }
}
