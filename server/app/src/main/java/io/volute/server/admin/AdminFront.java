package io.volute.server.admin;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.Failure;
import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.server.Limits;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auditlog.AuditTrail.IfUnwritten;
import io.volute.server.auditlog.AuditUnavailableException;
import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.MatchingBudget;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.policy.RequestSet;
import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.body.IncomingBody;
import io.volute.server.s3.bucket.VersionLister;
import io.volute.server.s3.call.Callers;
import io.volute.server.s3.call.RequestKeys;
import io.volute.server.s3.call.StoreErrors;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.Allowance;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.Subject;
import io.volute.server.s3.request.Target;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before S3: requests about {@code /_volute}, which can be no bucket, are for the admin API,
 * and every answer to them, refusals included, is JSON. Thread-safe.
 */
public final class AdminFront implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(AdminFront.class);
    private static final String ROOT = "_volute";
    private static final String ACCESS_DENIED = S3Error.ACCESS_DENIED.code();
    private static final String RESOURCE = "arn:aws:volute:::server";
    private static final String BUCKETS = "arn:aws:s3:::";

    /** Condition keys of S3 whose values are those of this request. */
    private static final Set<String> KNOWN =
            Set.of("s3:authtype", "s3:signatureversion", "s3:signatureage", "s3:tlsversion");

    private static final List<Header> JSON = ofType("application/json");
    private static final List<Header> BYTES = ofType("application/octet-stream");

    private final S3Handler next;
    private final Authenticator authenticator;
    private final Authority authority;
    private final S3Settings settings;
    private final AdminApi api;
    private final AuditTrail trail;
    private final CredentialStore users;

    /**
     * @param next takes all other requests
     * @param authenticator the kind that S3 has
     * @param authority decides which callers besides the root may use a route
     * @param trail records changes before they are made, and refused requests
     * @param users the users that may have grants
     */
    public AdminFront(
            S3Handler next,
            Authenticator authenticator,
            Authority authority,
            S3Settings settings,
            AdminApi api,
            AuditTrail trail,
            CredentialStore users) {
        this.next = next;
        this.authenticator = authenticator;
        this.authority = authority;
        this.settings = settings;
        this.api = api;
        this.trail = trail;
        this.users = users;
    }

    /**
     * Returns the handler behind the admin API on an address without S3; it refuses every request.
     */
    public static S3Handler nothingElse() {
        return (head, body) ->
                error(
                        head,
                        new AdminException(
                                404,
                                "NoSuchPath",
                                "Here is the admin API alone: S3 is at server.listen."),
                        new Subject());
    }

    private static List<Header> ofType(String type) {
        return List.of(new Header("content-type", type));
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        Target target;
        try {
            target = Target.of(head, settings.virtualHostDomains());
        } catch (S3Exception e) {
            return next.handle(head, body);
        }
        return target.bucket().equals(ROOT) ? admin(head, target, body) : next.handle(head, body);
    }

    /** Returns the route of a request; empty if it has none, or is not for the admin API. */
    public static Optional<Route<?, ?>> route(HttpHead head, Target target) {
        return target.bucket().equals(ROOT)
                ? AdminRoute.of(head.method(), path(target)).map(AdminRoute::route)
                : Optional.empty();
    }

    private static String path(Target target) {
        return "/" + target.bucket() + "/" + target.key();
    }

    private S3Response admin(HttpHead head, Target target, RequestBody body) {
        Subject subject = new Subject();
        try {
            AdminApi.Reply reply = answer(head, path(target), body, subject);
            return subject.answered(
                    new S3Response(
                            reply.status(),
                            Stream.concat(
                                            (reply.isJson() ? JSON : BYTES).stream(),
                                            reply.headers().stream())
                                    .toList(),
                            reply.content()));
        } catch (AdminException e) {
            return error(head, e, subject);
        } catch (S3Exception e) {
            return error(head, translated(e), subject);
        } catch (StoreException e) {
            S3Error error = StoreErrors.of(e.reason());
            return error(
                    head,
                    new AdminException(error.status(), error.code(), e.getMessage()),
                    subject);
        } catch (CubeUnavailableException e) {
            return error(head, unavailable(e), subject);
        } catch (UncheckedIOException e) {
            boolean isUnavailable = e.getCause() instanceof CubeUnavailableException;
            if (!isUnavailable) {
                LOG.error("request {} failed", head.requestId(), e);
            }
            return error(
                    head,
                    isUnavailable
                            ? unavailable((CubeUnavailableException) e.getCause())
                            : translated(new S3Exception(S3Error.INTERNAL_ERROR)),
                    subject);
        } catch (AuditUnavailableException e) {
            return error(
                    head, new AdminException(503, "AuditLogUnavailable", e.getMessage()), subject);
        } catch (IOException | RuntimeException e) {
            // As in S3, an internal error ends one request and reveals only the request id.
            LOG.error("request {} failed", head.requestId(), e);
            return error(head, translated(new S3Exception(S3Error.INTERNAL_ERROR)), subject);
        }
    }

    private AdminException unavailable(CubeUnavailableException e) {
        S3Exception refusal = StoreErrors.of(e);
        return e.cube()
                .flatMap(api::elsewhere)
                .map(
                        remedy ->
                                new AdminException(
                                        refusal.error().status(), refusal.error().code(), remedy))
                .orElseGet(() -> translated(refusal));
    }

    private static AdminException translated(S3Exception e) {
        return new AdminException(e.error().status(), e.error().code(), e.getMessage());
    }

    private AdminApi.Reply answer(HttpHead head, String path, RequestBody body, Subject subject)
            throws IOException {
        QueryParameters query = QueryParameters.parse(head.rawQuery());
        Verified verified =
                switch (authenticator.authenticate(head, query)) {
                    case AuthResult.Refused refused -> {
                        trail.refused(head, subject.about(), refused.error().error().code());
                        throw refused.error();
                    }
                    case AuthResult.Anonymous anonymous -> {
                        trail.refused(head, subject.about(), ACCESS_DENIED);
                        throw new S3Exception(S3Error.ACCESS_DENIED);
                    }
                    case Verified found -> found;
                };
        if (verified.kind() != AuthResult.Kind.HEADER || verified.payload().isUnsigned()) {
            trail.refused(head, subject.about(), ACCESS_DENIED);
            throw new AdminException(
                    403,
                    ACCESS_DENIED,
                    "the admin API takes neither presigned requests nor unsigned bodies: sign in"
                            + " the Authorization header, with the SHA-256 of the body in"
                            + " x-amz-content-sha256");
        }
        subject.asker(verified.credential());
        Instant now = settings.clock().instant();
        RequestKeys keys = new RequestKeys(head, query, verified, now);
        AdminRoute route = route(head, path, verified.credential(), keys, subject);
        subject.operation(route.title());
        Caller caller = Callers.of(head, verified);
        try (IncomingBody incoming = new IncomingBody(head, body, verified)) {
            byte[] document = incoming.gather(Promises.of(verified), Limits.ADMIN_BODY_BYTES_MAX);
            Arguments asked = Arguments.of(head.method(), query, document);
            // The root may do everything, also where the bucket's cube is on another node.
            if (route.isOfBucket() && !verified.credential().root()) {
                asked.judge(api.bucket(scope(route, asked).neededBucket()));
                if (!isAllowed(route, verified.credential(), keys, asked)) {
                    throw denied(head, Optional.of(route), subject);
                }
            }
            if (isByListing(route, verified.credential(), keys)) {
                asked.limit(view(verified.credential(), caller, keys));
                if (!asked.view().get().has(asked.neededBucket(), asked.key())) {
                    throw denied(head, Optional.of(route), subject);
                }
            }
            head.allowance().take(Allowance.CALL_BYTES);
            return answer(head, route, caller, asked, subject);
        }
    }

    private AdminApi.Reply answer(
            HttpHead head, AdminRoute route, Caller caller, Arguments asked, Subject subject)
            throws IOException {
        if (!route.isAudited()) {
            return api.answer(route.route(), caller, asked);
        }
        if (route.isSecretRead()) {
            AdminApi.Reply reply = api.answer(route.route(), caller, asked);
            trail.done(head, subject.about(), asked.all());
            return reply;
        }
        AuditTrail.Deed deed =
                trail.begin(
                        head,
                        subject.about(),
                        asked.all(),
                        route.isHarmless() ? IfUnwritten.DONE_ALL_THE_SAME : IfUnwritten.REFUSED);
        Map<String, Object> told = new LinkedHashMap<>();
        subject.whenEnded(code -> deed.ended(code, told));
        AdminApi.Reply reply = api.answer(route.route(), caller, asked);
        told.putAll(reply.told());
        return reply;
    }

    /** Resolves the route of a request. Only the root learns whether a route exists. */
    private AdminRoute route(
            HttpHead head, String path, Credential who, RequestKeys keys, Subject subject) {
        Optional<AdminRoute> route = AdminRoute.of(head.method(), path);
        boolean allowed =
                who.root()
                        || route.filter(
                                        known ->
                                                mayBeAllowed(known, who, keys)
                                                        || isByListing(known, who, keys))
                                .isPresent();
        if (!allowed) {
            throw denied(head, route, subject);
        }
        if (route.filter(AdminRoute::changesIdentities).isPresent() && isOfUser(who)) {
            trail.refused(head, subject.about().of(route.get().title()), ACCESS_DENIED);
            throw new AdminException(
                    403,
                    ACCESS_DENIED,
                    "A session of a user does not change users, keys or policies: use a lasting"
                            + " access key, or assume a role.");
        }
        return route.orElseThrow(() -> unknown(head, path));
    }

    /**
     * Returns whether a caller may use the route for keys whose versions the caller may list, and
     * for no others.
     */
    private boolean isByListing(AdminRoute route, Credential who, RequestKeys keys) {
        return route.isForListers()
                && !who.root()
                && !mayBeAllowed(route, who, keys)
                && !authority.denies(who, request(route, who, keys));
    }

    private HistoryView view(Credential who, Caller caller, RequestKeys keys) throws IOException {
        return new HistoryView(
                new VersionLister(authority, who, caller, keys, users, api.store()),
                who,
                mayBeAllowed(new AdminRoute(Routes.ACTORS), who, keys));
    }

    private static AccessRequest request(AdminRoute route, Credential who, RequestKeys keys) {
        return new AccessRequest(Principal.of(who), route.action(), RESOURCE, keys);
    }

    /** Returns whether a session is one of a user. A key that it made would outlive it. */
    private static boolean isOfUser(Credential session) {
        return session.session().isPresent() && session.kind() != Credential.Kind.ROLE;
    }

    /**
     * Returns whether a caller may use the route for at least one bucket. The request's document
     * names the bucket, and is checked later.
     */
    private boolean mayBeAllowed(AdminRoute route, Credential who, RequestKeys keys) {
        if (route.isOfBucket()) {
            RequestSet any =
                    set(List.of(route.action()), who, BUCKETS, true, keys, new MatchingBudget());
            return authority.grounds(who, Optional.empty(), any, any).isPresent();
        }
        return authority.decide(who, request(route, who, keys), Optional.empty()) == Decision.ALLOW
                && route.parts().stream().allMatch(part -> mayBeAllowed(part, who, keys));
    }

    /**
     * Returns whether a caller may use the route on the bucket or keys that the document names. A
     * policy of the caller must allow it for all of them, and no policy may deny its effect.
     */
    private boolean isAllowed(AdminRoute route, Credential who, RequestKeys keys, Arguments asked) {
        boolean isRestore = route.is(Routes.START_RESTORE);
        Arguments scope = scope(route, asked);
        if (isRestore
                && RestoreDocument.readsBeyond(scope)
                && !mayBeAllowed(new AdminRoute(Routes.TRACE), who, keys)) {
            return false;
        }
        String bucket = BUCKETS + scope.neededBucket().value();
        String objects = bucket + "/" + (isRestore ? scope.text("prefix").orElse("") : "");
        List<String> action = List.of(route.action());
        MatchingBudget budget = new MatchingBudget();
        RequestSet ofBucket = set(action, who, bucket, false, keys, budget);
        RequestSet meant = isRestore ? set(action, who, objects, true, keys, budget) : ofBucket;
        boolean isOfObjects = !route.is(Routes.SET_POLICY);
        RequestSet effect =
                set(route.asInS3(), who, isOfObjects ? objects : bucket, isOfObjects, keys, budget);
        return authority.allowsAll(who, meant)
                && !authority.mayDeny(who, Optional.empty(), ofBucket)
                && !authority.mayDeny(who, asked.judged(), effect);
    }

    /** Returns the part of the document that names the bucket. */
    private static Arguments scope(AdminRoute route, Arguments asked) {
        return route.is(Routes.START_RESTORE) ? asked.neededObject(RestoreRoutes.REQUEST) : asked;
    }

    private static RequestSet set(
            List<String> actions,
            Credential who,
            String resource,
            boolean isPrefix,
            RequestKeys keys,
            MatchingBudget budget) {
        return new RequestSet(
                Principal.of(who),
                actions,
                resource,
                isPrefix,
                keys,
                key -> key.startsWith("s3:") && !KNOWN.contains(key),
                budget);
    }

    private AdminException denied(HttpHead head, Optional<AdminRoute> route, Subject subject) {
        String asked = route.map(AdminRoute::title).orElse("");
        trail.refused(head, subject.about().of(asked), ACCESS_DENIED);
        return new AdminException(
                403,
                ACCESS_DENIED,
                "The admin API is for the root user's access key"
                        + route.map(
                                        known ->
                                                ", and for users with a policy that allows "
                                                        + known.action()
                                                        + (known.isOfBucket()
                                                                ? " on the bucket, and none that"
                                                                        + " denies "
                                                                        + String.join(
                                                                                ", ",
                                                                                known.asInS3())
                                                                : "")
                                                        + (known.isForListers()
                                                                ? ", or s3:ListBucketVersions on"
                                                                        + " the bucket with this"
                                                                        + " key as the prefix"
                                                                : ""))
                                .orElse("")
                        + ".");
    }

    private static AdminException unknown(HttpHead head, String path) {
        List<String> methods = AdminRoute.methods(path);
        return methods.isEmpty()
                ? new AdminException(404, "NoSuchPath", "The admin API has no " + path)
                : new AdminException(
                        405,
                        "MethodNotAllowed",
                        path + " takes " + String.join(", ", methods) + ", not " + head.method());
    }

    private static S3Response error(HttpHead head, AdminException e, Subject subject) {
        Failure failure = new Failure(e.code(), String.valueOf(e.getMessage()), head.requestId());
        S3Response answer =
                new S3Response(
                        e.status(),
                        JSON,
                        head.method().equals("HEAD")
                                ? new S3Response.Content.None(-1)
                                : new S3Response.Content.Bytes(AdminJson.write(failure)));
        return subject.failed(answer, e.code());
    }
}
