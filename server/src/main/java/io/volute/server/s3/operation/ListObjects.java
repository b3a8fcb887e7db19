package io.volute.server.s3.operation;

import io.volute.server.Limits;
import io.volute.server.s3.operation.Documents.Encoding;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectVersion;
import java.io.IOException;

/** ListObjects, the first version. NextMarker comes only with a delimiter, as in S3. */
public final class ListObjects implements Operation {
    private final ObjectStore store;

    public ListObjects(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        String prefix = request.query().text("prefix");
        String delimiter = request.query().text("delimiter");
        String marker = request.query().text("marker");
        Encoding encoding = Documents.encoding(request);
        int max = Numbers.page("max-keys", request, Limits.PAGE_ENTRIES_MAX);
        ObjectPage page =
                store.listObjects(
                        request.caller(),
                        request.bucketName(),
                        new ObjectQuery(prefix, delimiter, marker, max));
        boolean truncated = max > 0 && page.next().isPresent();
        XmlWriter xml = XmlWriter.document("ListBucketResult");
        xml.element("Name", request.bucketName().value());
        xml.element("Prefix", Documents.encode(prefix, encoding));
        xml.element("Marker", Documents.encode(marker, encoding));
        if (truncated && !delimiter.isEmpty()) {
            xml.element("NextMarker", Documents.encode(page.next().get(), encoding));
        }
        xml.element("MaxKeys", max);
        if (!delimiter.isEmpty()) {
            xml.element("Delimiter", Documents.encode(delimiter, encoding));
        }
        if (encoding == Encoding.URL) {
            xml.element("EncodingType", "url");
        }
        xml.element("IsTruncated", truncated);
        for (ObjectVersion object : page.objects()) {
            xml.begin("Contents");
            Documents.contents(xml, object, encoding);
            Documents.owner(xml, request, object.owner());
            xml.end();
        }
        Documents.prefixes(xml, page.prefixes(), encoding);
        return Answer.of(200).header("x-amz-bucket-region", request.region()).xml(xml.finish());
    }
}
