package io.volute.server.s3.bucket;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.Tokens;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.BucketInfo;
import java.util.List;
import java.util.Optional;

/**
 * ListBuckets: those of the caller's account; root sees all. Every bucket lies in this server's
 * region.
 */
public final class ListBuckets implements Operation {
    private final ObjectReader store;

    public ListBuckets(ObjectReader store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) {
        String prefix = request.query().text("prefix");
        Optional<String> token = request.query().get("continuation-token");
        int max =
                request.query().has("max-buckets")
                        ? Numbers.between(
                                "max-buckets",
                                request.query().text("max-buckets"),
                                1,
                                Limits.BUCKETS_PAGE_MAX,
                                "max-buckets must be an integer between 1 and "
                                        + Limits.BUCKETS_PAGE_MAX)
                        : Limits.BUCKETS_PAGE_MAX;
        Optional<String> owner =
                request.who().root() ? Optional.empty() : Optional.of(request.who().account());
        String listing = request.call().title();
        String after =
                token.filter(text -> !text.isEmpty())
                        .map(text -> Tokens.decode(listing, text))
                        .orElse("");
        String region = request.query().text("bucket-region");
        List<BucketInfo> found =
                region.isEmpty() || region.equals(request.region())
                        ? store.listBuckets(owner, prefix, after, max + 1)
                        : List.of();
        boolean truncated = found.size() > max;
        List<BucketInfo> page = truncated ? found.subList(0, max) : found;
        XmlWriter xml = XmlWriter.document("ListAllMyBucketsResult", request.head().allowance());
        Documents.owner(xml, request, request.who().principal());
        xml.begin("Buckets");
        for (BucketInfo bucket : page) {
            xml.begin("Bucket");
            xml.element("Name", bucket.name().value());
            xml.element("CreationDate", HttpDates.document(bucket.created()));
            xml.element("BucketRegion", request.region());
            xml.end();
        }
        xml.end();
        if (!prefix.isEmpty()) {
            xml.element("Prefix", prefix);
        }
        if (truncated) {
            xml.element("ContinuationToken", Tokens.encode(listing, page.getLast().name().value()));
        }
        return Answer.of(200).xml(xml.finish());
    }
}
