package io.volute.server.auth.policy;

import io.volute.server.credentials.Credential;
import io.volute.versioning.BucketInfo;
import java.util.Optional;

/**
 * The one decision on whether a caller may do something. Default deny: root may do everything,
 * others what concerns buckets they own, and make and list their own.
 */
public final class Authorizer {

    /** The decision. */
    public enum Decision {
        ALLOW,
        DENY
    }

    private Authorizer() {}

    /**
     * @param bucket that the action is about; empty for actions that are about none that exists
     */
    public static Decision decide(Credential who, Action action, Optional<BucketInfo> bucket) {
        if (who.root()) {
            return Decision.ALLOW;
        }
        boolean allowed =
                switch (action) {
                    case LIST_ALL_MY_BUCKETS, CREATE_BUCKET -> true;
                    case DELETE_BUCKET,
                            LIST_BUCKET,
                            LIST_BUCKET_VERSIONS,
                            LIST_BUCKET_MULTIPART_UPLOADS,
                            GET_BUCKET_LOCATION,
                            GET_BUCKET_VERSIONING,
                            PUT_BUCKET_VERSIONING,
                            GET_BUCKET_CONFIGURATION,
                            PUT_BUCKET_CONFIGURATION,
                            GET_OBJECT,
                            GET_OBJECT_ATTRIBUTES,
                            GET_OBJECT_ACL,
                            PUT_OBJECT_ACL,
                            PUT_OBJECT,
                            DELETE_OBJECT,
                            GET_OBJECT_TAGGING,
                            PUT_OBJECT_TAGGING,
                            DELETE_OBJECT_TAGGING,
                            ABORT_MULTIPART_UPLOAD,
                            LIST_MULTIPART_UPLOAD_PARTS ->
                            bucket.isPresent() && bucket.get().owner().equals(who.principal());
                };
        return allowed ? Decision.ALLOW : Decision.DENY;
    }
}
