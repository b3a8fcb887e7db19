package io.volute.server.s3.upload;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.content.ChecksumTypes;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ListingArguments;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.ObjectReader;
import java.io.IOException;

/** ListMultipartUploads. The upload-id marker counts only beside a key marker, as in S3. */
public final class ListMultipartUploads implements Operation {
    private final ObjectReader store;

    public ListMultipartUploads(ObjectReader store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        ListingArguments asked = ListingArguments.of(request, "max-uploads");
        String keyMarker = request.query().text("key-marker");
        String idMarker = keyMarker.isEmpty() ? "" : request.query().text("upload-id-marker");
        if (!idMarker.isEmpty()) {
            S3Request.keyOf(keyMarker);
        }
        UploadPage page =
                store.listUploads(
                        request.caller(),
                        request.bucketInfo(),
                        new UploadQuery(
                                asked.prefix(),
                                asked.delimiter(),
                                keyMarker,
                                idMarker,
                                asked.max()));
        boolean truncated = asked.truncated(page.nextKey().isPresent());
        XmlWriter xml =
                XmlWriter.document("ListMultipartUploadsResult", request.head().allowance());
        xml.element("Bucket", request.target().bucket());
        xml.element("KeyMarker", asked.encode(keyMarker));
        xml.element("UploadIdMarker", idMarker);
        if (truncated) {
            xml.element("NextKeyMarker", asked.encode(page.nextKey().get()));
            xml.element("NextUploadIdMarker", page.nextUploadId().orElse(""));
        }
        asked.writePrefix(xml);
        asked.writeDelimiter(xml);
        asked.writeEncoding(xml);
        xml.element("MaxUploads", asked.max());
        xml.element("IsTruncated", truncated);
        for (UploadInfo upload : page.uploads()) {
            xml.begin("Upload");
            xml.element("Key", asked.encode(upload.key().value()));
            xml.element("UploadId", upload.uploadId());
            Documents.ownersOf(xml, request, upload);
            xml.element("StorageClass", Documents.storageClass(upload.attributes().headers()));
            xml.element("Initiated", HttpDates.document(upload.initiated()));
            ChecksumTypes.describe(xml, upload);
            xml.end();
        }
        asked.writePrefixes(xml, page.prefixes());
        return Answer.of(200).xml(xml.finish());
    }
}
