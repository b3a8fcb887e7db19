package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ServerProcess;
import io.volute.system.VoluteCommand;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Kills of a server: counts those under load, and adds some that meet it while it recovers. */
final class Kills {
    private final int wanted;
    private int done;

    Kills(int wanted) {
        this.wanted = wanted;
    }

    int done() {
        return done;
    }

    boolean areEnough() {
        return done >= wanted;
    }

    /** Counts one; now and then another follows, of a server that recovers from it. */
    void add(ServerProcess.Options options, SplittableRandom random) {
        done++;
        if (random.nextInt(4) == 0 && !areEnough()) {
            try (ServerProcess early = ServerProcess.launch(options)) {
                early.killAfter(Duration.ofMillis(100 + random.nextInt(1_400)));
            }
            done++;
        }
    }

    /** Every chain of what survived is whole, and contents are those that entries tell of. */
    static void requireHistory(ServerProcess server) throws Exception {
        assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                .contains(" verified, ", " 0 findings");
    }

    static void requireNoFaults(List<Throwable> faults, ServerProcess server) {
        if (!faults.isEmpty()) {
            throw new AssertionError(
                    "a client met a fault before the kill\n" + server.log(), faults.getFirst());
        }
    }
}
