package io.volute.server.cluster;

import io.volute.server.cluster.standby.FollowedCube;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.util.concurrent.Semaphore;

/**
 * Requests with an unknown access key, on a node that follows the users of the store. Each waits
 * until the node has all users that there are when it asks, so a key can be used as soon as it is
 * made. Few requests wait at once, because anybody can send unknown keys. Thread-safe.
 */
final class NewestUsers {
    private final FollowedCube system;
    private final long waitNanos;
    private final Semaphore waiting;

    /**
     * @param system has the users
     * @param waitNanos time that one request waits
     * @param most number of requests that wait at once
     */
    NewestUsers(FollowedCube system, long waitNanos, int most) {
        this.system = system;
        this.waitNanos = waitNanos;
        this.waiting = new Semaphore(most);
    }

    /**
     * Waits until this node has the users of now.
     *
     * @throws S3Exception SLOW_DOWN when it does not get them: clients try again then, but not
     *     after the answer to an unknown key
     */
    void await() {
        if (!waiting.tryAcquire()) {
            throw unknown();
        }
        try {
            if (!system.awaitPresent(waitNanos)) {
                throw unknown();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unknown();
        } finally {
            waiting.release();
        }
    }

    private static S3Exception unknown() {
        return new S3Exception(
                S3Error.SLOW_DOWN, "This node does not know the newest users yet. Try again.");
    }
}
