package io.volute.server.s3.bucket;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.StoreView;
import io.volute.server.s3.call.Tokens;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * ListBuckets: those of the caller's account, and those that the caller may list or read if the
 * server shows them; root sees all. Every bucket lies in this server's region.
 */
public final class ListBuckets implements Operation {
    private static final int AT_ONCE = 1000;

    private final ObjectReader store;
    private final boolean listsReadable;

    /**
     * @param listsReadable whether the buckets that the caller may list or read are shown
     */
    public ListBuckets(ObjectReader store, boolean listsReadable) {
        this.store = store;
        this.listsReadable = listsReadable;
    }

    /**
     * A page of buckets.
     *
     * @param after the token of the next page; empty on the last one
     */
    private record Page(List<BucketInfo> buckets, Optional<String> after) {}

    @Override
    public S3Response run(S3Request request) throws IOException {
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
        String listing = request.call().title();
        String after =
                token.filter(text -> !text.isEmpty())
                        .map(text -> Tokens.decode(listing, text))
                        .orElse("");
        String region = request.query().text("bucket-region");
        boolean isAllowed =
                !listsReadable
                        || request.access().allows(Action.LIST_ALL_MY_BUCKETS, request.thing());
        Page page = new Page(List.of(), Optional.empty());
        if (region.isEmpty() || region.equals(request.region())) {
            page =
                    listsReadable && !(isAllowed && request.who().root())
                            ? visible(request, isAllowed, prefix, after, max)
                            : own(request, prefix, after, max);
        }
        if (!isAllowed && page.buckets().isEmpty() && page.after().isEmpty() && prefix.isEmpty()) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        XmlWriter xml = XmlWriter.document("ListAllMyBucketsResult", request.head().allowance());
        Documents.owner(xml, request, request.who().principal());
        xml.begin("Buckets");
        for (BucketInfo bucket : page.buckets()) {
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
        if (page.after().isPresent()) {
            xml.element("ContinuationToken", Tokens.encode(listing, page.after().get()));
        }
        return Answer.of(200).xml(xml.finish());
    }

    private Page own(S3Request request, String prefix, String after, int max) {
        Optional<String> owner =
                request.who().root() ? Optional.empty() : Optional.of(request.who().account());
        return page(store.listBuckets(owner, prefix, after, max + 1), max);
    }

    private static Page page(List<BucketInfo> found, int max) {
        return found.size() > max
                ? new Page(found.subList(0, max), Optional.of(found.get(max - 1).name().value()))
                : new Page(found, Optional.empty());
    }

    /**
     * Returns those of all buckets that the caller may see.
     *
     * @param isAllowed whether the caller may list the buckets of its account
     */
    private Page visible(S3Request request, boolean isAllowed, String prefix, String after, int max)
            throws IOException {
        Access.VisibleBuckets visible = request.access().visibleBuckets(request.view());
        List<BucketInfo> found = new ArrayList<>();
        String last = after;
        List<BucketInfo> some;
        do {
            some = store.listBuckets(Optional.empty(), prefix, last, AT_ONCE);
            for (BucketInfo each : some) {
                boolean isOwn = isAllowed && each.owner().equals(request.who().account());
                Optional<Boolean> has =
                        isOwn
                                ? Optional.of(true)
                                : full(each).map(visible::has).orElse(Optional.of(false));
                if (has.isEmpty()) {
                    // The policies took too many steps: the rest is on the next page.
                    if (last.equals(after)) {
                        throw new S3Exception(S3Error.ACCESS_DENIED);
                    }
                    return new Page(found, Optional.of(last));
                }
                if (has.get()) {
                    found.add(each);
                }
                if (found.size() > max) {
                    return page(found, max);
                }
                last = each.name().value();
            }
        } while (some.size() == AT_ONCE);
        return page(found, max);
    }

    /**
     * Returns a bucket with its policy, which can be in a cube of another node; empty when it
     * cannot be had now.
     */
    private Optional<BucketInfo> full(BucketInfo listed) throws IOException {
        // The list has no policies of buckets whose cube is not open here.
        boolean isFull = listed.id() != 0;
        if (!(store instanceof VersionedStore all) || isFull && !all.isElsewhere(listed.name())) {
            return Optional.of(listed);
        }
        try {
            return StoreView.ofSources(all, Optional.empty()).present().bucket(listed.name());
        } catch (CubeUnavailableException e) {
            return Optional.empty();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof CubeUnavailableException) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
