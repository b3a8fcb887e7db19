package io.volute.versioning.write;

import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ReplicaOrigin;
import io.volute.versioning.value.WriteCondition;
import io.volute.versioning.write.VersionChain.Link;
import java.io.IOException;
import java.util.Optional;

/** The conditions of writes. The caller holds the lock of the key. */
public final class KeyConditions {
    private KeyConditions() {}

    /**
     * Refuses if the condition does not hold for this version. A delete marker counts as absent.
     */
    public static void check(WriteCondition condition, Optional<Link> target) {
        Optional<ObjectRow> object =
                target.map(Link::decoded).filter(decoded -> !decoded.deleteMarker());
        switch (condition) {
            case WriteCondition.None none -> {}
            case WriteCondition.IfAbsent absent -> {
                if (object.isPresent()) {
                    throw new StoreException(
                            Reason.PRECONDITION_FAILED, "the key has a current object");
                }
            }
            case WriteCondition.IfNewest(long number) -> {
                if (target.filter(each -> each.decoded().number() == number).isEmpty()) {
                    throw new StoreException(
                            Reason.PRECONDITION_FAILED, "the key has a newer version");
                }
            }
            case WriteCondition.IfNoReplica replica ->
                    throw new IllegalArgumentException("a condition on a key");
            case WriteCondition.IfMatch match -> {
                String wanted = match.etag().replace("\"", "");
                String found =
                        object.orElseThrow(
                                        () ->
                                                new StoreException(
                                                        Reason.CONDITION_ON_MISSING_KEY,
                                                        "the key has no current object"))
                                .etag();
                if (!wanted.equals("*") && !wanted.equals(found)) {
                    throw new StoreException(
                            Reason.PRECONDITION_FAILED, "the current object has another ETag");
                }
            }
        }
    }

    /**
     * Refuses a replica that the key has, and one that comes after a later version of its source.
     * Versions of one source come in the order of their numbers, so most looks end early.
     */
    static void requireNoReplica(VersionChain chain, BucketInfo bucket, ReplicaOrigin wanted)
            throws IOException {
        if (bucket.versioning() != VersioningState.ENABLED) {
            throw new StoreException(Reason.NOT_VERSIONED, "replicas need versioning");
        }
        boolean isLate = false;
        for (Optional<Link> link = chain.current();
                link.isPresent();
                link = chain.behind(link.get())) {
            Optional<ReplicaOrigin> found =
                    ReplicaOrigin.of(chain.version(link.get()).attributes())
                            .filter(each -> each.source().equals(wanted.source()));
            if (found.isPresent() && found.get().number() == wanted.number()) {
                throw new StoreException(Reason.PRECONDITION_FAILED, "the replica is there");
            }
            if (found.isPresent() && found.get().number() < wanted.number()) {
                break;
            }
            isLate |= found.isPresent();
        }
        if (isLate) {
            throw new StoreException(
                    Reason.CONDITIONAL_CONFLICT, "there is a replica of a later version");
        }
    }
}
