package io.volute.server.s3.object;

import io.volute.server.Limits;
import io.volute.server.s3.acl.Acl;
import io.volute.server.s3.acl.AclDocument;
import io.volute.server.s3.acl.AclHeaders;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.content.ReadTarget;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.MetadataChange;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Ownership controls, and the ACLs of buckets and objects. With {@code BucketOwnerEnforced} ACLs
 * are disabled: the owner has all rights. A request for just that is accepted where nobody chose to
 * disable ACLs. A request for more is refused with S3's error, never ignored.
 */
public final class AccessControl {
    private static final String CONTROLS = "OwnershipControls";

    private AccessControl() {}

    /**
     * Refuses headers that would give rights to others, of a request to a bucket without ACLs. Many
     * programs send {@code private} unasked: it is refused, as by S3, only where a bucket has no
     * ACLs because its owner chose so.
     *
     * @param byDefault the ownership of new buckets of this server
     * @throws S3Exception AccessControlListNotSupported, InvalidBucketAclWithObjectOwnership when
     *     making a bucket, InvalidArgument for an unknown canned ACL
     */
    public static void refuseAcls(S3Call call, HeaderList headers, ObjectOwnership byDefault) {
        Optional<String> canned = headers.first(AclHeaders.CANNED);
        boolean isPrivateRefused = byDefault.hasAcls() && isSettingAcl(call);
        if (!AclHeaders.isSharing(headers)
                && !(isPrivateRefused && canned.filter(AclHeaders.PRIVATE::equals).isPresent())) {
            return;
        }
        if (canned.isPresent() && !AclHeaders.isCanned(canned.get())) {
            throw S3Exception.invalidArgument(AclHeaders.CANNED, canned.get(), "Unknown ACL.");
        }
        throw new S3Exception(
                call == S3Call.CREATE_BUCKET
                        ? S3Error.INVALID_BUCKET_ACL_WITH_OBJECT_OWNERSHIP
                        : S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
    }

    private static boolean isSettingAcl(S3Call call) {
        return call.makesObject() || call == S3Call.PUT_BUCKET_ACL || call == S3Call.PUT_OBJECT_ACL;
    }

    /** GetBucketAcl. */
    public static S3Response ofBucket(S3Request request) {
        return Answer.of(200).xml(document(request, bucketAcl(request)));
    }

    /** GetObjectAcl. */
    public static S3Response ofObject(S3Request request, ObjectReader store) throws IOException {
        ObjectVersion version = ReadTarget.find(store, request);
        Answer answer = Answer.of(200);
        ObjectHeaders.versionId(answer, request, version);
        return answer.xml(document(request, objectAcl(request, version)));
    }

    private static Acl bucketAcl(S3Request request) {
        BucketInfo bucket = request.bucketInfo();
        return request.ownership().hasAcls() ? Acl.of(bucket) : Acl.privateOf(bucket.owner());
    }

    private static Acl objectAcl(S3Request request, ObjectVersion version) {
        BucketInfo bucket = request.bucketInfo();
        return request.ownership().hasAcls()
                ? Acl.of(version.attributes(), bucket)
                : Acl.privateOf(bucket.owner());
    }

    /** PutBucketAcl. */
    public static S3Response setOfBucket(S3Request request, VersionedStore store)
            throws IOException {
        String owner = request.bucketInfo().owner();
        Acl acl =
                sent(
                        request,
                        owner,
                        () ->
                                AclHeaders.ofBucket(
                                        request.verified().headers(),
                                        owner,
                                        id -> isUser(request, id)));
        if (request.ownership().hasAcls()) {
            store.settings()
                    .setDocument(request.bucketInfo(), BucketDocument.ACL, acl.stored(owner));
        }
        return Answer.of(200).empty();
    }

    /** PutObjectAcl. The ACL is that of the very version whose ACL the caller may write. */
    public static S3Response setOfObject(S3Request request, VersionedStore store)
            throws IOException {
        ObjectVersion version = ReadTarget.find(store, request);
        String owner = objectAcl(request, version).owner();
        String bucketOwner = request.bucketInfo().owner();
        Acl acl =
                sent(
                        request,
                        owner,
                        () ->
                                AclHeaders.ofObject(
                                        request.verified().headers(),
                                        owner,
                                        bucketOwner,
                                        id -> isUser(request, id)));
        if (request.ownership().hasAcls()) {
            store.setMetadata(
                    request.caller(),
                    request.bucketInfo(),
                    request.key(),
                    new VersionSelector.Numbered(version.number()),
                    new MetadataChange.Acl(acl.stored(bucketOwner)));
        }
        Answer answer = Answer.of(200);
        ObjectHeaders.versionId(answer, request, version);
        return answer.empty();
    }

    private static boolean isUser(S3Request request, String id) {
        return request.access().displayName(id).isPresent();
    }

    /** Returns the ACL that a request sends, as document or by its headers. */
    private static Acl sent(S3Request request, String owner, Supplier<Optional<Acl>> ofHeaders)
            throws IOException {
        byte[] document =
                request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
        boolean hasAcls = request.ownership().hasAcls();
        boolean hasHeaders = AclHeaders.isIn(request.verified().headers());
        if (document.length == 0) {
            if (!hasHeaders) {
                throw new S3Exception(S3Error.MISSING_SECURITY_HEADER)
                        .with("MissingHeaderName", AclHeaders.CANNED);
            }
            // A header that got here in a bucket without ACLs was found harmless by refuseAcls.
            Acl acl = hasAcls ? ofHeaders.get().orElseThrow() : Acl.privateOf(owner);
            acl.requireUnblocked(request.bucketInfo());
            return acl;
        }
        if (hasAcls && hasHeaders) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "An ACL is given by headers or by a document, not by both.");
        }
        Acl acl = AclDocument.read(document, owner, id -> !hasAcls || isUser(request, id));
        if (!hasAcls && !acl.isPrivate()) {
            throw new S3Exception(S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
        }
        acl.requireUnblocked(request.bucketInfo());
        return acl;
    }

