package io.volute.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.http.HttpConnection;
import io.volute.benchmarks.load.LoadPlan.PutKeys;
import io.volute.benchmarks.load.RequestComposer.SharedBody;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WorkerTest {
    private static final long SECOND = 1_000_000_000;

    /** A stall until the end of the measured time delays all that was due in it. */
    @Test
    void whatWasDueInTimeCountsHoweverLateItIsAnswered() throws Exception {
        LoadResult result = late("--rate", "40");

        assertThat(result.counts().operations).isZero();
        assertThat(result.latencyMillis(50)).isGreaterThan(1000);
        assertThat(result.latencyMillis(100)).isGreaterThan(1950);
    }

    @Test
    void inAClosedLoopNothingIsDue() throws Exception {
        assertThat(late().latencyMillis(100)).isZero();
    }

    @Test
    void aRequestThatWasDueAndIsNeverAnsweredIsAnError() throws Exception {
        try (IdleServer server = IdleServer.start(0, 0)) {
            Worker worker = worker(server.port(), "--rate", "40");
            worker.connection().close();
            worker.run();
            Counts counts = worker.counts();

            assertThat(counts.errors).isEqualTo(40);
            assertThat(counts.firstError).contains("the run is over");
        }
    }

    /** Returns the result of a worker that begins one second after the measured second ends. */
    private static LoadResult late(String... arguments) throws Exception {
        try (IdleServer server = IdleServer.start(0, 0)) {
            Worker worker = worker(server.port(), arguments);
            worker.run();
            worker.connection().close();
            return new LoadResult(
                    "t", 1, worker.counts(), Double.NaN, OptionalLong.empty(), 0, Double.NaN);
        }
    }

    private static Worker worker(int port, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--connections", "1", "--endpoint", "http://127.0.0.1:" + port));
        LoadDriver driver = LoadDriver.parse(all.toArray(String[]::new));
        Workload workload = driver.workload();
        Target target = driver.target();
        LoadPlan plan = new LoadPlan(workload, PutKeys.NEW, Ticks.nanos() - 2 * SECOND, 0, SECOND);
        return new Worker(
                0,
                workload,
                plan,
                new RequestComposer(
                        workload, new KeySpace("run", 1), plan, target, SharedBody.of(workload), 0),
                new HttpConnection(target.address(0)),
                new SplittableRandom(1));
    }
}
