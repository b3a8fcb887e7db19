package io.volute.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.testkit.model.OperationGenerator.Options;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The real object store against the model: random sequences with clean and crashed restarts in
 * between, and all short ones.
 */
class ObjectStoreModel {

    @ParameterizedTest
    @EnumSource
    void randomSequencesAreLikeTheModel(SimStore.End end) throws IOException {
        compareRandom(end, Options.small());
    }

    @ParameterizedTest
    @EnumSource
    void randomSequencesWithLocksAreLikeTheModel(SimStore.End end) throws IOException {
        compareRandom(end, Options.locks());
    }

    private static void compareRandom(SimStore.End end, Options options) throws IOException {
        AtomicLong seeds = new AtomicLong();
        new StoreComparison(() -> new SimStore(end, 64 << 10, seeds.incrementAndGet()))
                .compareRandom(
                        options,
                        StoreComparison.firstSeed(1_000L * (1 + end.ordinal())),
                        StoreComparison.sequences(60));
    }

    @Test
    void everyShortSequenceIsLikeTheModel() throws IOException {
        int count =
                new StoreComparison(() -> new SimStore(SimStore.End.CLEAN, 1 << 20, 1))
                        .compareExhaustive();
        assertThat(count).isGreaterThan(6_000);
    }
}
