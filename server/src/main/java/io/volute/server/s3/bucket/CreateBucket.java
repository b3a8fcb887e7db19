package io.volute.server.s3.bucket;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.acl.Acl;
import io.volute.server.s3.acl.AclHeaders;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.Tags;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/** CreateBucket. Making one's own bucket again succeeds in us-east-1, as it does there. */
public final class CreateBucket implements Operation {
    /** The cube of the bucket, in requests and answers. */
    private static final String CUBE = "x-volute-cube";

    private static final String NAMESPACE = "x-amz-bucket-namespace";

    /** The names of Amazon's regions, and the oldest of them. */
    private static final Pattern REGION =
            Pattern.compile("EU|[a-z]{2,4}(-[a-z]{2,12}){1,2}-[0-9]{1,2}");

    private static final String FORGIVING_REGION = "us-east-1";

    private final VersionedStore store;
    private final ObjectOwnership ownership;
    private final int ofUserMax;

    /** Held from counting the buckets of an owner until there is one more. */
    private final ReentrantLock creating = new ReentrantLock();

    /**
     * @param ownership of buckets whose request selects none
     * @param ofUserMax buckets of one owner beyond which only the root makes more for that owner
     */
    public CreateBucket(VersionedStore store, ObjectOwnership ownership, int ofUserMax) {
        this.store = store;
        this.ownership = ownership;
        this.ofUserMax = ofUserMax;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        BucketName name = request.bucketName();
        checkLabels(name);
        checkNamespace(request);
        byte[] document =
                request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
        if (document.length > 0) {
            checkConfiguration(request, document);
        }
        boolean isLocking = Locks.isLocking(request);
        Map<BucketDocument, String> documents = documents(request);
        tagging(request, document).ifPresent(tags -> documents.put(BucketDocument.TAGGING, tags));
        try {
            create(request, name, isLocking, documents);
        } catch (StoreException e) {
            if (e.reason() == Reason.INVALID_ARGUMENT && cube(request).isPresent()) {
                throw S3Exception.invalidArgument(CUBE, cube(request).get(), e.getMessage());
            }
            // A client that requests Object Lock or tags must not take a bucket without them for
            // one that has them.
            if (e.reason() != Reason.BUCKET_OWNED_BY_CALLER
                    || !request.region().equals(FORGIVING_REGION)
                    || !isSame(request, name, isLocking, documents)) {
                throw e;
            }
        }
        Answer answer = Answer.of(200).header("location", "/" + name.value());
        store.cubeOf(name).ifPresent(cube -> answer.header(CUBE, cube));
        return answer.empty();
    }

