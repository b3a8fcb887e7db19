package io.volute.server.s3;

import io.volute.server.s3.bucket.CorsRules;
import io.volute.server.s3.bucket.CorsRules.Rule;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.ParsedDocuments;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.Target;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.BucketAlias;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells browsers which pages of other origins may use a bucket. That protects the users of
 * browsers; signatures and policies protect the bucket. Thread-safe.
 */
final class Cors {
    private static final Logger LOG = LoggerFactory.getLogger(Cors.class);

    private static final String ALLOW = "access-control-allow-";
    private static final String VARY =
            "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";

    private static final String REQUEST_METHOD = "access-control-request-method";

    /** The methods that a rule can allow. */
    private static final Set<String> METHODS = Set.of("GET", "PUT", "POST", "DELETE", "HEAD");

    private final ObjectReader store;

    private final ParsedDocuments<CorsRules> parsed = new ParsedDocuments<>(CorsRules::ofDocument);

    Cors(ObjectReader store) {
        this.store = store;
    }

    /**
     * Answers a preflight. Browsers send it unsigned.
     *
     * @throws S3Exception AccessForbidden when no rule matches; the same for a bucket that does not
     *     exist, of which strangers learn nothing
     */
    S3Response preflight(HttpHead head, Target target) {
        String origin =
                header(head, "origin")
                        .orElseThrow(
                                () ->
                                        new S3Exception(
                                                S3Error.BAD_REQUEST,
                                                "Insufficient information. Origin request header"
                                                        + " needed."));
        String method =
                header(head, REQUEST_METHOD)
                        .filter(METHODS::contains)
                        .orElseThrow(() -> badMethod(header(head, REQUEST_METHOD).orElse("null")));
        List<String> headers =
                Arrays.stream(header(head, "access-control-request-headers").orElse("").split(","))
                        .map(name -> name.strip().toLowerCase(Locale.ROOT))
                        .filter(name -> !name.isEmpty())
                        .toList();
        CorsRules rules =
                rules(target)
                        .orElseThrow(
                                () ->
                                        new S3Exception(
                                                S3Error.ACCESS_FORBIDDEN,
                                                "CORSResponse: CORS is not enabled for this"
                                                        + " bucket."));
        Rule rule =
                rules.of(origin, method, headers)
                        .orElseThrow(
                                () ->
                                        new S3Exception(
                                                S3Error.ACCESS_FORBIDDEN,
                                                "CORSResponse: This CORS request is not allowed."
                                                        + " This is usually because the evalution"
                                                        + " of Origin, request method /"
                                                        + " Access-Control-Request-Method or"
                                                        + " Access-Control-Request-Headers are not"
                                                        + " whitelisted by the resource's CORS"
                                                        + " spec."));
        Answer answer = Answer.of(200);
        headersOf(rule, origin).forEach(each -> answer.header(each.name(), each.value()));
        if (!headers.isEmpty()) {
            answer.header(ALLOW + "headers", String.join(", ", headers));
        }
        return answer.empty();
    }

    private static S3Exception badMethod(String method) {
        return new S3Exception(
                S3Error.BAD_REQUEST, "Invalid Access-Control-Request-Method: " + method);
    }

    /** Adds the headers that a browser needs to give the answer, also a refusal, to a page. */
    S3Response over(S3Response answer, HttpHead head, Target target) {
        Optional<String> origin = header(head, "origin");
        if (origin.isEmpty() || head.method().equals("OPTIONS")) {
            return answer;
        }
        Optional<Rule> rule;
        try {
            // As in S3. A browser sends this header in preflights alone.
            String method = header(head, REQUEST_METHOD).orElse(head.method());
            rule = rules(target).flatMap(rules -> rules.of(origin.get(), method));
        } catch (UncheckedIOException e) {
            // The cube of the bucket is not open, and with it the rules.
            LOG.debug("no CORS headers: {}", e.getMessage());
            return answer;
        }
        if (rule.isEmpty()) {
            return answer;
        }
        List<Header> headers = new ArrayList<>(answer.headers());
        headers.addAll(headersOf(rule.get(), origin.get()));
        return new S3Response(answer.status(), headers, answer.content(), answer.about());
    }

    private static List<Header> headersOf(Rule rule, String origin) {
        List<Header> headers = new ArrayList<>();
        if (rule.isForAll()) {
            headers.add(new Header(ALLOW + "origin", "*"));
        } else {
            headers.add(new Header(ALLOW + "origin", origin));
            headers.add(new Header(ALLOW + "credentials", "true"));
        }
        headers.add(new Header(ALLOW + "methods", String.join(", ", rule.methods())));
        if (!rule.exposed().isEmpty()) {
            headers.add(
                    new Header("access-control-expose-headers", String.join(", ", rule.exposed())));
        }
        rule.maxAge().ifPresent(age -> headers.add(new Header("access-control-max-age", age)));
        headers.add(new Header("vary", VARY));
        return headers;
    }

    private static Optional<String> header(HttpHead head, String name) {
        return head.headers().first(name).filter(value -> !value.isEmpty());
    }

    private Optional<CorsRules> rules(Target target) {
        String name = BucketAlias.bucketOf(target.bucket());
        Optional<BucketInfo> bucket =
                BucketName.isValid(name) ? store.bucket(new BucketName(name)) : Optional.empty();
        return bucket.flatMap(info -> info.document(BucketDocument.CORS)).map(parsed::of);
    }
}
