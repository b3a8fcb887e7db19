package io.volute.server.s3.content;

import io.volute.server.s3.acl.Acl;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectVersion;
import java.util.Optional;

/** Pieces that several answer documents share. */
public final class Documents {
    private Documents() {}

    public static void owner(XmlWriter xml, S3Request request, String principal) {
        owner(xml, "Owner", request, principal);
    }

    public static void owner(XmlWriter xml, String element, S3Request request, String principal) {
        xml.begin(element).element("ID", principal);
        xml.element("DisplayName", displayName(request, principal)).end();
    }

    /** Writes the owner of a version, which is the bucket's owner where ACLs are disabled. */
    public static void ownerOf(XmlWriter xml, S3Request request, ObjectVersion version) {
        boolean hasAcls = request.ownership().hasAcls();
        owner(xml, request, hasAcls ? version.owner() : request.bucketInfo().owner());
    }

    /** Writes the initiator of an upload, and the owner of its object. */
    public static void ownersOf(XmlWriter xml, S3Request request, UploadInfo upload) {
        owner(xml, "Initiator", request, upload.owner());
        BucketInfo bucket = request.bucketInfo();
        boolean hasAcls = request.ownership().hasAcls();
        owner(xml, request, hasAcls ? Acl.of(upload.attributes(), bucket).owner() : bucket.owner());
    }

    public static String displayName(S3Request request, String principal) {
        return principal.equals(request.who().principal())
                ? request.who().displayName()
                : request.access().displayName(principal).orElse(principal);
    }

    public static void storageClass(XmlWriter xml, ObjectVersion version) {
        xml.element("StorageClass", storageClass(version.attributes().headers()));
    }

    public static String storageClass(java.util.Map<String, String> headers) {
        return headers.getOrDefault(ObjectAttributes.STORAGE_CLASS, IncomingAttributes.STANDARD);
    }

    /** Writes the elements of a listing entry that describe its checksum. */
    public static void checksumAlgorithm(XmlWriter xml, ObjectVersion version) {
        Optional<Checksum> checksum = version.attributes().checksum();
        if (checksum.isPresent()) {
            xml.element("ChecksumAlgorithm", checksum.get().algorithm().name());
            xml.element("ChecksumType", checksum.get().type().name());
        }
    }

    public static void checksum(XmlWriter xml, Optional<Checksum> checksum) {
        if (checksum.isPresent()) {
            xml.element(ChecksumFamily.element(checksum.get().algorithm()), checksum.get().value());
        }
    }

    public static void checksumWithType(XmlWriter xml, Optional<Checksum> checksum) {
        checksum(xml, checksum);
        if (checksum.isPresent()) {
            xml.element("ChecksumType", checksum.get().type().name());
        }
    }

    /** An object of ListObjects and ListObjectsV2, without owner. */
    public static void contents(XmlWriter xml, ObjectVersion version, ListingArguments asked) {
        xml.element("Key", asked.encode(version.key().value()));
        xml.element("LastModified", HttpDates.document(version.modified()));
        xml.element("ETag", ObjectHeaders.quoted(version.attributes().etag()));
        checksumAlgorithm(xml, version);
        xml.element("Size", version.bytes());
        storageClass(xml, version);
    }
}
