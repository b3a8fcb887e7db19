package io.volute.server.s3;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authority.PolicySource;
import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthResult.Kind;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.acl.AclHeaders;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.body.IncomingBody;
import io.volute.server.s3.bucket.CreateBucket;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Callers;
import io.volute.server.s3.call.Moment;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.RequestKeys;
import io.volute.server.s3.call.RequestLock;
import io.volute.server.s3.call.RequestTags;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.StandbyRead;
import io.volute.server.s3.call.StoreErrors;
import io.volute.server.s3.call.StoreView;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.object.AccessControl;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.Subject;
import io.volute.server.s3.request.Target;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketAlias;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * S3 over an object store. Every request takes the same way: decode once, authenticate, route,
 * refuse unbuilt features, find the moment and the bucket, authorise, run the operation.
 * Thread-safe.
 */
public final class S3Protocol implements S3Handler {
    private static final Logger LOG = LoggerFactory.getLogger(S3Protocol.class);

    private final VersionedStore store;
    private final S3Settings settings;
    private final Authority authority;
    private final CredentialStore users;
    private final RightsTrail rights;
    private final Authenticator authenticator;
    private final Router router = new Router();
    private final Cors cors;
    private final Map<S3Call, Operation> operations;

    /** Creates a protocol over a store whose users have no policies. */
    public S3Protocol(VersionedStore store, CredentialStore credentials, S3Settings settings) {
        this(store, credentials, new Authority(PolicySource.NONE), settings, AuditTrail.NONE);
    }

