package io.volute.server.s3.object;

import io.volute.server.Limits;
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
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Access control lists, which are disabled: every bucket is as S3 makes them since 2023, with
 * ownership {@code BucketOwnerEnforced} (S3 User Guide, "Controlling ownership of objects"). Only
 * the owner has rights, and the owner has all. A request for just that is accepted everywhere, also
 * where S3 is stricter. A request for more is refused with S3's error, never ignored.
 */
public final class AccessControl {
    private static final String HEADER = "x-amz-acl";
    private static final String GRANT_PREFIX = "x-amz-grant-";

    private static final Set<String> HARMLESS = Set.of("private", "bucket-owner-full-control");

    private static final Set<String> SHARING =
            Set.of(
                    "public-read",
                    "public-read-write",
                    "authenticated-read",
                    "aws-exec-read",
                    "bucket-owner-read",
                    "log-delivery-write");

    private static final String GRANTEE =
            "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
                    + " xsi:type=\"CanonicalUser\"";

    private AccessControl() {}

    /**
     * Refuses headers that would give rights to others.
     *
     * @throws S3Exception AccessControlListNotSupported, InvalidBucketAclWithObjectOwnership when
     *     making a bucket, InvalidArgument for an unknown canned ACL
     */
    public static void refuseSharing(S3Call call, HeaderList headers) {
        for (HeaderList.Header header : headers.headers()) {
            boolean sharing = header.name().startsWith(GRANT_PREFIX);
            if (header.name().equals(HEADER) && !HARMLESS.contains(header.value())) {
                if (!SHARING.contains(header.value())) {
                    throw S3Exception.invalidArgument(HEADER, header.value(), "Unknown ACL.");
                }
                sharing = true;
            }
            if (sharing) {
                throw new S3Exception(
                        call == S3Call.CREATE_BUCKET
                                ? S3Error.INVALID_BUCKET_ACL_WITH_OBJECT_OWNERSHIP
                                : S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
            }
        }
    }

    /** GetBucketAcl. */
    public static S3Response ofBucket(S3Request request) {
        return Answer.of(200).xml(document(request, request.bucketInfo().owner()));
    }

    /** GetObjectAcl. */
    public static S3Response ofObject(S3Request request, ObjectReader store) throws IOException {
        ObjectVersion version = ReadTarget.find(store, request);
        Answer answer = Answer.of(200);
        ObjectHeaders.versionId(answer, request, version);
        return answer.xml(document(request, version.owner()));
    }

    /** PutBucketAcl of what holds anyway. */
    public static S3Response setOfBucket(S3Request request) throws IOException {
        check(request, request.bucketInfo().owner());
        return Answer.of(200).empty();
    }

    /** PutObjectAcl of what holds anyway. */
    public static S3Response setOfObject(S3Request request, ObjectStore store) throws IOException {
        ObjectVersion version = ReadTarget.find(store, request);
        check(request, version.owner());
        Answer answer = Answer.of(200);
        ObjectHeaders.versionId(answer, request, version);
        return answer.empty();
    }

    /** GetBucketOwnershipControls. */
    public static S3Response ownership(S3Request request) {
        XmlWriter xml = XmlWriter.document("OwnershipControls");
        xml.begin("Rule").element("ObjectOwnership", "BucketOwnerEnforced");
        return Answer.of(200).xml(xml.finish());
    }

    /**
     * PutBucketOwnershipControls of what holds anyway.
     *
     * @throws S3Exception NotImplemented for another ownership
     */
    public static S3Response setOwnership(S3Request request) throws IOException {
        byte[] document =
                request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
        String ownership =
                XmlReader.read(document, "OwnershipControls", Limits.XML_ELEMENTS_MAX)
                        .child("Rule")
                        .flatMap(rule -> rule.childText("ObjectOwnership"))
                        .map(String::strip)
                        .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
        return switch (ownership) {
            case "BucketOwnerEnforced" -> Answer.of(200).empty();
            case "BucketOwnerPreferred", "ObjectWriter" ->
                    throw S3Exception.notImplemented(
                            "ObjectOwnership " + ownership + " of a bucket");
            default -> throw new S3Exception(S3Error.MALFORMED_XML);
        };
    }

    private static void check(S3Request request, String owner) throws IOException {
        byte[] document =
                request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
        // A header that got here was found harmless by refuseSharing.
        if (document.length > 0) {
            checkDocument(document, owner);
        } else if (request.header(HEADER).isEmpty()) {
            throw new S3Exception(S3Error.MISSING_SECURITY_HEADER)
                    .with("MissingHeaderName", HEADER);
        }
    }

    private static void checkDocument(byte[] document, String owner) {
        XmlElement root = XmlReader.read(document, "AccessControlPolicy", Limits.XML_ELEMENTS_MAX);
        List<XmlElement> grants =
                root.child("AccessControlList")
                        .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_ACL))
                        .all("Grant");
        boolean onlyOwner = !grants.isEmpty();
        for (XmlElement grant : grants) {
            Optional<String> grantee = grant.child("Grantee").flatMap(who -> who.childText("ID"));
            onlyOwner &=
                    grantee.map(String::trim).equals(Optional.of(owner))
                            && grant.childText("Permission").orElse("").equals("FULL_CONTROL");
        }
        if (!onlyOwner) {
            throw new S3Exception(S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
        }
    }

    private static byte[] document(S3Request request, String owner) {
        XmlWriter xml = XmlWriter.document("AccessControlPolicy");
        Documents.owner(xml, request, owner);
        xml.begin("AccessControlList").begin("Grant").beginWith("Grantee", GRANTEE);
        xml.element("ID", owner);
        xml.element("DisplayName", Documents.displayName(request, owner)).end();
        xml.element("Permission", "FULL_CONTROL");
        return xml.finish();
    }
}
