package io.volute.server.s3.bucket;

import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.StoreView;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides whose versions a caller may list, as ListObjectVersions does: with {@code
 * s3:ListBucketVersions} on the bucket. The whole key counts as the {@code s3:prefix} of the
 * listing. For one request, and for use by one thread.
 */
public final class VersionLister {
    private static final String PREFIX = "s3:prefix";

    private final Authority authority;
    private final Credential who;
    private final ObjectStore store;
    private final StoreView present;
    private final Access access;
    private final Map<String, Optional<BucketInfo>> buckets = new HashMap<>();

    /** The decisions, by bucket, that no policy makes depend on the key. */
    private final Map<Long, Boolean> ofAllKeys = new HashMap<>();

    private String prefix = "";
    private boolean isPrefixAsked;

    /**
     * @param request the facts about the request that do not depend on a bucket
     */
    public VersionLister(
            Authority authority,
            Credential who,
            Caller caller,
            ConditionKeys request,
            CredentialStore users,
            ObjectStore store)
            throws IOException {
        this.authority = authority;
        this.who = who;
        this.store = store;
        // Buckets can be in cubes of other nodes.
        this.present = StoreView.ofSources(store, Optional.empty());
        this.access =
                new Access(
                        authority,
                        who,
                        caller,
                        key -> values(request, key),
                        Map::of,
                        key -> List.of(),
                        users);
    }

    private List<String> values(ConditionKeys request, String key) {
        return switch (key) {
            case PREFIX -> {
                isPrefixAsked = true;
                yield List.of(prefix);
            }
            case "s3:delimiter", "s3:max-keys" -> List.of();
            default -> request.values(key);
        };
    }

    /** Returns a present bucket. */
    public Optional<BucketInfo> bucket(String name) {
        return buckets.computeIfAbsent(
                name,
                each ->
                        BucketName.isValid(each)
                                ? present.present().bucket(new BucketName(each))
                                : Optional.empty());
    }

    /** Returns whether the caller is the owner of a bucket. */
    public boolean owns(BucketInfo bucket) {
        return authority.owns(who, bucket);
    }

    /** Returns whether requests about the present show the caller the versions of a key. */
    public boolean mayList(BucketInfo bucket, ObjectKey key) {
        Boolean known = ofAllKeys.get(bucket.id());
        if (known != null) {
            return known;
        }
        isPrefixAsked = false;
        boolean may = mayList(present, bucket, key);
        if (!isPrefixAsked) {
            ofAllKeys.put(bucket.id(), may);
        }
        return may;
    }

    /**
     * Returns whether the caller may see what a key was at an instant: under the policies of then
     * and of now.
     */
    public boolean mayList(BucketInfo bucket, ObjectKey key, Instant at) {
        if (!mayList(bucket, key)) {
            return false;
        }
        try {
            StoreView view = StoreView.ofSources(store, Optional.of(at));
            Optional<BucketInfo> then = view.seen().bucket(bucket.name());
            return then.filter(each -> each.means(bucket.id()) && mayList(view, each, key))
                    .isPresent();
        } catch (S3Exception e) {
            if (e.error() == S3Error.INVALID_ARGUMENT) {
                // The instant is not over: the policies of then are those of now.
                return true;
            }
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean mayList(StoreView view, BucketInfo bucket, ObjectKey key) {
        prefix = key.value();
        return access.allows(
                Action.LIST_BUCKET_VERSIONS,
                new Access.Thing(
                        view, Optional.of(bucket), bucket.name().value(), "", Optional.empty()));
    }
}
