package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.History;
import io.volute.versioning.value.BucketName;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The cubes of deleted buckets, which anybody can ask for. */
class PastBucketsTest {
    private static final BucketName GONE = new BucketName("gone");

    private final AtomicLong nanos = new AtomicLong(-5);
    private final PastBuckets past = new PastBuckets(nanos::get);

    /** The lookups: whether each was in all cubes. */
    private final List<Boolean> lookups = new ArrayList<>();

    private boolean isBehind;

    /** All cubes have the bucket in "hot"; the open ones in "here". */
    private final History history =
            (History)
                    Proxy.newProxyInstance(
                            History.class.getClassLoader(),
                            new Class<?>[] {History.class},
                            (proxy, method, arguments) -> {
                                boolean isEverywhere = (boolean) arguments[1];
                                lookups.add(isEverywhere);
                                if (isEverywhere && isBehind) {
                                    throw new CubeUnavailableException(
                                            Reason.NOT_OPEN, "it catches up");
                                }
                                return Optional.of(isEverywhere ? "hot" : "here");
                            });

    private Optional<String> cubeOf(BucketName bucket) {
        return past.cubeOf(bucket, history);
    }

    @Test
    void aResultIsKeptForAWhile() {
        assertThat(cubeOf(GONE)).contains("hot");
        nanos.addAndGet(PastBuckets.KEPT_NANOS - 1);
        assertThat(cubeOf(GONE)).contains("hot");
        assertThat(lookups).containsExactly(true);
        nanos.addAndGet(1);
        assertThat(cubeOf(GONE)).contains("hot");
        assertThat(lookups).containsExactly(true, true);
    }

    /** The owner of the right cube finds it without the others. */
    @Test
    void openCubesAreEnoughWhenOthersCannotBeRead() {
        isBehind = true;
        assertThat(cubeOf(GONE)).contains("here");
        isBehind = false;
        assertThat(cubeOf(GONE)).contains("hot");
    }

    /** A flood of names without a credential takes no views from copies. */
    @Test
    void lookupsInViewsAreBounded() {
        for (int i = 0; i < 10 * PastBuckets.MOST_IN_A_SECOND; i++) {
            assertThat(cubeOf(new BucketName("bucket-" + i))).isPresent();
        }
        assertThat(lookups.stream().filter(isEverywhere -> isEverywhere))
                .hasSize(PastBuckets.MOST_IN_A_SECOND);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(cubeOf(GONE)).contains("hot");
    }
}
