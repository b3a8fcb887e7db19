package io.volute.server.s3.lifecycle;

import io.volute.server.Limits;
import io.volute.server.s3.call.Tags;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.value.ObjectVersion;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The lifecycle configuration of a bucket (S3 User Guide, "Lifecycle configuration elements"): when
 * objects, noncurrent versions, lone delete markers and unfinished uploads are removed. Transitions
 * are stored and change nothing. Immutable.
 *
 * @param document the rules as they are answered, each with an id
 */
public record LifecycleRules(List<Rule> rules, byte[] document) {
    private static final String ROOT = "LifecycleConfiguration";
    private static final Set<String> ACTIONS =
            Set.of(
                    "Expiration",
                    "NoncurrentVersionExpiration",
                    "AbortIncompleteMultipartUpload",
                    "Transition",
                    "NoncurrentVersionTransition");

    private static final Set<String> ELEMENTS =
            Set.of(
                    "ID",
                    "Status",
                    "Prefix",
                    "Filter",
                    "Expiration",
                    "NoncurrentVersionExpiration",
                    "AbortIncompleteMultipartUpload",
                    "Transition",
                    "NoncurrentVersionTransition");

    /**
     * A rule.
     *
     * @param expires when current versions expire; empty for never
     * @param markers whether delete markers without any version behind them go
     * @param noncurrentDays days for which a version stays once it is noncurrent; empty for ever
     * @param newerNoncurrent number of the newest noncurrent versions that stay in any case
     * @param abortDays days for which an unfinished upload stays; empty for ever
     */
    public record Rule(
            String id,
            boolean enabled,
            Filter filter,
            Optional<Expiry> expires,
            boolean markers,
            OptionalInt noncurrentDays,
            int newerNoncurrent,
            OptionalInt abortDays) {

        /** Returns whether the rule ever removes something. */
        public boolean removes() {
            return enabled
                    && (expires.isPresent()
                            || markers
                            || noncurrentDays.isPresent()
                            || abortDays.isPresent());
        }
    }

    /** The objects that a rule is about; sizes in bytes, both exclusive. */
    public record Filter(
            String prefix, SortedMap<String, String> tags, long greaterThan, long lessThan) {
        private static final Filter ALL = new Filter("", new TreeMap<>(), -1, Long.MAX_VALUE);

        /** Returns whether a key and a size match; tags are not looked at. */
        public boolean matches(String key, long bytes) {
            return key.startsWith(prefix) && bytes > greaterThan && bytes < lessThan;
        }

        /** Returns whether a version with its tags matches. */
        boolean matches(ObjectVersion version) {
            return matches(version.key().value(), version.bytes())
                    && matches(version.attributes().tags());
        }

        /** Returns whether an object with these tags matches. */
        public boolean matches(Map<String, String> present) {
            return present.entrySet().containsAll(tags.entrySet());
        }
    }

    /** The end of current versions: days after each was made, or one date for all. */
    public sealed interface Expiry {
        record Days(int days) implements Expiry {}

        record Date(Instant date) implements Expiry {}

        /** Returns the instant from which on a version that was made at this time has expired. */
        default Instant of(Instant made, Duration day) {
            return switch (this) {
                case Days(int days) -> LifecycleTime.due(made, days, day);
                case Date(Instant date) -> date;
            };
        }
    }

    /**
     * Returns the rule that removes a current version first, and when, with days of 24 hours; empty
     * for never.
     */
    Optional<Expiration> expiration(ObjectVersion version) {
        return rules.stream()
                .filter(rule -> rule.enabled() && rule.filter().matches(version))
                .flatMap(
                        rule ->
                                rule.expires().stream()
                                        .map(
                                                expiry ->
                                                        expiry.of(
                                                                version.modified(),
                                                                LifecycleTime.DAY))
                                        .map(end -> new Expiration(end, rule.id())))
                .min(Comparator.comparing(Expiration::end));
    }

