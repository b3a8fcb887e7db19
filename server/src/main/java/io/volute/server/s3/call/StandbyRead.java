package io.volute.server.s3.call;

import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import java.util.List;

/**
 * The header by which a client of a cluster accepts an answer from a standby. A signature covers
 * it, as every header of the protocol.
 */
public final class StandbyRead {
    /** The header of the request. */
    public static final String HEADER = "x-volute-read";

    /**
     * The header of the answer: seconds by which its state may be behind the owner of the store.
     */
    public static final String LAG = "x-volute-lag";

    private static final String STANDBY = "standby";

    private StandbyRead() {}

    /** Returns whether a request accepts the state of a standby. */
    public static boolean isAccepted(HttpHead head) {
        return head.headers().all(HEADER).equals(List.of(STANDBY));
    }

    /**
     * Checks the header of a request.
     *
     * @throws S3Exception InvalidArgument for another value, and for a call that is no read
     */
    public static void check(S3Call call, HttpHead head) {
        List<String> values = head.headers().all(HEADER);
        if (values.isEmpty()) {
            return;
        }
        if (!isAccepted(head)) {
            throw S3Exception.invalidArgument(
                    HEADER, values.getLast(), "The header has one value: " + STANDBY + ".");
        }
        if (!call.isRead()) {
            throw S3Exception.invalidArgument(
                    HEADER, STANDBY, "Only GET and HEAD can be answered by a standby.");
        }
    }
}
