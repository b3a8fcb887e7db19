package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.Tokens;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ListingArguments;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.Optional;

/** ListObjectsV2. The token is the last key or prefix returned, made opaque. */
public final class ListObjectsV2 implements Operation {
    private final ObjectReader store;

    public ListObjectsV2(ObjectReader store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        String type = request.query().text("list-type");
        if (!type.equals("2")) {
            throw S3Exception.invalidArgument("list-type", type, "Invalid list-type.");
        }
        ListingArguments asked = ListingArguments.of(request, "max-keys");
        String startAfter = request.query().text("start-after");
        Optional<String> token = request.query().get("continuation-token");
        String listing = request.call().title() + " " + request.target().bucket();
        String after =
                token.filter(text -> !text.isEmpty())
                        .map(text -> Tokens.decode(listing, text))
                        .orElse(startAfter);
        ObjectPage page =
                store.listObjects(
                        request.caller(),
                        request.bucketInfo(),
                        new ObjectQuery(asked.prefix(), asked.delimiter(), after, asked.max()));
        XmlWriter xml = XmlWriter.document("ListBucketResult", request.head().allowance());
        xml.element("Name", request.target().bucket());
        asked.writePrefix(xml);
        asked.writeDelimiter(xml);
        if (request.query().has("start-after")) {
            xml.element("StartAfter", asked.encode(startAfter));
        }
        if (token.isPresent()) {
            xml.element("ContinuationToken", token.get());
        }
        asked.writeEncoding(xml);
        xml.element("KeyCount", page.objects().size() + page.prefixes().size());
        xml.element("MaxKeys", asked.max());
        boolean truncated = asked.truncated(page.next().isPresent());
        if (truncated) {
            xml.element("NextContinuationToken", Tokens.encode(listing, page.next().get()));
        }
        xml.element("IsTruncated", truncated);
        boolean withOwner = request.query().text("fetch-owner").equalsIgnoreCase("true");
        for (ObjectVersion object : page.objects()) {
            xml.begin("Contents");
            Documents.contents(xml, object, asked);
            if (withOwner) {
                Documents.ownerOf(xml, request, object);
            }
            xml.end();
        }
        asked.writePrefixes(xml, page.prefixes());
        return Answer.of(200).header("x-amz-bucket-region", request.region()).xml(xml.finish());
    }
}
