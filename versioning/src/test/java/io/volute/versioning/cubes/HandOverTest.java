package io.volute.versioning.cubes;

import static io.volute.versioning.rows.Families.BUCKETS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.VersionSelector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Requests while the new placement of a bucket is being committed get the answers of the source.
 */
class HandOverTest extends MovesFixture {
    private final CountDownLatch committing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicBoolean isHeld = new AtomicBoolean();

    /** Holds the first commit of the system cube behind the adoption in the target. */
    private void hold() {
        boolean isAdopted =
                opened.get("two").get(BUCKETS, RowKeys.bucket(name(BUCKET))).isPresent();
        if (isAdopted && isHeld.compareAndSet(false, true)) {
            committing.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void isRefused(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void refusalsAreThoseOfTheSource() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, "there", "text");
        atSystemForce = this::hold;
        assertThat(cubes.moves().start(name(BUCKET), "two")).isNotNull();
        committing.await();
        try {
            assertThat(get(ALICE, BUCKET, "there")).isEqualTo("text");
            isRefused(Reason.NO_SUCH_KEY, () -> get(ALICE, BUCKET, "missing"));
            isRefused(
                    Reason.NO_SUCH_VERSION,
                    () ->
                            store.open(
                                    ALICE,
                                    name(BUCKET),
                                    key("there"),
                                    new VersionSelector.Numbered(77)));
            assertThat(
                            store.listObjects(ALICE, name(BUCKET), new ObjectQuery("", "", "", 9))
                                    .objects())
                    .hasSize(1);
        } finally {
            atSystemForce = () -> {};
            goOn.countDown();
        }
        awaitMoves();
        assertThat(cubes.cubeOf(name(BUCKET))).contains("two");
        isRefused(Reason.NO_SUCH_KEY, () -> get(ALICE, BUCKET, "missing"));
        assertThat(get(ALICE, BUCKET, "there")).isEqualTo("text");
    }
}
