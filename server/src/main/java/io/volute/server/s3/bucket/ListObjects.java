package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ListingArguments;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;

/** ListObjects, the first version. NextMarker comes only with a delimiter, as in S3. */
public final class ListObjects implements Operation {
    private final ObjectReader store;

    public ListObjects(ObjectReader store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        ListingArguments asked = ListingArguments.of(request, "max-keys");
        String marker = request.query().text("marker");
        ObjectPage page =
                store.listObjects(
                        request.caller(),
                        request.bucketInfo(),
                        new ObjectQuery(asked.prefix(), asked.delimiter(), marker, asked.max()));
        boolean truncated = asked.truncated(page.next().isPresent());
        XmlWriter xml = XmlWriter.document("ListBucketResult", request.head().allowance());
        xml.element("Name", request.target().bucket());
        asked.writePrefix(xml);
        xml.element("Marker", asked.encode(marker));
        if (truncated && !asked.delimiter().isEmpty()) {
            xml.element("NextMarker", asked.encode(page.next().get()));
        }
        xml.element("MaxKeys", asked.max());
        asked.writeDelimiter(xml);
        asked.writeEncoding(xml);
        xml.element("IsTruncated", truncated);
        for (ObjectVersion object : page.objects()) {
            xml.begin("Contents");
            Documents.contents(xml, object, asked);
            Documents.ownerOf(xml, request, object);
            xml.end();
        }
        asked.writePrefixes(xml, page.prefixes());
        return Answer.of(200).header("x-amz-bucket-region", request.region()).xml(xml.finish());
    }
}
