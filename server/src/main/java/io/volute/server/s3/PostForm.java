package io.volute.server.s3;

import io.volute.server.auth.sigv4.FormSignature;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Slash;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.Target;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * POST Object (S3 API Reference, "POST Object"): an upload by the form of a browser. The fields are
 * the headers of a PUT of the same object. A policy in the form, which its signer signed, limits
 * their values. Used by one thread.
 */
final class PostForm {
    private static final String KEY = "key";
    private static final String POLICY = "policy";
    private static final String TAGGING = "tagging";
    private static final String COPY = "x-amz-copy-source";
    private static final String STATUS = "success_action_status";
    private static final String REDIRECT = "success_action_redirect";
    private static final String OLD_REDIRECT = "redirect";

    /** Headers of the request that describe the browser. */
    private static final Set<String> OF_BROWSER = Set.of("host", "user-agent", "referer");

    /** Fields that are headers of a PUT by the same name. */
    private static final Set<String> HEADERS =
            Set.of(
                    "cache-control",
                    "content-disposition",
                    "content-encoding",
                    "content-language",
                    "content-md5",
                    "content-type",
                    "expires");

    private final HttpHead head;
    private final FormReader reader;
    private final FormReader.Fields fields;
    private final Target target;
    private final Optional<PostPolicy> policy;

    private PostForm(HttpHead head, FormReader reader, Target bucket) {
        this.head = head;
        this.reader = reader;
        this.fields = reader.fields();
        String key =
                fields.get(KEY)
                        .filter(each -> !each.isEmpty())
                        .orElseThrow(
                                () ->
                                        S3Exception.invalidArgument(
                                                KEY,
                                                "",
                                                "Bucket POST must contain a field named 'key'. "
                                                        + " If it is specified, please check the"
                                                        + " order of the fields."));
        this.target = new Target(bucket.bucket(), key.replace("${filename}", fields.filename()));
        this.policy = fields.get(POLICY).map(PostPolicy::read);
    }

    /** Returns whether a request is a form that uploads an object. */
    public static boolean is(HttpHead head, Target target, QueryParameters query) {
        return head.method().equals("POST")
                && target.level() == Target.Level.BUCKET
                && query.parameters().isEmpty()
                && head.headers()
                        .first("content-type")
                        .orElse("")
                        .toLowerCase(Locale.ROOT)
                        .startsWith("multipart/form-data");
    }

    /**
     * Reads the fields of a form.
     *
     * @param bucket that the form is sent to
     * @throws S3Exception for a form that is malformed, or whose policy is
     */
    public static PostForm read(HttpHead head, RequestBody body, Target bucket) {
        String type = head.headers().first("content-type").orElse("");
        return new PostForm(head, new FormReader(type, body), bucket);
    }

    /** Returns the object that the form makes. */
    public Target target() {
        return target;
    }

    /** Returns the content of the file, which keeps the length that the policy allows. */
    public RequestBody file() {
        return reader.file(policy.map(PostPolicy::range).orElse(PostPolicy.Range.ANY));
    }

    /**
     * Returns the signature of the form; empty for one of anybody.
     *
     * @throws S3Exception InvalidArgument for a signature without a policy, or the reverse
     */
    public Optional<FormSignature.Claimed> signature() {
        return FormSignature.of(fields.values());
    }

    /**
     * Refuses a form that its policy does not allow. Call it when the signature is verified.
     *
     * @throws S3Exception AccessDenied
     */
    public void requireAllowed(Instant now) {
        Map<String, String> values = new TreeMap<>(fields.values());
        values.put(KEY, target.key());
        values.put("bucket", target.bucket());
        policy.ifPresent(each -> each.require(values, now));
    }

    /**
     * Returns the head of the PUT that the form stands for.
     *
     * @throws S3Exception InvalidArgument for a form that would copy another object, or has a field
     *     of this server's own, such as a claim about the origin of its object
     */
    public HttpHead put() {
        fields.get(COPY)
                .ifPresent(
                        source -> {
                            throw S3Exception.invalidArgument(
                                    COPY, source, "A form uploads its file and copies nothing.");
                        });
        fields.values().forEach(PostForm::requireOfS3);
        return new HttpHead(
                "PUT",
                head.rawPath(),
                "",
                headers(),
                head.secure(),
                head.remoteAddress(),
                -1,
                head.requestId(),
                head.tlsVersion(),
                head.allowance());
    }

