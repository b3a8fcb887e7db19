package io.volute.server.s3.notification;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The event notifications of a bucket (S3 API Reference, "NotificationConfiguration"). No event
 * matches two rules: S3 refuses rules that overlap. Immutable.
 */
public final class NotificationRules {
    private static final String ROOT = "NotificationConfiguration";
    private static final String FILTER = "Filter";
    private static final String EVENT = "Event";
    private static final String ID = "Id";
    private static final int MOST_RULES = 100;
    private static final int MOST_VALUE_BYTES = 1024;

    private static final Set<String> EVENTS_ELSEWHERE =
            Set.of(
                    "s3:ReducedRedundancyLostObject",
                    "s3:LifecycleTransition",
                    "s3:IntelligentTiering");

    private final List<Rule> rules;

    private NotificationRules(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    /** A kind of rule: the element of a rule, the element with its ARN, and the ARN's service. */
    private enum Kind {
        TOPIC("TopicConfiguration", "Topic", "sns"),
        QUEUE("QueueConfiguration", "Queue", "sqs"),
        FUNCTION("CloudFunctionConfiguration", "CloudFunction", "lambda");

        private final String element;
        private final String target;
        private final String service;

        Kind(String element, String target, String service) {
            this.element = element;
            this.target = target;
            this.service = service;
        }

        static Optional<Kind> of(String element) {
            return Arrays.stream(values()).filter(each -> each.element.equals(element)).findFirst();
        }
    }

    /**
     * A rule: the events that a target gets.
     *
     * @param arn as the client wrote it
     * @param names of the events, as the client wrote them
     */
    public record Rule(
            String id,
            String element,
            String arn,
            TargetArn target,
            List<String> names,
            Set<EventType> events,
            Optional<String> prefix,
            Optional<String> suffix) {

        boolean matches(EventType type, String key) {
            return events.contains(type)
                    && key.startsWith(prefix.orElse(""))
                    && key.endsWith(suffix.orElse(""));
        }

        private boolean overlaps(Rule other) {
            String before = prefix.orElse("");
            String otherBefore = other.prefix.orElse("");
            String behind = suffix.orElse("");
            String otherBehind = other.suffix.orElse("");
            return !Collections.disjoint(events, other.events)
                    && (before.startsWith(otherBefore) || otherBefore.startsWith(before))
                    && (behind.endsWith(otherBehind) || otherBehind.endsWith(behind));
        }
    }

    /** Returns the rules, in the order of the document. */
    public List<Rule> rules() {
        return rules;
    }

    /** Returns the rule that an event matches. */
    public Optional<Rule> find(EventType type, String key) {
        return rules.stream().filter(rule -> rule.matches(type, key)).findFirst();
    }

    /** Returns the names of the targets. */
    public Set<String> targets() {
        return rules.stream()
                .map(rule -> rule.target().target())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Refuses targets that the server does not have.
     *
     * @param types types of the targets, by their names
     * @throws S3Exception InvalidArgument
     */
    public void requireTargets(Map<String, String> types) {
        for (Rule rule : rules) {
            String type = types.get(rule.target().target());
            if (type == null || !rule.target().type().orElse(type).equals(type)) {
                throw invalid(
                        rule.arn(),
                        "The destination does not exist.",
                        "Unable to validate the following destination configurations");
            }
        }
    }

    /** Reads a document that was stored. */
    public static NotificationRules ofDocument(String document) {
        return read(document.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads a document of a client.
     *
     * @throws S3Exception MalformedXML or InvalidArgument; NotImplemented for EventBridge
     */
    public static NotificationRules read(byte[] document) {
        XmlElement root = XmlReader.read(document, ROOT, Limits.XML_ELEMENTS_MAX);
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (XmlElement element : root.children()) {
            if (element.name().equals("EventBridgeConfiguration")) {
                throw new S3Exception(
                        S3Error.NOT_IMPLEMENTED,
                        "EventBridge is a service of Amazon. Name a target of this server in a"
                                + " QueueConfiguration.");
            }
            Kind kind = Kind.of(element.name()).orElseThrow(NotificationRules::malformed);
            Rule rule = rule(kind, element, rules.size());
            if (!ids.add(rule.id())) {
                throw invalid(
                        ID,
                        rule.id(),
                        "Same ID used for multiple configurations. IDs must be unique");
            }
            for (Rule other : rules) {
                if (rule.overlaps(other)) {
                    throw invalid(
                            ID,
                            rule.id(),
                            "Configuration is ambiguously defined. Cannot have overlapping suffixes"
                                    + " in two rules if the prefixes are overlapping for the same"
                                    + " event type.");
                }
            }
            rules.add(rule);
            require(rules.size() <= MOST_RULES);
        }
        return new NotificationRules(rules);
    }

    private static Rule rule(Kind kind, XmlElement element, int number) {
        for (XmlElement child : element.children()) {
            require(Set.of(ID, FILTER, EVENT, kind.target).contains(child.name()));
        }
        String id =
                element.childText(ID)
                        .filter(text -> !text.isEmpty())
                        .orElse("notification-" + (number + 1));
        if (id.length() > Limits.RULE_ID_CHARS_MAX) {
            throw invalid(ID, id, "ID length should not exceed allowed limit of 255");
        }
        String arn =
                element.childText(kind.target)
                        .map(String::strip)
                        .orElseThrow(NotificationRules::malformed);
        TargetArn target =
                TargetArn.of(arn)
                        .filter(each -> each.service().equals(kind.service))
                        .orElseThrow(
                                () -> invalid(kind.target, arn, "The ARN could not be parsed"));
        List<String> names = element.all(EVENT).stream().map(each -> each.text().strip()).toList();
        require(!names.isEmpty());
        Set<EventType> events = EnumSet.noneOf(EventType.class);
        names.forEach(name -> events.addAll(events(name)));
        Optional<String> prefix = Optional.empty();
        Optional<String> suffix = Optional.empty();
        for (XmlElement filter : filters(element)) {
            String name = filter.childText("Name").orElseThrow(NotificationRules::malformed);
            String value = filter.childText("Value").orElse("");
            if (value.getBytes(StandardCharsets.UTF_8).length > MOST_VALUE_BYTES) {
                throw invalid(
                        "FilterRule.Value",
                        value,
                        "Size of filter rule value cannot exceed 1024 bytes in UTF-8"
                                + " representation");
            }
            switch (name.strip().toLowerCase(Locale.ROOT)) {
                case "prefix" -> prefix = only(prefix, "prefix", value);
                case "suffix" -> suffix = only(suffix, "suffix", value);
                default ->
                        throw invalid(
                                "FilterRule.Name",
                                name,
                                "filter rule name must be either prefix or suffix");
            }
        }
        return new Rule(id, kind.element, arn, target, names, events, prefix, suffix);
    }

    private static Optional<String> only(Optional<String> before, String name, String value) {
        if (before.isPresent()) {
            throw invalid(
                    "FilterRule.Name",
                    name,
                    "Cannot specify more than one " + name + " rule in a filter.");
        }
        return Optional.of(value);
    }

    private static List<XmlElement> filters(XmlElement rule) {
        Optional<XmlElement> filter = rule.child(FILTER);
        if (filter.isEmpty()) {
            return List.of();
        }
        List<XmlElement> filters = new ArrayList<>();
        for (XmlElement kind : filter.get().children()) {
            require(kind.name().equals("S3Key"));
            for (XmlElement each : kind.children()) {
                require(each.name().equals("FilterRule"));
                filters.add(each);
            }
        }
        return filters;
    }

    private static Set<EventType> events(String name) {
        Set<EventType> events = EventType.named(name);
        if (!events.isEmpty()) {
            return events;
        }
        boolean isElsewhere =
                EVENTS_ELSEWHERE.contains(name)
                        || name.startsWith("s3:ObjectRestore:")
                        || name.startsWith("s3:Replication:");
        throw invalid(
                EVENT,
                name,
                isElsewhere
                        ? "This server has no such events: " + name
                        : "A specified event is not supported for notifications.");
    }

    /** Returns the document as it is stored and answered. */
    public byte[] document() {
        XmlWriter xml = XmlWriter.document(ROOT);
        for (Rule rule : rules) {
            xml.begin(rule.element()).element(ID, rule.id());
            if (rule.prefix().isPresent() || rule.suffix().isPresent()) {
                xml.begin(FILTER).begin("S3Key");
                rule.prefix().ifPresent(value -> filterRule(xml, "Prefix", value));
                rule.suffix().ifPresent(value -> filterRule(xml, "Suffix", value));
                xml.end().end();
            }
            xml.element(Kind.of(rule.element()).orElseThrow().target, rule.arn());
            rule.names().forEach(name -> xml.element(EVENT, name));
            xml.end();
        }
        return xml.finish();
    }

    /** Returns the document of a bucket without notifications. */
    public static byte[] none() {
        return XmlWriter.document(ROOT).finish();
    }

    private static void filterRule(XmlWriter xml, String name, String value) {
        xml.begin("FilterRule").element("Name", name).element("Value", value).end();
    }

    private static void require(boolean isWellFormed) {
        if (!isWellFormed) {
            throw malformed();
        }
    }

    private static S3Exception malformed() {
        return new S3Exception(S3Error.MALFORMED_XML);
    }

    private static S3Exception invalid(String name, String value, String message) {
        return S3Exception.invalidArgument(name, value, message);
    }
}
