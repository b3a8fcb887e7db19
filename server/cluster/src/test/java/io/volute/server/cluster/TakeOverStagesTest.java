package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TakeOverStagesTest {
    @Test
    void namesEachStageWithItsOwnTime() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
        TakeOverStages stages = new TakeOverStages(nanos::get);
        assertThat(stages.millis()).isZero();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(30));
        stages.ended("system cube");
        stages.ended("store");
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(12));
        stages.ended("server");
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(stages).hasToString("system cube 30 ms, store 0 ms, server 12 ms");
        assertThat(stages.millis()).isEqualTo(42);
    }
}