    private static void requireOfS3(String name, String value) {
        if (name.startsWith("x-volute-")) {
            throw S3Exception.invalidArgument(
                    name, value, "A form has no such field: send the object by PUT.");
        }
    }

    private HeaderList headers() {
        List<Header> headers = new ArrayList<>();
        for (Header header : head.headers().headers()) {
            if (OF_BROWSER.contains(header.name())) {
                headers.add(header);
            }
        }
        fields.values()
                .forEach(
                        (name, value) -> {
                            if (name.equals("acl")) {
                                headers.add(new Header("x-amz-acl", value));
                            } else if (name.equals(TAGGING)) {
                                headers.add(new Header("x-amz-tagging", tagging(value)));
                            } else if (HEADERS.contains(name) || name.startsWith("x-amz-")) {
                                headers.add(new Header(name, wire(value)));
                            }
                        });
        return new HeaderList(headers);
    }

    /** Headers have one char for each byte that arrived. */
    private static String wire(String value) {
        return new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Turns a Tagging document into the value of a header. */
    private static String tagging(String document) {
        XmlElement root =
                XmlReader.read(document.getBytes(StandardCharsets.UTF_8), "Tagging", 1000);
        List<String> pairs = new ArrayList<>();
        for (XmlElement tag :
                root.child("TagSet")
                        .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML))
                        .all("Tag")) {
            pairs.add(
                    PercentCoding.encode(tag.childText("Key").orElse(""), Slash.ENCODED)
                            + "="
                            + PercentCoding.encode(
                                    tag.childText("Value").orElse(""), Slash.ENCODED));
        }
        return String.join("&", pairs);
    }

    /**
     * Returns the answer that the form chooses.
     *
     * @param made the answer to the PUT
     */
    public S3Response answer(S3Response made) {
        String etag =
                made.headers().stream()
                        .filter(header -> header.name().equals("etag"))
                        .map(Header::value)
                        .findFirst()
                        .orElse("");
        Optional<String> redirect = redirect(etag);
        String status = fields.get(STATUS).orElse("");
        int code =
                redirect.isPresent()
                        ? 303
                        : switch (status) {
                            case "200" -> 200;
                            case "201" -> 201;
                            default -> 204;
                        };
        Answer answer = Answer.of(code);
        made.headers().forEach(header -> answer.header(header.name(), header.value()));
        answer.header("location", redirect.orElseGet(this::location));
        return switch (code) {
            case 201 -> answer.xml(document(etag));
            case 204 -> answer.withoutBody(-1);
            default -> answer.empty();
        };
    }

    private byte[] document(String etag) {
        return XmlWriter.plainDocument("PostResponse")
                .element("Location", location())
                .element("Bucket", target.bucket())
                .element("Key", target.key())
                .element("ETag", etag)
                .finish();
    }

    private String location() {
        String host = head.headers().first("host").orElse("");
        String path = head.rawPath().endsWith("/") ? head.rawPath() : head.rawPath() + "/";
        return (head.secure() ? "https://" : "http://")
                + host
                + path
                + PercentCoding.encode(target.key(), Slash.KEPT);
    }

    /** The page to go on with; one that is no address is ignored, as S3 does. */
    private Optional<String> redirect(String etag) {
        Optional<String> asked = fields.get(REDIRECT).or(() -> fields.get(OLD_REDIRECT));
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        try {
            URI page = new URI(asked.get());
            String scheme = String.valueOf(page.getScheme()).toLowerCase(Locale.ROOT);
            if (page.getHost() == null || !Set.of("http", "https").contains(scheme)) {
                return Optional.empty();
            }
            String query = page.getRawQuery() == null ? "" : page.getRawQuery() + "&";
            String base = page.toASCIIString().replaceFirst("[?#].*", "");
            return Optional.of(
                    base
                            + "?"
                            + query
                            + "bucket="
                            + PercentCoding.encode(target.bucket(), Slash.ENCODED)
                            + "&key="
                            + PercentCoding.encode(target.key(), Slash.ENCODED)
                            + "&etag="
                            + PercentCoding.encode(etag, Slash.ENCODED));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }
}
