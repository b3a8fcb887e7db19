package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CubeGateTest {
    private static final long LONG = TimeUnit.MINUTES.toNanos(1);

    private final CubeGate gate = new CubeGate();

    @Test
    void aClosedGateLetsNoneIn() throws InterruptedException {
        assertThat(gate.enter()).isTrue();
        gate.close();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.awaitNone(1)).as("one is under way").isFalse();
        gate.leave();
        assertThat(gate.awaitNone(LONG)).isTrue();
    }

    @Test
    void theLastRequestEndsTheWait() throws InterruptedException {
        assertThat(gate.enter()).isTrue();
        assertThat(gate.enter()).isTrue();
        gate.close();
        CompletableFuture<Boolean> waits =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return gate.awaitNone(LONG);
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        gate.leave();
        assertThat(waits).isNotDone();
        gate.leave();
        assertThat(waits.join()).isTrue();
    }
}