    /**
     * Returns whether a bucket is what a request makes, but for its ACL, which it gets then. False
     * for a bucket in a cube of another node: what it has is not known here.
     */
    private boolean isSame(
            S3Request request,
            BucketName name,
            boolean isLocking,
            Map<BucketDocument, String> documents)
            throws IOException {
        try {
            if (isLocking && !hasLock(name) || !hasTags(name, documents)) {
                return false;
            }
            resetAcl(request, name, Optional.ofNullable(documents.get(BucketDocument.ACL)));
            return true;
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof CubeUnavailableException) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Returns the ownership that the headers of a request select.
     *
     * @throws S3Exception InvalidArgument
     */
    public static ObjectOwnership ownership(HeaderList headers, ObjectOwnership byDefault) {
        return headers.first(ObjectOwnership.HEADER)
                .map(
                        word ->
                                ObjectOwnership.named(word)
                                        .orElseThrow(
                                                () ->
                                                        S3Exception.invalidArgument(
                                                                ObjectOwnership.HEADER,
                                                                word,
                                                                "Invalid"
                                                                        + " x-amz-object-ownership"
                                                                        + " header")))
                .orElse(byDefault);
    }

    private Map<BucketDocument, String> documents(S3Request request) {
        HeaderList headers = request.verified().headers();
        ObjectOwnership selected = ownership(headers, ownership);
        Map<BucketDocument, String> documents = new EnumMap<>(BucketDocument.class);
        if (selected.hasAcls()) {
            String owner = request.who().account();
            selected.document().ifPresent(word -> documents.put(BucketDocument.OWNERSHIP, word));
            AclHeaders.ofBucket(headers, owner, id -> request.access().displayName(id).isPresent())
                    .flatMap(acl -> acl.stored(owner))
                    .ifPresent(text -> documents.put(BucketDocument.ACL, text));
        }
        return documents;
    }

    /**
     * Gives a bucket that is made again the ACL of the request, as in us-east-1.
     *
     * @throws S3Exception AccessDenied if the caller may not change the ACL of the bucket, or its
     *     public access block refuses the ACL
     */
    private void resetAcl(S3Request request, BucketName name, Optional<String> acl)
            throws IOException {
        Optional<BucketInfo> bucket =
                store.bucket(name)
                        .filter(info -> ObjectOwnership.of(info).hasAcls())
                        .filter(info -> !info.document(BucketDocument.ACL).equals(acl));
        if (bucket.isPresent()) {
            Access.Thing thing =
                    new Access.Thing(request.view(), bucket, name.value(), "", Optional.empty());
            request.access().require(Action.PUT_BUCKET_ACL, thing);
            Acl.of(bucket.get().with(BucketDocument.ACL, acl)).requireUnblocked(bucket.get());
            store.settings().setDocument(bucket.get(), BucketDocument.ACL, acl);
        }
    }

    private void create(
            S3Request request,
            BucketName name,
            boolean isLocking,
            Map<BucketDocument, String> documents)
            throws IOException {
        String owner = request.who().account();
        creating.lock();
        try {
            if (request.who().kind() != Credential.Kind.ROOT
                    && store.bucket(name).isEmpty()
                    && store.listBuckets(Optional.of(owner), "", "", ofUserMax).size()
                            >= ofUserMax) {
                throw new S3Exception(
                        S3Error.TOO_MANY_BUCKETS,
                        "There are "
                                + ofUserMax
                                + " buckets of "
                                + owner
                                + " already (limits.buckets-per-user); the root may make more.");
            }
            store.createBucket(
                    request.caller().as(owner), name, isLocking, documents, cube(request));
        } finally {
            creating.unlock();
        }
    }

    /**
     * Returns the cube that a request chooses.
     *
     * @throws S3Exception InvalidArgument for a name that no cube can have
     */
    private static Optional<String> cube(S3Request request) {
        Optional<String> name = request.header(CUBE);
        if (name.filter(each -> !each.matches(StoreCubes.NAME_FORM)).isPresent()) {
            throw S3Exception.invalidArgument(CUBE, name.get(), "This is no name of a cube.");
        }
        return name;
    }

    /**
     * Returns the document of the tags that a request gives its bucket.
     *
     * @throws S3Exception AccessDenied if the caller may not tag what it makes
     */
    private static Optional<String> tagging(S3Request request, byte[] document) {
        Map<String, String> tags = Tags.ofNewBucket(document);
        if (tags.isEmpty()) {
            return Optional.empty();
        }
        request.access().require(Action.TAG_RESOURCE, request.thing());
        return Optional.of(new String(BucketDocuments.tagging(tags), StandardCharsets.UTF_8));
    }

    private boolean hasTags(BucketName name, Map<BucketDocument, String> wanted) {
        Optional<String> tags = Optional.ofNullable(wanted.get(BucketDocument.TAGGING));
        return tags.isEmpty()
                || store.bucket(name)
                        .filter(bucket -> bucket.document(BucketDocument.TAGGING).equals(tags))
                        .isPresent();
    }

    private boolean hasLock(BucketName name) {
        return store.bucket(name).filter(bucket -> bucket.lock().isPresent()).isPresent();
    }

    /**
     * Checks the labels of a name, which may become part of a host name. No label there begins or
     * ends with a hyphen. Only creation checks this: a bucket of such a name from an older version
     * stays usable.
     */
    private static void checkLabels(BucketName name) {
        if (name.value().contains(".-") || name.value().contains("-.")) {
            throw new S3Exception(S3Error.INVALID_BUCKET_NAME).with("BucketName", name.value());
        }
    }

    private static void checkConfiguration(S3Request request, byte[] document) {
        XmlElement root =
                XmlReader.read(document, "CreateBucketConfiguration", Limits.XML_ELEMENTS_MAX);
        for (XmlElement child : root.children()) {
            if (!child.name().equals("LocationConstraint") && !child.name().equals("Tags")) {
                throw S3Exception.notImplemented(
                        "the element " + child.name() + " of a new bucket");
            }
        }
        Optional<String> constraint = root.childText("LocationConstraint").map(String::trim);
        if (constraint.isEmpty() || constraint.get().equals(request.region())) {
            return;
        }
        String location = constraint.get();
        if (!REGION.matcher(location).matches()) {
            throw new S3Exception(S3Error.INVALID_LOCATION_CONSTRAINT)
                    .with("LocationConstraint", location);
        }
        throw new S3Exception(
                S3Error.ILLEGAL_LOCATION_CONSTRAINT,
                "The "
                        + location
                        + " location constraint is incompatible for the region specific"
                        + " endpoint this request was sent to.");
    }

    /**
     * Refuses a namespace that this server has not: all names of buckets are in one.
     *
     * @throws S3Exception NotImplemented, or InvalidArgument for what is no namespace
     */
    private static void checkNamespace(S3Request request) {
        String namespace = request.header(NAMESPACE).orElse("global");
        switch (namespace) {
            case "global" -> {}
            case "account-regional" ->
                    throw S3Exception.notImplementedHeader(NAMESPACE + ": " + namespace);
            default ->
                    throw S3Exception.invalidArgument(
                            NAMESPACE, namespace, "This is no namespace of buckets.");
        }
    }
}