    /**
     * @param trail records changes of rights before they are made, and refused requests
     */
    public S3Protocol(
            VersionedStore store,
            CredentialStore credentials,
            Authority authority,
            S3Settings settings,
            AuditTrail trail) {
        this.store = store;
        this.rights = new RightsTrail(trail, store);
        this.settings = settings;
        this.authority = authority;
        this.users = credentials;
        this.authenticator = settings.authenticator(credentials);
        this.cors = new Cors(store);
        this.operations = Operations.over(store, settings);
    }

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        Subject subject = new Subject();
        S3Response answer = handle(head, body, subject);
        return cors.over(answer, head, subject.target());
    }

    private S3Response handle(HttpHead head, RequestBody body, Subject subject) {
        try {
            return subject.answered(answer(head, body, subject));
        } catch (S3Exception e) {
            return failed(subject, e, head);
        } catch (StoreException e) {
            return failed(subject, StoreErrors.of(e), head);
        } catch (CubeUnavailableException e) {
            return unavailable(head, subject, e);
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof CubeUnavailableException unavailable) {
                return unavailable(head, subject, unavailable);
            }
            LOG.error("request {} failed", head.requestId(), e);
            return failed(subject, new S3Exception(S3Error.INTERNAL_ERROR), head);
        } catch (IOException | RuntimeException e) {
            // The contract of S3Handler: an internal error ends one request, never the connection's
            // thread, and its answer reveals only the request id.
            LOG.error("request {} failed", head.requestId(), e);
            return failed(subject, new S3Exception(S3Error.INTERNAL_ERROR), head);
        }
    }

    private S3Response unavailable(HttpHead head, Subject subject, CubeUnavailableException e) {
        tellUnavailable(head, e);
        return failed(subject, StoreErrors.of(e), head);
    }

    private static S3Response failed(Subject subject, S3Exception error, HttpHead head) {
        return subject.failed(ErrorReply.of(error, head), error.error().code());
    }

    /** Every client tries again, so only each doubling of the number is logged. */
    private void tellUnavailable(HttpHead head, CubeUnavailableException e) {
        long count = settings.unavailable().incrementAndGet();
        if (Long.bitCount(count) == 1) {
            LOG.warn(
                    "request {} refused, {} since the start: {}",
                    head.requestId(),
                    count,
                    e.getMessage());
        } else {
            LOG.debug("request {} refused: {}", head.requestId(), e.getMessage());
        }
    }

    private S3Response answer(HttpHead head, RequestBody body, Subject subject) throws IOException {
        Target target = Target.of(head, settings.virtualHostDomains());
        subject.target(target);
        QueryParameters query = QueryParameters.parse(head.rawQuery());
        if (head.method().equals("OPTIONS")) {
            return cors.preflight(head, target);
        }
        return switch (authenticator.authenticate(head, query)) {
            case AuthResult.Refused refused -> {
                rights.refused(head, subject, refused.error());
                throw refused.error();
            }
            case AuthResult.Anonymous anonymous -> {
                if (PostForm.is(head, target, query)) {
                    yield runForm(head, target, body, subject);
                }
                subject.asker(anonymous.request().credential());
                yield runAnonymous(head, target, query, anonymous.request(), body, subject);
            }
            case Verified verified -> {
                subject.asker(verified.credential());
                yield run(head, target, query, verified, body, subject);
            }
        };
    }

    /** Runs the PUT that the form of a browser stands for. */
    private S3Response runForm(HttpHead head, Target bucket, RequestBody body, Subject subject)
            throws IOException {
        subject.operation("PostObject");
        head.allowance().beginForm();
        PostForm form = PostForm.read(head, body, bucket);
        head.allowance().endForm();
        HttpHead put = form.put();
        Verified verified;
        try {
            verified = authenticator.forms().verify(put, form.signature());
        } catch (S3Exception e) {
            rights.refused(head, subject, e);
            throw e;
        }
        subject.asker(verified.credential());
        form.requireAllowed(settings.clock().instant());
        Target target = form.target();
        subject.target(target);
        QueryParameters none = new QueryParameters(List.of());
        S3Response made =
                verified.kind() == Kind.NONE
                        ? runAnonymous(put, target, none, verified, form.file(), subject)
                        : run(put, target, none, verified, form.file(), subject);
        return form.answer(made);
    }

    /**
     * Runs a request without credentials. A refusal reveals nothing of the content of a bucket.
     * Everybody learns which names are free, as from S3.
     *
     * @throws S3Exception NoSuchBucket, also for the past of a bucket that is gone
     */
    private S3Response runAnonymous(
            HttpHead head,
            Target target,
            QueryParameters query,
            Verified nobody,
            RequestBody body,
            Subject subject)
            throws IOException {
        String plain = BucketAlias.bucketOf(target.bucket());
        if (!BucketName.isValid(plain)) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        Optional<BucketInfo> bucket = store.bucket(new BucketName(plain));
        if (bucket.isEmpty() && !isCreating(head, target, query)) {
            throw new S3Exception(S3Error.NO_SUCH_BUCKET).with("BucketName", target.bucket());
        }
        if (bucket.filter(S3Protocol::mayBeOpen).isEmpty()) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        return run(head, target, query, nobody, body, subject);
    }

    private boolean isCreating(HttpHead head, Target target, QueryParameters query) {
        HeaderList none = new HeaderList(List.of());
        return router.route(head.method(), target, query, none) == S3Call.CREATE_BUCKET;
    }

    private static boolean mayBeOpen(BucketInfo bucket) {
        return bucket.access().policyText().isPresent() || ObjectOwnership.of(bucket).hasAcls();
    }

    /** Returns the ownership of a bucket that is to be made. */
    private ObjectOwnership ofNew(Verified verified) {
        return CreateBucket.ownership(verified.headers(), settings.ownership());
    }

    private S3Response run(
            HttpHead head,
            Target target,
            QueryParameters query,
            Verified verified,
            RequestBody body,
            Subject subject)
            throws IOException {
        if (target.isWithoutBucket(head)) {
            throw new S3Exception(S3Error.INVALID_URI, "The path names a key without a bucket.");
        }
        S3Call call = router.route(head.method(), target, query, verified.headers());
        if (subject.operation().isEmpty()) {
            subject.operation(call.title());
        }
        UnbuiltFeatures.refuse(call, verified.headers());
        UnbuiltFeatures.refuseHeaders(call, verified, query);
        call.requirePayload(verified.payload(), head.contentLength());
        UnbuiltFeatures.verifyNoBody(call, verified, head.contentLength());
        StandbyRead.check(call, head);
        Optional<Instant> moment = Moment.of(call, target, verified.headers());
        StoreView view = StoreView.of(store, moment);
        Optional<BucketInfo> bucket = bucket(call, target, view);
        if (call.level() != Target.Level.SERVICE
                && !bucket.map(ObjectOwnership::of).orElseGet(() -> ofNew(verified)).hasAcls()) {
            AccessControl.refuseAcls(call, verified.headers(), settings.ownership());
        }
        try (IncomingBody incoming = new IncomingBody(head, body, verified)) {
            Instant now = settings.clock().instant();
            Access access =
                    new Access(
                            authority,
                            verified.credential(),
                            Callers.of(head, verified, bucket, subject.operation()),
                            new RequestKeys(head, query, verified, now),
                            new RequestTags(call, verified, incoming),
                            new RequestLock(call, verified, incoming, now),
                            users);
            S3Request request =
                    new S3Request(
                            call,
                            head,
                            query,
                            target,
                            verified,
                            view,
                            bucket,
                            incoming,
                            access,
                            settings.region());
            incoming.whenRead(
                    () -> {
                        request.requireStanding(now, settings.clock().instant());
                        beginLong(request);
                    });
            return run(request, subject);
        }
    }

    private S3Response run(S3Request request, Subject subject) throws IOException {
        authorize(request);
        Optional<String> expectedOwner = request.header("x-amz-expected-bucket-owner");
        if (request.bucket().isPresent()
                && expectedOwner.isPresent()
                && !S3Request.isOwner(expectedOwner.get(), request.bucketInfo())) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        StoreView view = request.view();
        Operation operation =
                view.isPast()
                        ? Operations.reading(request.call(), view.seen(), settings.encryption())
                        : operations.get(request.call());
        rights.begin(request, subject);
        request.head().allowance().take(request.call().answerHeap(request.query()));
        if (request.call().body() == S3Call.Body.NONE) {
            beginLong(request);
        }
        try {
            return operation.run(request);
        } catch (S3Exception e) {
            throw told(e, request);
        } catch (StoreException e) {
            throw told(StoreErrors.of(e), request);
        }
    }

    /** Lets the answer begin before a long operation ends, once the request has arrived whole. */
    private void beginLong(S3Request request) {
        if (request.call().isLong()) {
            S3Response early = Answer.of(200).xml(new byte[0]);
            HttpHead head = request.head();
            head.allowance().takesLong(cors.over(early, head, request.target()).headers());
        }
    }

    /**
     * Hides the absence of the target as its permissions require. A copy does the same for its
     * source.
     */
    private static S3Exception told(S3Exception e, S3Request request) {
        return request.call().level() == Target.Level.OBJECT && !request.call().isCopy()
                ? request.access().told(e, request.thing())
                : e;
    }

    private void authorize(S3Request request) {
        Access access = request.access();
        Access.Thing thing = request.thing();
        S3Call call = request.call();
        if (call == S3Call.DELETE_OBJECTS) {
            // Each key is judged by itself, once they are known.
            access.requireOnSomeKey(
                    List.of(Action.DELETE_OBJECT, Action.DELETE_OBJECT_VERSION),
                    List.of(
                            Action.BYPASS_GOVERNANCE_RETENTION,
                            Action.GET_OBJECT,
                            Action.GET_OBJECT_VERSION),
                    thing);
            return;
        }
        if (call.isJudgedByDocument()) {
            access.requireUnlessBodyForbids(call.action(), thing);
        }
        if (call == S3Call.LIST_BUCKETS && settings.listsReadable() && !request.view().isPast()) {
            // The operation judges each bucket.
            if (access.isDenied(call.action(), thing)) {
                throw new S3Exception(S3Error.ACCESS_DENIED);
            }
            return;
        }
        if (isOfInitiator(request)) {
            access.requireUnlessDenied(call.action(), thing);
            return;
        }
        access.require(call.action(), thing);
        if (call.makesObject()
                && request.ownership().hasAcls()
                && AclHeaders.isIn(request.verified().headers())) {
            access.requireAclOfNew(thing);
        }
        for (Action more : request.furtherActions()) {
            access.require(more, thing);
        }
    }

    /**
     * Returns whether the caller began the upload that it aborts or whose parts it lists. In a
     * bucket with ACLs nothing else is needed, as in S3 (User Guide, "Multipart upload API and
     * permissions").
     */
    private boolean isOfInitiator(S3Request request) {
        boolean isOpen =
                request.call() == S3Call.ABORT_MULTIPART_UPLOAD
                        || request.call() == S3Call.LIST_PARTS;
        if (!isOpen
                || request.view().isPast()
                || request.who().kind() != Credential.Kind.ACCOUNT
                || !request.ownership().hasAcls()) {
            return false;
        }
        try {
            return store.upload(
                            request.caller(),
                            request.bucketInfo(),
                            request.key(),
                            request.query().text("uploadId"))
                    .owner()
                    .equals(request.who().principal());
        } catch (StoreException e) {
            return false;
        }
    }

    private static Optional<BucketInfo> bucket(S3Call call, Target target, StoreView view) {
        return call.level() == Target.Level.SERVICE || call == S3Call.CREATE_BUCKET
                ? Optional.empty()
                : Optional.of(view.bucket(target.bucket()));
    }
}
