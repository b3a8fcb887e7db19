package io.volute.server.s3.upload;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.content.ChecksumTypes;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.lifecycle.ExpirationHeader;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.ObjectReader;
import java.io.IOException;
import java.util.OptionalInt;

/** ListParts. */
public final class ListParts implements Operation {
    private final ObjectReader store;

    public ListParts(ObjectReader store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        int max = Numbers.page("max-parts", request, Limits.PAGE_ENTRIES_MAX);
        String sent = request.query().text("part-number-marker");
        int marker =
                sent.isEmpty()
                        ? 0
                        : Numbers.between(
                                "part-number-marker",
                                sent,
                                0,
                                Integer.MAX_VALUE,
                                "Argument part-number-marker must be an integer between 0 and"
                                        + " 2147483647");
        PartPage page =
                store.listParts(
                        request.caller(),
                        request.bucketInfo(),
                        request.key(),
                        request.query().text("uploadId"),
                        OptionalInt.of(marker),
                        max);
        XmlWriter xml = XmlWriter.document("ListPartsResult", request.head().allowance());
        xml.element("Bucket", request.target().bucket());
        xml.element("Key", request.key().value());
        xml.element("UploadId", page.upload().uploadId());
        Documents.ownersOf(xml, request, page.upload());
        xml.element("StorageClass", Documents.storageClass(page.upload().attributes().headers()));
        xml.element("PartNumberMarker", marker);
        if (!page.parts().isEmpty()) {
            xml.element("NextPartNumberMarker", page.parts().getLast().number());
        }
        xml.element("MaxParts", max);
        xml.element("IsTruncated", page.nextPartNumber().isPresent());
        ChecksumTypes.describe(xml, page.upload());
        for (PartInfo part : page.parts()) {
            xml.begin("Part").element("PartNumber", part.number());
            xml.element("LastModified", HttpDates.document(part.modified()));
            xml.element("ETag", ObjectHeaders.quoted(part.etag()));
            xml.element("Size", part.bytes());
            if (ChecksumTypes.isChosen(page.upload())) {
                Documents.checksum(xml, part.checksum());
            }
            xml.end();
        }
        Answer answer = Answer.of(200);
        ExpirationHeader.describe(answer, request, page.upload());
        return answer.xml(xml.finish());
    }
}
