package io.volute.server.query;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditUnavailableException;
import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.s3.call.RequestKeys;
import io.volute.server.s3.call.StoreErrors;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.Allowance;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.Subject;
import io.volute.server.s3.request.Target;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.storage.CubeUnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before S3: a form that is posted to the service is a call of IAM or STS. The scope of its
 * signature names which; every answer to it, refusals included, has the form of that service.
 * Thread-safe.
 */
public final class QueryFront implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(QueryFront.class);
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final List<Header> XML = List.of(new Header("content-type", "text/xml"));

    /** Codes that are recorded in the audit log: the caller is not allowed, or not believed. */
    private static final Set<String> REFUSALS =
            Set.of(
                    S3Error.ACCESS_DENIED.code(),
                    "InvalidIdentityToken",
                    "ExpiredTokenException",
                    "IDPRejectedClaim");

    private final S3Handler next;
    private final List<Signed> services;
    private final List<String> domains;
    private final InstantSource clock;
    private final AuditTrail trail;

    /**
     * A service with the authenticator of its callers.
     *
     * @param authenticator for the scope of the service
     */
    public record Signed(QueryService service, Authenticator authenticator) {
        private boolean isNamedBy(HttpHead head) {
            String named = "/" + service.scope() + "/aws4_request";
            return head.headers().first("authorization").orElse("").contains(named)
                    || head.rawQuery().contains(named.replace("/", "%2F"));
        }
    }

    /**
     * @param next takes all other requests
     * @param services the first one answers requests that name none
     * @param domains under which host names mean buckets, lower case
     * @param trail records refused requests
     */
    public QueryFront(
            S3Handler next,
            List<Signed> services,
            List<String> domains,
            InstantSource clock,
            AuditTrail trail) {
        this.next = next;
        this.services = List.copyOf(services);
        this.domains = List.copyOf(domains);
        this.clock = clock;
        this.trail = trail;
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        return isCall(head) ? answer(head, body) : next.handle(head, body);
    }

    private boolean isCall(HttpHead head) {
        if (!head.method().equals("POST")
                || !head.headers().first("content-type").orElse("").startsWith(FORM)) {
            return false;
        }
        try {
            Target target = Target.of(head, domains);
            return target.level() == Target.Level.SERVICE && !target.isWithoutBucket(head);
        } catch (S3Exception e) {
            return false;
        }
    }

    private S3Response answer(HttpHead head, RequestBody body) {
        Signed signed =
                services.stream()
                        .filter(each -> each.isNamedBy(head))
                        .findFirst()
                        .orElse(services.getFirst());
        QueryService service = signed.service();
        Subject subject = new Subject();
        try (QueryForm form = new QueryForm(head, body)) {
            Verified verified = verified(head, form, signed);
            subject.asker(verified.credential());
            QueryParameters asked =
                    QueryParameters.parse(new String(form.bytes(), StandardCharsets.UTF_8));
            subject.operation(service.operation(asked.text("Action")));
            RequestKeys keys =
                    new RequestKeys(
                            head, new QueryParameters(List.of()), verified, clock.instant());
            head.allowance().take(Allowance.CALL_BYTES);
            byte[] document =
                    service.answer(new QueryService.Call(head, verified, asked, keys, subject));
            return subject.answered(
                    new S3Response(200, XML, new S3Response.Content.Bytes(document)));
        } catch (AuditUnavailableException e) {
            return error(
                    service,
                    head,
                    new QueryException(503, "ServiceUnavailable", e.getMessage()),
                    subject);
        } catch (QueryException e) {
            if (REFUSALS.contains(e.code())) {
                trail.refused(head, subject.about(), e.code());
            }
            return error(service, head, e, subject);
        } catch (S3Exception e) {
            return error(service, head, translated(e.error(), e.getMessage()), subject);
        } catch (CubeUnavailableException e) {
            S3Exception known = StoreErrors.of(e);
            return error(service, head, translated(known.error(), known.getMessage()), subject);
        } catch (IOException | RuntimeException e) {
            // As in S3, an internal error ends one request, and its answer reveals only the request
            // id.
            LOG.error("request {} failed", head.requestId(), e);
            return error(
                    service,
                    head,
                    new QueryException(500, "InternalFailure", S3Error.INTERNAL_ERROR.message()),
                    subject);
        }
    }

    private static QueryException translated(S3Error error, String message) {
        return new QueryException(error.status(), error.code(), message);
    }

    private Verified verified(HttpHead head, QueryForm form, Signed signed) {
        QueryParameters query = QueryParameters.parse(head.rawQuery());
        return switch (signed.authenticator().authenticate(head, query, form)) {
            case AuthResult.Refused refused -> {
                trail.refused(head, About.UNKNOWN, refused.error().error().code());
                throw refused.error();
            }
            case AuthResult.Anonymous anonymous -> {
                if (!isUnsigned(form, signed.service())) {
                    throw new QueryException(
                            403, "MissingAuthenticationToken", "Request is missing a signature.");
                }
                yield anonymous.request();
            }
            case Verified found -> {
                if (found.kind() == AuthResult.Kind.QUERY) {
                    throw QueryException.denied(
                            "A presigned URL does not cover the form: sign the request in its"
                                    + " Authorization header.");
                }
                yield found;
            }
        };
    }

    private static boolean isUnsigned(QueryForm form, QueryService service) {
        // Without such an action there is no reason to read the form.
        return !service.unsignedActions().isEmpty()
                && service.unsignedActions()
                        .contains(
                                QueryParameters.parse(
                                                new String(form.bytes(), StandardCharsets.UTF_8))
                                        .text("Action"));
    }

    private static S3Response error(
            QueryService service, HttpHead head, QueryException e, Subject subject) {
        XmlWriter xml = service.document("ErrorResponse");
        xml.begin("Error").element("Type", e.status() < 500 ? "Sender" : "Receiver");
        xml.element("Code", e.code()).element("Message", String.valueOf(e.getMessage())).end();
        xml.element("RequestId", head.requestId());
        return subject.failed(
                new S3Response(e.status(), XML, new S3Response.Content.Bytes(xml.finish())),
                e.code());
    }
}
