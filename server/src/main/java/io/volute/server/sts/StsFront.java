package io.volute.server.sts;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditUnavailableException;
import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.s3.body.SharedBudget;
import io.volute.server.s3.call.RequestKeys;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
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
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before S3: a form that is posted to the service is a call of STS, signed for service
 * {@code sts}; every answer to it, refusals included, is STS's. Thread-safe.
 */
public final class StsFront implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(StsFront.class);
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final List<Header> XML = List.of(new Header("content-type", "text/xml"));

    private final S3Handler next;
    private final Authenticator authenticator;
    private final List<String> domains;
    private final StsCalls calls;
    private final InstantSource clock;
    private final AuditTrail trail;
    private final SharedBudget documents;
    private final StsForm.Places places = new StsForm.Places();

    /**
     * @param next takes all other requests
     * @param authenticator for service {@code sts}
     * @param domains under which host names mean buckets, lower case
     * @param trail records sessions before they are issued, and refused requests
     * @param documents heap for the forms
     */
    public StsFront(
            S3Handler next,
            Authenticator authenticator,
            List<String> domains,
            StsCalls calls,
            InstantSource clock,
            AuditTrail trail,
            SharedBudget documents) {
        this.next = next;
        this.authenticator = authenticator;
        this.domains = List.copyOf(domains);
        this.calls = calls;
        this.clock = clock;
        this.trail = trail;
        this.documents = documents;
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
        Subject subject = new Subject();
        try (StsForm form = new StsForm(head, body, places, documents)) {
            refuseOtherServices(head);
            Verified verified = verified(head, form);
            subject.asker(verified.credential());
            QueryParameters asked =
                    QueryParameters.parse(new String(form.bytes(), StandardCharsets.UTF_8));
            subject.operation(StsCalls.name(asked));
            RequestKeys keys =
                    new RequestKeys(
                            head, new QueryParameters(List.of()), verified, clock.instant());
            StsCalls.Answer answer =
                    calls.answer(asked, verified.credential(), keys, head.requestId());
            answer.issued().ifPresent(key -> tell(head, subject, asked, key));
            return subject.answered(
                    new S3Response(200, XML, new S3Response.Content.Bytes(answer.document())));
        } catch (AuditUnavailableException e) {
            return error(
                    head, new StsException(503, "ServiceUnavailable", e.getMessage()), subject);
        } catch (StsException e) {
            if (e.code().equals(S3Error.ACCESS_DENIED.code())) {
                trail.refused(head, subject.about(), e.code());
            }
            return error(head, e, subject);
        } catch (S3Exception e) {
            S3Error error = e.error();
            return error(
                    head, new StsException(error.status(), error.code(), e.getMessage()), subject);
        } catch (RuntimeException e) {
            // As in S3, an internal error ends one request, and its answer reveals only the request
            // id.
            LOG.error("request {} failed", head.requestId(), e);
            return error(
                    head,
                    new StsException(500, "InternalFailure", S3Error.INTERNAL_ERROR.message()),
                    subject);
        }
    }

    /** Names the service that a client of another one will not find here. */
    private static void refuseOtherServices(HttpHead head) {
        if (head.headers().first("authorization").orElse("").contains("/iam/aws4_request")) {
            throw new StsException(
                    501,
                    "NotImplemented",
                    "This server has no IAM API. Use the commands volute user, key, group, role and"
                            + " policy.");
        }
    }

    /** Records a new credential before it leaves the server, so that none is in use unrecorded. */
    private void tell(HttpHead head, Subject subject, QueryParameters asked, String accessKey) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (String name : List.of("RoleArn", "RoleSessionName", "DurationSeconds", "Policy")) {
            asked.get(name).ifPresent(value -> details.put(name, value));
        }
        details.put("issuedAccessKey", accessKey);
        trail.done(head, subject.about(), details);
    }

    private Verified verified(HttpHead head, StsForm form) {
        QueryParameters query = QueryParameters.parse(head.rawQuery());
        return switch (authenticator.authenticate(head, query, form)) {
            case AuthResult.Refused refused -> {
                trail.refused(head, About.UNKNOWN, refused.error().error().code());
                throw refused.error();
            }
            case AuthResult.Anonymous anonymous ->
                    throw new StsException(
                            403, "MissingAuthenticationToken", "Request is missing a signature.");
            case Verified found -> {
                if (found.kind() == AuthResult.Kind.QUERY) {
                    throw StsException.denied(
                            "A presigned URL does not cover the form: sign the request in its"
                                    + " Authorization header.");
                }
                yield found;
            }
        };
    }

    private static S3Response error(HttpHead head, StsException e, Subject subject) {
        XmlWriter xml = StsCalls.document("ErrorResponse");
        xml.begin("Error").element("Type", e.status() < 500 ? "Sender" : "Receiver");
        xml.element("Code", e.code()).element("Message", String.valueOf(e.getMessage())).end();
        xml.element("RequestId", head.requestId());
        return subject.failed(
                new S3Response(e.status(), XML, new S3Response.Content.Bytes(xml.finish())),
                e.code());
    }
}
