package io.volute.server.s3;

import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.Target;
import java.util.List;

/** Tells the requests that change the list of buckets. Thread-safe. */
public final class StoreCalls {
    private static final Router ROUTER = new Router();

    private StoreCalls() {}

    /** The changes of the list of buckets. */
    public enum Change {
        NONE,
        CREATION,
        DELETION
    }

    /**
     * Returns the change of the list of buckets that a request means.
     *
     * @throws io.volute.server.s3.error.S3Exception when it means no operation
     */
    public static Change of(HttpHead head, Target target) {
        if (target.level() != Target.Level.BUCKET
                || !head.method().equals("PUT") && !head.method().equals("DELETE")) {
            return Change.NONE;
        }
        S3Call call =
                ROUTER.route(
                        head.method(),
                        target,
                        QueryParameters.parse(head.rawQuery()),
                        new HeaderList(List.of()));
        return switch (call) {
            case CREATE_BUCKET -> Change.CREATION;
            case DELETE_BUCKET -> Change.DELETION;
            default -> Change.NONE;
        };
    }
}
