package io.volute.server.s3.bucket;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The CORS configuration of a bucket (S3 User Guide, "Elements of a CORS configuration"): which
 * pages of other origins browsers let use it. The first rule that matches decides. Immutable.
 */
public record CorsRules(List<Rule> rules) {
    private static final String ROOT = "CORSConfiguration";
    private static final Set<String> ELEMENTS =
            Set.of(
                    "CORSRule",
                    "CORSRule/ID",
                    "CORSRule/AllowedOrigin",
                    "CORSRule/AllowedMethod",
                    "CORSRule/AllowedHeader",
                    "CORSRule/ExposeHeader",
                    "CORSRule/MaxAgeSeconds");
    private static final Set<String> METHODS = Set.of("GET", "PUT", "POST", "DELETE", "HEAD");

    public CorsRules {
        rules = List.copyOf(rules);
    }

    /**
     * A rule.
     *
     * @param origins and {@code headers}: patterns with at most one asterisk
     * @param maxAge seconds for which a browser may keep the answer to a preflight
     */
    public record Rule(
            Optional<String> id,
            List<String> origins,
            List<String> methods,
            List<String> headers,
            List<String> exposed,
            Optional<String> maxAge) {

        private boolean matches(String origin, String method) {
            return methods.contains(method)
                    && origins.stream().anyMatch(pattern -> isMatch(pattern, origin));
        }

        private boolean allows(List<String> asked) {
            return asked.stream()
                    .allMatch(
                            name ->
                                    headers.stream()
                                            .map(each -> each.toLowerCase(Locale.ROOT))
                                            .anyMatch(pattern -> isMatch(pattern, name)));
        }

        /** Returns whether every origin may use it, so that the answer depends on none. */
        public boolean isForAll() {
            return origins.contains("*");
        }
    }

    /** Returns the first rule for a request. */
    public Optional<Rule> of(String origin, String method) {
        return rules.stream().filter(rule -> rule.matches(origin, method)).findFirst();
    }

    /**
     * Returns the first rule for a request that a browser asks about.
     *
     * @param headers that the request would have, in lower case
     */
    public Optional<Rule> of(String origin, String method, List<String> headers) {
        return rules.stream()
                .filter(rule -> rule.matches(origin, method) && rule.allows(headers))
                .findFirst();
    }

    private static boolean isMatch(String pattern, String text) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return pattern.equals(text);
        }
        String end = pattern.substring(star + 1);
        return text.length() >= pattern.length() - 1
                && text.startsWith(pattern.substring(0, star))
                && text.endsWith(end);
    }

    /**
     * Reads a document of a client.
     *
     * @throws S3Exception MalformedXML or InvalidRequest
     */
    static CorsRules read(byte[] document) {
        List<Rule> rules = new ArrayList<>();
        XmlElement root = XmlReader.read(document, ROOT, Limits.XML_ELEMENTS_MAX);
        for (XmlElement rule : root.only(ELEMENTS).children()) {
            rules.add(rule(rule));
        }
        if (rules.isEmpty() || rules.size() > Limits.CORS_RULES_MAX) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        return new CorsRules(rules);
    }

    /** Reads a document that {@link #document} made. */
    public static CorsRules ofDocument(String document) {
        return read(document.getBytes(StandardCharsets.UTF_8));
    }

    private static Rule rule(XmlElement element) {
        Rule rule =
                new Rule(
                        element.childText("ID"),
                        texts(element, "AllowedOrigin"),
                        texts(element, "AllowedMethod"),
                        texts(element, "AllowedHeader"),
                        texts(element, "ExposeHeader"),
                        element.childText("MaxAgeSeconds").map(String::strip));
        boolean isWhole =
                !rule.origins().isEmpty()
                        && !rule.methods().isEmpty()
                        && rule.id().orElse("").length() <= Limits.RULE_ID_CHARS_MAX
                        && rule.maxAge().orElse("0").matches("[0-9]{1,9}");
        if (!isWhole) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        for (String method : rule.methods()) {
            if (!METHODS.contains(method)) {
                throw invalid(
                        "Found unsupported HTTP method in CORS config. Unsupported method is "
                                + method);
            }
        }
        requireOneStar("AllowedOrigin", rule.origins());
        requireOneStar("AllowedHeader", rule.headers());
        for (String name : rule.exposed()) {
            if (name.indexOf('*') >= 0) {
                throw invalid(
                        "ExposeHeader \""
                                + name
                                + "\" contains wildcard. We currently do not support wildcard for"
                                + " ExposeHeader");
            }
        }
        return rule;
    }

    /** Texts that go into headers of answers, so that no line breaks may be in them. */
    private static List<String> texts(XmlElement rule, String name) {
        List<String> texts = rule.all(name).stream().map(each -> each.text().strip()).toList();
        for (String text : texts) {
            if (text.isEmpty() || text.chars().anyMatch(c -> c < ' ' || c > '~')) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
        }
        return texts;
    }

    private static void requireOneStar(String name, List<String> patterns) {
        for (String pattern : patterns) {
            if (pattern.indexOf('*') != pattern.lastIndexOf('*')) {
                throw invalid(name + " \"" + pattern + "\" can not have more than one wildcard.");
            }
        }
    }

    private static S3Exception invalid(String message) {
        return new S3Exception(S3Error.INVALID_REQUEST, message);
    }

    /** Returns the rules as a document. */
    byte[] document() {
        XmlWriter xml = XmlWriter.document(ROOT);
        for (Rule rule : rules) {
            xml.begin("CORSRule");
            rule.id().ifPresent(id -> xml.element("ID", id));
            rule.headers().forEach(each -> xml.element("AllowedHeader", each));
            rule.methods().forEach(each -> xml.element("AllowedMethod", each));
            rule.origins().forEach(each -> xml.element("AllowedOrigin", each));
            rule.exposed().forEach(each -> xml.element("ExposeHeader", each));
            rule.maxAge().ifPresent(each -> xml.element("MaxAgeSeconds", each));
            xml.end();
        }
        return xml.finish();
    }
}
