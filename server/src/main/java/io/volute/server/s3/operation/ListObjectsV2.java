package io.volute.server.s3.operation;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.operation.Documents.Encoding;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectVersion;
import java.io.IOException;
import java.util.Optional;

/** ListObjectsV2. The token is the last key or prefix returned, made opaque. */
public final class ListObjectsV2 implements Operation {
    private final ObjectStore store;

    public ListObjectsV2(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        String type = request.query().text("list-type");
        if (!type.equals("2")) {
            throw S3Exception.invalidArgument("list-type", type, "Invalid list-type.");
        }
        String prefix = request.query().text("prefix");
        String delimiter = request.query().text("delimiter");
        String startAfter = request.query().text("start-after");
        Optional<String> token = request.query().get("continuation-token");
        Encoding encoding = Documents.encoding(request);
        int max = Numbers.page("max-keys", request, Limits.PAGE_ENTRIES_MAX);
        String after = token.filter(text -> !text.isEmpty()).map(Tokens::decode).orElse(startAfter);
        ObjectPage page =
                store.listObjects(
                        request.caller(),
                        request.bucketName(),
                        new ObjectQuery(prefix, delimiter, after, max));
        XmlWriter xml = XmlWriter.document("ListBucketResult");
        xml.element("Name", request.target().bucket());
        xml.element("Prefix", Documents.encode(prefix, encoding));
        if (!delimiter.isEmpty()) {
            xml.element("Delimiter", Documents.encode(delimiter, encoding));
        }
        if (request.query().has("start-after")) {
            xml.element("StartAfter", Documents.encode(startAfter, encoding));
        }
        if (token.isPresent()) {
            xml.element("ContinuationToken", token.get());
        }
        if (encoding == Encoding.URL) {
            xml.element("EncodingType", "url");
        }
        xml.element("KeyCount", page.objects().size() + page.prefixes().size());
        xml.element("MaxKeys", max);
        boolean truncated = max > 0 && page.next().isPresent();
        if (truncated) {
            xml.element("NextContinuationToken", Tokens.encode(page.next().get()));
        }
        xml.element("IsTruncated", truncated);
        boolean withOwner = request.query().text("fetch-owner").equalsIgnoreCase("true");
        for (ObjectVersion object : page.objects()) {
            xml.begin("Contents");
            Documents.contents(xml, object, encoding);
            if (withOwner) {
                Documents.owner(xml, request, object.owner());
            }
            xml.end();
        }
        Documents.prefixes(xml, page.prefixes(), encoding);
        return Answer.of(200).header("x-amz-bucket-region", request.region()).xml(xml.finish());
    }
}
