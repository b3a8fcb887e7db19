package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.StoreCubes.Placement;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The rule {@code spread} for new buckets, and cubes that fill up alone. */
class CubePlacementTest extends CubesFixture {
    private static final long CAPACITY_BYTES = 16 << 20;

    @Override
    Placement rule() {
        return Placement.SPREAD;
    }

    @Override
    LogSettings log() {
        return super.log().with(new CleaningSettings(1, CAPACITY_BYTES, 0.1, 0.4, 2.0, 0.9, 3));
    }

    private String create(String bucket) throws IOException {
        assertThat(store.createBucket(ALICE, name(bucket))).isNotNull();
        return cubes.cubeOf(name(bucket)).orElseThrow();
    }

    @Test
    void aBucketGoesToTheWritableCubeWithTheFewest() throws Exception {
        cubes.create("one");
        cubes.create("two");
        assertThat(create("first")).isEqualTo("default");
        assertThat(create("second")).isEqualTo("one");
        assertThat(create("third")).isEqualTo("two");
        store.deleteBucket(ALICE, name("second"));
        assertThat(create("fourth")).isEqualTo("one");
        bucket("fifth", "two");
        assertThat(create("sixth")).isEqualTo("default");
        // A cube that takes no writes gets no bucket.
        faulty.add("one");
        assertThat(catchThrowable(() -> put(ALICE, "fourth", "k", "lost")))
                .isInstanceOf(IOException.class);
        store.deleteBucket(ALICE, name("first"));
        assertThat(create("seventh")).isEqualTo("default");
        assertThat(create("eighth")).isEqualTo("default");
        assertThat(create("ninth")).isIn("default", "two");
        assertThat(info("one").buckets()).isEqualTo(1);
    }

    @Test
    void aFullCubeNamesItselfAndTheOthersTakeWrites() throws Exception {
        cubes.create("one");
        bucket("full", "one");
        bucket("other", "default");
        String text = "x".repeat(200_000);
        Throwable refused = null;
        int written = 0;
        while (refused == null) {
            String key = "k" + written;
            refused = catchThrowable(() -> put(ALICE, "full", key, text));
            written++;
        }
        assertThat(refused).isInstanceOf(CubeUnavailableException.class);
        CubeUnavailableException full = (CubeUnavailableException) refused;
        assertThat(full.reason()).isEqualTo(Reason.FULL);
        assertThat(full.cube()).contains("one");
        assertThat(written * 200_000L).isBetween(CAPACITY_BYTES / 4, CAPACITY_BYTES);
        for (int i = 0; i < 5; i++) {
            put(ALICE, "other", "k" + i, text);
        }
        assertThat(get(BOB, "full", "k0")).isEqualTo(text);
        store.delete(ALICE, name("full"), key("k0"), VersionSelector.LATEST, WriteCondition.NONE);
    }
}
