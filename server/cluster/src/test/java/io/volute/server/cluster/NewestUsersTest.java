package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.cluster.standby.FollowedCube;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NewestUsersTest {
    private static final long LONG = TimeUnit.MINUTES.toNanos(1);

    /** Its reads of the clock show that a request waits. */
    private final CountDownLatch asked = new CountDownLatch(2);

    private final FollowedCube system =
            new FollowedCube(
                    "default",
                    () -> {
                        asked.countDown();
                        return 1000;
                    },
                    0);

    private static void isTold(Runnable wait) {
        assertThatThrownBy(wait::run)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        told -> assertThat(told.error()).isEqualTo(S3Error.SLOW_DOWN));
    }

    @Test
    void aRequestWaitsForTheUsersOfNow() throws Exception {
        system.completeAt(999);
        NewestUsers users = new NewestUsers(system, LONG, 1);
        CompletableFuture<Void> first = CompletableFuture.runAsync(users::await);
        asked.await();
        system.completeAt(1000);
        first.get(1, TimeUnit.MINUTES);
    }

    /** A client takes 403 for final, though its key may be a moment old. */
    @Test
    void whoCannotWaitIsToldToTryAgain() throws Exception {
        FollowedCube behind = new FollowedCube("default", () -> 1000, 0);
        behind.completeAt(999);
        isTold(() -> new NewestUsers(behind, 1, 1).await());
        system.completeAt(999);
        NewestUsers users = new NewestUsers(system, LONG, 1);
        CompletableFuture<Void> first = CompletableFuture.runAsync(users::await);
        asked.await();
        isTold(users::await);
        system.completeAt(1000);
        first.get(1, TimeUnit.MINUTES);
    }
}