    private static byte[] document(S3Request request, Acl acl) {
        return AclDocument.write(acl, user -> Documents.displayName(request, user));
    }

    /**
     * GetBucketOwnershipControls.
     *
     * @throws S3Exception OwnershipControlsNotFoundError when they were deleted
     */
    public static S3Response ownership(S3Request request) {
        if (ObjectOwnership.isDeleted(request.bucketInfo())) {
            throw new S3Exception(S3Error.OWNERSHIP_CONTROLS_NOT_FOUND)
                    .with("BucketName", request.target().bucket());
        }
        XmlWriter xml = XmlWriter.document(CONTROLS);
        xml.begin("Rule").element("ObjectOwnership", request.ownership().word());
        return Answer.of(200).xml(xml.finish());
    }

    /**
     * PutBucketOwnershipControls.
     *
     * @throws S3Exception InvalidBucketAclWithObjectOwnership when ACLs are to be disabled and that
     *     of the bucket gives rights to others
     */
    public static S3Response setOwnership(S3Request request, VersionedStore store)
            throws IOException {
        byte[] document =
                request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
        ObjectOwnership ownership =
                XmlReader.read(document, CONTROLS, Limits.XML_ELEMENTS_MAX)
                        .only(Set.of("Rule", "Rule/ObjectOwnership"))
                        .child("Rule")
                        .flatMap(rule -> rule.childText("ObjectOwnership"))
                        .map(String::strip)
                        .flatMap(ObjectOwnership::named)
                        .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
        if (!ownership.hasAcls() && !bucketAcl(request).isPrivate()) {
            throw new S3Exception(S3Error.INVALID_BUCKET_ACL_WITH_OBJECT_OWNERSHIP);
        }
        store.settings()
                .setDocument(request.bucketInfo(), BucketDocument.OWNERSHIP, ownership.document());
        return Answer.of(200).empty();
    }

    /** DeleteBucketOwnershipControls: the bucket is as buckets of S3 were before there were any. */
    public static S3Response deleteOwnership(S3Request request, VersionedStore store)
            throws IOException {
        store.settings()
                .setDocument(
                        request.bucketInfo(), BucketDocument.OWNERSHIP, ObjectOwnership.deleted());
        return Answer.of(204).withoutBody(-1);
    }
}
