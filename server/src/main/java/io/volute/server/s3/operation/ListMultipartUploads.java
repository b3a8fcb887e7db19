package io.volute.server.s3.operation;

import io.volute.server.Limits;
import io.volute.server.s3.operation.Documents.Encoding;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.ObjectStore;
import java.io.IOException;

/** ListMultipartUploads. The upload-id marker counts only beside a key marker, as in S3. */
public final class ListMultipartUploads implements Operation {
    private final ObjectStore store;

    public ListMultipartUploads(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        String prefix = request.query().text("prefix");
        String delimiter = request.query().text("delimiter");
        String keyMarker = request.query().text("key-marker");
        String idMarker = keyMarker.isEmpty() ? "" : request.query().text("upload-id-marker");
        if (!idMarker.isEmpty()) {
            S3Request.keyOf(keyMarker);
        }
        Encoding encoding = Documents.encoding(request);
        int max = Numbers.page("max-uploads", request, Limits.PAGE_ENTRIES_MAX);
        UploadPage page =
                store.listUploads(
                        request.caller(),
                        request.bucketName(),
                        new UploadQuery(prefix, delimiter, keyMarker, idMarker, max));
        boolean truncated = max > 0 && page.nextKey().isPresent();
        XmlWriter xml = XmlWriter.document("ListMultipartUploadsResult");
        xml.element("Bucket", request.bucketName().value());
        xml.element("KeyMarker", Documents.encode(keyMarker, encoding));
        xml.element("UploadIdMarker", idMarker);
        if (truncated) {
            xml.element("NextKeyMarker", Documents.encode(page.nextKey().get(), encoding));
            xml.element("NextUploadIdMarker", page.nextUploadId().orElse(""));
        }
        xml.element("Prefix", Documents.encode(prefix, encoding));
        if (!delimiter.isEmpty()) {
            xml.element("Delimiter", Documents.encode(delimiter, encoding));
        }
        if (encoding == Encoding.URL) {
            xml.element("EncodingType", "url");
        }
        xml.element("MaxUploads", max);
        xml.element("IsTruncated", truncated);
        for (UploadInfo upload : page.uploads()) {
            xml.begin("Upload");
            xml.element("Key", Documents.encode(upload.key().value(), encoding));
            xml.element("UploadId", upload.uploadId());
            Documents.owner(xml, "Initiator", request, upload.owner());
            Documents.owner(xml, request, upload.owner());
            xml.element("StorageClass", Documents.storageClass(upload.attributes().headers()));
            xml.element("Initiated", HttpDates.document(upload.initiated()));
            xml.element("ChecksumAlgorithm", ChecksumTypes.algorithm(upload).name());
            xml.element("ChecksumType", ChecksumTypes.type(upload).name());
            xml.end();
        }
        Documents.prefixes(xml, page.prefixes(), encoding);
        return Answer.of(200).xml(xml.finish());
    }
}