    /** Returns the rule that aborts an upload first, and when; empty for never. */
    Optional<Expiration> abort(UploadInfo upload) {
        return rules.stream()
                .filter(rule -> rule.enabled() && rule.abortDays().isPresent())
                .filter(rule -> upload.key().value().startsWith(rule.filter().prefix()))
                .map(
                        rule ->
                                new Expiration(
                                        LifecycleTime.due(
                                                upload.initiated(),
                                                rule.abortDays().getAsInt(),
                                                LifecycleTime.DAY),
                                        rule.id()))
                .min(Comparator.comparing(Expiration::end));
    }

    /** The end of a current version or of an upload, and the id of the rule that ends it. */
    record Expiration(Instant end, String rule) {}

    /** Reads a document that was stored. */
    public static LifecycleRules ofDocument(String document) {
        return read(document.getBytes(StandardCharsets.UTF_8), rule -> {});
    }

    /**
     * Reads a document of a client.
     *
     * @throws S3Exception MalformedXML, InvalidArgument or InvalidRequest
     */
    public static LifecycleRules read(byte[] document) {
        return read(document, LifecycleSchema::check);
    }

    /**
     * @param schema check of a rule that stored documents may not meet
     */
    private static LifecycleRules read(byte[] document, Consumer<XmlElement> schema) {
        XmlElement root = XmlReader.read(document, ROOT, Limits.RULES_XML_ELEMENTS_MAX);
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        XmlWriter xml = XmlWriter.document(ROOT);
        for (XmlElement element : root.children()) {
            require(element.name().equals("Rule"));
            Rule rule = rule(element, rules.size());
            schema.accept(element);
            if (!ids.add(rule.id())) {
                throw invalid(
                        "ID",
                        rule.id(),
                        "Rule ID must be unique. Found same ID for more than one rule");
            }
            rules.add(rule);
            xml.begin("Rule").element("ID", rule.id());
            element.children().stream()
                    .filter(child -> !child.name().equals("ID"))
                    .forEach(child -> write(xml, child));
            xml.end();
        }
        require(!rules.isEmpty() && rules.size() <= Limits.LIFECYCLE_RULES_MAX);
        return new LifecycleRules(List.copyOf(rules), xml.finish());
    }

    private static void write(XmlWriter xml, XmlElement element) {
        if (element.children().isEmpty()) {
            xml.element(element.name(), element.text());
        } else {
            xml.begin(element.name());
            element.children().forEach(child -> write(xml, child));
            xml.end();
        }
    }

