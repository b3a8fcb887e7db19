package io.volute.server.s3.replication;

import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.ReplicaOrigin;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.Optional;

/** The search for the replica of a version. */
public final class ReplicaLookup {
    /** Name of the header with which HeadObject selects the replica of a version. */
    public static final String HEADER = "x-volute-replica-of";

    private static final int PAGE = 100;

    private ReplicaLookup() {}

    /**
     * Returns the replica of a version, or delete marker; empty when the key has none. Versions of
     * one source are in the order of their numbers, so most searches end early.
     */
    public static Optional<ObjectVersion> find(
            ObjectReader store,
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            ReplicaOrigin origin)
            throws IOException {
        Optional<VersionSelector> after = Optional.empty();
        while (true) {
            String marker = after.isPresent() ? key.value() : "";
            VersionPage page =
                    store.listVersions(
                            caller, bucket, new VersionQuery(key.value(), "", marker, after, PAGE));
            for (ObjectVersion listed : page.versions()) {
                if (!listed.key().equals(key)) {
                    return Optional.empty();
                }
                after = Optional.of(new VersionSelector.Numbered(listed.number()));
                Optional<ObjectVersion> version = store.head(caller, bucket, key, after.get());
                Optional<ReplicaOrigin> found =
                        version.flatMap(each -> ReplicaOrigin.of(each.attributes()))
                                .filter(each -> each.source().equals(origin.source()));
                if (found.isPresent() && found.get().number() <= origin.number()) {
                    return version.filter(each -> found.get().number() == origin.number());
                }
            }
            if (page.nextKey().isEmpty() || page.versions().isEmpty()) {
                return Optional.empty();
            }
        }
    }
}
