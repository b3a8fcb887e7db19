package io.volute.server.s3.object;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.MultipartChecksums;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.content.ReadTarget;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** GetObjectAttributes. */
public final class GetObjectAttributes implements Operation {
    private final ObjectReader store;
    private final Encryption encryption;

    public GetObjectAttributes(ObjectReader store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    private enum Attribute {
        ETAG("ETag"),
        CHECKSUM("Checksum"),
        OBJECT_PARTS("ObjectParts"),
        STORAGE_CLASS("StorageClass"),
        OBJECT_SIZE("ObjectSize");

        private final String text;

        Attribute(String text) {
            this.text = text;
        }
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        Set<Attribute> wanted = wanted(request);
        ObjectVersion version = ReadTarget.find(store, request);
        boolean showsChecksum =
                wanted.contains(Attribute.CHECKSUM) || wanted.contains(Attribute.OBJECT_PARTS);
        encryption.requireReadable(request, version, showsChecksum);
        switch (Conditions.ofRead(request, "", version)) {
            case MET -> {}
            case FAILED -> throw new S3Exception(S3Error.PRECONDITION_FAILED);
            case NOT_MODIFIED -> throw new S3Exception(S3Error.NOT_MODIFIED);
        }
        XmlWriter xml = XmlWriter.document("GetObjectAttributesResponse");
        if (wanted.contains(Attribute.ETAG)) {
            xml.element("ETag", version.attributes().etag());
        }
        if (wanted.contains(Attribute.CHECKSUM) && version.attributes().checksum().isPresent()) {
            xml.begin("Checksum");
            Documents.checksumWithType(
                    xml, version.attributes().checksum().map(MultipartChecksums::withoutCount));
            xml.end();
        }
        if (wanted.contains(Attribute.OBJECT_PARTS) && version.parts() > 0) {
            parts(xml, request, version);
        }
        if (wanted.contains(Attribute.STORAGE_CLASS)) {
            Documents.storageClass(xml, version);
        }
        if (wanted.contains(Attribute.OBJECT_SIZE)) {
            xml.element("ObjectSize", version.bytes());
        }
        Answer answer =
                Answer.of(200).header("last-modified", HttpDates.header(version.modified()));
        ObjectHeaders.versionId(answer, request, version);
        return answer.xml(xml.finish());
    }

    private static Set<Attribute> wanted(S3Request request) {
        Set<Attribute> wanted = EnumSet.noneOf(Attribute.class);
        for (String name : request.header("x-amz-object-attributes").orElse("").split(",", -1)) {
            if (!name.isBlank()) {
                wanted.add(attribute(name.strip()));
            }
        }
        if (wanted.isEmpty()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The x-amz-object-attributes header specifying the attributes to be retrieved"
                            + " is either missing or empty");
        }
        return wanted;
    }

    private static Attribute attribute(String text) {
        for (Attribute attribute : Attribute.values()) {
            if (attribute.text.equals(text)) {
                return attribute;
            }
        }
        throw S3Exception.invalidArgument(
                "x-amz-object-attributes", text, "Invalid attribute name specified.");
    }

    private void parts(XmlWriter xml, S3Request request, ObjectVersion version) throws IOException {
        int max =
                request.header("x-amz-max-parts")
                        .map(text -> bounded("x-amz-max-parts", text))
                        .map(value -> Math.min(value, Limits.PAGE_ENTRIES_MAX))
                        .orElse(Limits.PAGE_ENTRIES_MAX);
        int marker =
                request.header("x-amz-part-number-marker")
                        .map(text -> bounded("x-amz-part-number-marker", text))
                        .orElse(0);
        if (!MultipartChecksums.isComposite(version)) {
            // Only checksums of parts make S3 list them.
            xml.begin("ObjectParts").element("PartsCount", version.parts()).end();
            return;
        }
        List<PartInfo> all = store.parts(request.caller(), request.bucketInfo(), version);
        // Parts count from 1 without gaps here, as in GetObject's partNumber.
        int begin = Math.min(marker, all.size());
        int end = (int) Math.min((long) begin + max, all.size());
        xml.begin("ObjectParts").element("PartsCount", all.size());
        xml.element("PartNumberMarker", marker).element("NextPartNumberMarker", end);
        xml.element("MaxParts", max).element("IsTruncated", end < all.size());
        for (int i = begin; i < end; i++) {
            xml.begin("Part").element("PartNumber", i + 1);
            xml.element("Size", all.get(i).bytes());
            Documents.checksum(xml, all.get(i).checksum());
            xml.end();
        }
        xml.end();
    }

    private static int bounded(String name, String text) {
        return Numbers.between(name, text, 0, Integer.MAX_VALUE, "This is not a number of parts.");
    }
}