    private static Rule rule(XmlElement element, int number) {
        for (XmlElement child : element.children()) {
            require(ELEMENTS.contains(child.name()));
        }
        String id =
                element.childText("ID")
                        .filter(text -> !text.isEmpty())
                        .orElse("rule-" + (number + 1));
        if (id.length() > Limits.RULE_ID_CHARS_MAX) {
            throw invalid("ID", id, "ID length should not exceed allowed limit of 255");
        }
        boolean enabled =
                switch (element.childText("Status").map(String::strip).orElse("")) {
                    case "Enabled" -> true;
                    case "Disabled" -> false;
                    default -> throw malformed();
                };
        if (element.children().stream().noneMatch(child -> ACTIONS.contains(child.name()))) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "At least one action needs to be specified in a rule");
        }
        Optional<XmlElement> expiration = element.child("Expiration");
        Optional<XmlElement> noncurrent = element.child("NoncurrentVersionExpiration");
        Optional<XmlElement> abort = element.child("AbortIncompleteMultipartUpload");
        Rule rule =
                new Rule(
                        id,
                        enabled,
                        filter(element),
                        expiration.flatMap(LifecycleRules::expiry),
                        expiration.map(LifecycleRules::isOfMarkers).orElse(false),
                        noncurrent
                                .map(each -> OptionalInt.of(days(each, "NoncurrentDays")))
                                .orElse(OptionalInt.empty()),
                        noncurrent.map(LifecycleRules::newer).orElse(0),
                        abort.map(each -> OptionalInt.of(days(each, "DaysAfterInitiation")))
                                .orElse(OptionalInt.empty()));
        boolean hasTags = !rule.filter().tags().isEmpty();
        if (hasTags && (rule.markers() || rule.abortDays().isPresent())) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    (rule.markers() ? "ExpiredObjectDeleteMarker" : abort.orElseThrow().name())
                            + " cannot be specified with Tags.");
        }
        return rule;
    }

    private static Filter filter(XmlElement rule) {
        Optional<XmlElement> filter = rule.child("Filter");
        Optional<String> prefix = rule.childText("Prefix");
        require(filter.isPresent() != prefix.isPresent());
        if (prefix.isPresent()) {
            return new Filter(prefix.get(), new TreeMap<>(), -1, Long.MAX_VALUE);
        }
        List<XmlElement> parts = filter.get().children();
        require(parts.size() <= 1);
        if (parts.isEmpty()) {
            return Filter.ALL;
        }
        boolean isAnd = parts.getFirst().name().equals("And");
        return combined(isAnd ? parts.getFirst().children() : parts);
    }

    private static Filter combined(List<XmlElement> parts) {
        Optional<String> prefix = Optional.empty();
        SortedMap<String, String> tags = new TreeMap<>();
        long greater = -1;
        long less = Long.MAX_VALUE;
        for (XmlElement part : parts) {
            switch (part.name()) {
                case "Prefix" -> {
                    require(prefix.isEmpty());
                    prefix = Optional.of(part.text());
                }
                case "Tag" -> {
                    Map<String, String> tag =
                            Tags.ofBucketDocument(
                                    new XmlElement(
                                            "Tagging",
                                            "",
                                            List.of(new XmlElement("TagSet", "", List.of(part)))));
                    for (Map.Entry<String, String> each : tag.entrySet()) {
                        if (tags.put(each.getKey(), each.getValue()) != null) {
                            throw new S3Exception(
                                    S3Error.INVALID_REQUEST, "Duplicate Tag Keys are not allowed.");
                        }
                    }
                }
                case "ObjectSizeGreaterThan" -> greater = size(part);
                case "ObjectSizeLessThan" -> less = size(part);
                default -> throw malformed();
            }
        }
        if (less <= greater + 1) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "ObjectSizeLessThan has to be a value greater than ObjectSizeGreaterThan");
        }
        return new Filter(prefix.orElse(""), tags, greater, less);
    }

    private static long size(XmlElement element) {
        require(element.text().strip().matches("[0-9]{1,15}"));
        return Long.parseLong(element.text().strip());
    }

    private static Optional<Expiry> expiry(XmlElement expiration) {
        require(expiration.children().size() == 1);
        XmlElement only = expiration.children().getFirst();
        return switch (only.name()) {
            case "Days" -> Optional.of(new Expiry.Days(days(expiration, "Days")));
            case "Date" -> Optional.of(new Expiry.Date(date(only.text().strip())));
            case "ExpiredObjectDeleteMarker" -> Optional.empty();
            default -> throw malformed();
        };
    }

    private static boolean isOfMarkers(XmlElement expiration) {
        return switch (expiration.childText("ExpiredObjectDeleteMarker").orElse("false").strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw malformed();
        };
    }

    private static int days(XmlElement action, String name) {
        String text =
                action.childText(name).map(String::strip).orElseThrow(LifecycleRules::malformed);
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) == 0) {
            throw invalid(
                    name,
                    text,
                    "'" + name + "' for " + action.name() + " action must be a positive integer");
        }
        return Integer.parseInt(text);
    }

    static int newer(XmlElement noncurrent) {
        Optional<String> text = noncurrent.childText("NewerNoncurrentVersions").map(String::strip);
        if (text.isEmpty()) {
            return 0;
        }
        boolean isNumber = text.get().matches("[0-9]{1,3}");
        if (!isNumber
                || Integer.parseInt(text.get()) == 0
                || Integer.parseInt(text.get()) > Limits.NEWER_VERSIONS_MAX) {
            throw invalid(
                    "NewerNoncurrentVersions",
                    text.get(),
                    "'NewerNoncurrentVersions' must be a number from 1 to 100");
        }
        return Integer.parseInt(text.get());
    }

    static Instant date(String text) {
        try {
            Instant date =
                    text.length() == 10
                            ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                            : OffsetDateTime.parse(text).toInstant();
            if (date.equals(date.truncatedTo(ChronoUnit.DAYS))) {
                return date;
            }
        } catch (DateTimeException e) {
            throw malformed();
        }
        throw invalid("Date", text, "'Date' must be at midnight GMT");
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
