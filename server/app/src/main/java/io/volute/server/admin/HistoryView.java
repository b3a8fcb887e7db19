package io.volute.server.admin;

import io.volute.server.Limits;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.bucket.VersionLister;
import io.volute.versioning.History;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The part of the history that a caller sees without permission for the admin API: keys whose
 * versions the caller may list. States that S3 clients cannot see, and edges of traces, need the
 * permission under the policies of their time, too. The past of a deleted bucket is not in it.
 *
 * <p>A client program has an address, an access key and a name. They are shown to the program's own
 * user, to callers with {@code volute:Actors}, and to the bucket's owner in the states of its keys.
 * Others see the principal alone. For one request, and for use by one thread.
 */
final class HistoryView implements History.TraceScope {
    private final VersionLister lister;
    private final Credential who;
    private final boolean seesClients;

    /**
     * @param seesClients whether the caller may see all details of actors
     */
    HistoryView(VersionLister lister, Credential who, boolean seesClients) {
        this.lister = lister;
        this.who = who;
        this.seesClients = seesClients;
    }

    /** Returns whether the caller may see the history of a key. */
    boolean has(BucketName bucket, ObjectKey key) {
        return lister.bucket(bucket.value()).filter(each -> lister.mayList(each, key)).isPresent();
    }

    @Override
    public boolean has(String bucket, long bucketId, ObjectKey key, Instant at) {
        return lister.bucket(bucket)
                .filter(each -> each.means(bucketId) && lister.mayList(each, key, at))
                .isPresent();
    }

    @Override
    public int nodesMax() {
        return Limits.TRACE_NODES_MAX;
    }

    /** Returns whether a kept state of a key of this view is shown. */
    boolean has(BucketName bucket, KeyState state) {
        BucketInfo info = lister.bucket(bucket.value()).orElseThrow();
        return state.visible()
                ? lister.mayList(info, state.key())
                : lister.mayList(info, state.key(), state.began());
    }

    /** Returns what shows the actors of states of a bucket of this view. */
    UnaryOperator<ActorVersion> actorsIn(BucketName bucket) {
        return lister.owns(lister.bucket(bucket.value()).orElseThrow())
                ? UnaryOperator.identity()
                : this::shown;
    }

    /** Returns an actor with its shown details. */
    ActorVersion shown(ActorVersion actor) {
        ActorInfo info = actor.actor();
        boolean isOwn =
                info.isWith(who.accessKey())
                        || who.kind() != Credential.Kind.ROLE
                                && info.principal().equals(who.principal());
        return seesClients || isOwn
                ? actor
                : new ActorVersion(
                        new ActorInfo(
                                info.id(),
                                info.principal(),
                                "",
                                Optional.empty(),
                                ActorName.of(""),
                                info.began()),
                        actor.version());
    }
}
