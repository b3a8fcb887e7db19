package io.volute.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessUsageTest {
    @Test
    void readsThePeakOfMemory() {
        assertThat(ProcessUsage.rssPeakBytes("Name: x\nVmHWM:\t  2048 kB\n")).isEqualTo(2 << 20);
    }
}
